"""`run_live` and `kernelseek replay`: how screens begin and end."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelseek_tui.agents.protocol import AgentError
from kernelseek_tui.app import live
from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.glyphs import UNICODE
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.cli.replay import opening, replay
from kernelseek_tui.replay import FIRST, ReplayFeed
from sessions import events as ev
from tests.kernelseek_tui.app.fakes import FakeFeed, story
from tests.kernelseek_tui.app.screens import SMALL, journal, screen_text


class FakeSession(FakeFeed):
    """Runs until it is closed."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(story())
        self.exit_code: int | None = None
        self._error = error
        self._over = asyncio.Event()

    async def run(self, *, until_idle: bool) -> None:
        assert not until_idle
        if self._error is not None:
            raise self._error
        await self._over.wait()
        self.exit_code = 10

    async def close(self) -> None:
        await super().close()
        self._over.set()


@pytest.fixture
def headless(monkeypatch: pytest.MonkeyPatch) -> None:
    run_async = KernelSeekApp.run_async
    monkeypatch.setattr(
        KernelSeekApp, "run_async", lambda self: run_async(self, headless=True, size=(160, 48))
    )


async def keys_when_shown(*keys: str) -> None:
    for _ in range(500):
        await asyncio.sleep(0.01)
        app = KernelSeekApp.newest  # type: ignore[attr-defined]
        if app is not None and app.is_running and app.screen.is_mounted:
            break
    await asyncio.sleep(0.05)
    for key in keys:
        app.simulate_key(key)
        await asyncio.sleep(0.05)


@pytest.fixture
def newest(monkeypatch: pytest.MonkeyPatch) -> None:
    init = KernelSeekApp.__init__

    def keep(self: KernelSeekApp, *args: object, **more: object) -> None:
        init(self, *args, **more)  # type: ignore[arg-type]
        KernelSeekApp.newest = self  # type: ignore[attr-defined]

    monkeypatch.setattr(KernelSeekApp, "newest", None, raising=False)
    monkeypatch.setattr(KernelSeekApp, "__init__", keep)


@pytest.mark.usefixtures("headless", "newest")
async def test_quitting_ends_the_session_in_order_and_answers_its_verdict() -> None:
    session = FakeSession()
    code, _ = await asyncio.gather(live.show_live(session), keys_when_shown("ctrl+c", "ctrl+c"))
    assert code == 10
    assert session.calls == ["close"]


@pytest.mark.usefixtures("headless", "newest")
async def test_an_agent_that_cannot_start_is_said_after_the_screen() -> None:
    session = FakeSession(AgentError("The agent could not be started."))
    with pytest.raises(AgentError, match="could not be started"):
        await live.show_live(session)


def test_replay_without_a_terminal_points_to_inspect(tmp_path: Path) -> None:
    path = journal(tmp_path, story())
    result = CliRunner().invoke(replay, [str(path)])
    assert result.exit_code == 2
    assert f"kernelseek inspect {path}" in result.output
    assert "Traceback" not in result.output


def test_something_stands_there_before_the_screen_is_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    opening("name\x1b[2J.jsonl")
    assert capsys.readouterr().out == "opening name␛[2J.jsonl ..\r"


async def test_the_first_frame_has_content_before_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReplayScreen, "_opened", lambda _: None)  # nothing is read behind the screen
    many: list[ev.AnyEvent] = [ev.Note(id=f"n{number}", text=f"note {number}") for number in range(500)]
    feed = ReplayFeed(journal(tmp_path, many))
    reading = feed.read()
    next(reading)
    app = KernelSeekApp(lambda glyphs: ReplayScreen(feed, glyphs, reading=reading), glyphs=UNICODE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert "note 0" in screen_text(app)
        assert len(feed.events) == FIRST
        assert not feed.read_done


def test_a_replay_loads_nothing_that_its_first_frame_does_not_need() -> None:
    code = "import sys, kernelseek_tui.app.replay; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    late = {"bank.bank", "bank.ranking", "yaml", "harness", "watchdog", "kernelseek_tui.hindsight"}
    late |= {"kernelseek_tui.review.ledger", "kernelseek_tui.app.claims_screen"}
    late |= {"kernelseek_tui.app.live_screen", "textual.widgets._text_area", "textual.widgets._footer"}
    assert not late & loaded
