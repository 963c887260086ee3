"""Opens the screen on a finished session. Importing this loads Textual."""

from collections.abc import Sequence
from pathlib import Path

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.pace import DEFAULT
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.replay import ReplayFeed


def run_replay(
    path: Path,
    at: int | None = None,
    speed: float = DEFAULT,
    mapping: Path | None = None,
    banks: Sequence[str] = (),
) -> None:
    """Replay a transcript until the person quits. `at` is the source's line to start at, from 0.

    `mapping`: the file that says how a score log is read. `banks`: as `load_banks` takes them.

    Raises `sessions.errors.RefusedInput` before the screen opens when `path` is no transcript.
    """
    feed = ReplayFeed(path, mapping=mapping, banks=banks)
    reading = feed.read()
    next(reading)  # the first screen is there with the first frame; the rest is read behind it
    KernelSeekApp(lambda glyphs: ReplayScreen(feed, glyphs, at, speed, reading)).run()
