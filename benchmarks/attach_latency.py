"""How long a line of a running session's transcript takes to the journal and to the screen.

`python benchmarks/attach_latency.py [--lines N] [--rate R]`. Another process appends lines as Claude Code
does, one `write` each, at R a second; times run from before that write to the event in the journal, and to
the end of the frame that shows it, on a 160x48 screen. Budget: 100 ms to the screen at the 95th percentile.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.live_screen import LiveScreen
from kernelseek_tui.attach.discover import choose, running_sessions, transcript_of
from kernelseek_tui.attach.session import AttachedSession, open_attached
from sessions import events as ev

WRITER = """
import json, os, random, sys, time, uuid
path, lines, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
draw = random.Random(1)
for number in range(lines):
    time.sleep(draw.expovariate(rate))
    text = " ".join(["stall"] * draw.randint(5, 200))
    block = {"type": "text", "text": f"{time.monotonic():.6f} {text}"}
    message = {"id": f"m{number}", "role": "assistant", "content": [block]}
    entry = {"type": "assistant", "uuid": str(uuid.uuid4()), "sessionId": "s", "message": message}
    block["text"] = f"{time.monotonic():.6f} {text}"
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, json.dumps(entry).encode() + b"\\n")
    os.close(file)
"""


class Watched(LiveScreen):
    """A live screen that notes when each event was drawn."""

    drawn: list[tuple[int, float]]

    def _frame(self) -> None:
        super()._frame()
        count = len(self.feed.events)
        self.call_after_refresh(lambda: self.drawn.append((count, time.monotonic())))


def client(folder: Path) -> Path:
    """The home of a client with one running session, which is this process."""
    home = folder / "client"
    (home / "sessions").mkdir(parents=True)
    (folder / "work").mkdir()
    said = {"pid": os.getpid(), "sessionId": "aaaa-1", "cwd": str(folder / "work"), "status": "busy"}
    (home / "sessions" / f"{os.getpid()}.json").write_text(json.dumps(said))
    return home


async def measure(session: AttachedSession, transcript: Path, lines: int, rate: float) -> None:
    """Write, watch, and print the percentiles."""
    sent: list[float] = []
    journal: list[float] = []
    places: list[int] = []

    def came(index: int) -> None:
        event = session.events[index]
        if isinstance(event, ev.AgentText):
            sent.append(float(event.text.split(" ", 1)[0]))
            journal.append(time.monotonic())
            places.append(index)

    session.subscribe(came)
    Watched.drawn = []
    app = KernelSeekApp(lambda glyphs: Watched(session, glyphs))
    async with app.run_test(size=(160, 48)):
        running = asyncio.create_task(session.run(until_idle=False))
        await asyncio.sleep(1.0)
        transcript.parent.mkdir(parents=True)
        command = [sys.executable, "-c", WRITER, str(transcript), str(lines), str(rate)]
        writer = subprocess.Popen(command)
        while len(sent) < lines and not running.done():
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.5)
        writer.wait()
        await session.close()
        await running
    to_screen = [
        next(when for count, when in Watched.drawn if count > place) - start
        for place, start in zip(places, sent, strict=True)
    ]
    print(f"{len(sent)} of {lines} lines, {len(set(sent))} of them different")
    show("to the journal", [end - start for start, end in zip(sent, journal, strict=True)])
    show("to the screen", to_screen)


def show(name: str, seconds: list[float]) -> None:
    """One line of percentiles."""
    cuts = statistics.quantiles(seconds, n=100)
    half, p95, worst = (value * 1000 for value in (cuts[49], cuts[94], max(seconds)))
    print(f"{name:<16}{half:8.1f} ms median {p95:8.1f} ms p95 {worst:8.1f} ms worst")


def main() -> None:
    """Make a client of files, attach to it, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--lines", type=int, default=400)
    parser.add_argument("--rate", type=float, default=20.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KERNELSEEK_HOME"] = str(Path(folder) / "home")
        home = client(Path(folder))
        running = choose(running_sessions(home), None)
        session = open_attached(
            running,
            home=Path(os.environ["KERNELSEEK_HOME"]),
            client_home=home,
            workspace=None,
            questioner="none",
        )
        asyncio.run(measure(session, transcript_of(home, running), asked.lines, asked.rate))


if __name__ == "__main__":
    main()
