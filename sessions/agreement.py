"""How far two annotators agree: Cohen's kappa a field and overall, and where they differ."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from sessions.labels import Label, same_file, same_path

FIELDS = ("kind", "layer", "act", "form", "category", "truth", "certainty")
OVERALL = FIELDS[:-1]
"""Certainty is how sure an annotator is, not what is there: it is no part of the overall kappa."""
SMALL = 30
"""Below so many places the interval, which is exact only for many, is a rough guide."""
METHOD = (
    "95 % by the large-sample variance of kappa (delta method, places as the units; for one field the "
    "variance of Fleiss, Cohen and Everitt 1969)"
)
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Labels of two annotators, put together by place. `changed`: files that differ in their bytes."""

    pairs: tuple[tuple[Label, Label], ...]
    only_first: tuple[Label, ...]
    only_second: tuple[Label, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement over `n` places where both gave a value; `one_sided`: where only one did.

    `kappa` is None where chance alone would agree everywhere (both used one and the same word), or n is 0.
    `low` and `high` are None where the answers never differ or never agree: the variance says nothing there.
    """

    field: str
    n: int
    agreed: int
    one_sided: int
    kappa: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two values that differ at a place."""

    first: Label
    second: Label
    field: str
    values: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Kappa over all fields but certainty, each field's own, and every disagreement."""

    overall: Kappa
    fields: tuple[Kappa, ...]
    disagreements: tuple[Disagreement, ...]


def pair(first: Sequence[Label], second: Sequence[Label], within: int = 0) -> Pairing:
    """Put labels of the same moment together, each at most once.

    Moments of one file are the same by their ids, else by their event, else by entries at most `within`
    apart (the nearest first).
    """
    left, right = dict(enumerate(first)), dict(enumerate(second))
    found: list[tuple[int, Label, Label]] = []
    for test in (_same_id, _same_event):
        for at, one in list(left.items()):
            twin = next((key for key, other in right.items() if test(one, other)), None)
            if twin is not None:
                found.append((at, left.pop(at), right.pop(twin)))
    near = sorted(
        (abs(one.where.entry - other.where.entry), at, twin)
        for at, one in left.items()
        for twin, other in right.items()
        if _beside(one, other, within)
    )
    for _, at, twin in near:
        if at in left and twin in right:
            found.append((at, left.pop(at), right.pop(twin)))
    return Pairing(
        tuple((one, other) for _, one, other in sorted(found, key=lambda item: item[0])),
        tuple(left.values()),
        tuple(right.values()),
        tuple(sorted(_changed(left.values(), right.values()))),
    )


def agreement(pairs: Sequence[tuple[Label, Label]]) -> Agreement:
    """Kappa and disagreements over paired labels."""
    places = [
        {field: (value_of(one, field), value_of(other, field)) for field in FIELDS} for one, other in pairs
    ]
    return Agreement(
        kappa_of(places, OVERALL, "overall"),
        tuple(kappa_of(places, (field,), field) for field in FIELDS),
        tuple(_differences(pairs)),
    )


def value_of(label: Label, field: str) -> str | None:
    """A field as a word, None where the annotator gave none."""
    value = getattr(label, field)
    return None if value is None else str(value)


Place = Mapping[str, tuple[str | None, str | None]]


def kappa_of(places: Sequence[Place], fields: Sequence[str], name: str) -> Kappa:
    """Cohen's kappa (1960), pooled over `fields`: 1 - disagreements seen / disagreements by chance.

    Chance is each field's own. The interval treats the places as a sample: all fields of a place move
    together in it.
    """
    given: dict[str, list[tuple[int, str, str]]] = {field: [] for field in fields}
    one_sided = 0
    for at, place in enumerate(places):
        for field in fields:
            one, other = place[field]
            if one is not None and other is not None:
                given[field].append((at, one, other))
            elif one is not None or other is not None:
                one_sided += 1
    n = sum(len(answers) for answers in given.values())
    seen = sum(one != other for answers in given.values() for _, one, other in answers)
    by_chance = 0.0
    steps: list[tuple[int, float, float]] = []  # place, its disagreement, its part in that by chance
    for answers in given.values():
        if not answers:
            continue
        count = len(answers)
        rows, columns = Counter(one for _, one, _ in answers), Counter(other for _, _, other in answers)
        alike = sum(rows[word] * columns[word] for word in rows) / count
        by_chance += count - alike
        for at, one, other in answers:
            part = 1 - (columns[one] + rows[other]) / count + alike / count
            steps.append((at, float(one != other), part))
    if by_chance <= 0:
        return Kappa(name, n, n - seen, one_sided, None)
    ratio = seen / by_chance
    influence: defaultdict[int, float] = defaultdict(float)
    for at, differs, part in steps:
        influence[at] += differs - ratio * part
    error = sqrt(sum(value * value for value in influence.values())) / by_chance
    kappa = 1 - ratio
    if error < 1e-12:
        return Kappa(name, n, n - seen, one_sided, kappa)
    return Kappa(
        name, n, n - seen, one_sided, kappa, max(-1.0, kappa - _Z * error), min(1.0, kappa + _Z * error)
    )


def _same_id(one: Label, other: Label) -> bool:
    return one.id is not None and one.id == other.id and same_file(one, other)


def _same_event(one: Label, other: Label) -> bool:
    return one.where.event is not None and one.where.event == other.where.event and same_file(one, other)


def _beside(one: Label, other: Label, within: int) -> bool:
    return (
        abs(one.where.entry - other.where.entry) <= within
        and one.where.part == other.where.part
        and (within > 0 or one.where.event is None or other.where.event is None)
        and same_file(one, other)
    )


def _changed(first: Iterable[Label], second: Iterable[Label]) -> set[str]:
    """Files of the same name that the two saw with different bytes."""
    others = {(label.file, label.sha256) for label in second}
    return {
        one.file
        for one in first
        for file, sha256 in others
        if one.sha256 and sha256 and one.sha256 != sha256 and same_path(one.file, file)
    }


def _differences(pairs: Iterable[tuple[Label, Label]]) -> Iterator[Disagreement]:
    for one, other in pairs:
        for field in FIELDS:
            left, right = value_of(one, field), value_of(other, field)
            if left is not None and right is not None and left != right:
                yield Disagreement(one, other, field, (left, right))
