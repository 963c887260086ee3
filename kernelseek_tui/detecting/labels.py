"""Labelled moments and hard negatives, as scoring needs them, from a label file (docs/labels.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.errors import RefusedInput
from sessions.labels import Label
from sessions.vocabulary import DecisionKind, Truth

PROVED_WRONG = frozenset({Truth.WRONG, Truth.PARTLY_WRONG, Truth.WRONG_ACROSS_RUNS})
CLAIMS = frozenset({DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION})
TEMPTING = CLAIMS | {DecisionKind.EXPLAINED_ANOMALY}


@dataclass(frozen=True, slots=True)
class Positive:
    """A moment: `places` are its 0-based entries."""

    id: str
    file: str
    places: tuple[int, ...]
    kind: DecisionKind
    truth: Truth | None = None


@dataclass(frozen=True, slots=True)
class Negative:
    """A place that tempts and is no moment: none of `kinds` may be flagged there, but for `arguable` ones."""

    id: str
    file: str
    places: tuple[int, ...]
    kinds: frozenset[DecisionKind]
    arguable: frozenset[DecisionKind] = frozenset()


@dataclass(frozen=True, slots=True)
class Labels:
    """One annotator's rows, in the order of the file. `annotator` is empty where there are none."""

    annotator: str
    positives: tuple[Positive, ...]
    negatives: tuple[Negative, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The transcripts that are spoken of, each once."""
        named = [row.file for row in self.positives] + [row.file for row in self.negatives]
        return tuple(dict.fromkeys(named))

    def of(self, files: frozenset[str]) -> "Labels":
        """The rows of some files only."""
        return Labels(
            self.annotator,
            tuple(row for row in self.positives if row.file in files),
            tuple(row for row in self.negatives if row.file in files),
        )


def rows_of(labels: Sequence[Label], annotator: str | None = None) -> Labels:
    """The rows of one annotator: of the named one, or of the first in the file.

    A kind that anybody else saw at the place of a negative makes it arguable for that kind. Labels of
    subagents' files are left out: flags stand in the main file. Raises `RefusedInput` for an annotator who
    labelled nothing.
    """
    names = tuple(dict.fromkeys(label.annotator for label in labels))
    chosen = annotator if annotator is not None else (names[0] if names else "")
    if annotator is not None and annotator not in names:
        raise RefusedInput(
            f"no label is by {annotator!r}; there are labels by {', '.join(names) or 'nobody'}."
        )
    positives: list[Positive] = []
    negatives: list[Negative] = []
    others = [label for label in labels if label.annotator != chosen]
    for label in labels:
        if label.annotator != chosen or label.where.part is not None:
            continue
        places = tuple(sorted({label.where.entry, *label.where.also}))
        name = label.id or f"{label.file}:{label.where.entry}"
        if isinstance(label.kind, DecisionKind):
            positives.append(Positive(name, label.file, places, label.kind, label.truth))
            continue
        seen = frozenset(
            other.kind
            for other in others
            if isinstance(other.kind, DecisionKind) and _same_place(label, other)
        )
        kinds = frozenset(label.not_kind) or TEMPTING
        negatives.append(Negative(name, label.file, places, kinds, seen))
    return Labels(chosen, tuple(positives), tuple(negatives))


def _same_place(one: Label, other: Label) -> bool:
    if one.file != other.file:
        return False
    return one.id == other.id if one.id and other.id else one.where.entry == other.where.entry
