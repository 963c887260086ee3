"""Each Python candidate in `tests/adversarial` is refused by named checks, and each of them alone is enough;
see `tests.harness.test_attention_attacks` for the C++ ones.
"""

import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from harness.checks import Check
from harness.protocol import Protocol
from harness.record.record import Record
from harness.verdict import Outcome, Status
from tests.cheats import FOLDER, Cheat, cheats, read
from tests.harness.conftest import Bench
from tests.harness.python.conftest import SMALL

pytest.importorskip("torch")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="these protections are Linux's"),
]

RULES = Protocol(call_seconds=30.0, warmup_ns=200_000, aa_scenarios=1)

ALL = cheats(".py")
CHEATS = [one for one in ALL if one.checks]


def judge(bench: Bench, cheat: Cheat, off: Collection[Check], tmp_path: Path) -> Record:
    """One evaluation with these checks off, and shapes that are on no list left out."""
    path = tmp_path / f"{cheat.name}.py"
    path.write_text(cheat.source)
    rules = replace(RULES, off=frozenset({*off, Check.OFF_LIST}))
    return bench.judge(path, operator=SMALL, protocol=rules, check_only=not cheat.timed)


def refused_by(record: Record) -> set[str]:
    assert record.status is not Outcome.INFRASTRUCTURE, record.summary
    for one in record.scenarios:
        assert one.status is Status.CORRECT or (one.check and one.evidence)
    return {one.check for one in record.scenarios if one.status is not Status.CORRECT}


@pytest.mark.judge
@pytest.mark.parametrize("cheat", CHEATS, ids=lambda one: one.name)
def test_each_of_its_checks_alone_refuses_it_and_nothing_else_does(
    attended: Bench, cheat: Cheat, tmp_path: Path
) -> None:
    passed = judge(attended, cheat, cheat.checks, tmp_path)
    assert passed.status is Outcome.CORRECT, (refused_by(passed), passed.summary)
    assert passed.language == "python"
    for alone in cheat.checks:
        record = judge(attended, cheat, set(cheat.checks) - {alone}, tmp_path)
        assert refused_by(record) == {alone}, record.summary
        assert not record.aggregate.score


def test_a_right_one_is_accepted_and_timed(attended: Bench, tmp_path: Path) -> None:
    control = replace(read(FOLDER / "control_right.py"), timed=True)
    record = judge(attended, control, (), tmp_path)
    assert record.status is Outcome.CORRECT, record.summary
    (scenario,) = record.scenarios
    assert scenario.timing is not None
    assert scenario.timing.cross_runner


def test_the_controls_are_there() -> None:
    assert {one.name for one in ALL if not one.checks} == {"control_right"}
    assert read(FOLDER / "control_wrong.py").checks == (Check.REL_RMS, Check.ROW_RMS, Check.MAX_ABS)
