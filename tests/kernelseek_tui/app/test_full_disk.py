"""A live session whose journal cannot be written: said on the screen, nothing shown is lost, exit code 4."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from bank.bank import Bank
from kernelseek_tui.agents.protocol import AgentSpec
from kernelseek_tui.app import live
from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.live_screen import LiveScreen
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.headless import run_headless
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.questioners.human import Human
from kernelseek_tui.steer import LiveSession
from sessions import events as ev
from sessions.errors import StorageError
from sessions.journal import Journal
from sessions.transcript import open_transcript
from tests.kernelseek_tui.app.screens import screen_text
from tests.kernelseek_tui.live import FakeAgent


class FullAfter(Journal):
    """Writes so many events, none longer than `longest` bytes; for others the disk is full."""

    def __init__(self, folder: Path, room: int, longest: int = 1 << 20) -> None:
        self.room = room
        self.longest = longest
        super().__init__(folder, secrets=())

    def _write(self, data: bytes, at_once: bool) -> None:
        if self.room <= 0 or len(data) > self.longest:
            raise StorageError(
                f"{self.path} could not be written ({os.strerror(errno.ENOSPC)}); "
                "make room or fix the folder, then try again."
            )
        self.room -= 1
        super()._write(data, at_once)


TURN = [ev.AgentText(id=f"t{number}", text=f"line {number}") for number in range(6)]


def session(folder: Path, room: int, longest: int = 1 << 20) -> tuple[LiveSession, FakeAgent]:
    agent = FakeAgent([*TURN, ev.AgentText(id="long", text="long " * 1000)])
    bank = Bank.load()
    copilot = Copilot(FullAfter(folder, room, longest), Seer(bank), Human(), bank.version)
    spec = AgentSpec(folder, "Make it fast.", {})
    made = LiveSession(title="t", agent=agent, spec=spec, copilot=copilot, judging=None)
    return made, agent


@pytest.mark.parametrize("room", [0, 1, 4])
async def test_the_session_ends_with_the_reason_and_gives_the_journal_free(tmp_path: Path, room: int) -> None:
    made, agent = session(tmp_path, room)
    with pytest.raises(
        StorageError, match=r"could not be written \(No space left on device\); make room"
    ) as no:
        await made.run(until_idle=False)
    assert no.value.exit_code == ExitCode.STORAGE
    assert agent.calls[-1] == "close"
    assert len(made.events) == room
    with Journal(tmp_path) as again:  # nobody owns it any more
        assert len(again.known) == room


async def test_where_a_little_fits_the_journal_says_why_it_ends(tmp_path: Path) -> None:
    made, _ = session(tmp_path, 99, longest=2000)
    with pytest.raises(StorageError):
        await made.run(until_idle=False)
    last = open_transcript(tmp_path).events[-1]
    assert isinstance(last, ev.SessionEnded)
    assert "No space left on device" in last.reason


def test_without_a_screen_it_ends_alike(tmp_path: Path) -> None:
    made, _ = session(tmp_path, 3)
    said: list[str] = []
    with pytest.raises(StorageError, match="make room"):
        run_headless(made, said.append)
    assert len(open_transcript(tmp_path).events) == 3


async def shown(app: KernelSeekApp, words: str) -> str:
    for _ in range(1000):
        await asyncio.sleep(0.01)
        if app.is_running:
            with app._context():
                text = screen_text(app)
            if words in text:
                return text
    raise AssertionError(f"{words!r} never stood on the screen")


@pytest.mark.parametrize(("size", "longest"), [((160, 48), 1 << 20), ((80, 24), 2000)])
async def test_the_screen_says_it_and_keeps_what_was_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], longest: int
) -> None:
    room = 6 if longest > 2000 else 99
    made, _ = session(tmp_path, room, longest)
    apps: list[KernelSeekApp] = []
    run_async = KernelSeekApp.run_async

    def headless(self: KernelSeekApp) -> object:
        apps.append(self)
        return run_async(self, headless=True, size=size)

    monkeypatch.setattr(KernelSeekApp, "run_async", headless)

    async def reads_and_quits() -> None:
        while not apps:
            await asyncio.sleep(0.01)
        app = apps[0]
        text = await shown(app, "STOPPED")
        flat = " ".join(text.split())
        assert "No space left on device" in flat
        assert "make room" in flat
        assert "line 3" in flat
        assert ("line 5" in flat) == (room > 6)
        assert "long long" not in flat
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        app.simulate_key("i")
        app.simulate_key("h")
        app.simulate_key("enter")
        await asyncio.sleep(0.05)
        assert not any(isinstance(event, ev.QuestionAsked) for event in made.events)
        app.simulate_key("ctrl+c")
        app.simulate_key("ctrl+c")

    with pytest.raises(StorageError, match="No space left on device") as no:
        await asyncio.gather(live.show_live(made), reads_and_quits())
    assert no.value.exit_code == ExitCode.STORAGE
    assert [event.id for event in open_transcript(tmp_path).events] == [event.id for event in made.events]
