"""How long `kernelseek inspect` takes over a large transcript, and how much memory it needs.

    python -m benchmarks.large_transcript [--megabytes N] [--shape claude|codex|small] [PATH]

Without a path, transcripts of that size are made (`made_transcripts.py`) and deleted again. The whole command
runs in a child whose stderr is a terminal: readers, recognisers, state, detectors and ranking. Printed: wall
and processor seconds, the child's peak memory, events a second, and the lines of progress it showed.
Budgets: 100 MB in 60 s and 300 MB; 1 GB in memory that does not grow with the texts.
"""

import argparse
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.made_transcripts import SHAPES, write
from sessions.transcript import TranscriptStream

MB = 1_000_000
_PROGRESS = re.compile(rb"read \d+ of \d+ lines, about \d+ s left")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the command. Times in seconds, `peak` in bytes (`ru_maxrss` of the child)."""

    exit_code: int
    wall: float
    processor: float
    peak: int
    progress: int


def inspected(path: Path) -> Run:
    """Run `kernelseek inspect` on a file and wait for it."""
    screen, end = pty.openpty()
    shown = bytearray()

    def listen() -> None:
        while True:
            try:
                data = os.read(screen, 1 << 16)
            except OSError:  # the other end is closed
                return
            if not data:
                return
            shown.extend(data)

    command: list[str | Path] = [Path(sys.executable).with_name("kernelseek"), "inspect", path]
    listener = threading.Thread(target=listen)
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=end)
    os.close(end)
    listener.start()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    listener.join()
    os.close(screen)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(child.returncode, wall, used.ru_utime + used.ru_stime, peak, len(_PROGRESS.findall(shown)))


def measure(name: str, path: Path) -> None:
    """Print the row of one file."""
    run = inspected(path)
    if run.exit_code:
        raise SystemExit(f"kernelseek inspect {path} ended with {run.exit_code}.")
    events = sum(1 for _ in TranscriptStream(path))
    size = path.stat().st_size
    print(
        f"| {name} | {size / MB:.0f} MB | {events:,} | {run.wall:.0f} s | {run.processor:.0f} s "
        f"| {run.peak / MB:.0f} MB | {events / run.wall:,.0f} | {run.progress} |",
        flush=True,
    )


def main() -> None:
    """Measure one file, or made ones of each shape."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--shape", choices=SHAPES)
    given = parser.parse_args()
    print("| transcript | size | events | wall | processor | peak memory | events/s | progress lines |")
    print("|---|---|---|---|---|---|---|---|")
    if given.path is not None:
        measure(given.path.name, given.path)
        return
    for shape in [given.shape] if given.shape else SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{shape}.jsonl"
            write(shape, path, given.megabytes * MB)
            measure(shape, path)


if __name__ == "__main__":
    main()
