"""The owner's side: the one process that may make records that count in a workspace.

It runs the judge for those who ask (`harness.owner.ask`) and for itself, one evaluation at a time, each in a
process of its own.
"""

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from pydantic import ValidationError

from harness.candidate import frozen_path
from harness.errors import JudgeError
from harness.owner import files
from harness.owner.judge_process import CANCELLED, JUDGE, PROGRESS, Kept, run_judge
from harness.record.files import new_eval_id, read_record
from harness.record.record import Record
from harness.records import not_adopted
from harness.request import EvaluationRequest, Progress
from harness.workspace import StorageError, Workspace

ENDED = "The session ended before the evaluation did; run `kernelseek evaluate` again."
_LOCK_TRIES = 20


@dataclass(frozen=True, slots=True)
class Served:
    """An evaluation the owner made, or the sentence that says why there is none (`record` is None)."""

    request: str
    asker: Literal["agent", "owner"]
    ask: files.Ask
    record: Record | None = None
    path: Path | None = None
    record_sha256: str | None = None
    error: str = ""
    exit_code: int = 0


class OwnerServer:
    """Owns a workspace: `async with OwnerServer(...) as owner: async for served in owner.serve(): ...`.

    Entering raises `StorageError` (exit 4) where another process owns it. `rehearsed` marks every record.
    `python` is the reference's interpreter, `cache` where builds are kept, `judge` the command that takes
    `--request FILE --record FILE`. `on_progress(request, progress)` is called while a judge runs.
    """

    def __init__(
        self,
        workspace: Workspace,
        session_id: str,
        *,
        rehearsed: bool = False,
        python: str | None = None,
        cache: Path | None = None,
        judge: Sequence[str] = JUDGE,
        on_progress: Callable[[str, Progress], None] = lambda *_: None,
    ) -> None:
        self.workspace = workspace
        self.session_id = session_id
        self.rehearsed = rehearsed
        self.python = python
        self.cache = cache
        self.judge = tuple(judge)
        self.on_progress = on_progress
        self._turn = asyncio.Lock()
        self._kept: dict[files.Ask, Kept] = {}
        self._lock: IO[str] | None = None

    async def __aenter__(self) -> "OwnerServer":
        try:
            file = self.workspace.owner_lock.open("a+", encoding="utf-8")
        except OSError as error:
            raise StorageError(
                f"The workspace's {self.workspace.owner_lock} cannot be opened: {error.strerror}."
            ) from error
        for _ in range(_LOCK_TRIES):
            # Whoever looks whether an owner lives holds the lock for an instant: not refused at first sight.
            if files.lock(file):
                break
            await asyncio.sleep(files.POLL_SECONDS / 2)
        else:
            file.close()
            who = files.live_owner(self.workspace.owner_lock) or files.OwnerIdentity()
            raise StorageError(
                f"The workspace {self.workspace.root} is owned by the session {who.session} "
                f"(process {who.pid}); end that one first."
            )
        file.truncate(0)
        file.write(files.OwnerIdentity(pid=os.getpid(), session=self.session_id).model_dump_json())
        file.flush()
        self._lock = file
        self._clean()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    async def serve(self) -> AsyncGenerator[Served, None]:
        """Judge what is asked for, in order, until closed; yields each evaluation.

        The asker is answered when the caller comes back for the next one: what the caller writes down
        of an evaluation is on disk before the agent knows of it.
        """
        while True:
            waiting = self._waiting()
            if not waiting:
                await asyncio.sleep(files.POLL_SECONDS)
            for request in waiting:
                answer = files.Answer(error=ENDED, exit_code=60)
                try:
                    served = await self._serve(request)
                    answer = _answer(served)
                    yield served
                finally:
                    self._reply(request, answer)

    async def evaluate(
        self, ask: files.Ask, stop: Callable[[], bool] = lambda: False, request: str | None = None
    ) -> Served:
        """Judge a frozen candidate of this workspace, after whatever is being judged; never raises."""
        return await self._judge(request or new_eval_id(), "owner", ask, stop, None)

    def pending(self) -> list[tuple[Path, Record]]:
        """Records made without an owner that do not count yet, the oldest first."""
        return not_adopted(self.workspace.records)

    async def adopt(self, record: Record) -> Served:
        """Judge the candidate of a record made without an owner again; the new record counts."""
        return await self.evaluate(
            files.Ask(
                candidate_sha256=record.hashes.candidate,
                scenario_set=record.scenario_set,
                scenarios=record.scenario_glob,
                baseline=record.baseline,
            )
        )

    def _waiting(self) -> list[files.RequestFiles]:
        names = sorted(path.stem for path in self.workspace.requests.glob("*.json") if path.name[0] != ".")
        return [files.RequestFiles(self.workspace.requests, name) for name in names]

    def _clean(self) -> None:
        """Remove what dead askers and dead owners left."""
        live = {request.id for request in self._waiting() if files.is_locked(request.ask)}
        for path in self.workspace.requests.iterdir():
            if path.name.lstrip(".").split(".")[0] not in live and not files.is_locked(path):
                path.unlink(missing_ok=True)
        shutil.rmtree(self._work(""), ignore_errors=True)

    async def _serve(self, request: files.RequestFiles) -> Served:
        try:
            with request.ask.open("rb") as file:
                ask = files.Ask.model_validate_json(file.read(files.MAX_ASK_BYTES))
        except (OSError, ValidationError):
            refused = files.Ask(candidate_sha256="0" * 64)
            return Served(request.id, "agent", refused, error="The request is not one.", exit_code=3)
        try:
            relay: IO[bytes] = request.progress.open("ab", buffering=0)
        except OSError as error:
            words = f"The session's owner cannot write to {self.workspace.requests}: {error.strerror}."
            return Served(request.id, "agent", ask, error=words, exit_code=4)
        with relay:
            return await self._judge(
                request.id, "agent", ask, lambda: not files.is_locked(request.ask), relay
            )

    def _reply(self, request: files.RequestFiles, answer: files.Answer) -> None:
        try:
            if files.is_locked(request.ask):
                files.write_whole(request.done, answer.model_dump_json())
                request.ask.unlink(missing_ok=True)
                return
        except OSError:
            pass  # no room for an answer: a request that is gone without one tells the asker
        request.remove()

    async def _judge(
        self,
        request: str,
        asker: Literal["agent", "owner"],
        ask: files.Ask,
        stop: Callable[[], bool],
        relay: IO[bytes] | None,
    ) -> Served:
        async with self._turn:
            work = self._work(request)
            try:
                if stop():
                    raise files.OwnerError(CANCELLED, 130)
                frozen = self._frozen(ask.candidate_sha256)
                work.mkdir(parents=True)
                (work / "request.json").write_text(self._request(ask, frozen).model_dump_json())

                def tell(progress: Progress) -> None:
                    if relay is not None:
                        relay.write(PROGRESS.dump_json(progress) + b"\n")
                    self.on_progress(request, progress)

                failed = await run_judge(self.judge, work, stop, tell, self._kept_of(ask))
                path, record, sha256 = self._take(work / "record.json", ask, failed)
                self._kept.pop(_same(ask), None)  # with its key, what is left of it is worth nothing
            except JudgeError as error:
                return Served(request, asker, ask, error=str(error), exit_code=error.exit_code)
            except OSError as error:
                words = f"The evaluation could not be stored: {error}."
                return Served(request, asker, ask, error=words, exit_code=4)
            finally:
                shutil.rmtree(work, ignore_errors=True)
            return Served(request, asker, ask, record=record, path=path, record_sha256=sha256)

    def _kept_of(self, ask: files.Ask) -> Kept:
        """What is kept of a broken evaluation of the same; its key is nowhere else."""
        if ask.fresh:
            self._kept.pop(_same(ask), None)
        return self._kept.setdefault(_same(ask), Kept())

    def _request(self, ask: files.Ask, frozen: Path) -> EvaluationRequest:
        return EvaluationRequest(
            operator=self.workspace.operator,
            candidate=frozen,
            scenario_set=ask.scenario_set,
            scenarios=ask.scenarios,
            baseline=ask.baseline,
            device=ask.device,
            python=self.python,
            owner=self.session_id,
            rehearsed=self.rehearsed,
            cache=self.cache,
            candidates=self.workspace.candidates,
            fresh=ask.fresh,
            forbidden_libraries=self.workspace.forbidden_libraries(),
        )

    def _frozen(self, sha256: str) -> Path:
        path = frozen_path(self.workspace.candidates, sha256)
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            raise files.OwnerError(f"The frozen candidate {path} is gone or was changed; evaluate again.", 3)
        return path

    def _take(self, path: Path, ask: files.Ask, failed: files.OwnerError) -> tuple[Path, Record, str]:
        """Move the judge's record to its place; raises `failed` where there is none."""
        if not path.exists():
            raise failed
        record = read_record(path)
        if record.hashes.candidate != ask.candidate_sha256 or record.owner != self.session_id:
            raise files.OwnerError("The judge's record is of something else than was asked.", 60)
        final = self.workspace.records / f"{record.eval_id}.json"
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        path.replace(final)
        return final, record, sha256

    def _work(self, request: str) -> Path:
        return self.workspace.home / "judging" / request


def _same(ask: files.Ask) -> files.Ask:
    return ask.model_copy(update={"fresh": False})


def _answer(served: Served) -> files.Answer:
    if served.path is None:
        return files.Answer(error=served.error, exit_code=served.exit_code)
    return files.Answer(record=str(served.path))
