"""A live session without a screen: one plain line an event."""

import asyncio
import signal
from collections.abc import Callable

from kernelseek_tui.leaving import on_leave
from kernelseek_tui.plain import one_line
from kernelseek_tui.steer import LiveSession
from sessions import events as ev

WIDTH = 160


def line_of(event: ev.AnyEvent) -> str | None:
    """The event as one plain line; None for what a log need not hold."""
    match event:
        case ev.SessionStarted(agent_name=name, rehearsed=rehearsed, questioner=questioner):
            mark = " (REHEARSED: a scripted agent)" if rehearsed else ""
            return f"session   agent {name}{mark}, questioner {questioner}"
        case ev.HumanMessage(text=text):
            return f"human     {text}"
        case ev.AgentText(text=text):
            return f"agent     {text}"
        case ev.ToolCall(tool=tool, input=given):
            what = given.get("command") or given.get("file_path") or ""
            return f"tool      {tool} {what}"
        case ev.ToolResult(is_error=True, output=output):
            return f"result    {output}"
        case ev.Evaluation():
            return f"judge     {event.detail}"
        case ev.GoalVerdict(met=True):
            return "goal      met"
        case ev.DecisionPoint(decision=kind, reason=reason):
            return f"moment    {kind}: {reason}"
        case ev.QuestionAsked(questioner=by, text=text, entry=entry):
            origin = entry or {"human": "typed", "goal": "the unmet clauses"}.get(by, "a group")
            return f"question  [{by}, {origin}] {text}"
        case ev.QuestionReceipt(receipt=word, detail=detail):
            return f"receipt   {word}: {detail}" if detail else f"receipt   {word}"
        case ev.TurnEnded(reason="failed", detail=detail) if detail:
            return f"failed    {detail}"
        case ev.Note(text=text):
            return f"note      {text}"
        case ev.ReaderProblem(line=number, what=what):
            return f"unread    line {number + 1}: {what}"
        case ev.PermissionAnswered(answer="deny", message=message):
            return f"denied    {message}"
        case ev.SessionEnded(reason=reason):
            return f"ended     {reason}"
    return None


def run_headless(session: LiveSession, say: Callable[[str], None]) -> int:
    """Run until the agent has nothing left to do and nothing is asked; the judge's exit code.

    `say` takes one plain line at a time. Ctrl-C, SIGHUP and SIGTERM end agent and judge, and close
    the journal.
    """

    def tell(index: int) -> None:
        event = session.events[index]
        line = line_of(event)
        if line is not None:
            stamp = f"{event.time:%H:%M:%S} " if event.time else ""
            say(one_line(stamp + line, WIDTH))

    session.subscribe(tell)

    async def run() -> None:
        task = asyncio.current_task()
        assert task is not None
        on_leave(task.cancel, signal.SIGINT)  # asyncio's own way breaks into the end at a second Ctrl-C
        await session.run(until_idle=True)

    try:
        asyncio.run(run())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    return 60 if session.exit_code is None else session.exit_code
