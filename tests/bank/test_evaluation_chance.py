"""Exact chance against counting and against simulation; intervals."""

import random
from itertools import permutations
from statistics import fmean

import pytest

from bank.evaluation.chance import among, by_classes, by_entries
from bank.evaluation.intervals import clustered
from bank.evaluation.outcome import Outcome, outcome_of
from sessions.shares import wilson


def _mean(outcomes: list[Outcome]) -> Outcome:
    return Outcome(
        fmean(one.hit1 for one in outcomes),
        fmean(one.hit3 for one in outcomes),
        fmean(one.reciprocal for one in outcomes),
    )


def _near(one: Outcome, other: Outcome, within: float) -> bool:
    return (one.hit1, one.hit3, one.reciprocal) == pytest.approx(
        (other.hit1, other.hit3, other.reciprocal), abs=within
    )


@pytest.mark.parametrize("wanted", ["a", "ab", "abc", "abcde", "az", "z", ""])
def test_random_classes_by_counting(wanted: str) -> None:
    orders = [outcome_of(order, set(wanted)) for order in permutations("abcde")]
    assert _near(by_classes("abcde", set(wanted)), _mean(orders), 1e-12)


@pytest.mark.parametrize("wanted", ["a", "b", "ac", "abc", "z"])
def test_random_entries_by_counting(wanted: str) -> None:
    entries = "aabbbcd"
    orders = [outcome_of(order, set(wanted)) for order in permutations(entries)]
    assert _near(by_entries(entries, set(wanted)), _mean(orders), 1e-12)


def test_random_entries_by_simulation() -> None:
    draw = random.Random(7)
    sizes = {"a": 12, "b": 3, "c": 1, "d": 9, "e": 6, "f": 14, "g": 2, "h": 5, "i": 7, "j": 1}
    entries = [name for name, size in sizes.items() for _ in range(size)]
    found = []
    for _ in range(4_000):
        draw.shuffle(entries)
        found.append(outcome_of(entries, {"c", "e"}))
    assert _near(by_entries(entries, {"c", "e"}), _mean(found), 0.02)


def test_fewer_than_three_are_no_error() -> None:
    assert by_classes("ab", "a") == Outcome(0.5, 1.0, 0.75)
    assert by_entries("", "a") == Outcome(0.0, 0.0, 0.0)
    assert among(0, 0, 3) == 0.0


def test_the_published_chance_of_entries() -> None:
    # hit@3 of 124 entries with 1, 3, 6 and 12 acceptable ones
    found = [among(124, good, 3) for good in (1, 3, 6, 12)]
    assert found == pytest.approx([0.024, 0.071, 0.14, 0.27], abs=0.005)


def test_wilson() -> None:
    assert [round(edge, 2) for edge in wilson(12, 20)] == [0.39, 0.78]
    assert [round(edge, 2) for edge in wilson(48, 80)] == [0.49, 0.70]
    assert wilson(0, 0) == (0.0, 1.0)


def test_sessions_are_drawn_whole() -> None:
    # ten states alike in each of four sessions say as much as one of each
    many = {name: [value] * 10 for name, value in zip("abcd", (0.0, 1.0, 0.0, 1.0), strict=True)}
    few = {name: values[:1] for name, values in many.items()}
    assert clustered(many) == clustered(few) == (0.0, 1.0)
    wide = clustered(many)
    narrow = clustered(
        {f"{name}{at}": [value] for name, values in many.items() for at, value in enumerate(values)}
    )
    assert wide is not None
    assert narrow is not None
    assert narrow[0] > wide[0]
    assert narrow[1] < wide[1]
    assert narrow[0] < 0.5 < narrow[1]
    assert clustered({"a": [0.5, 1.0]}) is None
    assert clustered({"a": [0.5], "b": []}) is None
