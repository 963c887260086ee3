"""The filters over a bank's entries: what each may be set to, what passes, and how many would."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from bank.bank import Bank
from bank.forms.pages import pages_of
from bank.question import Architecture, Group, Question
from sessions.vocabulary import DecisionKind, Layer

Reached = Callable[[str], Collection[str]]
"""By an entry's id, which of `EFFECTS` it has reached."""

UNTESTED, ASKED, NUMBER, MOVED = EFFECTS = ("untested", "asked", "with a number", "moved a layer")
"""What records of askings say of an entry. All but the first include what comes after them."""
DEPRECATED = "deprecated"
"""The last value of the filter of effects: only what is no longer asked, which all others leave out."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a filter may be set to. `words` stand in the counts, `short` in the row of filters."""

    words: str
    short: str
    passes: Callable[[Question], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter; unset, every entry passes. `label` is its name in the row of filters."""

    label: str
    values: tuple[Value, ...]


def filters(reached: Reached) -> tuple[Filter, ...]:
    """The six filters, in the order of their number keys."""
    return (
        Filter("group", tuple(_group(group) for group in Group)),
        Filter("layer", tuple(_layer(layer) for layer in Layer)),
        Filter("moment", tuple(_kind(kind) for kind in DecisionKind)),
        Filter(
            "effect",
            (*(_effect(effect, reached) for effect in EFFECTS), Value(DEPRECATED, DEPRECATED, _deprecated)),
        ),
        Filter(
            "device",
            (
                Value("any device", "any device", lambda entry: not entry.architectures),
                *(_device(architecture) for architecture in Architecture),
            ),
        ),
        Filter(
            "upstream",
            (
                Value("without an upstream", "no upstream", lambda entry: not entry.needs_upstream),
                Value("with an upstream", "upstream", lambda entry: entry.needs_upstream),
            ),
        ),
    )


GROUP, LAYER, MOMENT, EFFECT, DEVICE, UPSTREAM = range(6)


def _group(group: Group) -> Value:
    return Value(group.value, group.value.partition("-")[0], lambda entry: entry.group == group)


def _layer(layer: Layer) -> Value:
    return Value(f"to {layer.value}", f"to {layer.value}", lambda entry: entry.moves.to == layer)


def _kind(kind: DecisionKind) -> Value:
    words = kind.value.replace("_", " ")
    return Value(words, words, lambda entry: kind in entry.decision_kinds)


def _effect(effect: str, reached: Reached) -> Value:
    return Value(effect, effect, lambda entry: effect in reached(entry.id))


def _deprecated(entry: Question) -> bool:
    return entry.status == DEPRECATED


def _device(architecture: Architecture) -> Value:
    return Value(architecture.value, architecture.value, lambda entry: architecture in entry.architectures)


class Shelf:
    """The entries of a bank behind its filters. `found` is what a text search came to, best first.

    Deprecated entries are left out, but where the filter of effects asks for them, and those in `named`:
    the places of entries that were asked for by id.
    """

    def __init__(self, entries: Sequence[Question], reached: Reached) -> None:
        self.entries = entries
        self.filters = filters(reached)
        self.chosen: list[int | None] = [None] * len(self.filters)
        self.found: Sequence[int] | None = None
        self.named: Collection[int] = frozenset()
        self._gone = {place for place, entry in enumerate(entries) if _deprecated(entry)}

    @property
    def filtered(self) -> bool:
        """Something is left out."""
        return self.found is not None or any(value is not None for value in self.chosen)

    @property
    def live(self) -> int:
        """How many entries are not deprecated."""
        return len(self.entries) - len(self._gone)

    def step(self, at: int, step: int) -> None:
        """Set a filter to its next value, or the one before; behind the last, and before the first, unset."""
        values, chosen = self.filters[at].values, self.chosen[at]
        place = (0 if chosen is None else chosen + 1) + step
        place %= len(values) + 1
        self.chosen[at] = place - 1 if place else None

    def choose(self, at: int, words: str) -> None:
        """Set a filter to the value with these words. Raises `ValueError` where there is none."""
        self.chosen[at] = [value.words for value in self.filters[at].values].index(words)

    def clear(self) -> None:
        """Unset all filters; the search is the caller's."""
        self.chosen = [None] * len(self.filters)

    def places(self) -> list[int]:
        """The entries that pass, in the bank's order or the search's."""
        tests = [
            item.values[value].passes
            for item, value in zip(self.filters, self.chosen, strict=True)
            if value is not None
        ]
        wanted = self._chosen_words(EFFECT) == DEPRECATED
        return [
            place
            for place in self._among()
            if (wanted or self._stands(place)) and all(passes(self.entries[place]) for passes in tests)
        ]

    def _among(self) -> Sequence[int]:
        return range(len(self.entries)) if self.found is None else self.found

    def _stands(self, place: int) -> bool:
        return place not in self._gone or place in self.named

    def _chosen_words(self, at: int) -> str | None:
        chosen = self.chosen[at]
        return None if chosen is None else self.filters[at].values[chosen].words

    def counts(self, at: int) -> tuple[int, list[int]]:
        """How many entries would be shown with this filter unset, and with each of its values."""
        kept = self.chosen[at]
        numbers = []
        try:
            for value in (None, *range(len(self.filters[at].values))):
                self.chosen[at] = value
                numbers.append(len(self.places()))
        finally:
            self.chosen[at] = kept
        return numbers[0], numbers[1:]


def as_documented(bank: Bank) -> Bank:
    """The bank with its entries in the order of its pages: core ones by group, then the others."""
    paged = {entry.id: entry for page in pages_of(bank) for entry in page.entries}
    return Bank(tuple(paged.values()), bank.files)


def named_by(entries: Sequence[Question]) -> Mapping[str, Sequence[tuple[str, str]]]:
    """For each id, the entries that name it as related: their ids, and in which way."""
    found: dict[str, list[tuple[str, str]]] = {}
    for entry in entries:
        for link in entry.related:
            found.setdefault(link.id, []).append((entry.id, link.type))
    return found
