"""The bank as a whole: read from a folder of YAML files, versioned by date and content."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from rapidfuzz import process

from bank.errors import BankError
from bank.question import Group, Question
from bank.reading import read_entries
from sessions.vocabulary import DecisionKind

ENTRIES = Path(__file__).parent / "entries"


@dataclass(frozen=True)
class Bank:
    """Admitted or not, every entry of a folder in the order of its files. Ids are unique."""

    entries: tuple[Question, ...]
    files: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | None = None) -> "Bank":
        """Read the shipped bank, another folder of `*.yaml`, or one such file.

        Raises `BankError` for the first thing that is not an entry: no such folder, damaged YAML, an unknown
        or missing key, a value that is none, an id used twice.
        """
        reading = read_entries(ENTRIES if path is None else path)
        if reading.problems:
            raise reading.problems[0]
        return cls(tuple(reading.entries), reading.files)

    @cached_property
    def version(self) -> str:
        """Newest date of an entry, `+`, and twelve hex digits over all entries, whatever their order."""
        newest = max((entry.provenance.date.isoformat() for entry in self.entries), default="empty")
        content = sha256()
        for entry in sorted(self.entries, key=lambda entry: entry.id):
            content.update(entry.model_dump_json(by_alias=True).encode())
        return f"{newest}+{content.hexdigest()[:12]}"

    @cached_property
    def _by_id(self) -> dict[str, Question]:
        return {entry.id: entry for entry in self.entries}

    def find(self, entry_id: str) -> Question | None:
        """The entry with this id, if there is one."""
        return self._by_id.get(entry_id)

    def get(self, entry_id: str) -> Question:
        """The entry with this id. Raises `BankError` that names the nearest id."""
        entry = self.find(entry_id)
        if entry is not None:
            return entry
        near = process.extractOne(entry_id, self._by_id.keys(), score_cutoff=60)
        hint = f"; the nearest is {near[0]}" if near else ""
        raise BankError(f"no entry {entry_id!r} in this bank{hint}, see `kernelseek bank list`")

    def select(self, *, group: Group | None = None, kind: DecisionKind | None = None) -> tuple[Question, ...]:
        """Entries of a group that serve a kind of moment, deprecated ones left out."""
        return tuple(
            entry
            for entry in self.entries
            if entry.status != "deprecated"
            and (group is None or entry.group == group)
            and (kind is None or kind in entry.decision_kinds)
        )

    def without(self, groups: Collection[Group]) -> "Bank":
        """The same bank with these groups taken out; its version differs."""
        return Bank(tuple(entry for entry in self.entries if entry.group not in groups), self.files)
