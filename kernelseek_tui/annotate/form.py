"""The form of a label as a state machine: single keys fill one field after the other. No widget, no file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sessions.labels import Label
from sessions.vocabulary import Act, Category, DecisionKind, Form, Layer, Truth

NONE = "none"


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a field, the key that chooses it, and how people read it."""

    key: str
    value: str
    words: str


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a label: `key` goes to it, the choices' keys answer it."""

    name: str
    key: str
    choices: tuple[Choice, ...]


def _numbered(values: type[DecisionKind | Layer | Act | Form | Category]) -> tuple[Choice, ...]:
    return tuple(
        Choice(str(number), value.value, value.value.replace("_", " ").replace("-", " "))
        for number, value in enumerate(values, 1)
    )


_TRUTH = {
    Truth.WRONG: "wrong",
    Truth.PARTLY_WRONG: "partly wrong",
    Truth.WRONG_ACROSS_RUNS: "wrong across runs",
    Truth.RIGHT: "right",
    Truth.REAL: "real (a plateau)",
    Truth.UNRESOLVED: "unresolved",
    Truth.NOT_A_MOMENT: "not a moment",
}

FIELDS: tuple[FormField, ...] = (
    FormField("kind", "k", (*_numbered(DecisionKind), Choice("0", NONE, "none: no moment"))),
    FormField("layer", "l", _numbered(Layer)),
    FormField("act", "a", _numbered(Act)),
    FormField("form", "f", _numbered(Form)),
    FormField("category", "c", _numbered(Category)),
    FormField("truth", "t", tuple(Choice(str(n), v.value, w) for n, (v, w) in enumerate(_TRUTH.items(), 1))),
    FormField(
        "certainty", "y", (Choice("1", "1", "a guess"), Choice("2", "2", "likely"), Choice("3", "3", "sure"))
    ),
)
BY_NAME = {item.name: item for item in FIELDS}
NAMES = tuple(BY_NAME)
OF_MESSAGES = frozenset({"act", "form"})
"""Fields that only a person's message has."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A label being filled in. `said`: the place is a person's message, so act and form are asked too.

    `active` is the field that keys answer. `finished`: the last field was answered, the label can be saved.
    """

    said: bool
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    active: str = "kind"
    evidence: tuple[int, ...] = ()
    note: str = ""
    finished: bool = False

    @classmethod
    def of(cls, label: Label, said: bool) -> Draft:
        """The draft that goes on with a label."""
        values = {name: str(value) for name in NAMES if (value := getattr(label, name)) is not None}
        return cls(said, values, evidence=label.evidence, note=label.note)

    @property
    def empty(self) -> bool:
        """Nothing was filled in."""
        return not (self.values or self.evidence or self.note)

    @property
    def ready(self) -> bool:
        """It can be saved: the kind is known."""
        return "kind" in self.values

    def choose(self, key: str) -> Draft | None:
        """Answer the active field and go on to the next that is asked; None where the key answers nothing.

        Kind `none` settles the truth, too: it is not a moment. A kind that replaces it takes that back.
        """
        choice = next((item for item in BY_NAME[self.active].choices if item.key == key), None)
        return None if choice is None else self.set(self.active, choice.value)

    def set(self, name: str, value: str) -> Draft:
        """`choose` by value."""
        values = {**self.values, name: value}
        if name == "kind":
            if value == NONE:
                values["truth"] = Truth.NOT_A_MOMENT.value
            elif self.values.get("kind") == NONE and values.get("truth") == Truth.NOT_A_MOMENT:
                del values["truth"]
        moved = replace(self, values=values, active=name, finished=name == NAMES[-1])
        return moved if moved.finished else replace(moved, active=moved._after(name))

    def clear(self) -> Draft:
        """Take the active field's answer back."""
        return replace(self, values={k: v for k, v in self.values.items() if k != self.active})

    def open(self, name: str) -> Draft:
        """Make a field the active one, also one that is not asked here."""
        return replace(self, active=name, finished=False)

    def step(self, by: int) -> Draft:
        """The next or the previous field, round at the ends."""
        return self.open(NAMES[(NAMES.index(self.active) + by) % len(NAMES)])

    def mark(self, entry: int) -> Draft:
        """Make an entry evidence, or no longer."""
        kept = set(self.evidence) ^ {entry}
        return replace(self, evidence=tuple(sorted(kept)))

    def write(self, note: str) -> Draft:
        """Set the note."""
        return replace(self, note=note.strip())

    def asked(self, name: str) -> bool:
        """The field is asked here: the rest may be filled in, and is passed over.

        A message has a category when it asks something; a moment that the question would have that helps.
        """
        values = self.values
        if name in OF_MESSAGES:
            return self.said
        if name == "category" and self.said:
            return values.get("act") == Act.QUESTION or values.get("form") == Form.INTERROGATIVE
        return values.get("kind") != NONE or name in ("kind", "certainty")

    def _after(self, name: str) -> str:
        rest = NAMES[NAMES.index(name) + 1 :]
        return next((item for item in rest if self.asked(item)), NAMES[-1])
