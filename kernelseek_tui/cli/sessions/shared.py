"""What several of the `sessions` commands say: sizes, times, what was redacted, how far a list is."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import click

from sessions.archive.telling import redaction_report

__all__ = [
    "REMINDER",
    "bytes_progress",
    "count",
    "redaction_report",
    "size_text",
    "when_text",
]

PROGRESS_ABOVE = 20 * 1024 * 1024  # bytes
_UNITS = ("B", "kB", "MB", "GB", "TB")


def size_text(size: int) -> str:
    """Bytes in the unit that leaves one to three digits before the point."""
    value, unit = float(size), _UNITS[0]
    for unit in _UNITS:
        if value < 1000 or unit == _UNITS[-1]:
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"


def when_text(when: datetime | None) -> str:
    """Local date and time to the minute; a dash for none."""
    return when.astimezone().strftime("%Y-%m-%d %H:%M") if when else "-"


def count(number: int, one: str, many: str = "") -> str:
    """`1 session`, `2 sessions`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


REMINDER = "It knows shapes, not meaning: look through the file before you give it away."


@contextmanager
def bytes_progress(label: str, paths: list[Path]) -> Iterator[Callable[[int], None] | None]:
    """Says on stderr how far many bytes are read, with an estimate; nothing where they are few."""
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except OSError:
            continue  # told where it is read
    if total <= PROGRESS_ABOVE or not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()

    def show(done: int) -> None:
        left = (time.monotonic() - start) * (total - done) / max(done, 1)
        line = f"{label} {size_text(done)} of {size_text(total)}, about {max(left, 0):.0f} s left"
        click.echo(f"\r{line:<70}", nl=False, err=True)

    yield show
    click.echo(f"\r{'':<70}\r", nl=False, err=True)
