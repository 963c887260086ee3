"""How long what follows counts: to the fifth evaluation, and never past the next message to the agent.

Five evaluations, because a question works through what is measured next, and sessions evaluate at very
different paces: events or minutes would compare unlike stretches. An end at the next message alone would give
the last question of a session everything that followed, and moments where nothing was asked no end at all.
What comes after another message cannot be told apart from that message's own effect.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bank.effects.record import Ended
from kernelseek_tui.review.curve import Point, Series
from sessions.state import SessionState

EVALUATIONS = 5
CALLS = 60
"""Tool calls after which a window ends, where fewer evaluations came: an agent that measures nothing would
have one without end. A guess."""


@dataclass(frozen=True, slots=True)
class Window:
    """Events behind `start`, up to and with `end`. `points` are its measurements of the comparable series."""

    start: int
    end: int
    ended: Ended
    points: tuple[Point, ...]


def window(state: SessionState, series: Series, start: int, following: int | None = None) -> Window:
    """The window that begins behind the event `start`; `following` is where the next message arrived."""
    last = state.count - 1
    end = last
    ended: Ended = "end"
    if following is not None and following <= last:
        end, ended = following - 1, "message"
    calls = bisect_right(state.tools, start, key=_index)
    if calls + CALLS < len(state.tools) and state.tools[calls + CALLS].index <= end:
        end, ended = state.tools[calls + CALLS].index - 1, "calls"
    first = bisect_right(series.points, start, key=_index)
    points = [point for point in series.points[first : first + EVALUATIONS] if point.index <= end]
    if len(points) >= EVALUATIONS:
        end, ended = points[-1].index, "evaluations"
    return Window(start, end, ended, tuple(points))


def within(items: Sequence[Any], span: Window) -> Sequence[Any]:
    """Those of `items`, which are in order and have an `index`, that lie in a window."""
    return items[bisect_right(items, span.start, key=_index) : bisect_right(items, span.end, key=_index)]


def _index(item: Any) -> int:
    index: int = item.index
    return index
