"""What lay before any event of a session, looked up rather than searched: one pass, then a bisection each."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from kernelseek_tui.effects.calls import layers_measured, worked
from kernelseek_tui.review.curve import Point, Series
from sessions.state import SessionState
from sessions.vocabulary import Layer


class Earlier:
    """Made of a whole session and its comparable series; every answer is of what came up to an event."""

    def __init__(self, state: SessionState, series: Series) -> None:
        self._visits = state.visits
        self._measured = _firsts(
            (run.index, layer) for run in state.tools if worked(run) for layer in layers_measured(run)
        )
        self._visited = _firsts((visit.index, visit.layer) for visit in state.visits)
        self._scored = [point for point in series.points if point.scores]
        self._best: list[float] = []
        for point in self._scored:
            value = point.value or 0.0
            self._best.append(max(value, self._best[-1]) if self._best else value)

    def measured(self, at: int) -> set[Layer]:
        """The layers that a call begun by then measured, whenever its result came."""
        return {layer for layer, first in self._measured.items() if first <= at}

    def visited(self, at: int) -> set[Layer]:
        """The layers that were visited by then."""
        return {layer for layer, first in self._visited.items() if first <= at}

    def visits(self, at: int, most: int) -> Sequence[Any]:
        """The last visits by then, `most` at the most."""
        end = bisect_right(self._visits, at, key=_index)
        return self._visits[max(end - most, 0) : end]

    def best(self, at: int) -> float | None:
        """The best score by then."""
        known = bisect_right(self._scored, at, key=_index)
        return self._best[known - 1] if known else None

    def last_scored(self, at: int) -> Point | None:
        """The newest evaluation with a score by then."""
        known = bisect_right(self._scored, at, key=_index)
        return self._scored[known - 1] if known else None


def _firsts(items: Iterable[tuple[int, Layer]]) -> dict[Layer, int]:
    found: dict[Layer, int] = {}
    for index, layer in items:
        found[layer] = min(index, found.get(layer, index))
    return found


def _index(item: Any) -> int:
    index: int = item.index
    return index
