"""What a build read: a candidate is one file, and its hash must cover all of it.

The compiler lists every file that it opened, system headers too; the assembler (GNU's) what it was told to.
Both lists are held against the compiler's own folders, by where files really lie.
"""

import os
import re
import subprocess
from collections.abc import Collection
from functools import cache
from pathlib import Path

USED, ASSEMBLED = "used.d", "assembled.d"
_LINE_MARKER = re.compile(r"^[ \t]*(?:#|%:|\?\?=)[ \t]*\d", re.MULTILINE)
_DENIED = re.compile(r"(?:fatal error: |Error: can't open )(\S+?)(?: for reading)?: Permission denied")
_MISSED = re.compile(r"Error: file not found: (\S+)|Could not open incbin file '?([^\s']+)")
_ASSEMBLER = re.compile(r"\.\s*(incbin|include)\b")


def listing_flags(version: str) -> tuple[str, ...]:
    """Compiler flags that have the lists written; `version` is its first line of `--version`."""
    assembler = () if "clang" in version.lower() else (f"-Wa,--MD,{ASSEMBLED}",)
    return ("-MD", "-MF", USED, *assembler)


def written_includes(source: bytes) -> tuple[str, ...]:
    """Ways around the lists that a source can be seen to take: line markers (they change what a file is taken
    for) and, for assemblers that write no list, .incbin and .include."""
    text = source.decode(errors="replace")
    found = ["a line marker"] if _LINE_MARKER.search(text) else []
    return (*found, *(f".{word}" for word in dict.fromkeys(_ASSEMBLER.findall(text))))


def denied_files(log: str, work: Path) -> tuple[str, ...]:
    """Files that the sandbox kept from the compiler or the assembler, by what they said of it. An assembler
    says of a file that it was not found where it is there and may not be read."""
    missed = [one or other for one, other in _MISSED.findall(log)]
    return tuple(dict.fromkeys([*_DENIED.findall(log), *(one for one in missed if (work / one).exists())]))


def foreign_files(work: Path, compiler: str, allowed: Collection[str]) -> tuple[str, ...]:
    """Files that were read and are neither in `allowed` (as the list spells them) nor the compiler's own."""
    folders = system_folders(compiler)
    found = []
    for name in _listed(work / USED) + [one for one in _listed(work / ASSEMBLED) if not _is_made(one, work)]:
        if name in allowed or name in found:
            continue
        real = (work / name).resolve()
        if not any(real.is_relative_to(folder) for folder in folders):
            found.append(name)
    return tuple(found)


@cache
def system_folders(compiler: str) -> tuple[Path, ...]:
    """Where the compiler looks for <headers>, by its own account."""
    answer = subprocess.run(
        [compiler, "-E", "-x", "c++", "-v", os.devnull],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
    )
    listed = answer.stderr.partition("#include <...> search starts here:")[2].partition("End of search list")[
        0
    ]
    words = [line.strip().removesuffix(" (framework directory)") for line in listed.splitlines()]
    return tuple(Path(word).resolve() for word in words if word)


def is_systems(path: str | Path) -> bool:
    """Whether something really lies among the system's own programs and libraries."""
    return Path(path).resolve().is_relative_to("/usr")


@cache
def program_folders(compiler: str) -> tuple[Path, ...]:
    """Folders that a compiler's own parts may lie in, where that is not one of the system's: where it was
    installed (a `bin` beside `lib`), and where it looks for headers."""
    home = Path(compiler).resolve().parent.parent
    own = [home] if home not in (Path("/"), Path.home()) else []
    return tuple(one for one in (*own, *system_folders(compiler)) if not is_systems(one))


def _is_made(name: str, work: Path) -> bool:
    """Whether a name in the assembler's list is the compiler's own: its output, or no file at all."""
    return name.startswith("<") or (name.endswith(".s") and (work / name).resolve().parent == work.resolve())


def _listed(path: Path) -> list[str]:
    """The files of a make rule; none where there is no such list."""
    try:
        text = path.read_text(errors="replace").replace("\\\n", " ")
    except OSError:
        return []
    return [re.sub(r"\\(.)", r"\1", word) for word in re.split(r"(?<!\\)\s+", text.strip())[1:] if word]
