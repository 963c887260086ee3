"""Scores of a ranker on folded states, and of the methods it stands beside."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from bank.bank import Bank
from bank.evaluation.chance import by_classes, by_entries
from bank.evaluation.folding import FoldedState
from bank.evaluation.labels import LabelledState
from bank.evaluation.outcome import Listing, Outcome, Reading, outcome_of, outcomes, rank_of, side, wanted
from bank.evaluation.scores import Case, Place, Scores
from bank.question import Group, Question
from bank.ranking import rank
from bank.ranking.devices import device_family
from sessions.events import Suggestion
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind, Layer

TOP = 5
"""Suggestions of a list that are kept for looking at: as many as are shown."""

T = TypeVar("T", bound=str)
Ranker = Callable[[Bank, SessionState, DecisionKind], Sequence[Suggestion]]


def whole_list(bank: Bank, state: SessionState, kind: DecisionKind) -> Sequence[Suggestion]:
    """The ranker as it is, with no end to its list: its first places are those of a short one."""
    return rank(bank, state, kind, limit=len(bank.entries))


def evaluate(states: Iterable[FoldedState], bank: Bank, ranker: Ranker = whole_list) -> Scores:
    """Score a ranker. Fold the states once and call this as often as rules change."""
    return Scores([_case(one.label, ranked(one, bank, ranker)) for one in states])


def ranked(one: FoldedState, bank: Bank, ranker: Ranker = whole_list) -> list[Place]:
    """The list at a state. Where its kind is none, the lists of all kinds are made one.

    Nobody would be asked there, and no kind says what to rank for: each entry gets the sum of one over its
    place in every kind's list that it stands in; the highest sum is first, ties go by id.
    """
    kind = one.label.kind
    if kind is not None:
        return [_place(bank, suggestion.entry) for suggestion in ranker(bank, one.state, kind)]
    sums: dict[str, float] = {}
    for kind in DecisionKind:
        for place, suggestion in enumerate(ranker(bank, one.state, kind), 1):
            sums[suggestion.entry] = sums.get(suggestion.entry, 0.0) + 1 / place
    return [_place(bank, name) for name in sorted(sums, key=lambda name: (-sums[name], name))]


def chance(states: Iterable[FoldedState], bank: Bank) -> Scores:
    """A random order of the groups, and of the layers, that the entries for the kind are of."""
    return _by_chance(states, bank, by_classes)


def random_entries(states: Iterable[FoldedState], bank: Bank) -> Scores:
    """A random order of the entries for the kind."""
    return _by_chance(states, bank, by_entries)


def last_asked(states: Iterable[FoldedState], bank: Bank) -> Scores:
    """What was asked last once more, newest first; only states with a question from the bank before them."""
    found = []
    for one in states:
        ids = [seen.event.entry for seen in reversed(one.state.asked) if seen.event.entry]
        places = [_place(bank, name) for name in dict.fromkeys(ids) if bank.find(name) is not None]
        if places:
            found.append(_case(one.label, places))
    return Scores(found)


def most_frequent(states: Sequence[FoldedState], *, of_kind: bool = True) -> Scores | None:
    """The groups and layers that labels of the other sessions name most, for the same kind before others.

    Never fitted on the session it is scored on. Without `of_kind`, whatever the kind. None for labels of one
    session only.
    """
    labels = [one.label for one in states]
    if len({label.file for label in labels}) < 2:
        return None
    found = []
    for label in labels:
        others = [other for other in labels if other.file != label.file]
        found.append(_counted(label, others, of_kind))
    return Scores(found)


def counted_elsewhere(states: Iterable[FoldedState], labels: Sequence[LabelledState]) -> Scores:
    """The groups and layers that `labels`, of other places, name most for the kind."""
    return Scores([_counted(one.label, labels, of_kind=True) for one in states])


def _counted(label: LabelledState, others: Sequence[LabelledState], of_kind: bool) -> Case:
    alike = [other for other in others if of_kind and other.kind is label.kind]
    listing = Listing(
        _most([other.groups for other in alike], [other.groups for other in others], Group),
        _most([other.layers for other in alike], [other.layers for other in others], Layer),
    )
    return Case(label, _outcomes(label, listing))


def serving(bank: Bank, one: FoldedState) -> list[Question]:
    """The entries that a blind choice at a state is among: those for its kind (all of them where that is
    none), without those for families of devices that the session is not known to run on."""
    family = device_family(one.state, {})
    return [
        entry
        for entry in bank.select(kind=one.label.kind)
        if not entry.architectures or family in entry.architectures
    ]


def out_of_reach(states: Iterable[FoldedState], bank: Bank) -> list[str]:
    """Ids of states where no entry for the kind is of an acceptable group: no ranker can hit them."""
    return [
        one.label.id
        for one in states
        if not {entry.group for entry in serving(bank, one)}.intersection(one.label.groups)
    ]


def listing_of(places: Sequence[Place | Question]) -> Listing:
    """The groups and layers of a list."""
    return Listing(
        [place.group for place in places],
        [place.layer if isinstance(place, Place) else place.moves.to for place in places],
    )


def _place(bank: Bank, name: str) -> Place:
    entry = bank.get(name)
    return Place(entry.id, entry.group, entry.moves.to)


def _case(label: LabelledState, places: Sequence[Place]) -> Case:
    listing = listing_of(places)
    ranks = {reading: rank_of(side(listing, reading), wanted(label, reading)) for reading in Reading}
    return Case(label, _outcomes(label, listing), tuple(places[:TOP]), ranks)


def _outcomes(label: LabelledState, listing: Listing) -> Mapping[Reading, Outcome]:
    return outcomes(label, lambda reading, values: outcome_of(side(listing, reading), values))


def _by_chance(
    states: Iterable[FoldedState], bank: Bank, score: Callable[[Sequence[str], Sequence[str]], Outcome]
) -> Scores:
    found = []
    for one in states:
        listing = listing_of(serving(bank, one))
        found.append(Case(one.label, _expected(one.label, listing, score)))
    return Scores(found, expected=True)


def _expected(
    label: LabelledState, listing: Listing, score: Callable[[Sequence[str], Sequence[str]], Outcome]
) -> Mapping[Reading, Outcome]:
    return outcomes(label, lambda reading, values: score(side(listing, reading), values))


def _most(alike: Iterable[Sequence[T]], others: Iterable[Sequence[T]], order: Iterable[T]) -> list[T]:
    """By how often labels of the kind name it, then labels at all, then how often first; ties in order."""
    own, named, first = Counter[T](), Counter[T](), Counter[T]()
    for values in alike:
        own.update(values)
    for values in others:
        named.update(values)
        first.update(values[:1])
    return sorted(
        (value for value in order if named[value]),
        key=lambda value: (-own[value], -named[value], -first[value]),
    )
