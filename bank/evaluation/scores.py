"""Outcomes of one method on all states, and the figures made of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from bank.evaluation.intervals import clustered
from bank.evaluation.labels import LabelledState
from bank.evaluation.outcome import Outcome, Reading
from bank.question import Group
from sessions.shares import wilson
from sessions.vocabulary import Layer


@dataclass(frozen=True, slots=True)
class Place:
    """One suggestion of a list."""

    entry: str
    group: Group
    layer: Layer


@dataclass(frozen=True, slots=True)
class Case:
    """One method on one state. `top` and `ranks` (among distinct classes, from 1) are of lists of entries."""

    label: LabelledState
    outcomes: Mapping[Reading, Outcome]
    top: Sequence[Place] = ()
    ranks: Mapping[Reading, int | None] | None = None


@dataclass(frozen=True)
class Figures:
    """One reading over some states. `hits1` and `hits3` are sums: whole numbers unless they are expected."""

    by_session: Mapping[str, Sequence[Outcome]]

    @cached_property
    def _all(self) -> list[Outcome]:
        return [outcome for of_session in self.by_session.values() for outcome in of_session]

    @property
    def total(self) -> int:
        """How many states."""
        return len(self._all)

    @property
    def hits1(self) -> float:
        """States whose first suggestion is wanted."""
        return sum(outcome.hit1 for outcome in self._all)

    @property
    def hits3(self) -> float:
        """States with a wanted one among the first three."""
        return sum(outcome.hit3 for outcome in self._all)

    @property
    def reciprocal(self) -> float | None:
        """The mean reciprocal rank; None of nothing."""
        return fmean(outcome.reciprocal for outcome in self._all) if self._all else None

    @property
    def interval1(self) -> tuple[float, float]:
        """Wilson's interval of the share of `hits1`."""
        return wilson(round(self.hits1), self.total)

    @property
    def interval3(self) -> tuple[float, float]:
        """Wilson's interval of the share of `hits3`."""
        return wilson(round(self.hits3), self.total)

    @cached_property
    def reciprocal_interval(self) -> tuple[float, float] | None:
        """Of the mean reciprocal rank, by whole sessions; None for fewer than two."""
        return clustered(
            {name: [outcome.reciprocal for outcome in found] for name, found in self.by_session.items()}
        )

    @property
    def macro3(self) -> float | None:
        """The mean over sessions of each session's share of `hits3`: all sessions count alike."""
        shares = [fmean(outcome.hit3 for outcome in found) for found in self.by_session.values() if found]
        return fmean(shares) if shares else None


@dataclass(frozen=True)
class Scores:
    """A method's cases, in the order of the states. `expected`: outcomes are means over random orders, and
    have no intervals."""

    cases: Sequence[Case]
    expected: bool = False

    def figures(self, reading: Reading = Reading.GROUP, *, unknown: bool = False) -> Figures:
        """Over the states that have the reading and a kind; with `unknown` also those of kind none."""
        return _figures([case for case in self.cases if unknown or case.label.kind is not None], reading)

    def split(
        self, key: Callable[[LabelledState], str], reading: Reading = Reading.GROUP
    ) -> dict[str, Figures]:
        """The same for the states of each session, task or kind, by name."""
        parts: dict[str, list[Case]] = {}
        for case in self.cases:
            if case.label.kind is not None:
                parts.setdefault(key(case.label), []).append(case)
        return {name: _figures(parts[name], reading) for name in sorted(parts)}


def _figures(cases: Sequence[Case], reading: Reading) -> Figures:
    found: dict[str, list[Outcome]] = {}
    for case in cases:
        if reading in case.outcomes:
            found.setdefault(case.label.file, []).append(case.outcomes[reading])
    return Figures(found)
