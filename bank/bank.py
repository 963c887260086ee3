"""The bank as a whole: read from the shipped JSON or from YAML files, versioned by date and content."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal

from rapidfuzz import process

from bank.errors import BankError
from bank.question import Architecture, Group, Question
from bank.shipped import ENTRIES as ENTRIES
from bank.shipped import read_shipped
from sessions.vocabulary import DecisionKind, Layer

Status = Literal["experimental", "test", "stable", "deprecated"]
"""What is known of an entry, as in `Question.status`."""


@dataclass(frozen=True)
class Bank:
    """Admitted or not, every entry of a folder in the order of its files. Ids are unique."""

    entries: tuple[Question, ...]
    files: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | None = None) -> "Bank":
        """Read the shipped bank, another folder of `*.yaml`, or one such file.

        The shipped bank comes from `bank.json` while that was made from the YAML beside it; a checkout whose
        YAML was edited since is read from the YAML. Raises `BankError` for the first thing that is not an
        entry: no such folder, damaged YAML, an unknown or missing key, a value that is none, an id used
        twice. What was read is not linted: `bank.sources.load_banks` does that.
        """
        shipped = read_shipped() if path is None else None
        if shipped is not None:
            return cls(*shipped)
        from bank.reading import read_entries  # with the reader of YAML, which the shipped bank does without

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

    def select(
        self,
        *,
        group: Group | None = None,
        kind: DecisionKind | None = None,
        layer: Layer | None = None,
        architecture: Architecture | None = None,
        upstream: bool | None = None,
        core: bool | None = None,
        status: Status | None = None,
    ) -> tuple[Question, ...]:
        """The entries that are all of what is given, in the bank's order.

        `kind`: they serve such moments. `layer`: they move there, or an answer leads there. `architecture`:
        they are for this family. `upstream`: they need another implementation. Deprecated ones are left out
        unless `status` asks for them.
        """
        return tuple(
            entry
            for entry in self.entries
            if (entry.status != "deprecated" if status is None else entry.status == status)
            and (group is None or entry.group == group)
            and (kind is None or kind in entry.decision_kinds)
            and (layer is None or layer in (entry.moves.to, *(end.next for end in entry.outcomes)))
            and (architecture is None or architecture in entry.architectures)
            and (upstream is None or entry.needs_upstream == upstream)
            and (core is None or entry.core == core)
        )

    def without(self, groups: Collection[Group]) -> "Bank":
        """The same bank with these groups taken out; its version differs."""
        return Bank(tuple(entry for entry in self.entries if entry.group not in groups), self.files)
