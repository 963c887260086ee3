import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.candidate import freeze
from harness.children import Children, children
from harness.correctness.reference import ReferenceWorker
from harness.device import CpuDevice
from harness.evaluation import Evaluation
from harness.judge import look_up
from harness.operator import Operator
from harness.protocol import Protocol
from harness.record.record import Record
from harness.request import EvaluationRequest
from harness.timing import timekeeper
from tests.harness.toy import Toy

PROTOCOL = Protocol(call_seconds=2.0, warmup_ns=200_000)


class SharedWorker(ReferenceWorker):
    """One worker for the whole session: loading torch is most of an evaluation's time."""

    def close(self) -> None:
        pass


@dataclass
class Bench:
    """Judges toy candidates as `harness.judge.evaluate` does, but with one worker for all."""

    mine: Children
    folder: Path
    worker: ReferenceWorker
    number: int = 0

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def judge(
        self,
        source: str | Path,
        *,
        operator: Operator | None = None,
        scenario_set: str | None = None,
        protocol: Protocol = PROTOCOL,
        **request: object,
    ) -> Record:
        self.number += 1
        path = source if isinstance(source, Path) else self.folder / f"candidate-{self.number}.cpp"
        if isinstance(source, str):
            path.write_text(source)
        asked = EvaluationRequest.model_validate(
            {
                "operator": "toy",
                "candidate": path,
                "scenario_set": scenario_set,
                "cache": self.cache,
                "blocks": 4,
                **request,
            }
        )
        task = look_up(asked, operator or Toy())
        frozen = freeze(path, self.cache / "candidates")
        device = CpuDevice(self.mine, self.folder, self.cache, protocol)
        return Evaluation(
            task, frozen, device, self.worker, protocol, lambda _: None, datetime.now(UTC)
        ).run()


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("bench")
    with children() as mine, pytest.MonkeyPatch.context() as patch:
        # No test here needs a quiet machine, so none waits for another judge's turn.
        patch.setattr(timekeeper, "turn", lambda device, waiting: contextlib.nullcontext())
        worker = SharedWorker(Toy().reference, python=None, children=mine, folder=folder, seconds=120.0)
        yield Bench(mine, folder, worker)


@pytest.fixture
def fast_protocol() -> Protocol:
    return replace(PROTOCOL, call_seconds=1.0)
