from typing import Any

import pytest

from harness.record.record import ScenarioRecord
from harness.record.samples import Bound, InputSetResult, OutputError, Slope, Timing
from harness.suspicion import flags_of_set, with_flags
from harness.timing.launcher import sentence, share
from harness.verdict import Speed, Status

US = 1000


def timing(a_us: float, b_us: float, **changes: Any) -> Timing:
    pairs = [tuple(round(us * US) for _ in range(2)) for us in (a_us, b_us)]
    fields: dict[str, Any] = {
        "order": ("ABBA", "BAAB") * 4,
        "raw_ns_a": (pairs[0],) * 8,
        "raw_ns_b": (pairs[1],) * 8,
        "outside_ns_a": (pairs[0],) * 8,
        "outside_ns_b": (pairs[1],) * 8,
        "block_log_ratio": (0.0,) * 8,
        "ratio": a_us / b_us,
        "low": a_us / b_us,
        "high": a_us / b_us,
        "confidence": 0.96,
        "verdict": Speed.FASTER if a_us > b_us else Speed.SAME,
        "median_ns_a": a_us * US,
        "median_ns_b": b_us * US,
        "warmup_calls": (2, 2),
        "checked_calls": 16,
        **changes,
    }
    return Timing(**fields)


def scenario(name: str, timed: Timing | None, *, work: int = 1000, floor_us: float = 1.0) -> ScenarioRecord:
    bound = Bound(bytes=work, operations=work, floor_ns=floor_us * US)
    return ScenarioRecord(
        id=name, family="family", params={}, status=Status.CORRECT, timing=timed, bound=bound
    )


def codes(*scenarios: ScenarioRecord) -> list[list[str]]:
    return [[flag.code for flag in one.flags] for one in with_flags(scenarios)]


def evidence(code: str, *scenarios: ScenarioRecord) -> str:
    return next(flag.evidence for one in with_flags(scenarios) for flag in one.flags if flag.code == code)


def test_an_ordinary_gain_is_not_flagged_and_neither_is_what_was_not_timed() -> None:
    assert codes(scenario("a", timing(200, 100)), scenario("b", None)) == [[], []]


def test_flags_that_are_there_are_kept() -> None:
    once = with_flags([scenario("a", timing(600, 100))])
    assert [flag.code for flag in with_flags(once)[0].flags] == ["large_ratio", "large_ratio"]


@pytest.mark.parametrize(("ratio", "flagged"), [(5.0, False), (5.01, True)])
def test_over_five_is_looked_at(ratio: float, flagged: bool) -> None:
    assert codes(scenario("a", timing(100 * ratio, 100))) == [["large_ratio"] if flagged else []]


def witnessed(ratio: float, witness: float, half: float = 0.01, **more: Any) -> Timing:
    """Both clocks' ratios, each with an interval of so much to either side."""
    return timing(
        100 * ratio,
        100,
        low=ratio * (1 - half),
        high=ratio * (1 + half),
        witness_ratio=witness,
        witness_low=witness * (1 - half),
        witness_high=witness * (1 + half),
        cpu_ns_b=((1, 1),),
        **more,
    )


@pytest.mark.parametrize(
    ("ratio", "witness", "half", "flagged"),
    [
        (1.2, 1.0, 0.01, True),
        (1.2, 1.0, 0.1, False),  # the intervals meet
        (1.2, 1.18, 0.001, True),
        (1.2, 1.19, 0.001, False),  # apart by less than the least difference there is a verdict on
        (1.2, 1.4, 0.01, False),  # to the candidate's disadvantage
        (1.2, 0.0, 0.01, True),
    ],
)
def test_clocks_that_disagree_are_both_named(
    ratio: float, witness: float, half: float, flagged: bool
) -> None:
    made = scenario("a", witnessed(ratio, witness, half))
    assert codes(made) == [["clocks_disagree"] if flagged else []]
    across = scenario("a", witnessed(ratio, witness, half, cross_runner=True))
    assert codes(across) == [[]]


def test_the_flag_of_clocks_has_both_numbers() -> None:
    assert evidence("clocks_disagree", scenario("a", witnessed(1.2, 1.0))) == (
        "The ratio is 1.2 [1.19, 1.21] by the clock in the candidate's process and 1 [0.99, 1.01] by the "
        "processor time it was charged: believe the smaller."
    )


def test_three_times_the_family_is_looked_at() -> None:
    family = [scenario(f"s{n}", timing(110, 100)) for n in range(4)]
    odd = scenario("odd", timing(340, 100))
    assert codes(*family, odd) == [[], [], [], [], ["family"]]
    assert "3.4, 3.09 times the median of its family (1.1 over 5 scenarios)" in evidence(
        "family", *family, odd
    )
    even = scenario("even", timing(330, 100))
    assert codes(*family, even)[-1] == []


@pytest.mark.parametrize(("floor_us", "flagged"), [(84.0, True), (83.0, False)])
def test_close_to_the_bound(floor_us: float, flagged: bool) -> None:
    assert codes(scenario("a", timing(150, 100), floor_us=floor_us)) == [["near_bound"] if flagged else []]


def test_many_calls_taken_again() -> None:
    assert codes(scenario("a", timing(150, 100, retaken=(8, 8)))) == [[]]
    assert codes(scenario("a", timing(150, 100, retaken=(9, 9)))) == [["retaken"]]


def test_calls_that_became_fast_beside_a_baseline_that_did_not() -> None:
    slow, fast = (250 * US, 250 * US), (100 * US, 100 * US)
    warm = timing(150, 100, raw_ns_b=(slow,) * 2 + (fast,) * 6)
    assert codes(scenario("a", warm)) == [["slow_start"]]
    assert "took 2.5 times as long as the last (the baseline's 1 times)" in evidence(
        "slow_start", scenario("a", warm)
    )
    both = timing(150, 100, raw_ns_b=(slow,) * 2 + (fast,) * 6, raw_ns_a=(slow,) * 2 + (fast,) * 6)
    assert codes(scenario("a", both)) == [[]]


def test_calls_in_a_row_that_take_longer_than_single_ones() -> None:
    def made(each_us: float) -> Slope:
        ns = round(each_us * US)
        return Slope(calls=10, outside_ns=(10 * ns, 20 * ns), inside_ns=(10 * ns, 20 * ns))

    assert codes(scenario("a", timing(150, 100, slope=made(151)))) == [["slower_in_a_row"]]
    assert codes(scenario("a", timing(150, 100, slope=made(149)))) == [[]]


def test_four_times_the_work_in_the_same_time() -> None:
    small, large = scenario("small", timing(100, 90)), scenario("large", timing(400, 95), work=4000)
    assert codes(small, large) == [[], ["no_growth"]]
    assert "small, with a quarter of the work or less" in evidence("no_growth", small, large)
    grows = scenario("large", timing(400, 115), work=4000)
    assert codes(small, grows) == [[], []]
    flat = scenario("large", timing(150, 95), work=4000)  # nor does the baseline's
    assert codes(small, flat) == [[], []]
    tiny = timing(400, 95, launcher_ns_b=(30 * US,) * 4, launcher_ns_a=(US,))
    assert codes(small, scenario("large", tiny, work=4000))[1] == ["launcher"]


def test_growth_is_looked_for_among_scenarios_of_one_dtype_only() -> None:
    small, large = scenario("small", timing(100, 90)), scenario("large", timing(400, 95), work=4000)
    assert large.bound is not None
    half = large.model_copy(update={"bound": large.bound.model_copy(update={"precision": "bfloat16"})})
    assert codes(small, half) == [[], []]
    narrow, wide = (output(1e-7, 1e-7).model_copy(update={"dtype": of}) for of in ("bfloat16", "float32"))
    made = [
        checked(timing(100, 90), wide),
        large.model_copy(update={"correctness": checked(timing(1, 1), narrow).correctness}),
    ]
    assert codes(*made) == [[], []]


def output(candidate: float, start: float) -> OutputError:
    return OutputError(
        output="out",
        rel_rms=candidate,
        rel_rms_start=start,
        rel_rms_limit=1.0,
        row_rel_rms=candidate,
        row_rel_rms_start=start,
        row_rel_rms_limit=1.0,
        worst_row=(0,),
        max_abs=candidate,
        max_abs_start=start,
        max_abs_limit=1.0,
        worst_index=(0, 0),
        sha256="0" * 64,
    )


def checked(timed: Timing, *outputs: OutputError) -> ScenarioRecord:
    result = InputSetResult(input_set="nominal", seed="0" * 16, status=Status.CORRECT, outputs=outputs)
    return scenario("a", timed).model_copy(update={"correctness": (result,)})


def test_the_starts_own_errors_in_less_time() -> None:
    same = checked(timing(200, 100), output(1e-7, 1e-7), output(2e-7, 2e-7))
    assert [flag.code for flag in flags_of_set([same], same_source=False)] == ["same_bits"]
    assert flags_of_set([same], same_source=True) == ()
    assert flags_of_set([checked(timing(100, 100), output(1e-7, 1e-7))], same_source=False) == ()
    other = checked(timing(200, 100), output(1e-7, 1e-7), output(2e-7, 2.1e-7))
    assert flags_of_set([other], same_source=False) == ()


def test_a_launcher_that_takes_much_of_a_call_is_said_in_a_sentence() -> None:
    made = timing(100, 20, launcher_ns_a=(4 * US, 4 * US, 9 * US), launcher_ns_b=(4 * US, 4 * US))
    assert share(made) == {"baseline": 0.04, "candidate": 0.2}
    assert sentence(made) == (
        "Calling a kernel that does nothing takes 20% of the candidate's call: that part is the launcher's, "
        "not the kernel's."
    )
    assert sentence(timing(100, 20)) == ""
    assert share(timing(100, 20)) == {}
