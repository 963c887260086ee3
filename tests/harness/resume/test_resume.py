"""A broken evaluation is gone on with: what was finished is not done again, and the record is whole."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.aggregate import floor_of
from harness.judge import Resume, evaluate
from harness.operator import ReferenceScript
from harness.owner.judge_process import Kept, run_judge
from harness.protocol import Protocol
from harness.record.files import read_record
from harness.record.record import Record
from harness.request import EvaluationRequest, Progress
from harness.seeds import check_seed
from harness.verdict import Outcome, Status
from harness.verify.record import faults
from tests.crash_judge import Rules, command
from tests.harness.toy import HERE, START, Toy, candidate

REFERENCE = ReferenceScript(HERE / "toy_numpy_reference.py", requires=())
PROTOCOL = Rules()
KEY = b"k" * 32
pytestmark = pytest.mark.slow


@dataclass
class Judge:
    """Judges the toy's pair in a folder, and breaks off where it is told to."""

    folder: Path
    cache: Path
    candidate: Path = START
    steps: list[Progress] = field(default_factory=list)

    def run(
        self,
        breaks: Callable[[Progress], bool] = lambda _: False,
        *,
        protocol: Protocol = PROTOCOL,
        resume: Resume | None = None,
        **request: object,
    ) -> Record:
        self.steps = []

        def progress(step: Progress) -> None:
            self.steps.append(step)
            if breaks(step):
                raise KeyboardInterrupt

        asked = EvaluationRequest.model_validate(
            {
                "operator": "toy",
                "candidate": self.candidate,
                "blocks": 4,
                "cache": self.cache,
                "candidates": self.folder / "home" / "candidates",
                **request,
            }
        )
        return evaluate(
            asked,
            progress,
            operator=Toy(reference=REFERENCE),
            protocol=protocol,
            place=self.place,
            resume=resume,
        )

    def place(self, eval_id: str) -> Path:
        return self.folder / "home" / "records" / f"{eval_id}.json"

    def broken(self, stage: str, scenario: str, **options: object) -> None:
        with pytest.raises(KeyboardInterrupt):
            self.run(lambda step: (step.stage, step.scenario) == (stage, scenario), **options)  # type: ignore[arg-type]

    def begun(self, stage: str) -> list[str]:
        return [step.scenario for step in self.steps if step.stage == stage and "~" not in step.scenario]

    @property
    def kept(self) -> list[Path]:
        return sorted((self.folder / "home" / "partial").glob("*.jsonl"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds and ceilings, once for all."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def judge(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    monkeypatch.setattr("harness.verify.rules.Protocol", Rules)
    monkeypatch.setattr("harness.timing.timekeeper.turn", lambda device, waiting: contextlib.nullcontext())
    return Judge(tmp_path, cache)


def whole(record: Record) -> bool:
    """Right, verified, and drawn from the seeds it tells of."""
    assert [str(one) for one in faults(record)] == []
    for scenario in (*record.scenarios, *record.off_list):
        for one in scenario.correctness:
            assert one.seed == f"{check_seed(int(scenario.seed, 16), one.input_set):016x}"
    return record.status is Outcome.CORRECT and all(one.timing for one in record.scenarios)


def test_a_run_that_broke_off_while_timing_is_gone_on_with(judge: Judge) -> None:
    judge.broken("time", "toy-40")
    [path] = judge.kept
    first = [json.loads(line)["line"] for line in path.read_text().splitlines()]
    assert [line["kind"] for line in first] == ["checked", "checked", "timed"]
    record = judge.run()
    assert whole(record)
    assert judge.begun("check") == []
    assert judge.begun("time") == judge.begun("aa") == ["toy-40"]
    [resumed] = record.resumed
    assert (resumed.checked, resumed.timed) == (2, 1)
    assert "2 of 2 scenarios were checked and 1 timed" in record.notes[0]
    timing = record.scenarios[0].timing
    assert timing is not None
    assert json.loads(timing.model_dump_json())["raw_ns_b"] == first[2]["record"]["timing"]["raw_ns_b"]
    assert [one.scenario for one in record.aa] == ["toy-32", "toy-40"]
    assert record.aggregate.floor == floor_of(record.aa, 0.01, 0.95)
    assert judge.kept == []
    assert read_record(judge.place(record.eval_id)) == record


def test_what_is_left_draws_new_seeds_and_what_was_checked_keeps_its_own(judge: Judge) -> None:
    judge.broken("check", "toy-40")
    first = json.loads(judge.kept[0].read_text())["line"]
    judge.broken("time", "toy-32")
    record = judge.run()
    assert whole(record)
    assert [(one.checked, one.timed) for one in record.resumed] == [(1, 0), (1, 0)]
    assert record.scenarios[0].correctness[0].seed == first["record"]["correctness"][0]["seed"]
    assert record.scenarios[0].seed != record.scenarios[1].seed
    assert record.scenarios[0].seed not in (first["sealed"], first["record"]["seed"])


@pytest.mark.parametrize("stage", ["aa", "done"])
def test_it_may_break_off_anywhere(judge: Judge, stage: str) -> None:
    judge.broken(stage, "toy-32" if stage == "aa" else "")
    record = judge.run()
    assert whole(record)
    assert judge.begun("time") == (["toy-32", "toy-40"] if stage == "aa" else [])


def test_progress_counts_what_was_finished(judge: Judge) -> None:
    judge.run()
    total = judge.steps[-1].total
    assert total == 1 + 2 + 1 + 2 + 2  # build, checks, a shape off the list, timings, A/A
    judge.broken("time", "toy-40")
    judge.run()
    assert [step.done for step in judge.steps if step.stage == "check"] == [1 + 2 + 2]
    timing = next(step for step in judge.steps if step.stage == "time")
    assert (timing.done, timing.total) == (total - 2, total)
    assert timing.seconds_left
    assert judge.steps[-1].done == total


def test_only_what_is_right_is_kept(judge: Judge, tmp_path: Path) -> None:
    judge.candidate = tmp_path / "wrong.cpp"
    judge.candidate.write_text(candidate(after="if (p->rows == 32) out[0] += 100;"))
    judge.broken("done", "")
    record = judge.run()
    assert judge.begun("check") == ["toy-32"]
    assert [one.status for one in record.scenarios] == [Status.WRONG, Status.CORRECT]
    assert [str(one) for one in faults(record)] == []


@pytest.mark.parametrize(
    "change",
    [{"blocks": 5}, {"scenarios": "toy-*"}, {"fresh": True}, {"owner": "session-1"}],
)
def test_another_evaluation_goes_on_with_nothing(judge: Judge, change: dict[str, Any]) -> None:
    judge.broken("done", "", check_only=True)
    record = judge.run(check_only=True, **change)
    assert record.resumed == ()
    assert judge.begun("check") == ["toy-32", "toy-40"]


def test_an_owner_notices_what_was_taken_away(judge: Judge) -> None:
    told: list[str] = []
    judge.broken("time", "toy-40", resume=Resume(KEY, "", told.append))
    [path] = judge.kept
    assert told == [json.loads(line)["mac"] for line in path.read_text().splitlines()]
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    record = judge.run(resume=Resume(KEY, told[-1]))
    assert record.resumed == ()
    assert "was changed" in record.notes[0]


def test_a_record_that_cannot_be_written_loses_nothing(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("harness.judge.write_record", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            judge.run()
    record = judge.run()
    assert whole(record)
    assert judge.begun("time") == []


def test_the_key_of_an_owner_is_said_to_the_judge_alone(tmp_path: Path, cache: Path) -> None:
    """Through its stdin: not an argument, not the environment, not a file."""
    work = tmp_path / "work"
    work.mkdir()
    asked = EvaluationRequest(
        operator="toy", candidate=START, cache=cache, candidates=tmp_path / "c", check_only=True
    )
    (work / "request.json").write_text(asked.model_dump_json())
    kept = Kept()
    stages: Counter[str] = Counter()
    failed = asyncio.run(
        run_judge(command("judge"), work, lambda: False, lambda one: stages.update([one.stage]), kept)
    )
    record = read_record(work / "record.json")
    assert (record.status, stages["done"]) == (Outcome.CORRECT, 1), str(failed)
    assert len(bytes.fromhex(kept.line)) == 32
    assert kept.key.hex() not in repr(kept)
    assert list((tmp_path / "partial").iterdir()) == []
