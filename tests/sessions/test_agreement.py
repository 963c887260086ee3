from collections import Counter
from math import sqrt

import pytest

from sessions.agreement import FIELDS, Kappa, agreement, kappa_of, pair
from sessions.labels import Label, read_labels
from tests.cases import CASES, needs_cases
from tests.sessions.test_labels import label


def table(counts: dict[tuple[str, str], int]) -> list[dict[str, tuple[str, str]]]:
    return [{"kind": words} for words, count in counts.items() for _ in range(count)]


def fleiss_cohen_everitt(counts: dict[tuple[str, str], int]) -> tuple[float, float]:
    """Kappa and its standard error as printed in their paper of 1969 (equation 13 over all cells)."""
    n = sum(counts.values())
    words = sorted({word for pair_ in counts for word in pair_})
    p = {(a, b): counts.get((a, b), 0) / n for a in words for b in words}
    row = {a: sum(p[a, b] for b in words) for a in words}
    column = {b: sum(p[a, b] for a in words) for b in words}
    seen = sum(p[a, a] for a in words)
    chance = sum(row[a] * column[a] for a in words)
    first = sum(p[a, a] * ((1 - chance) - (column[a] + row[a]) * (1 - seen)) ** 2 for a in words)
    second = (1 - seen) ** 2 * sum(
        p[a, b] * (column[a] + row[b]) ** 2 for a in words for b in words if a != b
    )
    third = (seen * chance - 2 * chance + seen) ** 2
    return (seen - chance) / (1 - chance), sqrt((first + second - third) / n) / (1 - chance) ** 2


TEXTBOOK = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
THREE = {("a", "a"): 44, ("a", "b"): 5, ("a", "c"): 1, ("b", "a"): 7, ("b", "b"): 20, ("b", "c"): 3}
THREE |= {("c", "a"): 9, ("c", "b"): 5, ("c", "c"): 6}


@pytest.mark.parametrize("counts", [TEXTBOOK, THREE])
def test_kappa_and_its_interval_are_those_of_the_literature(counts: dict[tuple[str, str], int]) -> None:
    found = kappa_of(table(counts), ("kind",), "kind")
    kappa, error = fleiss_cohen_everitt(counts)
    assert found.kappa == pytest.approx(kappa)
    assert (found.low, found.high) == pytest.approx((kappa - 1.959964 * error, kappa + 1.959964 * error))
    assert found.n == sum(counts.values())


def test_a_kappa_worked_out_by_hand() -> None:
    found = kappa_of(table(TEXTBOOK), ("kind",), "kind")
    assert found.kappa == pytest.approx(0.4)  # (0.7 - 0.5) / (1 - 0.5)
    assert (found.agreed, found.one_sided) == (35, 0)


def test_where_kappa_says_nothing_none_is_given() -> None:
    assert kappa_of([], ("kind",), "x") == Kappa("x", 0, 0, 0, None)
    assert kappa_of(table({("a", "a"): 5}), ("kind",), "x") == Kappa("x", 5, 5, 0, None)
    perfect = kappa_of(table({("a", "a"): 5, ("b", "b"): 5}), ("kind",), "x")
    assert (perfect.kappa, perfect.low, perfect.high) == (1.0, None, None)
    nothing = kappa_of(table({("a", "b"): 5, ("b", "a"): 5}), ("kind",), "x")
    assert nothing.kappa == pytest.approx(-1.0)
    assert nothing.low is None


def test_fields_are_pooled_each_with_its_own_chance() -> None:
    """A field answered twice changes no kappa, and narrows no interval: places are the units."""
    once = kappa_of(table(TEXTBOOK), ("kind",), "x")
    doubled = [{"kind": place["kind"], "layer": place["kind"]} for place in table(TEXTBOOK)]
    twice = kappa_of(doubled, ("kind", "layer"), "x")
    assert (twice.kappa, twice.low, twice.high) == pytest.approx((once.kappa, once.low, once.high))
    assert twice.n == 2 * once.n


def test_a_field_that_one_left_open_is_counted_and_not_compared() -> None:
    pairs = [
        (label(1, layer="host"), label(1, annotator="ben", layer="host")),
        (label(2, layer="host"), label(2, annotator="ben")),
        (label(3, layer="host"), label(3, "none", annotator="ben", layer="kernel")),
    ]
    found = agreement(pairs)
    layer = found.fields[FIELDS.index("layer")]
    assert (layer.n, layer.agreed, layer.one_sided) == (2, 1, 1)
    assert [(item.field, item.values) for item in found.disagreements] == [
        ("kind", ("plateau", "none")),
        ("layer", ("host", "kernel")),
    ]


def ids(pairs: tuple[tuple[Label, Label], ...]) -> list[tuple[int, int]]:
    return [(one.where.entry, other.where.entry) for one, other in pairs]


def test_labels_are_put_together_by_id_event_or_place() -> None:
    first = [
        label(5, id="M1"),
        label(5, id="N1"),
        label(9, where={"entry": 9, "event": "l9"}),
        label(9, where={"entry": 9, "event": "l9.1"}),
        label(20),
        label(30, where={"entry": 30, "part": "agent-a.jsonl"}),
    ]
    second = [
        label(30),
        label(9, where={"entry": 9, "event": "l9.1"}),
        label(5, id="N1"),
        label(20),
        label(20, file="other.jsonl"),
    ]
    found = pair(first, second)
    assert ids(found.pairs) == [(5, 5), (9, 9), (20, 20)]
    assert found.pairs[0][0].id == "N1"
    assert [item.where.entry for item in found.only_first] == [5, 9, 30]
    assert [item.file for item in found.only_second] == ["run.jsonl", "other.jsonl"]


def test_nearby_labels_pair_when_asked_the_nearest_first() -> None:
    first = [label(10), label(13)]
    second = [label(12), label(40)]
    assert pair(first, second).pairs == ()
    assert ids(pair(first, second, within=3).pairs) == [(13, 12)]
    assert [item.where.entry for item in pair(first, second, within=3).only_first] == [10]


def test_a_file_that_changed_between_the_two_is_not_compared() -> None:
    found = pair([label(3, sha256="a" * 64)], [label(3, sha256="b" * 64)])
    assert (found.pairs, found.changed) == ((), ("run.jsonl",))


@needs_cases
def test_the_recorded_annotators_agree_as_the_records_say() -> None:
    assert CASES is not None
    labels = read_labels(CASES / "traces" / "labels.json")
    sides = [[item for item in labels if item.annotator == name] for name in ("first", "second")]
    found = pair(*sides)
    assert (len(found.pairs), found.only_first, found.only_second) == (64, (), ())
    kind = agreement(found.pairs).fields[0]
    assert round(kind.kappa or 0, 2) == 0.75
    assert Counter(item.field for item in agreement(found.pairs).disagreements)["kind"] == 64 - kind.agreed
