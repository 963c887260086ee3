"""How fast the transcript opens, steps, pages and scrolls: `python benchmarks/transcript.py [--events N]`.

Prints medians and the worst of 40 keys each, from the key to the end of the frame that shows it, on a
160×48 screen. Budgets: open below 2 s, a key below 33 ms (median) at 100,000 events.
"""

import argparse
import asyncio
import random
import resource
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from textual.app import App

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.live_screen import LiveScreen
from kernelseek_tui.app.transcript import Transcript
from kernelseek_tui.replay import ReplayFeed
from sessions import events as ev

WORDS = "the kernel stalls on memory so each warp waits for `ld.global` and **registers** spill 漢字".split()  # noqa: SIM905
START = datetime(2026, 1, 1, tzinfo=UTC)


def made(count: int) -> list[ev.AnyEvent]:
    """A session of text, calls, results and scores, entries of about four rows."""
    draw = random.Random(7)
    events: list[ev.AnyEvent] = []
    for index in range(count):
        text = " ".join(draw.choices(WORDS, k=draw.randint(5, 80)))
        common = {"id": f"e{index}", "time": START + timedelta(seconds=index)}
        match index % 4:
            case 0:
                events.append(
                    ev.AgentText(text=f"## Step {index}\n- {text}\n\n{text}", message=f"m{index}", **common)
                )
            case 1:
                events.append(ev.ToolCall(call=f"c{index}", tool="Bash", input={"command": text}, **common))
            case 2:
                output = "\n".join([text] * draw.randint(1, 30))
                events.append(ev.ToolResult(call=f"c{index - 1}", output=output, **common))
            case _:
                events.append(ev.Edit(path="kernel.cu", diff=f"@@ -1 +1 @@\n-{text}\n+{text}", **common))
    return events


async def settled(app: App[None]) -> None:
    """Wait until the frame that answers the last key is drawn."""
    done = asyncio.Event()
    app.screen.call_after_refresh(done.set)
    await done.wait()


async def keys(app: App[None], name: str, key: str, count: int = 40) -> None:
    """Press a key again and again and print what it took."""
    took = []
    for _ in range(count):
        start = time.perf_counter()
        app.simulate_key(key)
        await settled(app)
        took.append((time.perf_counter() - start) * 1000)
        await asyncio.sleep(0.02)
    print(f"{name:<24}{statistics.median(took):8.1f} ms median {max(took):8.1f} ms worst")


class Quiet:
    """The parts of a live feed that a finished session lacks."""

    activity = ""
    partial = ""
    live = True

    def __init__(self, feed: ReplayFeed) -> None:
        self._feed = feed

    def __getattr__(self, name: str) -> object:
        return getattr(self._feed, name)

    def on_activity(self, listener: object) -> None:
        """Nothing is ever active."""


async def measure(path: Path) -> None:
    """Open, then keys on the screen of the whole session."""
    start = time.perf_counter()
    feed = ReplayFeed(path)
    for _ in feed.read():
        pass
    print(f"{'read and fold':<24}{time.perf_counter() - start:8.2f} s for {len(feed.events)} events")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    app = KernelSeekApp(lambda glyphs: LiveScreen(Quiet(feed), glyphs))  # type: ignore[arg-type]
    async with app.run_test(size=(160, 48)):
        await settled(app)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"{'open on screen':<24}{time.perf_counter() - start:8.2f} s, {grown:.0f} MiB")
        transcript = app.screen.query_one(Transcript)
        await keys(app, "page up from the end", "pageup")
        await keys(app, "entry up", "up")
        transcript.select(len(feed.events) // 2)
        await settled(app)
        await keys(app, "page down in the middle", "pagedown")
        await keys(app, "entry down", "down")
        await keys(app, "to the top and back", "g", 5)
        start = time.perf_counter()
        transcript.book.width -= 20
        transcript.window.reset(len(transcript.book))
        print(f"{'wrap for a new width':<24}{time.perf_counter() - start:8.2f} s")


def main() -> None:
    """Make a session of N events and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=100_000)
    count = parser.parse_args().events
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(ev.dump_event(event) + "\n" for event in made(count))
        asyncio.run(measure(path))


if __name__ == "__main__":
    main()
