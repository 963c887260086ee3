"""Limits in handmade sessions: what makes one stand, fall or stay open."""

import pytest

from kernelseek_tui.contracts.disproof import ClaimedLimit, Limits, Standing, claimed_limits
from sessions import events as ev
from sessions.transcript import open_transcript
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.decisions.told import Told

CLAIM = "We have reached the hardware limit; no further improvement is possible."


@pytest.fixture
def told() -> Told:
    """A session that profiled its kernel and then claims a limit."""
    one = Told()
    one.run("ncu ./bench", "dram 90.3 %")
    one.says(CLAIM)
    return one


def only(one: Told) -> ClaimedLimit:
    (limit,) = claimed_limits(one.state)
    return limit


def test_a_claim_alone_is_open(told: Told) -> None:
    limit = only(told)
    assert limit.standing is Standing.OPEN
    assert limit.event == "e2"
    assert [evidence.event for evidence in limit.evidence] == ["e2"]
    assert "reached the hardware limit" in limit.evidence[0].quote


def test_it_stands_once_another_layer_was_measured_and_the_number_told(told: Told) -> None:
    told.run("nsys stats run.nsys-rep", "idle 41.7 us a call")
    assert only(told).standing is Standing.OPEN
    assert "no later message gives a number" in only(told).reason
    told.says("Outside the kernel 41.7 us pass, the floor is the same.")
    limit = only(told)
    assert limit.standing is Standing.STANDS
    assert limit.reason.startswith("host was measured for the first time")
    assert [evidence.event for evidence in limit.evidence] == ["e2", "e3", "e5"]
    assert limit.evidence[1].quote == "nsys stats run.nsys-rep"


def test_a_measured_bound_counts_in_any_layer(told: Told) -> None:
    told.run("./probe --launch-only", "launch-only 18.4 us")
    told.says("A launch alone takes 18.4 us.")
    assert only(told).standing is Standing.STANDS
    assert "a bound was measured" in only(told).reason


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("ncu ./bench", "dram 90.1 %"),  # the layer it claimed from
        ("nsys stats run.nsys-rep", "no data"),  # no number
        ("cat notes.md", "the roofline is 77.5 us"),  # read, not measured
        ("nvcc probe.cu -o probe", "77.5 us"),  # built, not measured
        ("python bench.py", "90.1 % of peak, 77.5 us"),  # what it prints beside every time
    ],
)
def test_what_is_no_disproof(told: Told, command: str, output: str) -> None:
    told.run(command, output)
    told.says("That is 90.1 % and 77.5 us.")
    assert only(told).standing is Standing.OPEN


def test_a_failed_measurement_is_no_disproof(told: Told) -> None:
    told.call("nsys stats run.nsys-rep", "x")
    told.take(ev.ToolResult(id="r", call="x", output="error 127.5", is_error=True))
    told.says("127.5")
    assert only(told).standing is Standing.OPEN


def test_a_measurement_before_the_claim_is_no_disproof() -> None:
    one = Told()
    one.run("nsys stats run.nsys-rep", "idle 41.7 us")
    one.says(CLAIM)
    one.run("nsys stats run.nsys-rep", "idle 41.6 us")
    one.says("Still 41.6 us.")
    assert only(one).standing is Standing.OPEN


def test_the_same_command_again_is_no_disproof() -> None:
    one = Told()
    one.run("./probe --launch-only", "launch-only 18.4 us")
    one.says(CLAIM)
    one.run("./probe --launch-only", "launch-only 18.6 us")
    one.says("It is 18.6 us.")
    assert only(one).standing is Standing.OPEN


@pytest.mark.parametrize(
    "words",
    [
        "I withdraw that claim: the host takes 40 us.",
        "The ceiling was ours.",
        "It was not the hardware limit after all.",
        "I was wrong about this.",
    ],
)
def test_withdrawn(told: Told, words: str) -> None:
    told.says(words)
    limit = only(told)
    assert limit.standing is Standing.WITHDRAWN
    assert limit.evidence[1].event == "e3"


@pytest.mark.parametrize(
    "words", ["Should I withdraw the claim?", "Tell me if I was wrong.", "`I was wrong`"]
)
def test_not_withdrawn(told: Told, words: str) -> None:
    told.says(words)
    assert only(told).standing is Standing.OPEN


def judged(one: Told, name: str, geomean: float, scenario_set: str = "demo") -> None:
    one.take(
        ev.Evaluation(
            id=name,
            evaluation=name,
            status="CORRECT",
            scenario_set=scenario_set,
            baseline="start",
            geomean=geomean,
            low=geomean * 0.98,
            high=geomean * 1.02,
        )
    )


def test_a_later_evaluation_that_is_faster_refutes_it() -> None:
    one = Told()
    judged(one, "before", 2.0)
    one.says(CLAIM)
    judged(one, "noise", 2.02)
    assert only(one).standing is Standing.OPEN
    judged(one, "after", 2.5)
    limit = only(one)
    assert limit.standing is Standing.REFUTED
    assert [(evidence.event, evidence.quote) for evidence in limit.evidence[1:]] == [
        ("before", "geomean 2.00x over start"),
        ("after", "geomean 2.50x over start"),
    ]


def test_other_scenarios_refute_nothing() -> None:
    one = Told()
    judged(one, "before", 2.0)
    one.says(CLAIM)
    judged(one, "after", 9.0, "smoke")
    assert only(one).standing is Standing.OPEN


def test_the_same_limit_said_again_is_one_limit_until_the_kernel_changes(told: Told) -> None:
    told.says(CLAIM)
    assert only(told).said == 2
    told.edit()
    told.says(CLAIM)
    assert [limit.said for limit in claimed_limits(told.state)] == [2, 1]


def test_a_subagents_claim_is_none_of_the_agents(told: Told) -> None:
    one = Told()
    one.says(CLAIM, agent="sub")
    assert claimed_limits(one.state) == []


def test_event_by_event_and_at_the_end_give_the_same(told: Told) -> None:
    told.run("nsys stats run.nsys-rep", "idle 41.7 us a call")
    told.says("It is 41.7 us.")
    one, limits = Told(), Limits()
    for event in told.events:
        one.take(event)
        limits.take(one.state)
    assert limits.standing(one.state) == claimed_limits(told.state)


@needs_cases
def test_the_published_case_of_a_claimed_limit() -> None:
    assert CASES is not None
    one = Told()
    for event in open_transcript(CASES / "study" / "case2_claimed_limit.jsonl").events:
        one.take(event)
    limit = only(one)
    assert limit.standing is Standing.WITHDRAWN
    assert "genuine ceiling" in limit.evidence[0].quote
    assert "The ceiling was ours" in limit.evidence[1].quote
