"""What slow or wrong scenarios share is said only where it holds without exception."""

import math
from dataclasses import replace
from itertools import product

import pytest

from harness.hints import Hint, Seen, find, shared
from harness.verdict import Speed, Status

DIMS = (64, 96, 128, 192, 256)


def seen(name: str, ratio: float = 1.0, status: Status = Status.CORRECT, **more: object) -> Seen:
    traits = {key: value for key, value in more.items() if key not in ("time_ns", "floor_ns")}
    speed = Speed.FASTER if ratio > 1.05 else Speed.SAME
    return Seen(
        name,
        traits,  # type: ignore[arg-type]
        status,
        math.log(ratio) if status is Status.CORRECT else None,
        speed if status is Status.CORRECT else None,
        more.get("time_ns"),  # type: ignore[arg-type]
        more.get("floor_ns"),  # type: ignore[arg-type]
    )


def codes(found: list[Hint]) -> list[str]:
    return [one.code for one in found]


def test_slow_head_dims_are_named_with_both_spans() -> None:
    parts = [
        seen(f"d{d}-{n}", 0.5 + n / 100 if d in (96, 192) else 2.0 + n / 100, head_dim=d, seq_k=64 * (n + d))
        for d, n in product(DIMS, range(3))
    ]
    (hint,) = find(parts)
    assert hint.code == "slow_where"
    assert "The 6 slowest scenarios (0.50x..0.52x; the others 2.00x..2.02x)" in hint.sentence
    assert hint.sentence.endswith("have head_dim in 96, 192.")


def test_a_single_scenario_is_spoken_of_as_one() -> None:
    parts = [seen(f"s{n}", 0.5 if n == 3 else 2.0, family="odd" if n == 3 else "even", k=n) for n in range(4)]
    (slow,) = find(parts)
    assert slow.sentence == (
        "The slowest scenario (0.50x; the others 2.00x), and none of the others, has family = odd."
    )
    parts = [seen(f"s{n}", 2.0 if n == 3 else 1.0, family="odd" if n == 3 else "even", k=n) for n in range(4)]
    fast = next(hint for hint in find(parts) if hint.code == "faster_where")
    assert fast.sentence.startswith("Only 1 of 4 scenarios is faster (2.00x), the one that has family = odd;")
    wrong = [*parts[:3], seen("w", status=Status.WRONG, family="odd")]
    assert next(find(wrong)).sentence == "The wrong scenario, and none of the 3 right, has family = odd."


def test_wrong_on_two_kinds_of_scenarios_names_both() -> None:
    parts = [
        seen(
            f"{sink}{pad}{n}",
            status=Status.WRONG if sink or pad else Status.CORRECT,
            sink=sink,
            left_pad=pad,
            k=n,
        )
        for sink, pad, n in product((0, 1), (0, 1), range(4))
    ]
    hint = next(find(parts))
    assert hint.sentence == (
        "All 12 wrong scenarios, and none of the 4 right, have sink = 1 or left_pad = 1."
    )


def test_wrong_where_two_traits_meet() -> None:
    parts = [
        seen(
            f"{sink}{pad}{n}",
            status=Status.NAN if sink and pad else Status.CORRECT,
            sink=sink,
            left_pad=pad,
            k=n,
        )
        for sink, pad, n in product((0, 1), (0, 1), range(4))
    ]
    assert next(find(parts)).sentence.endswith("have left_pad = 1 and sink = 1.") or next(
        find(parts)
    ).sentence.endswith("have sink = 1 and left_pad = 1.")


def test_one_family_that_was_made_faster_and_the_rest_left() -> None:
    parts = [
        seen(f"{family}{n}", 2.5 if family == "window" else 1.0 + n / 100, family=family, seq_k=n)
        for family, n in product(("mha", "gqa", "window"), range(4))
    ]
    found = list(find(parts))
    assert "faster_where" in codes(found)
    said = next(one.sentence for one in found if one.code == "faster_where")
    assert "Only 4 of 12 scenarios are faster (2.50x), those that have family = window" in said


def noisy(off: float, low: float, high: float) -> list[Seen]:
    """A fixed family, and one scenario of the rest that is off by so much."""
    parts = [
        seen(f"{family}{n}", 2.5 if family == "window" else 1.0, family=family, seq_k=n)
        for family, n in product(("mha", "gqa", "window"), range(4))
    ]
    one = replace(
        parts[0], log_ratio=math.log(off), verdict=Speed.AMBIGUOUS, interval=(math.log(low), math.log(high))
    )
    return [one, *parts[1:]]


@pytest.mark.parametrize(
    ("off", "low", "high", "said"),
    [
        (0.786, 0.6, 1.02, True),  # nobody knows
        (1.2, 0.95, 1.5, True),
        (0.786, 0.7, 0.9, False),  # slower, whatever the noise
        (1.2, 1.11, 1.25, False),
    ],
)
def test_one_noisy_scenario_hides_no_family_that_was_made_faster(
    off: float, low: float, high: float, said: bool
) -> None:
    found = [one.sentence for one in find(noisy(off, low, high)) if one.code == "faster_where"]
    assert len(found) == said
    if said:
        assert found[0].endswith(
            "those that have family = window; as far as can be told, the others are where they were."
        )


def test_a_rest_that_moved_as_a_whole_was_not_left() -> None:
    parts = [
        seen(f"{family}{n}", 2.5 if family == "window" else 0.8, family=family, seq_k=n)
        for family, n in product(("mha", "gqa", "window"), range(4))
    ]
    wide = [replace(one, interval=(math.log(0.5), math.log(1.5))) for one in parts]
    assert "faster_where" not in codes(list(find(wide)))


def test_a_constant_cost_is_found_whatever_the_work() -> None:
    floors = [1e4, 3e4, 1e5, 4e5, 1e6]
    parts = [seen(f"s{x:g}", time_ns=3e6 + 2 * x, floor_ns=x, seq_k=x) for x in floors]
    (hint,) = find(parts)
    assert hint.code == "constant_cost"
    assert "About 3 ms of every call" in hint.sentence
    assert "host side" in hint.sentence


@pytest.mark.parametrize("factor", [3.0, 40.0])
def test_time_that_grows_with_the_work_is_no_constant_cost(factor: float) -> None:
    parts = [
        seen(f"s{x:g}", time_ns=factor * x + 100, floor_ns=x, seq_k=x) for x in (1e4, 3e4, 1e5, 4e5, 1e6)
    ]
    assert list(find(parts)) == []


def test_bounds_that_are_close_together_say_nothing_of_constants() -> None:
    parts = [seen(f"s{x:g}", time_ns=3e6, floor_ns=x, seq_k=x) for x in (1e5, 1.5e5, 2e5, 3e5)]
    assert list(find(parts)) == []


def test_nothing_is_said_where_it_does_not_hold_without_exception() -> None:
    slow = [seen(f"s{n}", 0.5, head_dim=96, k=n) for n in range(3)]
    fast = [seen(f"f{n}", 2.0, head_dim=96 if n == 0 else 64, k=n + 1) for n in range(4)]
    assert list(find([*slow, *fast])) == []


def test_even_ratios_have_no_slow_group() -> None:
    parts = [seen(f"s{n}", 1.0 + n / 10, head_dim=DIMS[n % 5], k=n) for n in range(10)]
    assert "slow_where" not in codes(list(find(parts)))


def test_one_odd_scenario_is_named_by_a_kind_and_never_by_a_size() -> None:
    odd = seen("odd", status=Status.WRONG, seq_k=130, sink=1)
    others = [seen(f"s{n}", seq_k=64 * n, sink=0) for n in range(1, 6)]
    assert shared([odd], others) == "have sink = 1"
    plain = [Seen(one.id, {"seq_k": one.traits["seq_k"]}, one.status) for one in (odd, *others)]
    assert shared(plain[:1], plain[1:]) == ""


def test_a_threshold() -> None:
    long = [seen(f"l{n}", 0.4, seq_k=n, causal=n % 2) for n in (1024, 2048, 4096, 8192)]
    short = [seen(f"s{n}", 2.0, seq_k=n, causal=n % 2) for n in (16, 33, 64, 129, 256)]
    (hint,) = find([*long, *short])
    assert hint.sentence.endswith("have seq_k of 1024 or more.")


def test_few_scenarios_have_no_hints_on_speed() -> None:
    assert list(find([seen("a", 0.5, head_dim=64), seen("b", 2.0, head_dim=96)])) == []
    assert list(find([])) == []
