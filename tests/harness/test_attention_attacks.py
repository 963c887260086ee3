"""Each candidate in `tests/adversarial` is refused by a check with a name and evidence, and each check on its
own is enough: with all that refuse a cheat off it passes, so none of them is decoration. The controls tell
that the checks neither refuse everything nor accept it.
"""

import contextlib
import platform
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from harness.checks import Check
from harness.children import children
from harness.operator import Operator, Scenario
from harness.protocol import Protocol
from harness.record.record import Record, ScenarioRecord
from harness.timing import timekeeper
from harness.verdict import Outcome, Status, VerdictCode, exit_code
from kernels.attention.operator import OPERATOR
from kernels.attention.problem import Problem
from tests.cheats import FOLDER, Cheat, cheats, read
from tests.harness.conftest import Bench, SharedWorker

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


PAGED = Scenario(
    "paged", "paged", asdict(Problem(2, 4, 2, 16, 48, 32, 0, 0, 32**-0.5, page_size=16, ragged=1))
)
MASKED = Scenario("masked", "masked", asdict(Problem(1, 4, 2, 40, 40, 32, 1, 24, 32**-0.5)))
LARGE = Scenario("large", "large", asdict(Problem(1, 4, 4, 128, 128, 64, 0, 0, 64**-0.5)))
"""Enough work that no machine does it in the time that an empty call takes."""
SETS = {"": "one", "pages too": "two", "large": "large"}
TINY: Operator = replace(  # type: ignore[type-var]
    OPERATOR,
    sets={"one": (MASKED,), "two": (PAGED, MASKED), "large": (LARGE,)},
    default_set="two",
    input_sets=("nominal", "needles", "edges"),
)
RULES = Protocol(call_seconds=10.0, warmup_ns=200_000, aa_scenarios=1, workspace_bytes=16 << 20)
HASTY = 1.5
"""Seconds a call may take where one that never returns is waited for."""


def judge(bench: Bench, cheat: Cheat, off: Collection[Check]) -> Record:
    """One evaluation with these checks off."""
    rules = replace(RULES, off=frozenset(off))
    if Check.DEADLINE in cheat.checks:
        rules = replace(rules, call_seconds=HASTY)
    return bench.judge(
        cheat.source,
        operator=TINY,
        scenario_set=SETS[cheat.where],
        protocol=rules,
        check_only=not cheat.timed,
    )


ALL = cheats()
CHEATS = [one for one in ALL if one.checks]
FIRSTS = list({one.checks[0]: one for one in CHEATS}.values())
"""One a check, to see the whole judge refuse it."""
CONTROLS = {one.name: one for one in ALL if not one.checks}
NEEDS_X86 = {"maps_by_syscall"}


@pytest.fixture(scope="module")
def attended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A bench with attention's reference; nobody waits, because nothing here needs a quiet machine."""
    folder = tmp_path_factory.mktemp("attacks")
    with children() as mine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(timekeeper, "turn", lambda device, waiting: contextlib.nullcontext())
        worker = SharedWorker(TINY.reference, python=None, children=mine, folder=folder, seconds=120.0)
        yield Bench(mine, folder, worker)


def refused_by(record: Record) -> set[str]:
    """The checks that refused something, each with its evidence."""
    assert record.status is not Outcome.INFRASTRUCTURE, record.summary
    found = {_name(one) for one in record.scenarios if one.status is not Status.CORRECT}
    if not found and any(one.status is not Status.CORRECT for one in record.off_list):
        return {Check.OFF_LIST}
    return found


def _name(one: ScenarioRecord) -> str:
    assert one.check, one.status
    assert one.evidence
    return one.check


def skip_where_it_cannot_be_seen(cheat: Cheat) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("these protections are Linux's")
    if cheat.name in NEEDS_X86 and platform.machine() != "x86_64":
        pytest.skip("it asks x86-64's system")


@pytest.mark.judge
@pytest.mark.parametrize("cheat", CHEATS, ids=lambda one: one.name)
def test_each_of_its_checks_alone_refuses_it_and_nothing_else_does(attended: Bench, cheat: Cheat) -> None:
    skip_where_it_cannot_be_seen(cheat)
    passed = judge(attended, cheat, cheat.checks)
    assert passed.status is Outcome.CORRECT, (refused_by(passed), passed.summary)
    assert passed.protocol.off == tuple(sorted(cheat.checks))
    for alone in cheat.checks:
        record = judge(attended, cheat, set(cheat.checks) - {alone})
        assert refused_by(record) == {alone}, record.summary
        assert not record.aggregate.score
        assert record.aggregate.geomean is None


@pytest.mark.parametrize("cheat", FIRSTS, ids=lambda one: one.name)
def test_with_every_check_on_one_of_them_is_named(attended: Bench, cheat: Cheat) -> None:
    skip_where_it_cannot_be_seen(cheat)
    record = judge(attended, cheat, ())
    assert refused_by(record) <= set(cheat.checks), record.summary
    assert record.status in (Outcome.WRONG, Outcome.POLICY, Outcome.TIMEOUT)
    assert exit_code(record.status) is not VerdictCode.GOAL_MET


def test_right_in_the_first_scenario_is_no_success(attended: Bench) -> None:
    """Nor is a status of 0 from a process that left."""
    record = judge(attended, read(FOLDER / "exit_after_first.cpp"), ())
    right, left = record.scenarios
    assert right.status is Status.CORRECT
    assert (left.status, left.check) == (Status.EXITED, Check.PROCESS_ALIVE)
    assert "exit code 0" in left.evidence
    assert (record.aggregate.n_correct, record.aggregate.score) == (1, 0)


def test_evidence_points_at_the_wrong_kv_head(attended: Bench) -> None:
    """The last of two KV heads is wrong, which query heads 2 and 3 read."""
    for scenario in judge(attended, read(FOLDER / "wrong_head.cpp"), ()).scenarios:
        assert "axis 1 = 2..3" in scenario.evidence


def test_a_right_kernel_is_accepted_and_timed(attended: Bench) -> None:
    control = replace(CONTROLS["control_right"], timed=True)
    record = judge(attended, control, ())
    assert record.status is Outcome.CORRECT
    assert exit_code(record.status) is VerdictCode.GOAL_MET
    for scenario in record.scenarios:
        assert (scenario.status, scenario.check) == (Status.CORRECT, "")
        assert scenario.timing is not None
        assert scenario.timing.ratio > 0


def test_a_plainly_wrong_kernel_is_caught(attended: Bench) -> None:
    control = read(FOLDER / "control_wrong.cpp")
    record = judge(attended, control, ())
    assert record.status is Outcome.WRONG
    assert control.checks == (Check.REL_RMS, Check.ROW_RMS, Check.MAX_ABS)
    assert refused_by(record) <= set(control.checks)


def test_one_that_does_not_compile_is_a_build_failure_with_the_compilers_words(attended: Bench) -> None:
    record = judge(attended, CONTROLS["does_not_compile"], ())
    assert record.status is Outcome.BUILD_FAILED
    assert exit_code(record.status) is VerdictCode.BUILD
    assert any("expected" in line for line in record.build.errors)
    assert record.aggregate.n_correct == 0


def test_a_file_without_a_header_is_none_of_them(tmp_path: Path) -> None:
    path = tmp_path / "silent.cpp"
    path.write_text("int main() { return 0; }\n")
    with pytest.raises(ValueError, match=r"silent\.cpp does not begin with what it does"):
        read(path)


def test_the_controls_are_there() -> None:
    assert set(CONTROLS) == {"control_right", "does_not_compile"}


def test_the_specialist_knows_the_lengths_that_are_listed_here() -> None:
    listed = {
        (one.params["seq_q"], one.params["seq_k"]) for scenarios in TINY.sets.values() for one in scenarios
    }
    source = read(FOLDER / "off_list_specialist.cpp").source
    known = re.findall(r"seq_q == (\d+) && seq_k == (\d+)", source)
    assert {(int(seq_q), int(seq_k)) for seq_q, seq_k in known} == listed
