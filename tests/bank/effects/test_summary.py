import math
from typing import Any

import pytest

from bank.effects.record import Record
from bank.effects.summary import by_entry, by_group, distinct
from tests.bank.effects.made import WORDING, record, unasked

HOST = "kq-host-901"
NOW = {HOST: WORDING}


def moved(
    *factors: float, calls: int | None = None, first: tuple[str, ...] = (), **more: Any
) -> dict[str, Any]:
    changes = [math.log(factor) for factor in factors]
    return {"base": 1.0, "changes": changes, "calls": calls, "first_measured": list(first), **more}


def test_an_entry_beside_moments_where_nothing_was_asked() -> None:
    records = [
        record("e1", outcome=moved(1.2, calls=2, first=("host",), regression="none")),
        record("e2", outcome=moved(1.1, 1.3, calls=4, regression="wrong")),
        record("e3", "s2", model="m2", outcome=moved(1.0)),
        unasked("d1", outcome=moved(1.1, 1.1, regression="none")),
        unasked("d2", outcome=moved(1.0, 1.2, calls=3)),
        unasked("d3", kind="scope", outcome=moved(5.0, calls=1)),
    ]
    (row,) = by_entry(records, NOW)
    assert (row.name, row.group, row.asked, row.counted, row.sessions, row.models) == (
        HOST,
        "host-and-launch-path",
        3,
        3,
        2,
        2,
    )
    assert (row.answered.hits, row.answered.total) == (2, 3)
    assert (row.new_layer.hits, row.new_layer.total) == (1, 3)
    assert (row.matched, row.matched_answered.hits, row.matched_answered.total) == (2, 1, 2)
    assert row.calls.median == 3
    assert (row.regressions.hits, row.regressions.total) == (1, 2)
    assert [round(math.exp(value), 3) for value in row.change.asked.values] == [1.0, 1.2, 1.3]
    assert [round(math.exp(value), 3) for value in row.change.beside.values] == [1.1, 1.2]
    # after one evaluation the moments had moved by the median of 1.1 and 1.0, after two of 1.1 and 1.2
    one, two = math.log(1.1) / 2, (math.log(1.1) + math.log(1.2)) / 2
    expected = sorted([math.log(1.2) - one, math.log(1.3) - two, 0 - one])[1]
    assert row.change.difference == pytest.approx(expected)
    assert row.change.low is None
    assert row.would_be == "experimental"


def test_without_such_moments_there_is_no_difference() -> None:
    (row,) = by_entry([record(outcome=moved(1.2)), unasked(kind="scope", outcome=moved(9.0))], NOW)
    assert row.matched == 0
    assert row.change.difference is None
    assert row.answered_difference is None


def test_moments_of_the_same_operator_go_before_others() -> None:
    records = [
        record(outcome=moved(2.0)),
        unasked("d1", outcome=moved(1.5)),
        unasked("d2", operator="rms_norm", outcome=moved(4.0)),
    ]
    (row,) = by_entry(records, NOW)
    assert row.change.difference == pytest.approx(math.log(2.0 / 1.5))
    (row,) = by_entry([*records[:1], records[2]], NOW)
    assert row.change.difference == pytest.approx(math.log(2.0 / 4.0))


def test_a_rehearsed_agent_has_rows_and_moments_of_its_own() -> None:
    records = [
        record("e1", outcome=moved(1.2)),
        record("e2", rehearsed=True, outcome=moved(3.0)),
        unasked(rehearsed=True, outcome=moved(2.0)),
    ]
    real, scripted = by_entry(records, NOW)
    assert (real.rehearsed, real.asked, real.matched) == (False, 1, 0)
    assert (scripted.rehearsed, scripted.asked, scripted.matched, scripted.would_be) == (True, 1, 1, "")


def test_of_several_in_a_message_and_of_another_wording_only_the_group_counts() -> None:
    records = [
        record("e1", outcome=moved(1.2, calls=1)),
        record("e2", together=2, outcome=moved(1.2, calls=1)),
        record("e2", entry="kq-host-902", together=2, outcome=moved(1.2, calls=1)),
        record("e3", wording="ffffffff", outcome=moved(1.2)),
        record("e4", wording=None, edited=True, outcome=moved(1.2)),
    ]
    row, other = by_entry(records, NOW)
    assert (row.asked, row.counted, row.together, row.other_wording) == (4, 1, 1, 2)
    assert (other.name, other.asked, other.counted) == ("kq-host-902", 1, 0)
    (group,) = by_group(records)
    assert (group.name, group.asked, group.counted) == ("host-and-launch-path, plateau", 4, 4)
    assert (group.answered.hits, group.answered.total) == (2, 4)


def test_enough_sessions_give_the_difference_an_interval_that_is_the_same_each_time() -> None:
    factors = (1.1, 1.2, 1.3, 1.4, 1.5, 1.6)
    records = [record("e1", f"s{at}", outcome=moved(factor)) for at, factor in enumerate(factors)]
    records += [unasked("d1", f"c{at}", outcome=moved(1.0 + at / 100)) for at in range(6)]
    (row,) = by_entry(records, NOW)
    change = row.change
    assert change.low is not None
    assert change.high is not None
    assert change.difference is not None
    assert 0 < change.low < change.difference < change.high < math.log(1.6)
    assert by_entry(records, NOW)[0] == row
    assert by_entry(records[1:3], NOW)[0].change.low is None


def many(number: int, models: int, operators: int, answered: int, new: int, **more: Any) -> list[Record]:
    return [
        record(
            f"e{at}",
            f"s{at}",
            model=f"m{at % models}",
            operator=f"o{at % operators}",
            outcome={"calls": 2 if at < answered else None, "first_measured": ["host"] if at < new else []},
            **more,
        )
        for at in range(number)
    ]


@pytest.mark.parametrize(
    ("records", "status"),
    [
        (many(9, 2, 1, 9, 9), "experimental"),
        (many(10, 1, 1, 10, 10), "experimental"),
        (many(10, 2, 1, 6, 6), "experimental"),
        (many(10, 2, 1, 7, 0), "test"),
        (many(30, 2, 3, 25, 25), "test"),  # nothing to compare with
        (many(30, 2, 3, 25, 25) + [unasked(f"d{at}") for at in range(20)], "stable"),
        (many(30, 2, 2, 25, 25) + [unasked(f"d{at}") for at in range(20)], "test"),
        (many(30, 2, 3, 25, 3) + [unasked(f"d{at}") for at in range(20)], "test"),
        (many(30, 2, 3, 25, 25, together=2), "experimental"),
    ],
)
def test_the_ladder(records: list[Record], status: str) -> None:
    (row,) = by_entry(records, NOW)
    assert row.would_be == status


def test_a_session_under_two_paths_counts_once() -> None:
    assert len(distinct([record(), record(), record("e2")])) == 2
