"""Where a draft goes, and the bank it is checked against."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bank.admission.folder import IDS, read_ids
from bank.admission.places import beside, refuse_installed
from bank.bank import ENTRIES, Bank
from bank.errors import BankError
from bank.files import place_of
from bank.question import Group, Question
from bank.reading import BankReading, read_entries


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The entries a draft stands among, every id that is taken, and how many entries cannot be read."""

    entries: Sequence[Question]
    taken: frozenset[str]
    files: dict[str, str]
    unreadable: int


def surroundings(folder: Path | None, output: Path | None) -> Surroundings:
    """The bank `folder`, else the shipped one with the entries of `output` beside it.

    Ids of the shipped bank are taken in every other, too: an id that two banks have keeps them from being
    used together. Raises `BankError` for a folder that is none, and for an `output` in which an entry cannot
    be read.
    """
    if folder is not None and not folder.is_dir():
        raise BankError("is no folder, name a folder of bank entries with --bank", file=str(folder))
    base = ENTRIES if folder is None else folder
    reading = read_entries(base) if folder is None or any(base.glob("*.yaml")) else BankReading()
    entries, unreadable = list(reading.entries), len(reading.problems)
    files = dict(reading.files)
    known = {entry.id for entry in entries}
    published = read_ids(beside(base, IDS)) or ()
    if output is not None and place_of(output) == "file" and output.resolve().parent != base.resolve():
        own = read_entries(output)
        if own.problems and not own.entries and not _empty(own):
            raise own.problems[0]
        entries += [entry for entry in own.entries if entry.id not in known]
        unreadable += 0 if _empty(own) else len(own.problems)
    taken = known | {entry.id for entry in entries} | set(published) | _shipped_ids()
    return Surroundings(entries, frozenset(taken), files, unreadable)


def _shipped_ids() -> frozenset[str]:
    published = read_ids(beside(ENTRIES, IDS)) or ()  # an installed package has no such list
    return frozenset(published) | {entry.id for entry in Bank.load().entries}


def _empty(reading: BankReading) -> bool:
    """The file holds comments alone, which reads as no list."""
    return len(reading.problems) == 1 and str(reading.problems[0]).endswith("is not a list of entries")


def file_for(folder: Path, entry: Question, files: dict[str, str]) -> Path:
    """The file of a folder for an entry: where those of its id's kind are, else one named by its group."""
    refuse_installed(folder)
    head = entry.id.rpartition("-")[0]
    alike = [name for known, name in files.items() if known.rpartition("-")[0] == head]
    if alike:
        return Path(max(alike, key=alike.count))
    special = "per-architecture" if entry.architectures else "needs-upstream" if entry.needs_upstream else ""
    return folder / f"{special or Group(entry.group).value}.yaml"
