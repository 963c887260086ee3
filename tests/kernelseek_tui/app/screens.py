"""Opening the screens in tests, and reading what they show."""

import asyncio
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.glyphs import UNICODE, Glyphs
from kernelseek_tui.app.live_screen import LiveScreen
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.replay import ReplayFeed
from sessions import events as ev
from tests.kernelseek_tui.app.fakes import FakeFeed

WIDE, SMALL = (160, 48), (80, 24)


def live_app(feed: FakeFeed, glyphs: Glyphs = UNICODE) -> KernelSeekApp:
    return KernelSeekApp(lambda chosen: LiveScreen(feed, chosen), end=lambda: None, glyphs=glyphs)


def replay_app(
    path: Path, at: int | None = None, glyphs: Glyphs = UNICODE
) -> tuple[KernelSeekApp, ReplayFeed]:
    feed = ReplayFeed(path)
    return KernelSeekApp(lambda chosen: ReplayScreen(feed, chosen, at), glyphs=glyphs), feed


def journal(folder: Path, events: list[ev.AnyEvent]) -> Path:
    path = folder / "events.jsonl"
    path.write_text("".join(ev.dump_event(event) + "\n" for event in events), encoding="utf-8")
    return path


async def ready(pilot: Pilot[Any], feed: ReplayFeed) -> None:
    """Wait until everything was read and looked at."""
    for _ in range(500):
        if feed.look_done:
            break
        await asyncio.sleep(0.01)
    assert feed.look_done
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def screen_text(app: KernelSeekApp) -> str:
    """Everything on the screen, as a terminal would hold it."""
    width, _ = app.size
    rows = []
    for strip in app.screen._compositor.render_strips():
        rows.append("".join(segment.text for segment in strip)[: width * 2])
    return "\n".join(rows)


def title(app: KernelSeekApp) -> str:
    return screen_text(app).split("\n")[0]


async def type_into(pilot: Pilot[Any], key: str, text: str) -> None:
    """Open a prompt with `key`, answer it with `text`."""
    await pilot.press(key)
    pilot.app.screen.query_one(Prompt).value = text
    await pilot.press("enter")


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until what was asked of the feed is done and what it brought is drawn."""
    for _ in range(500):
        await pilot.pause()
        screen = pilot.app.screen
        due = isinstance(screen, LiveScreen) and (screen._queued or screen._due is not None)
        if not due and all(worker.is_finished for worker in pilot.app.workers):
            break
        await asyncio.sleep(0.01)
    await pilot.pause()
