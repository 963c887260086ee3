"""Opens the screen on a live session and runs both to their end. Importing this loads Textual."""

import asyncio
from typing import Protocol

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.live_screen import LiveFeed, LiveScreen
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.leaving import on_leave
from sessions.errors import StorageError


class Session(LiveFeed, Protocol):
    """A live session that the screen starts."""

    @property
    def exit_code(self) -> int | None:
        """The judge's verdict, once `run` is over; None when nothing was judged."""

    async def run(self, *, until_idle: bool) -> None:
        """Start the agent and take everything in until the session is closed."""


def run_live(session: Session) -> int:
    """Run the session under its screen until the person quits; the judge's exit code.

    The session goes on when the agent is idle, and the screen stays when the session has ended. What ends
    the session by itself (`AgentError`, `StorageError`) is raised after the terminal is clean again. That
    a journal cannot be written is said on the screen, which stays. Nothing judged: 130.
    """
    return asyncio.run(show_live(session))


async def show_live(session: Session) -> int:
    """`run_live` on a loop that runs already."""
    over = asyncio.Event()

    def end() -> None:
        """The person quits: let agent, verdict and journal end, then close the screen."""
        screen.ending = True
        screen.show_header()
        screen.tell("Ending the session; press again to quit without its verdict.", "warning")
        closing = asyncio.ensure_future(_close(session, running))
        closing.add_done_callback(lambda _: app.exit())
        over.set()

    app = KernelSeekApp(lambda glyphs: _keep(LiveScreen(session, glyphs)), end=end)
    screen: LiveScreen

    def _keep(made: LiveScreen) -> LiveScreen:
        nonlocal screen
        screen = made
        return made

    on_leave(app.leave_now)
    running = asyncio.ensure_future(session.run(until_idle=False))

    def stopped(task: "asyncio.Future[None]") -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, StorageError) and app.is_running and not over.is_set():
            # What was written stays readable, and quitting ends with the error.
            app.call_later(screen.stop, str(error))
        elif error is not None:
            app.exit()

    running.add_done_callback(stopped)
    try:
        await app.run_async()
    finally:
        if not running.done():
            if not over.is_set():
                await session.close()
            running.cancel()
        await asyncio.wait({running})
    if not running.cancelled():
        running.result()
    return ExitCode.INTERRUPTED if session.exit_code is None else session.exit_code


async def _close(session: Session, running: "asyncio.Future[None]") -> None:
    await session.close()
    await asyncio.wait({running})
