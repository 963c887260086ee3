"""The judge's side of a live session: owns a workspace, measures what is asked for, gives the verdict."""

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable
from types import TracebackType

from harness.candidate import freeze
from harness.errors import JudgeError, RefusedCandidate
from harness.owner.files import Ask
from harness.owner.server import OwnerServer, Served
from harness.request import Progress
from harness.verdict import VerdictCode, exit_code
from harness.workspace import Workspace
from kernelseek_tui.evaluations import (
    evaluation_event,
    goal_report,
    goal_report_or_why,
    served_events,
)
from kernelseek_tui.gaps import GapWatch
from kernelseek_tui.progress import progress_text
from sessions import events as ev

Take = Callable[[ev.AnyEvent], Awaitable[None]]


class Judging:
    """Evaluations that count, and the verdict that rests on them alone.

    `async with` owns the workspace. `take` is given every event that comes of it. `trouble` says why the
    judge made no record when it was last asked, or gave no verdict; empty where it did.
    """

    def __init__(self, workspace: Workspace, owner: OwnerServer) -> None:
        self.workspace = workspace
        self.trouble = ""
        self._owner = owner
        self._served: list[Served] = []

    @property
    def rehearsed(self) -> bool:
        """Records are marked as made for a scripted agent."""
        return self._owner.rehearsed

    @property
    def asked(self) -> bool:
        """Something was judged in this session."""
        return bool(self._served)

    def on_progress(self, listener: Callable[[str], None]) -> None:
        """Call `listener(words)` while a judge runs."""

        def tell(_: str, progress: Progress) -> None:
            listener(f"judge: {progress_text(progress)}")

        self._owner.on_progress = tell

    async def __aenter__(self) -> "Judging":
        await self._owner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._owner.__aexit__(kind, error, trace)

    async def serve(self, take: Take) -> None:
        """Judge what is asked for, until cancelled; an event is taken before whoever asked is answered.

        Takes in what is said to hold scenarios back, too (`kernelseek gap`).
        """
        tasks = [
            asyncio.create_task(self._serve(take)),
            asyncio.create_task(GapWatch(self.workspace).serve(take)),
        ]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, take: Take) -> None:
        await self._adopt(take)
        async with contextlib.aclosing(self._owner.serve()) as stream:
            async for served in stream:
                await self._keep(served, take)

    async def verdict(self, take: Take) -> int:
        """The exit code of the candidate as the agent left it; judged once more if it never was."""
        try:
            goal = self.workspace.goal()
            frozen = freeze(self.workspace.candidate, self.workspace.candidates)
            found = self._newest(frozen.sha256, goal.set, goal.baseline)
            if found is None:
                ask = Ask(candidate_sha256=frozen.sha256, scenario_set=goal.set, baseline=goal.baseline)
                found = await self._owner.evaluate(ask)
                await self._keep(found, take)
            if found.record is None:
                return found.exit_code or VerdictCode.INFRASTRUCTURE
            report = goal_report(self.workspace, found.record)
            return int(exit_code(found.record.status, report.outcome))
        except JudgeError as error:
            self.trouble = str(error)
            await take(ev.Note(id="", text=f"No verdict: {error}", author="judge"))
            return error.exit_code

    async def _adopt(self, take: Take) -> None:
        """Take in what was measured here while nobody owned the workspace.

        Such records are shown and count for nothing; the one of the candidate as it is now is made again.
        """
        pending = self._owner.pending()
        for path, record in pending:
            report = goal_report_or_why(self.workspace, record)
            sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
            await take(evaluation_event(record, path, sha256, report, counts=False))
        try:
            now = self.workspace.candidate_sha256()
        except RefusedCandidate:
            return  # nothing to judge, and `evaluate` will say so
        for _, record in reversed(pending):
            if record.hashes.candidate == now:
                await self._keep(await self._owner.adopt(record), take)
                return

    async def _keep(self, served: Served, take: Take) -> None:
        self._served.append(served)
        self.trouble = served.error
        for event in served_events(self.workspace, served):
            await take(event)

    def _newest(self, sha256: str, scenario_set: str, baseline: str) -> Served | None:
        """The newest record made by this session of that candidate over the goal's whole set.

        Looked up in memory: a file of that name in the records' folder could be anybody's.
        """
        for served in reversed(self._served):
            record = served.record
            if (
                record is not None
                and record.hashes.candidate == sha256
                and (record.scenario_set, record.baseline) == (scenario_set, baseline)
                and record.scenario_glob is None
            ):
                return served
        return None
