import pytest

from kernelseek_tui.decisions.suspicious_win import SuspiciousWin, doubt_in
from kernelseek_tui.decisions.watch import Watch
from sessions import events as ev
from sessions.vocabulary import DecisionKind
from tests.kernelseek_tui.decisions.told import Told


def measured(
    told: Told,
    base: float,
    mine: float,
    status: str = "CORRECT",
    bound: float | None = None,
    name: str = "rope",
    floor: float | None = None,
) -> str:
    """One candidate's evaluation of one scenario, times in microseconds."""
    right = status == "CORRECT"
    row = ev.ScenarioResult(
        id="one",
        status=status,
        ratio=base / mine if right else None,
        baseline_ns=base * 1000,
        candidate_ns=mine * 1000,
        bound_ns=None if bound is None else bound * 1000,
    )
    return told.take(
        ev.Evaluation(
            id=told.next_id,
            evaluation=told.next_id,
            source_kind="parsed",
            noise_floor=floor,
            scenario_set=name,
            status=status,
            geomean=base / mine if right else None,
            scenarios=(row,),
            total=1,
            correct=int(right),
        )
    )


def printed(*outputs: str) -> list[str]:
    told = Told(SuspiciousWin())
    for output in outputs:
        told.run("python bench.py", output)
    return [finding.reason for finding in told.findings]


@pytest.mark.parametrize(
    "line",
    [
        "DRAM throughput: 151.3 % of peak",
        "memory at 132% of the roofline",
        "bw_utilization: 4.35",
        "peak_fraction=1.31",
    ],
)
def test_above_a_bound_as_printed(line: str) -> None:
    assert printed(f"n=4096 0.05 ms\n{line}\n") == [
        "A figure reads more than all of the bound it is measured against."
    ]


@pytest.mark.parametrize(
    "output",
    [
        "DRAM throughput: 99.8 % of peak",
        "peak_fraction: 1.01",
        "a peak of 512 MB, 300% cpu",
        "speedup 13.4x\npeak_fraction: 13.5",  # a ratio by another name
        "geomean 2.00x\npeak_fraction: 2.0",
    ],
)
def test_not_above_a_bound(output: str) -> None:
    assert printed(output) == []


def test_a_fraction_known_to_be_a_ratio_is_not_asked_about_again() -> None:
    assert printed("speedup 2.1x\npeak_fraction: 2.1", "peak_fraction: 3.3") == []


def test_above_a_bound_as_evaluated() -> None:
    told = Told(SuspiciousWin())
    measured(told, 400, 50, bound=49)
    assert told.findings == []
    measured(told, 400, 40, bound=50)
    (finding,) = told.findings
    assert finding.evidence[0].quote == "one: 125% of its bound"


SAYS_ABOVE = [
    "shape 1: 151.33% (!!!), so the timing is off somewhere, peak is 1800 GB/s",
    "That is 2724 GB/s, more than the peak 1800 GB/s.",
    "2.9 TB/s is physically impossible on this card.",
    "I measured 312 TFLOPS, which exceeds the theoretical peak.",
]
SAYS_NOTHING = [
    "It should be near peak, 1.7 TB/s.",
    "If it went above peak bandwidth at 2 TB/s, something would be wrong.",
    "It cannot exceed the peak of 1800 GB/s.",
    "GPU busy 100%! bandwidth is low.",
    "The bandwidth is 40% of peak.",
    "130% more registers are used!",
]


@pytest.mark.parametrize("text", SAYS_ABOVE)
def test_above_a_bound_in_the_agents_words(text: str) -> None:
    told = Told(SuspiciousWin())
    told.says(text)
    assert [finding.reason for finding in told.findings] == [
        "The agent reports a figure beyond the device's bound."
    ]


@pytest.mark.parametrize("text", SAYS_NOTHING)
def test_plain_words_about_a_bound(text: str) -> None:
    told = Told(SuspiciousWin())
    told.says(text)
    assert told.findings == []


def test_only_the_main_agents_words_count() -> None:
    told = Told(SuspiciousWin())
    told.says(SAYS_ABOVE[1], agent="sub")
    told.human(SAYS_ABOVE[1])
    told.says(f"> {SAYS_ABOVE[1]}")
    told.says(f"```\n{SAYS_ABOVE[1]}\n```")
    assert told.findings == []


def test_the_baseline_slowed() -> None:
    told = Told(SuspiciousWin())
    measured(told, 1600, 400)
    measured(told, 1605, 390)
    assert told.findings == []
    measured(told, 9500, 405)
    (finding,) = told.findings
    assert "baseline was slower" in finding.reason
    assert "9500" in finding.evidence[0].quote
    assert "before" in finding.evidence[0].quote


def test_a_slow_machine_is_no_slow_baseline_where_the_sides_alternated() -> None:
    line = "shape n={n}: solution {mine} ms | baseline {base} ms | speedup {ratio:.2f}x"
    rows = [(0.51, 6.8), (0.49, 6.9), (0.49, 13.1)]
    outputs = [line.format(n=16384, mine=mine, base=base, ratio=base / mine) for mine, base in rows]
    assert printed(*(f"{output}\n4/4 correct; A/A floor 1.0%; 6.1 s" for output in outputs)) == []
    told = Told(SuspiciousWin())
    for base, mine in ((1600, 400), (1605, 390), (9500, 405)):
        measured(told, base, mine, floor=0.01)
    assert told.findings == []


def test_a_real_gain_with_the_usual_baseline_is_none() -> None:
    told = Told(SuspiciousWin())
    for mine in (400, 390, 300, 220):
        measured(told, 1600, mine)
    assert told.findings == []


def test_the_baselines_of_other_operators_are_others() -> None:
    told = Told(SuspiciousWin())
    measured(told, 1600, 400, name="rope")
    measured(told, 9500, 1900, name="softmax")
    assert told.findings == []


def test_the_baseline_slowed_as_printed() -> None:
    line = "shape n={n}: solution {mine} ms | baseline {base} ms | speedup {ratio:.2f}x"
    rows = [(0.51, 6.8), (0.49, 6.9), (0.49, 13.1)]
    outputs = [line.format(n=16384, mine=mine, base=base, ratio=base / mine) for mine, base in rows]
    (reason,) = printed(*outputs)
    assert "baseline was slower" in reason


@pytest.mark.parametrize("status", ["INVALID_REFERENCE", "INFRASTRUCTURE", "UNSUPPORTED"])
def test_what_the_judge_could_not_tell_is_not_wrong(status: str) -> None:
    told = Told(SuspiciousWin())
    measured(told, 620, 610)
    measured(told, 620, 410, status)
    assert told.findings == []


def test_faster_and_wrong_as_evaluated() -> None:
    told = Told(SuspiciousWin())
    measured(told, 620, 610)
    measured(told, 620, 700, "WRONG")
    assert told.findings == []
    measured(told, 620, 410, "WRONG")
    (finding,) = told.findings
    assert "it is wrong" in finding.reason
    assert finding.confidence > 0.8


def test_a_crash_is_no_win() -> None:
    told = Told(SuspiciousWin())
    told.take(ev.Evaluation(id="a", evaluation="a", status="CRASH", geomean=None))
    told.take(ev.Evaluation(id="b", evaluation="b", status="POLICY", geomean=0.0))
    assert told.findings == []


def test_fast_and_wrong_as_printed() -> None:
    right, wrong = "tile 64: 20 us 0.9 TB/s err=2e-4", "tile 128: 11 us 1.8 TB/s err=6.7"
    assert len(printed(right, wrong)) == 1
    assert printed("tile 64: 9 us 2.1 TB/s err=2e-4", wrong) == []  # a right one is faster
    assert printed("tile 128: 11 us 1.8 TB/s") == []  # nothing was checked


def test_fewer_tests_than_before() -> None:
    told = Told(SuspiciousWin())
    told.run("cd /repo && pytest tests 2>&1 | tail -3", "58 passed in 3.1s")
    told.run("pytest tests", "58 passed in 3.0s")
    told.run("pytest tests -k one", "1 passed in 0.1s")
    assert told.findings == []
    told.run("pytest tests | tail -1", "40 passed in 2.2s")
    (finding,) = told.findings
    assert "40 tests or scenarios where it had 58" in finding.reason
    assert len(finding.evidence) == 2


def test_fewer_scenarios_that_fail_are_no_win() -> None:
    told = Told(SuspiciousWin())
    told.run("./check", "58 of 58 scenarios correct: True")
    told.run("./check", "FAIL: 30 of 40 scenarios correct")
    assert told.findings == []


@pytest.mark.parametrize(
    "text",
    [
        "The earlier 0.21 was probably a fluke.",
        "I could not reproduce that number.",
        "Shape 0 went back to 0.156 (it was 0.209).",
        "The loads had been optimized away.",
        "这个速度快得离谱。",
        "刚才的结果无法复现。",
    ],
)
def test_the_agents_own_doubt(text: str) -> None:
    told = Told(SuspiciousWin())
    told.says(text)
    assert told.findings == []  # no figure yet
    told.run("python bench.py", "kernel 12.1 us")
    told.says(text)
    (finding,) = told.findings
    assert "doubts" in finding.reason
    assert finding.evidence[1].quote == "the last figures printed"


@pytest.mark.parametrize(
    "text", ["Was it a fluke?", "This is not a fluke.", "Let me check whether it is a fluke."]
)
def test_no_doubt(text: str) -> None:
    assert doubt_in(text) is None


def test_a_jump_out_of_all_proportion_is_asked_about_softly() -> None:
    told = Told(SuspiciousWin())
    for mine in (1000, 960, 930, 900, 870, 850):
        measured(told, 1000, mine)
    measured(told, 1000, 300)
    (finding,) = told.findings
    assert finding.confidence == 0.4
    measured(told, 1000, 290)
    assert len(told.findings) == 1


def test_one_event_that_holds_everything_is_raised_once() -> None:
    told = Told(watch=Watch())
    told.run("python bench.py", "a: 1.0 TB/s err=1e-4, 50 % of peak")
    told.run("python bench.py", "b: 3.8 TB/s err=9.1, 190 % of peak bandwidth")
    told.says("3.8 TB/s is more than the peak, physically impossible, probably a fluke.")
    told.says("Again: 3.8 TB/s is more than the peak.")
    assert [point.decision for point in told.points] == [DecisionKind.SUSPICIOUS_WIN]


def test_a_first_figure_beyond_ten_is_asked_about_unless_others_were_near() -> None:
    told = Told(SuspiciousWin())
    measured(told, 9000, 800, name="first")
    assert [finding.evidence[0].quote for finding in told.findings] == ["11.25x, the first figure"]
    measured(told, 9000, 700, name="the same under another name")
    assert len(told.findings) == 1


HOSTILE = [
    "1" * 50_000 + " % of peak",
    "peak " * 10_000 + "!",
    "9 GB/s " * 8_000,
    "impossible " * 8_000,
    "was " * 20_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=["digits", "peaks", "rates", "impossible", "was"])
def test_hostile_text_ends(text: str) -> None:
    told = Told(SuspiciousWin())
    told.says(text)
    told.run("python bench.py", text)
    assert len(told.findings) <= 2
