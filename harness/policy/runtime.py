"""What a runner's process looks like from outside, and what a candidate changed about it.

The judge looks while the process is stopped, so it costs nothing on any clock. A new file or new code in its
memory breaks policy (POLICY); a thread or a descriptor that is left, or one of the runner's that is gone, is
a wrong answer to the call (WRONG). A thread that was joined, and memory, are nobody's business.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from harness.arena import Violation
from harness.checks import Check
from harness.policy.libraries import ALLOWED
from harness.verdict import Status

SHOWN = 3
"""So many names are in a sentence; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Range:
    """Memory that can be executed: addresses, whether it can also be written, and its file ("" for none)."""

    start: int
    end: int
    writable: bool
    file: str


@dataclass(frozen=True, slots=True)
class Process:
    """A process at one moment: the files in its memory, its code, its threads and its open descriptors."""

    files: frozenset[str]
    code: tuple[Range, ...]
    threads: int
    descriptors: Mapping[int, str]


class Watch:
    """One process as it should look, from before its library is loaded on. Where the system does not tell
    (macOS), nothing is ever seen."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._expected = look(pid)

    def loaded(self, library: str) -> tuple[Violation, ...]:
        """What loading `library` did beyond itself; from now on this is how the process looks."""
        before, self._expected = self._expected, look(self._pid)
        if before is None or self._expected is None:
            return ()
        return tuple(after_load(before, self._expected, library))

    def mapped(self, descriptor: int) -> None:
        """The process has mapped the file that this descriptor is of, here and there, and closed it."""
        if self._expected is not None:
            name = str(Path(f"/proc/self/fd/{descriptor}").readlink())
            left = {
                number: link for number, link in self._expected.descriptors.items() if number != descriptor
            }
            self._expected = replace(self._expected, files=self._expected.files | {name}, descriptors=left)

    def called(self, what: str) -> tuple[Violation, ...]:
        """What a call changed for good."""
        now = look(self._pid) if self._expected is not None else None
        if now is None or self._expected is None:
            return ()
        return tuple(after_call(self._expected, now, what))


def look(pid: int) -> Process | None:
    """The process now; None where the system does not tell, or the process is gone."""
    folder = Path(f"/proc/{pid}")
    try:
        files, code = read_maps((folder / "maps").read_text(errors="replace"))
        threads = _threads(folder / "task")
        descriptors = _descriptors(folder / "fd")
    except OSError:
        return None
    return Process(files, code, threads, descriptors)


_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
_NO_FILES = ("/dev/zero (deleted)", "/anon_hugepage (deleted)")
"""What the kernel calls memory of no file that is shared (MAP_SHARED | MAP_ANONYMOUS) or in huge pages."""
CLOCKS = ("[vdso", "[vvar")
"""The kernel's clock in a process: its code and what that reads."""


def read_maps(text: str) -> tuple[frozenset[str], tuple[Range, ...]]:
    """The files of a /proc/PID/maps, and the code with the kernel's clock, of which it is a part."""
    files, code = set(), []
    for line in text.splitlines():
        words = line.split(maxsplit=5)
        name = words[5] if len(words) > 5 else ""
        name = "" if name in _NO_FILES else name
        if name.startswith("/"):
            files.add(name)
        if (words[1][2] == "x" and name != "[vsyscall]") or name.startswith(CLOCKS):
            start, _, end = words[0].partition("-")
            code.append(Range(int(start, 16), int(end, 16), words[1][1] == "w", name))
    return frozenset(files), tuple(code)


def after_load(before: Process, after: Process, library: str) -> Iterator[Violation]:
    """What loading `library` left behind beyond itself and the allowed libraries it needs."""
    homes = {str(PurePosixPath(name).parent) for name in before.files} | set(_LIBRARIES)
    fine = {name for name in after.files if name == library or _is_allowed(name, homes)}
    known = replace(before, files=before.files | fine)
    yield from _new_files(known, after, "load")
    mine = [one for one in after.code if one.file in fine]
    yield from _new_code(replace(known, code=(*before.code, *mine)), after, "load")
    yield from _clock(before, after, "load")
    yield from _left(known, after, "load")


def after_call(before: Process, after: Process, what: str) -> Iterator[Violation]:
    """What a call changed about the process; `before` is what it looked like when it had been loaded."""
    yield from _new_files(before, after, what)
    yield from _new_code(before, after, what)
    yield from _clock(before, after, what)
    yield from _left(before, after, what)


def _new_files(before: Process, after: Process, what: str) -> Iterator[Violation]:
    new = sorted(after.files - before.files)
    if new:
        words = f"In {what} the process mapped {_listed(new)}; only the candidate and the libraries it "
        yield Violation(Status.POLICY, Check.MAPPINGS, words + "was built against may be in its memory.")


def _new_code(before: Process, after: Process, what: str) -> Iterator[Violation]:
    new = [one for one in after.code if one.writable or not any(_holds(old, one) for old in before.code)]
    new = [one for one in new if not one.file.startswith("/") or one.file in before.files]  # else said above
    if new:
        size = sum(one.end - one.start for one in new)
        words = f"In {what} {size} bytes of memory became code; a candidate is what was built of its source."
        yield Violation(Status.POLICY, Check.MAPPINGS, words)


def _clock(before: Process, after: Process, what: str) -> Iterator[Violation]:
    gone = [one for one in before.code if one.file.startswith(CLOCKS) and one not in after.code]
    if gone:
        words = f"In {what} the kernel's clock ({gone[0].file}) was taken out of the process or replaced."
        yield Violation(Status.POLICY, Check.MAPPINGS, words)


def _left(before: Process, after: Process, what: str) -> Iterator[Violation]:
    if after.threads > before.threads:
        count = after.threads - before.threads
        words = (
            f"After {what} {_counted(count, 'thread')} of the candidate lived on; join every thread first."
        )
        yield Violation(Status.WRONG, Check.THREADS, words)
    opened = [n for n, link in after.descriptors.items() if before.descriptors.get(n) != link]
    closed = [n for n in before.descriptors if n not in after.descriptors]
    if opened:
        names = _listed([f"{number} ({after.descriptors[number]})" for number in opened])
        words = f"After {what} the process held other descriptors than before: {names}."
        yield Violation(Status.WRONG, Check.DESCRIPTORS, words)
    elif closed:
        names = _listed([f"{number} ({before.descriptors[number]})" for number in closed])
        words = f"In {what} descriptors of the runner were closed: {names}."
        yield Violation(Status.WRONG, Check.DESCRIPTORS, words)


def _holds(old: Range, new: Range) -> bool:
    return old.start <= new.start and new.end <= old.end and old.file == new.file


def _is_allowed(name: str, homes: set[str]) -> bool:
    path = PurePosixPath(name)
    return str(path.parent) in homes and any(fnmatchcase(path.name, glob) for glob in ALLOWED)


def _threads(folder: Path) -> int:
    """Threads that have not ended: one that was joined may still be on its way out."""
    found = list(folder.iterdir())
    if len(found) == 1:
        return 1
    return sum(_state(one / "stat") not in ("Z", "X", "") for one in found)


def _state(path: Path) -> str:
    try:
        return path.read_text(errors="replace").rpartition(")")[2].strip()[:1]
    except OSError:
        return ""


def _descriptors(folder: Path) -> dict[int, str]:
    return {
        int(one.name): str(one.readlink()) for one in sorted(folder.iterdir(), key=lambda one: int(one.name))
    }


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN
    text = ", ".join("".join(ch if ch.isprintable() else "?" for ch in name)[:200] for name in names[:SHOWN])
    return text + (f" and {more} more" if more > 0 else "")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + ("s" if count != 1 else "")
