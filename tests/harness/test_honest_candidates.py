"""Kernels in `tests/honest` do the work, each in a way of its own, and none of them is refused."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.children import children
from harness.operator import Operator, Scenario
from harness.verdict import Outcome, Status
from kernels.attention.operator import OPERATOR
from tests.cheats import whole
from tests.harness.conftest import Bench, SharedWorker
from tests.harness.test_attention_attacks import MASKED, PAGED, RULES

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

HONEST = sorted((Path(__file__).parents[1] / "honest").glob("*.cpp"))
PARTIAL = {"bfloat16_weights", "intrinsics"}
"""Those that say of some scenarios that they do not support them."""
ACCEPTED = (Status.CORRECT, Status.UNSUPPORTED)


def cheapest(family: str) -> Scenario:
    """The listed scenario of a family that is the least work."""
    found = [one for one in OPERATOR.sets["full"] if one.family == family]
    return min(found, key=lambda one: OPERATOR.bound(one).operations)


SLICE = tuple(cheapest(family) for family in ("window", "left", "paged", "softcap"))
MIXED: Operator = replace(OPERATOR, sets={"mixed": (PAGED, MASKED, *SLICE)}, default_set="mixed")  # type: ignore[type-var]


@pytest.fixture(scope="module")
def attended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("honest")
    with children() as mine:
        worker = SharedWorker(MIXED.reference, python=None, children=mine, folder=folder, seconds=120.0)
        yield Bench(mine, folder, worker)


def test_there_are_ten_at_the_least() -> None:
    assert len(HONEST) >= 10
    assert {path.stem for path in HONEST} >= PARTIAL


@pytest.mark.parametrize("path", HONEST, ids=lambda path: path.stem)
def test_an_honest_kernel_is_accepted(attended: Bench, path: Path) -> None:
    record = attended.judge(whole(path), operator=MIXED, protocol=RULES, check_only=True)
    shapes = (*record.scenarios, *record.off_list)
    refused = [(one.id, one.check, one.evidence) for one in shapes if one.status not in ACCEPTED]
    assert not refused
    correct = sum(one.status is Status.CORRECT for one in record.scenarios)
    assert (correct < len(record.scenarios)) == (path.stem in PARTIAL)
    assert correct >= 3
    assert record.status is (Outcome.UNSUPPORTED if path.stem in PARTIAL else Outcome.CORRECT)
