import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from harness.aggregate import floor_of
from harness.errors import JudgeError, RefusedRequest
from harness.judge import evaluate
from harness.operator import Baseline, ReferenceScript
from harness.protocol import Protocol
from harness.record.files import dump_record, read_record, write_record
from harness.request import EvaluationRequest, Progress
from harness.timing.statistics import block_log_ratios, estimate
from harness.verdict import Outcome, Status, VerdictCode, exit_code
from tests.harness.conftest import Bench
from tests.harness.toy import START, Toy, candidate


@dataclass(frozen=True)
class Bad:
    """A candidate, and what the judge must say of it."""

    source: str
    status: Status
    check: str
    words: str


SPIN = "for (volatile int i = 0;; ++i) {}"
LATE = """#include <thread>
#include <chrono>
static void late(float *out, long n) {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (long i = 0; i < n; ++i) out[i] = 0;
  }).detach();
}"""
FORGE = """#include <unistd.h>
#include <cstring>
static void forge() {
  char reply[40];
  std::memset(reply, 0, sizeof reply);
  reply[0] = 3;
  for (int fd = 3; fd < 64; ++fd) if (write(fd, reply, sizeof reply)) {}
}"""

BAD = {
    "zeros": Bad(
        candidate(after="for (long i = 0; i < p->rows * p->cols; ++i) out[i] = 0;"),
        Status.WRONG,
        "rel_rms",
        "relative RMS of 1,",
    ),
    "one_row": Bad(
        candidate(after="for (int c = 0; c < p->cols; ++c) out[3 * p->cols + c] *= 1.0002f;"),
        Status.WRONG,
        "rel_rms",
        "only at axis 0 = 3",
    ),
    "one_small_row": Bad(
        candidate(after="for (int c = 0; c < p->cols; ++c) out[3 * p->cols + c] *= 1.00004f;"),
        Status.WRONG,
        "row_rms",
        "row (3,)",
    ),
    "one_element": Bad(
        candidate(
            above="#include <cmath>",
            after="float s = 0, *o = out + 5 * p->cols; for (int c = 0; c < p->cols; ++c) s += o[c] * o[c];"
            "o[7] += 1e-4f * std::sqrt(s / p->cols);",
        ),
        Status.WRONG,
        "max_abs",
        "(5, 7)",
    ),
    "nan": Bad(candidate(after="out[9] = 0.f / 0.f;"), Status.NAN, "finite", "the first at (0, 9)"),
    "infinite": Bad(candidate(after="out[9] = 1e30f * 1e30f;"), Status.NAN, "finite", "1 of"),
    "writes_nothing": Bad(candidate(before="return KS_OK;"), Status.UNWRITTEN, "written", "never written"),
    "forgets_last_row": Bad(
        candidate(before="const_cast<ks_params *>(p)->rows -= 1;"), Status.UNWRITTEN, "written", "axis 0 ="
    ),
    "past_the_end": Bad(
        candidate(after="out[p->rows * p->cols] = 1;"), Status.REDZONE, "red_zone", "4 bytes"
    ),
    "before_the_input": Bad(
        candidate(after="((float *)t[0].data)[-1] = 1;"), Status.REDZONE, "red_zone", "outside the buffers"
    ),
    "workspace_overrun": Bad(
        candidate(after="((char *)workspace)[sizeof(float) * p->cols] = 1;"),
        Status.REDZONE,
        "red_zone",
        "after the workspace",
    ),
    "mutates_input": Bad(
        candidate(after="((float *)t[1].data)[p->cols + 2] = 0;"),
        Status.MUTATED_INPUT,
        "inputs_unchanged",
        "input w were changed, the first at (1, 2)",
    ),
    "crashes": Bad(candidate(before="*(volatile int *)8 = 1;"), Status.CRASH, "process_alive", "SIGSEGV"),
    "aborts": Bad(
        candidate(
            above="#include <cstdlib>\n#include <cstdio>",
            before='fprintf(stderr, "no \\x1b[31mway\\n"); abort();',
        ),
        Status.CRASH,
        "process_alive",
        "SIGABRT in ks_run; it said: no ?[31mway",
    ),
    "exits": Bad(
        candidate(above="#include <cstdlib>", after="exit(0);"), Status.EXITED, "process_alive", "exit code 0"
    ),
    "exits_on_load": Bad(
        candidate(above="#include <cstdlib>\nstatic struct Early { Early() { _Exit(0); } } early;"),
        Status.EXITED,
        "process_alive",
        "in load",
    ),
    "bad_status": Bad(candidate(result="7"), Status.WRONG, "status", "returned 7"),
    "unsupported_but_wrote": Bad(
        candidate(result="KS_UNSUPPORTED"), Status.WRONG, "status", "but wrote to out"
    ),
    "old_abi": Bad(candidate().replace("return KS_ABI_VERSION", "return 99"), Status.WRONG, "abi", "99"),
    "no_symbol": Bad(
        candidate().replace("ks_workspace_bytes", "workspace_bytes"),
        Status.WRONG,
        "abi",
        "ks_workspace_bytes",
    ),
    "wants_too_much": Bad(
        candidate().replace("sizeof(float) * p->cols; }", "1ull << 40; }"),
        Status.WRONG,
        "workspace",
        "1099511627776",
    ),
    "late_thread": Bad(
        candidate(above=LATE, before="late(out, p->rows * p->cols); return KS_OK;"),
        Status.WRONG,
        "threads",
        "join every thread first",
    ),
    "forged_reply": Bad(
        candidate(above=FORGE, after="forge();"),
        Status.WRONG,
        "system_calls",
        "speak on the judge's channel",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_candidate_is_refused_by_a_named_check(bench: Bench, name: str) -> None:
    bad = BAD[name]
    record = bench.judge(bad.source, scenario_set="one")
    scenario = record.scenarios[0]
    assert (scenario.status, scenario.check) == (bad.status, bad.check), scenario.evidence
    assert bad.words in scenario.evidence
    assert record.status is Outcome.WRONG
    assert exit_code(record.status) is VerdictCode.WRONG
    assert record.aggregate.score == 0.0
    assert record.aggregate.geomean is None
    assert record.aggregate.reason
    assert scenario.timing is None


def test_a_loop_is_a_timeout(bench: Bench, fast_protocol: Protocol) -> None:
    record = bench.judge(candidate(before=SPIN), scenario_set="one", protocol=fast_protocol)
    assert record.scenarios[0].status is Status.TIMEOUT
    assert "within 1 s" in record.scenarios[0].evidence
    assert exit_code(record.status) is VerdictCode.TIMEOUT
    assert record.aggregate.score == 0.0


def test_the_start_is_correct_and_everything_is_recorded(bench: Bench, tmp_path: Path) -> None:
    record = bench.judge(START, blocks=5)
    assert record.status is Outcome.CORRECT
    assert record.summary.startswith("CORRECT 2/2: ")
    assert "over start" in record.summary
    for scenario in record.scenarios:
        timing = scenario.timing
        assert timing is not None
        assert timing.order == ("ABBA", "BAAB", "ABBA", "BAAB", "ABBA")
        assert len(timing.raw_ns_a) == len(timing.raw_ns_b) == len(timing.outside_ns_b) == 5
        assert timing.checked_calls == 10 + timing.retaken[1]
        for outside, raw in zip(timing.outside_ns_a, timing.raw_ns_a, strict=True):
            assert outside[0] >= raw[0] > 0
        again = estimate(block_log_ratios(timing.raw_ns_a, timing.raw_ns_b))
        assert list(timing.block_log_ratio) == block_log_ratios(timing.raw_ns_a, timing.raw_ns_b)
        assert timing.confidence == again.confidence
        assert timing.low <= timing.ratio <= timing.high
        assert scenario.admitted
        assert scenario.trivial_failed == ("column_mean", "zeros")
        assert [one.status for one in scenario.correctness] == [Status.CORRECT] * 2
        assert 0 < scenario.correctness[0].outputs[0].rel_rms < 1e-6
    assert [one.scenario for one in record.aa] == ["toy-32", "toy-40"]
    assert record.aggregate.floor == floor_of(record.aa, 0.01, 0.95)
    assert record.aggregate.geomean == record.aggregate.score
    assert record.hashes.candidate == record.hashes.start
    assert record.hashes.candidate_binary == record.hashes.start_binary
    assert record.env.torch
    path = tmp_path / "deep" / "record.json"
    write_record(record, path)
    assert read_record(path) == record
    assert [entry.name for entry in path.parent.iterdir()] == ["record.json"]


def test_seeds_are_fresh_and_inputs_differ(bench: Bench) -> None:
    first, second = (bench.judge(START, check_only=True) for _ in range(2))
    assert first.seeds.root != second.seeds.root
    assert (
        first.scenarios[0].correctness[0].outputs[0].sha256
        != second.scenarios[0].correctness[0].outputs[0].sha256
    )
    assert first.aggregate.geomean is None
    assert "timed" in first.aggregate.reason


def test_a_faster_candidate_is_faster(bench: Bench) -> None:
    slow = candidate(before="for (volatile int i = 0; i < 400000; ++i) {}")
    path = bench.folder / "slow.cpp"
    path.write_text(slow)
    operator = Toy(baselines=(Baseline("slow", path),))
    record = bench.judge(START, operator=operator, baseline="slow")
    assert record.baseline == "slow"
    assert record.aggregate.geomean is not None
    assert record.aggregate.geomean > 2
    assert record.hashes.baseline != record.hashes.start
    reverse = bench.judge(path)
    assert reverse.aggregate.geomean is not None
    assert reverse.aggregate.geomean < 0.5
    assert reverse.aggregate.worst in ("toy-32", "toy-40")


def test_a_wrong_baseline_is_not_held_against_the_candidate(bench: Bench) -> None:
    path = bench.folder / "wrong_baseline.cpp"
    path.write_text(candidate(after="out[0] += 100.f;"))
    record = bench.judge(START, operator=Toy(baselines=(Baseline("wrong", path),)), baseline="wrong")
    assert [one.status for one in record.scenarios] == [Status.INVALID_REFERENCE] * 2
    assert record.scenarios[0].evidence.startswith("The baseline: check rel_rms")
    assert exit_code(record.status) is VerdictCode.INFRASTRUCTURE
    assert record.aggregate.score is None


def test_a_baseline_that_supports_some_scenarios_gives_no_mean(bench: Bench) -> None:
    operator = Toy(baselines=(Baseline("partial", START, frozenset({"toy-32"})),))
    record = bench.judge(START, operator=operator, baseline="partial")
    assert record.scenarios[0].timing is not None
    assert record.scenarios[1].timing is None
    assert "does not support" in record.scenarios[1].detail
    assert record.aggregate.geomean is None
    assert record.aggregate.reason == "1 of 2 scenarios were timed."


def test_unsupported_is_honest_and_quotes_no_mean(bench: Bench) -> None:
    record = bench.judge(candidate(before="if (p->rows == 40) return KS_UNSUPPORTED;"))
    assert [one.status for one in record.scenarios] == [Status.CORRECT, Status.UNSUPPORTED]
    assert record.status is Outcome.UNSUPPORTED
    assert exit_code(record.status) is VerdictCode.NOT_MET
    assert record.scenarios[0].timing is not None
    assert record.aggregate.geomean is None
    assert record.aggregate.score is None
    assert (record.aggregate.n_correct, record.aggregate.n_total) == (1, 2)


def test_one_wrong_scenario_makes_the_total_zero_and_the_other_is_judged(bench: Bench) -> None:
    record = bench.judge(candidate(above="#include <cstdlib>", after="if (p->rows == 32) exit(0);"))
    assert [one.status for one in record.scenarios] == [Status.EXITED, Status.CORRECT]
    assert record.aggregate.score == 0.0
    assert record.aggregate.reason == "1 of 2 scenarios is wrong, so the total is 0: toy-32."


def test_after_three_deaths_the_rest_is_not_run(bench: Bench) -> None:
    record = bench.judge(candidate(before="*(volatile int *)8 = 1;"), scenario_set="many")
    assert [one.status for one in record.scenarios] == [Status.CRASH] * 3 + [Status.NOT_RUN] * 2
    assert record.status is Outcome.WRONG
    assert record.aggregate.n_total == 5


STATEFUL = "static int calls = 0; if (++calls > 5) return KS_OK;"
REPLAY = """static float kept[1 << 16]; static int calls = 0;
  if (++calls > 6) { for (long i = 0; i < p->rows * p->cols; ++i) out[i] = kept[i]; return KS_OK; }"""
KEEP = "for (long i = 0; i < p->rows * p->cols; ++i) kept[i] = out[i];"


@pytest.mark.parametrize(
    ("source", "status", "check"),
    [
        (candidate(before=STATEFUL), Status.UNWRITTEN, "written"),
        (candidate(before=REPLAY, after=KEEP), Status.WRONG, "rel_rms"),
        (
            candidate(before="static int calls = 0; if (++calls > 5) return KS_UNSUPPORTED;"),
            Status.WRONG,
            "status",
        ),
        (
            candidate(above="#include <cstdlib>", before="static int calls = 0; if (++calls > 9) exit(0);"),
            Status.EXITED,
            "process_alive",
        ),
    ],
)
def test_the_timed_calls_are_checked_calls(bench: Bench, source: str, status: Status, check: str) -> None:
    record = bench.judge(source, scenario_set="one")
    scenario = record.scenarios[0]
    assert (scenario.status, scenario.check) == (status, check), scenario.evidence
    assert all(one.status is Status.CORRECT for one in scenario.correctness)
    assert record.status is Outcome.WRONG
    assert record.aggregate.score == 0.0


def test_a_candidate_that_does_not_compile_is_a_result(bench: Bench) -> None:
    record = bench.judge(candidate(above="this is not C++;"))
    assert record.status is Outcome.BUILD_FAILED
    assert exit_code(record.status) is VerdictCode.BUILD
    assert record.build.returncode != 0
    assert any("error:" in line for line in record.build.errors)
    assert "does not compile" in record.summary
    named = f"{Path(record.candidate).name}:"  # the author's file, not the build's copy of it
    assert all(line.startswith(named) for line in record.build.errors)
    assert named in record.summary
    assert str(bench.folder) not in " ".join(record.build.errors)
    assert [one.status for one in record.scenarios] == [Status.NOT_RUN] * 2
    assert record.aggregate.score == 0.0


def test_a_compiler_that_does_not_end_is_stopped(bench: Bench, fast_protocol: Protocol) -> None:
    endless = '#include "/dev/zero"\n' if Path("/dev/zero").exists() else ""
    record = bench.judge(endless + candidate(), protocol=replace(fast_protocol, build_seconds=0.01))
    assert record.status is Outcome.BUILD_FAILED
    assert record.build.timed_out
    assert "did not end" in record.summary


def test_a_candidate_may_not_include_other_files(bench: Bench) -> None:
    other = bench.folder / "secret.h"
    other.write_text("#define SECRET 1\n")
    record = bench.judge(candidate(above=f'#include "{other}"'))
    assert record.status is Outcome.POLICY
    assert exit_code(record.status) is VerdictCode.POLICY
    assert "secret.h" in record.summary


def test_a_scenario_that_cannot_tell_work_from_none_is_not_admitted(bench: Bench, tmp_path: Path) -> None:
    record = bench.judge(START, operator=Toy(inputs_factor=0.0), scenario_set="one", cache=tmp_path)
    assert record.scenarios[0].status is Status.NOT_ADMITTED
    assert record.scenarios[0].admitted is False
    assert "zeros" in record.scenarios[0].evidence
    assert exit_code(record.status) is VerdictCode.INFRASTRUCTURE


def test_a_start_that_is_wrong_is_no_measure(bench: Bench) -> None:
    wrong = bench.folder / "wrong_start.cpp"
    wrong.write_text(candidate(after="out[0] += 100.f;"))
    record = bench.judge(START, operator=Toy(start=wrong), scenario_set="one")
    assert record.scenarios[0].status is Status.INVALID_REFERENCE
    assert "start fails" in record.scenarios[0].evidence
    assert exit_code(record.status) is VerdictCode.INFRASTRUCTURE


def test_a_start_that_does_not_build_is_the_judges_own_trouble(bench: Bench) -> None:
    broken = bench.folder / "broken_start.cpp"
    broken.write_text("nonsense;")
    with pytest.raises(JudgeError, match=r"start of toy does not build"):
        bench.judge(START, operator=Toy(start=broken))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scenario_set": "huge"}, "no set 'huge'; it has many, one, pair"),
        ({"scenarios": "nothing*"}, r"matches 'nothing\*'; it has toy-32, toy-40"),
        ({"baseline": "upstream"}, "no baseline 'upstream'; it has start"),
        ({"device": "cuda"}, "no CUDA device yet"),
    ],
)
def test_a_request_for_what_there_is_not(tmp_path: Path, change: dict[str, str], words: str) -> None:
    asked = EvaluationRequest.model_validate(
        {"operator": "toy", "candidate": START, "cache": tmp_path, **change}
    )
    with pytest.raises(RefusedRequest, match=words):
        evaluate(asked, operator=Toy())


def test_an_unknown_operator_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(RefusedRequest, match=r"no operator 'nope'; known operators: .*attention"):
        evaluate(EvaluationRequest(operator="nope", candidate=START, cache=tmp_path))


def test_a_glob_selects_and_is_recorded(bench: Bench) -> None:
    record = bench.judge(START, scenarios="*-40", check_only=True)
    assert [one.id for one in record.scenarios] == ["toy-40"]
    assert record.scenario_glob == "*-40"
    assert record.aggregate.n_total == 1


def test_a_python_without_torch_is_named_with_what_to_do(tmp_path: Path) -> None:
    script = tmp_path / "reference.py"
    script.write_text("import no_such_module_here\n")
    operator = Toy(reference=ReferenceScript(script))
    asked = EvaluationRequest(operator="toy", candidate=START, cache=tmp_path / "cache")
    with pytest.raises(JudgeError, match=r"no_such_module_here.*--python"):
        evaluate(asked, operator=operator)


def test_a_python_that_does_not_exist(tmp_path: Path) -> None:
    asked = EvaluationRequest(operator="toy", candidate=START, cache=tmp_path, python="/no/such/python")
    with pytest.raises(JudgeError, match=r"cannot be started.*--python"):
        evaluate(asked, operator=Toy())


def test_evaluate_reports_progress_and_leaves_no_folder(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    steps: list[Progress] = []
    asked = EvaluationRequest(operator="toy", candidate=START, scenario_set="one", blocks=4, cache=tmp_path)
    record = evaluate(asked, steps.append, operator=Toy())
    assert record.status is Outcome.CORRECT
    stages = [step.stage for step in steps if step.stage != "wait"]
    assert stages == ["build", "check", "check", "time", "aa", "done"]  # the second is a shape off the list
    assert steps[-1].done == steps[-1].total
    assert all(step.done <= step.total for step in steps)
    assert json.loads(dump_record(record))["scenario_set"] == "one"
    known = list((tmp_path / "admissions").iterdir())
    assert len(known) == 1
