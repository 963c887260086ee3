"""What slow or wrong scenarios have in common: a place to look, in a sentence. Pure.

A hint never refuses anything. It is said only where it holds without exception in the record: all of the one
group have it and none of the other.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from harness.record.record import Record, ScenarioRecord
from harness.verdict import WRONG_STATUSES, Speed, Status

MIN_GAP = math.log(1.3)
"""Ratios are two groups where the widest step between neighbours is at least this."""
UNCHANGED = math.log(1.1)
"""A scenario closer to 1 than this has been left as it was; of a noisy one its interval reaches so close."""
MOST_VALUES = 3
"""More values than these are a list and no common trait."""
CONSTANT_SHARE = 0.5
CONSTANT_SPREAD = 4.0
"""A constant cost is looked for only where the least times by the bound are so far apart."""
MIN_SCENARIOS = 4

Trait = Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a hint is made of: a scenario's traits (its parameters and its family) and how it went.

    `interval` is that of `log_ratio`; where there is none, the ratio is taken as it is.
    """

    id: str
    traits: Trait
    status: Status
    log_ratio: float | None = None
    verdict: Speed | None = None
    time_ns: float | None = None
    floor_ns: float | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """`code` is stable: `wrong_where`, `slow_where`, `faster_where`, `constant_cost`."""

    code: str
    sentence: str


def hints(record: Record) -> list[Hint]:
    """All hints on a record."""
    return list(find([_seen(one) for one in record.scenarios]))


def find(seen: Sequence[Seen]) -> Iterator[Hint]:
    """See the module."""
    wrong = [one for one in seen if one.status in WRONG_STATUSES]
    right = [one for one in seen if one.status is Status.CORRECT]
    if wrong and right and (words := shared(wrong, right)):
        who = "The wrong scenario" if len(wrong) == 1 else f"All {len(wrong)} wrong scenarios"
        sentence = f"{who}, and none of the {len(right)} right, {_of(wrong, words)}."
        yield Hint("wrong_where", sentence)
    timed = sorted((one for one in right if one.log_ratio is not None), key=_log)
    if len(timed) >= MIN_SCENARIOS:
        yield from _slow(timed)
        yield from _faster(timed)
    yield from _constant([one for one in timed if one.time_ns is not None and one.floor_ns])


def shared(group: Sequence[Seen], others: Sequence[Seen]) -> str:
    """What all of `group` have and none of `others`, in words that follow a noun; "" where there is nothing.

    The simplest comes first: one trait, then two together, then one or the other.
    """
    conditions = list(_conditions(group, others))
    for words, holds in conditions:
        if all(map(holds, group)) and not any(map(holds, others)):
            return f"have {words}"
    for (first, one), (second, two) in combinations(conditions, 2):
        if all(one(x) and two(x) for x in group) and not any(one(x) and two(x) for x in others):
            return f"have {first} and {second}"
    clean = [(words, holds) for words, holds in conditions if not any(map(holds, others))]
    for (first, one), (second, two) in combinations(clean, 2):
        if all(one(x) or two(x) for x in group):
            return f"have {first} or {second}"
    return ""


Condition = tuple[str, Callable[[Seen], bool]]


def _conditions(group: Sequence[Seen], others: Sequence[Seen]) -> Iterator[Condition]:
    """Candidates: a value of a trait, then a few values, then one side of a threshold.

    The family comes first, then traits with few values: a kind says more than a size.
    """
    everyone = [*group, *others]
    few, sides = list[Condition](), list[Condition]()
    for name in sorted(group[0].traits, key=lambda name: (name != "family", _distinct(name, everyone))):
        if len(group) == 1 and _distinct(name, everyone) > MOST_VALUES:
            continue  # one scenario differs from all others in some size: that says nothing
        values = sorted({one.traits[name] for one in group if name in one.traits}, key=_order)
        rest = {one.traits[name] for one in others if name in one.traits}
        if not values or (len(values) == 1 and rest <= set(values)):
            continue
        for value in values:
            yield f"{name} = {_text(value)}", _equals(name, value)
        if 1 < len(values) <= MOST_VALUES:
            listed = ", ".join(_text(value) for value in values)
            few.append((f"{name} in {listed}", _among(name, frozenset(values))))
        numbers = [value for value in values if not isinstance(value, str)]
        beyond = [value for value in rest if not isinstance(value, str)]
        if len(values) > 1 and len(numbers) == len(values) and beyond:
            if min(numbers) > max(beyond):
                sides.append((f"{name} of {_text(min(numbers))} or more", _from(name, min(numbers))))
            if max(numbers) < min(beyond):
                sides.append((f"{name} of {_text(max(numbers))} or less", _to(name, max(numbers))))
    yield from few
    yield from sides


def _slow(timed: Sequence[Seen]) -> Iterator[Hint]:
    gap, at = max((_log(timed[i]) - _log(timed[i - 1]), i) for i in range(1, len(timed)))
    slow, rest = timed[:at], timed[at:]
    if gap < MIN_GAP or len(slow) > len(rest):
        return
    words = shared(slow, rest)
    if words:
        yield Hint(
            "slow_where",
            f"The {'slowest scenario' if len(slow) == 1 else f'{len(slow)} slowest scenarios'} "
            f"({_span(slow)}; the others {_span(rest)}), and none of the others, {_of(slow, words)}.",
        )


def _faster(timed: Sequence[Seen]) -> Iterator[Hint]:
    fast = [one for one in timed if one.verdict is Speed.FASTER and _log(one) >= MIN_GAP]
    rest = [one for one in timed if one not in fast]
    if not fast or len(fast) > len(rest) or not _left_alone(rest):
        return
    words = shared(fast, rest)
    if words:
        yield Hint(
            "faster_where",
            f"Only {len(fast)} of {len(timed)} scenarios {'is' if len(fast) == 1 else 'are'} faster "
            f"({_span(fast)}), {'the one' if len(fast) == 1 else 'those'} that {_of(fast, words)}; "
            f"{'the others are' if all(map(_close, rest)) else 'as far as can be told, the others are'} "
            "where they were.",
        )


def _left_alone(rest: Sequence[Seen]) -> bool:
    """Whether these are where they were: their middle is, and of each it may be so.

    Not the point of each: on a busy machine one of them is off by more, with an interval that says how little
    that means.
    """
    return abs(statistics.median(map(_log, rest))) <= UNCHANGED and all(map(_may_be_close, rest))


def _close(one: Seen) -> bool:
    return abs(_log(one)) <= UNCHANGED


def _may_be_close(one: Seen) -> bool:
    low, high = one.interval or (_log(one), _log(one))
    return low <= UNCHANGED and high >= -UNCHANGED


def _constant(timed: Sequence[Seen]) -> Iterator[Hint]:
    """A cost that every call has, whatever its work: the line through times over bounds, by Theil and Sen."""
    points = [(one.floor_ns or 0.0, one.time_ns or 0.0) for one in timed]
    if len(points) < MIN_SCENARIOS:
        return
    floors = [x for x, _ in points]
    if max(floors) < CONSTANT_SPREAD * min(floors):
        return
    slopes = [(b - d) / (a - c) for (a, b), (c, d) in combinations(points, 2) if a != c]
    slope = max(0.0, statistics.median(slopes))
    rests = sorted(y - slope * x for x, y in points)
    constant, least = statistics.median(rests), min(y for _, y in points)
    middle = statistics.median(y for _, y in points)
    constant = min(constant, least)
    if constant >= CONSTANT_SHARE * middle and rests[len(rests) // 4] > 0:
        yield Hint(
            "constant_cost",
            f"About {constant / 1e6:.3g} ms of every call do not depend on its work ({constant / middle:.0%} "
            f"of the middle scenario; the bounds differ {max(floors) / min(floors):.0f}-fold): look at the "
            "host side of the call before its loops.",
        )


def _seen(one: ScenarioRecord) -> Seen:
    timing = one.timing
    return Seen(
        id=one.id,
        traits={"family": one.family, **one.params},
        status=one.status,
        log_ratio=math.log(timing.ratio) if timing else None,
        interval=(math.log(timing.low), math.log(timing.high)) if timing else None,
        verdict=timing.verdict if timing else None,
        time_ns=timing.median_ns_b if timing else None,
        floor_ns=one.bound.floor_ns if one.bound else None,
    )


def _of(group: Sequence[Seen], words: str) -> str:
    """`shared`'s words behind a group of one or of many."""
    return words.replace("have ", "has ", 1) if len(group) == 1 else words


def _distinct(name: str, seen: Sequence[Seen]) -> int:
    return len({one.traits.get(name) for one in seen})


def _log(one: Seen) -> float:
    return one.log_ratio or 0.0


def _span(group: Sequence[Seen]) -> str:
    low, high = (math.exp(pick(_log(one) for one in group)) for pick in (min, max))
    return f"{low:.2f}x" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f}x..{high:.2f}x"


def _equals(name: str, value: int | float | str) -> Callable[[Seen], bool]:
    return lambda one: one.traits.get(name) == value


def _among(name: str, values: frozenset[int | float | str]) -> Callable[[Seen], bool]:
    return lambda one: one.traits.get(name) in values


def _from(name: str, value: int | float) -> Callable[[Seen], bool]:
    return lambda one: not isinstance(found := one.traits.get(name, ""), str) and found >= value


def _to(name: str, value: int | float) -> Callable[[Seen], bool]:
    return lambda one: not isinstance(found := one.traits.get(name, ""), str) and found <= value


def _order(value: int | float | str) -> tuple[int, float, str]:
    return (1, 0.0, value) if isinstance(value, str) else (0, float(value), "")


def _text(value: int | float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
