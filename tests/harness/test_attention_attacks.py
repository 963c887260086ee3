"""Each candidate in tests/adversarial is refused by a check with a name and evidence; the controls tell that
the checks neither refuse everything nor accept it."""

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from harness.judge import evaluate
from harness.operator import Operator, Scenario
from harness.protocol import Protocol
from harness.record import Record
from harness.request import EvaluationRequest
from harness.verdict import Outcome, Status, VerdictCode, exit_code
from kernels.attention.operator import OPERATOR
from kernels.attention.scenarios import Problem

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[1] / "adversarial"

PLAIN = Scenario("mha", "mha", asdict(Problem(1, 4, 4, 24, 48, 32, 0, 0, 32**-0.5)))
MASKED = Scenario("gqa-causal-window", "window", asdict(Problem(1, 4, 2, 40, 40, 32, 1, 24, 32**-0.5)))
TINY: Operator = replace(OPERATOR, sets={"tiny": (PLAIN, MASKED)}, default_set="tiny")  # type: ignore[type-var]


@dataclass(frozen=True)
class Refusal:
    """What the judge has to answer: the check by name, words its evidence has to hold, and the outcome."""

    status: Status
    check: str
    words: str
    outcome: Outcome = Outcome.WRONG
    code: VerdictCode = VerdictCode.WRONG


REFUSALS = {
    "one_kv_head_wrong": Refusal(Status.WRONG, "rel_rms", "relative RMS"),
    "drop_last_16_keys": Refusal(Status.WRONG, "rel_rms", "relative RMS"),
    "zeros": Refusal(Status.WRONG, "rel_rms", "relative RMS"),
    "control_wrong": Refusal(Status.WRONG, "rel_rms", "relative RMS"),
    "mutate_inputs": Refusal(Status.MUTATED_INPUT, "inputs_unchanged", "the input k"),
    "crashes": Refusal(Status.CRASH, "process_alive", "SIGSEGV"),
    "writes_nan": Refusal(Status.NAN, "finite", "out"),
    "writes_nothing": Refusal(Status.UNWRITTEN, "written", "out"),
    "writes_outside": Refusal(Status.REDZONE, "red_zone", "4 bytes"),
    "wakes_itself": Refusal(Status.WRONG, "system_calls", "a timer that signals"),
    "leaves_a_process": Refusal(Status.WRONG, "system_calls", "start a process"),
    "shrinks_memory": Refusal(Status.WRONG, "system_calls", "resize the judge's memory"),
    "closes_memory": Refusal(Status.WRONG, "map", "was closed or replaced"),
}

ONLY_WHEN_TIMED = {
    "replays_outputs": Refusal(Status.WRONG, "rel_rms", "In a timed call: "),
    "forges_clock": Refusal(Status.WRONG, "clock", "of processor time, of which the runner's clock missed"),
}
NEEDS_LINUX = {"wakes_itself", "leaves_a_process", "shrinks_memory", "closes_memory", "forges_clock"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def judge(
    name: str,
    cache: Path,
    *,
    scenarios: str | None = None,
    blocks: int | None = None,
    protocol: Protocol | None = None,
) -> Record:
    request = EvaluationRequest(
        operator=TINY.name,
        candidate=FOLDER / f"{name}.cpp",
        scenario_set="tiny",
        scenarios=scenarios,
        blocks=blocks,
        check_only=blocks is None,
        cache=cache,
        candidates=cache / "candidates",
    )
    return evaluate(request, operator=TINY, protocol=protocol)


def test_every_file_has_an_expectation() -> None:
    special = {"control_right", "does_not_compile", "loops_forever", "exit_after_first"}
    assert {path.stem for path in FOLDER.glob("*.cpp")} == {*REFUSALS, *ONLY_WHEN_TIMED, *special}


def skip_where_it_cannot_be_seen(name: str) -> None:
    if name in NEEDS_LINUX and not sys.platform.startswith("linux"):
        pytest.skip("this protection is Linux's")


@pytest.mark.parametrize("name", ONLY_WHEN_TIMED)
def test_right_when_checked_is_not_enough(name: str, cache: Path) -> None:
    skip_where_it_cannot_be_seen(name)
    record, expected = judge(name, cache, blocks=8), ONLY_WHEN_TIMED[name]
    assert record.status is expected.outcome
    assert record.aggregate.score == 0
    for scenario in record.scenarios:
        assert all(one.status is Status.CORRECT for one in scenario.correctness)
        assert (scenario.status, scenario.check) == (expected.status, expected.check)
        assert expected.words in scenario.evidence
        assert scenario.timing is None


@pytest.mark.parametrize("name", REFUSALS)
def test_is_refused_by_a_named_check_with_evidence(name: str, cache: Path) -> None:
    skip_where_it_cannot_be_seen(name)
    record, expected = judge(name, cache), REFUSALS[name]
    assert record.status is expected.outcome
    assert exit_code(record.status) is expected.code
    assert record.aggregate.score == 0
    assert record.aggregate.geomean is None
    assert record.aggregate.n_correct == 0
    for scenario in record.scenarios:
        assert scenario.status is expected.status
        assert scenario.check == expected.check
        assert expected.words in scenario.evidence


def test_leaving_with_0_after_a_right_scenario_is_no_success(cache: Path) -> None:
    record = judge("exit_after_first", cache)
    right, left = record.scenarios
    assert right.status is Status.CORRECT
    assert (left.status, left.check) == (Status.EXITED, "process_alive")
    assert "exit code 0" in left.evidence
    assert record.aggregate.n_correct == 1
    assert record.aggregate.score == 0
    assert exit_code(record.status) is VerdictCode.WRONG


def test_evidence_points_at_the_wrong_kv_head(cache: Path) -> None:
    """The last KV head is wrong: without groups that is query head 3, with groups of two 2 and 3."""
    plain, masked = judge("one_kv_head_wrong", cache).scenarios
    assert "axis 1 = 3" in plain.evidence
    assert "axis 1 = 2..3" in masked.evidence


def test_one_that_loops_ends_at_the_deadline(cache: Path) -> None:
    record = judge("loops_forever", cache, scenarios=PLAIN.id, protocol=Protocol(call_seconds=2.0))
    (scenario,) = record.scenarios
    assert (scenario.status, scenario.check) == (Status.TIMEOUT, "deadline")
    assert "did not return within" in scenario.evidence
    assert record.aggregate.score == 0
    assert exit_code(record.status) is VerdictCode.TIMEOUT


def test_one_that_does_not_compile_is_a_build_failure_with_the_compilers_words(cache: Path) -> None:
    record = judge("does_not_compile", cache)
    assert record.status is Outcome.BUILD_FAILED
    assert exit_code(record.status) is VerdictCode.BUILD
    assert any("expected" in line for line in record.build.errors)
    assert not record.aggregate.score
    assert record.aggregate.n_correct == 0


def test_a_different_honest_kernel_is_accepted_and_timed(cache: Path) -> None:
    record = judge("control_right", cache, blocks=4)
    assert record.status is Outcome.CORRECT
    assert exit_code(record.status) is VerdictCode.GOAL_MET
    for scenario in record.scenarios:
        assert (scenario.status, scenario.check) == (Status.CORRECT, "")
        assert scenario.timing is not None
        assert scenario.timing.ratio > 0
