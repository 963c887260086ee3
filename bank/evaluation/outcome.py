"""What one list of suggestions is worth on one label, in four readings."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bank.evaluation.labels import LabelledState
from bank.question import Group
from sessions.vocabulary import Layer


class Reading(StrEnum):
    """What is compared, and which of the label's values count: any of them, or only the first."""

    GROUP = "group"
    FIRST_GROUP = "first_group"
    LAYER = "layer"
    FIRST_LAYER = "first_layer"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`hit1`, `hit3`: one of the first one or three is wanted. `reciprocal`: one over the place of the first
    wanted class among the distinct ones, 0 where there is none. 0 or 1, or expected values."""

    hit1: float
    hit3: float
    reciprocal: float


@dataclass(frozen=True, slots=True)
class Listing:
    """What a method puts forward, best first, a place for each suggestion: classes may stand there twice."""

    groups: Sequence[Group]
    layers: Sequence[Layer]


def wanted(label: LabelledState, reading: Reading) -> tuple[str, ...]:
    """The values that count; empty where the label says none."""
    values: tuple[str, ...] = (
        label.groups if reading in (Reading.GROUP, Reading.FIRST_GROUP) else label.layers
    )
    return values[:1] if reading in (Reading.FIRST_GROUP, Reading.FIRST_LAYER) else values


def side(listing: Listing, reading: Reading) -> Sequence[str]:
    """The half of a listing that a reading looks at."""
    return listing.groups if reading in (Reading.GROUP, Reading.FIRST_GROUP) else listing.layers


def rank_of(listed: Sequence[str], values: Collection[str]) -> int | None:
    """The place, from 1, of the first wanted class among the distinct ones."""
    distinct = dict.fromkeys(listed)
    return next((place for place, name in enumerate(distinct, 1) if name in values), None)


def outcome_of(listed: Sequence[str], values: Collection[str]) -> Outcome:
    """Hits count suggestions as they are shown; the reciprocal counts distinct classes."""
    place = rank_of(listed, values)
    hits = [any(name in values for name in listed[:few]) for few in (1, 3)]
    return Outcome(float(hits[0]), float(hits[1]), 1 / place if place else 0.0)


def outcomes(
    label: LabelledState, score: Callable[[Reading, tuple[str, ...]], Outcome]
) -> Mapping[Reading, Outcome]:
    """The outcome in each reading that the label allows."""
    return {reading: score(reading, values) for reading, values in _readings(label)}


def _readings(label: LabelledState) -> Iterator[tuple[Reading, tuple[str, ...]]]:
    for reading in Reading:
        values = wanted(label, reading)
        if values:
            yield reading, values
