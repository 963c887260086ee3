import contextlib
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest

from harness import device
from harness.children import children
from harness.operator import Operator, Scenario
from harness.python.forks import Forks
from harness.timing import timekeeper
from kernels.attention.operator import OPERATOR
from kernels.attention.problem import Problem
from tests.harness.conftest import Bench, SharedWorker

MASKED = Scenario("masked", "masked", asdict(Problem(1, 4, 2, 8, 24, 16, 1, 12, 0.25)))
SMALL: Operator = replace(OPERATOR, sets={"one": (MASKED,)}, default_set="one")  # type: ignore[type-var]


@pytest.fixture(scope="session")
def attended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A bench with attention's reference; torch is loaded once for all Python candidates on it."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("python")
    with children(adopts=True) as mine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(timekeeper, "turn", lambda *_: contextlib.nullcontext())
        shared = Forks(sys.executable, mine, folder)
        patch.setattr(device, "Forks", lambda *_: shared)
        worker = SharedWorker(OPERATOR.reference, python=None, children=mine, folder=folder, seconds=120.0)
        yield Bench(mine, folder, worker)
