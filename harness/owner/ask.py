"""The asking side: an evaluation in a workspace, by its owner where one lives, else by a judge of our own."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from harness.candidate import freeze
from harness.errors import JudgeError
from harness.owner import files
from harness.record.files import new_eval_id, read_record
from harness.record.record import Record
from harness.records import NO_OWNER
from harness.request import EvaluationRequest, Progress
from harness.workspace import Workspace

_PROGRESS: TypeAdapter[Progress] = TypeAdapter(Progress)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """An evaluation and where its record lies. `notes` are sentences the user should see."""

    record: Record
    path: Path
    notes: tuple[str, ...] = ()


def request_evaluation(
    workspace: Workspace,
    *,
    candidate: Path | None = None,
    scenario_set: str | None = None,
    scenarios: str | None = None,
    baseline: str = "start",
    device: str = "auto",
    python: str | None = None,
    fresh: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
    asked: Callable[[files.OwnerIdentity], None] = lambda _: None,
) -> Evaluated:
    """Evaluate `candidate` (None: the workspace's) and wait for the record.

    With a live owner the owner judges, and `python` is the owner's, not ours; `asked` is told whom we wait
    for. Without one the judge runs here and the record says `owner: none`. Raises `JudgeError`; a
    KeyboardInterrupt while waiting makes the owner stop the judge. What a broken evaluation of the same had
    finished is not done again, unless `fresh`.
    """
    candidate = candidate or workspace.candidate
    owner = files.live_owner(workspace.owner_lock)
    if owner is None:
        from harness.judge import evaluate  # here: who only asks needs no judge

        record = evaluate(
            EvaluationRequest(
                operator=workspace.operator,
                candidate=candidate,
                scenario_set=scenario_set,
                scenarios=scenarios,
                baseline=baseline,
                device=device,  # type: ignore[arg-type]  # pydantic checks it
                python=python,
                owner=NO_OWNER,
                candidates=workspace.candidates,
                fresh=fresh,
                forbidden_libraries=workspace.forbidden_libraries(),
            ),
            progress,
            place=workspace.record_path,
        )
        return Evaluated(record, workspace.record_path(record.eval_id))
    ask = files.Ask(
        candidate_sha256=freeze(candidate, workspace.candidates).sha256,
        scenario_set=scenario_set,
        scenarios=scenarios,
        baseline=baseline,
        device=device,  # type: ignore[arg-type]
        fresh=fresh,
    )
    asked(owner)
    path = _wait(workspace, ask, progress)
    note = "The session's owner chose the interpreter; --python was not used."
    return Evaluated(read_record(path), path, (note,) if python else ())


def _wait(workspace: Workspace, ask: files.Ask, progress: Callable[[Progress], None]) -> Path:
    own = files.RequestFiles(workspace.requests, new_eval_id())
    part = own.ask.with_name(f".{own.ask.name}.part")
    offset = 0
    try:
        # Open, and so locked, for as long as we wait: when we are gone the owner sees it and stops.
        with part.open("x", encoding="utf-8") as file:
            while not files.lock(file):  # somebody looks at it just now
                time.sleep(files.POLL_SECONDS / 10)
            file.write(ask.model_dump_json())
            file.flush()
            part.replace(own.ask)
            while True:
                alive = files.live_owner(workspace.owner_lock)
                offset = _relay(own.progress, offset, progress)
                taken = not own.ask.exists()  # looked at before the answer, which is written first
                if own.done.exists():
                    return _answer(own.done)
                if taken:
                    raise files.OwnerError(
                        "The session's owner could not write its answer: is the disk full?", 4
                    )
                if alive is None:
                    raise files.OwnerError(
                        "The session that owned this workspace ended before the evaluation did; "
                        "run `kernelseek evaluate` again."
                    )
                time.sleep(files.POLL_SECONDS)
    except OSError as error:
        raise JudgeError(f"The session's owner cannot be asked: {error}.") from error
    finally:
        part.unlink(missing_ok=True)
        own.remove()


def _relay(path: Path, offset: int, progress: Callable[[Progress], None]) -> int:
    """Tell the whole lines that were added since `offset`; the new offset."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            added = file.read()
    except FileNotFoundError:
        return offset
    whole = added[: added.rfind(b"\n") + 1]
    for line in whole.splitlines():
        try:
            progress(_PROGRESS.validate_json(line))
        except ValidationError:
            continue  # a newer owner's kind of line: progress is not worth failing for
    return offset + len(whole)


def _answer(path: Path) -> Path:
    try:
        answer = files.Answer.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise files.OwnerError("The session's owner gave an answer this version does not know.") from error
    if answer.record is None:
        raise files.OwnerError(answer.error or "The session's owner gave no reason.", answer.exit_code or 60)
    return Path(answer.record)
