"""The rules over a folder of entries as it lies on disk, with what stands beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bank.admission.context import Context
from bank.admission.copied import read_passages
from bank.admission.coverage import Counts, count
from bank.admission.finding import LintFinding
from bank.admission.lints import admit
from bank.admission.places import beside, locked, refuse_installed, replace_text
from bank.admission.whole import Pair, closest
from bank.bank import ENTRIES
from bank.errors import BankError
from bank.files import place_of, read_text
from bank.reading import BankReading, read_entries

IDS = "ids.txt"
_IDS_HEAD = """\
# Every id this bank ever published, one a line. Journals name entries by id for ever: an id stays in this
# list, and the entry stays in the bank, as deprecated and with a link to what came after it.
# Written by `kernelseek bank lint --record-ids`.
"""


@dataclass(frozen=True, slots=True)
class Admission:
    """What the rules say of a folder or file. `total` counts what cannot be read as an entry too."""

    findings: tuple[LintFinding, ...]
    total: int
    counts: Counts
    closest: Pair | None


def admit_path(
    path: Path | None = None, *, sources: Sequence[Path] = (), complete: bool = False
) -> Admission:
    """Apply every rule to a folder or file of entries, without a path to the shipped bank.

    What cannot be read is among the findings as Q01 or Q21. The shipped bank's folder is held to the figures
    of a complete bank, another where `complete` says so. Published ids are looked for where a folder is read
    that has a list of them. Raises `BankError` when the path is neither a folder of YAML nor a file, or a
    source or the list of ids cannot be read.
    """
    path = ENTRIES if path is None else path
    reading = read_entries(path)
    damaged = [
        LintFinding(problem.entry, problem.lint, "error", problem.key, str(problem))
        for problem in reading.problems
    ]
    context = Context(
        complete=complete or path.resolve() == ENTRIES.resolve(),
        published=_published(path, reading),
        passages=tuple(passage for source in sources for passage in read_passages(source)),
    )
    entries = reading.entries
    return Admission(
        findings=(*damaged, *admit(entries, context)),
        total=len(entries) + len(reading.problems),
        counts=count(entries),
        closest=closest(entries),
    )


def _published(path: Path, reading: BankReading) -> frozenset[str] | None:
    ids = read_ids(beside(path, IDS)) if path.is_dir() else None
    unread = {problem.entry for problem in reading.problems}
    # An entry that is damaged is not gone; of a file that is damaged nobody knows what it held.
    return None if ids is None or "" in unread else frozenset(ids) - unread


def read_ids(file: Path) -> tuple[str, ...] | None:
    """The list of published ids, None where there is no such file. Raises `BankError`."""
    if place_of(file) == "nothing":
        return None
    lines = read_text(file, advice=", it lists one id a line").splitlines()
    return tuple(word for word in (line.split("#")[0].strip() for line in lines) if word)


def record_ids(path: Path | None = None) -> tuple[Path, int]:
    """Add the bank's ids to its list of published ones: the file, and how many were new.

    Raises `BankError` for a bank that cannot be read or is an installed package's, `StorageError` when the
    list cannot be written.
    """
    path = ENTRIES if path is None else path
    refuse_installed(path)
    if not path.is_dir():
        raise BankError("is no folder, ids are recorded for a whole bank", file=str(path))
    reading = read_entries(path)
    if reading.problems:
        raise reading.problems[0]
    file = beside(path, IDS)
    with locked(file.parent):
        known = read_ids(file) or ()
        new = sorted({entry.id for entry in reading.entries} - set(known))
        if new:
            replace_text(file, _IDS_HEAD + "".join(f"{name}\n" for name in sorted({*known, *new})))
    return file, len(new)
