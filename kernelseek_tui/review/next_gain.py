"""The next real gain after a moment, and the layer it came from, by what the session measured and edited.

Real: of the comparable series of evaluations a right point that beats the best right one before it, beyond
noise. What a command merely printed says nothing about whether the candidate was right, and counts for none.
"""

from collections import Counter
from collections.abc import Sequence

from kernelseek_tui.review.curve import Origin, Scores
from sessions.events import AnyEvent
from sessions.seen import Visit
from sessions.state import SessionState
from sessions.vocabulary import Activity, Layer

_EDITS = frozenset({Activity.KERNEL_EDIT, Activity.BENCHMARK_EDIT, Activity.OTHER_EDIT})
_BY_THE_WAY = frozenset({Layer.BUILD, Layer.PROCESS})  # every step builds
_EVALUATED = frozenset({Origin.JUDGE, Origin.PARSED})


class NextGains:
    """Follows a session: `take` every event right after the state took it in, then ask `after`."""

    def __init__(self) -> None:
        self._scores = Scores()

    def take(self, state: SessionState, event: AnyEvent) -> None:
        """Take in the newest event."""
        self._scores.take(state, event)

    def after(self, state: SessionState, index: int) -> tuple[Layer, int] | None:
        """The layer, and the index of the measurement, of the first gain after the event at `index`.

        `state` is that of the whole session. The layer is the one edited most between the two; without an
        edit there, the one visited most, building and running a benchmark left out. None where there is no
        gain, or nothing between that tells a layer.
        """
        series = self._scores.series(state)
        if series.origin not in _EVALUATED:
            return None
        bests = series.bests()
        gain = next((point for point in bests[1:] if point.index > index), None)
        if gain is None:
            return None
        layer = _layer(state, index, gain.index)
        return None if layer is None else (layer, gain.index)


def _layer(state: SessionState, start: int, end: int) -> Layer | None:
    between = [visit for visit in state.visits if start < visit.index < end]
    edits = [visit for visit in between if visit.activity in _EDITS]
    candidate = [edit.index for edit in state.candidate_edits if start < edit.index < end]
    if edits:
        return _most(edits)
    if candidate:
        return Layer.KERNEL
    return _most(
        [
            visit
            for visit in between
            if visit.layer not in _BY_THE_WAY and visit.activity is not Activity.BENCHMARK_RUN
        ]
    )


def _most(visits: Sequence[Visit]) -> Layer | None:
    """The layer with the most visits, of equals the one visited last."""
    counts = Counter(visit.layer for visit in visits)
    last = {visit.layer: visit.index for visit in visits}
    return max(counts, key=lambda layer: (counts[layer], last[layer]), default=None)
