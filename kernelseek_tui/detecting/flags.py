"""The detectors run over a transcript: what is flagged, at which entry."""

from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from kernelseek_tui.decisions.watch import Watch
from kernelseek_tui.detecting.score import Flag, Flagged
from sessions.events import DecisionPoint
from sessions.state import SessionState
from sessions.transcript import TranscriptStream

PAUSE = 300.0
"""Seconds: a longer silence between two events is time in which nobody worked."""


def flags_of(path: Path, watch: Watch | None = None) -> Flagged:
    """Every decision point of a transcript. Raises `RefusedInput` for a file that is none.

    A flag stands at the entry of the event that raised it; `seen` is the entry after which it was raised,
    later where a command was still running.
    """
    stream, state = TranscriptStream(path), SessionState()
    watch = watch or Watch()
    lines: dict[str, int] = {}
    flags: list[Flag] = []
    times: list[datetime] = []
    at = 0
    for event in stream:
        state.apply(event)
        if event.source is not None and event.source.file == stream.path.name:
            at = event.source.line
        lines[event.id] = at
        if event.time is not None:
            times.append(event.time)
        flags += [_flag(point, lines, at) for point in watch.look(state, event)]
    flags += [_flag(point, lines, at) for point in watch.close(state)]
    return Flagged(stream.accounts[0].entries, tuple(flags), active_hours(times))


def active_hours(times: Iterable[datetime]) -> float | None:
    """Hours in which something happened: gaps between events, each up to a pause. None without times."""
    ordered = sorted(times)
    if len(ordered) < 2:
        return None
    gaps = (min((later - earlier).total_seconds(), PAUSE) for earlier, later in pairwise(ordered))
    return sum(gaps) / 3600


def _flag(point: DecisionPoint, lines: dict[str, int], at: int) -> Flag:
    line = lines.get(point.parent or "", at)
    return Flag(line, point.decision, point.evidence[0].quote, point.reason, at)
