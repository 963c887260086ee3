"""The layer map in full: when each layer was first and last visited, how, and which never were."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sessions.layer_rules import RECOGNISABLE
from sessions.seen import Visit
from sessions.state import SessionState
from sessions.vocabulary import Activity, Layer

MEASURES: Mapping[Activity, frozenset[Layer]] = {
    Activity.PROFILE: frozenset({Layer.KERNEL, Layer.MEMORY, Layer.HOST}),
    Activity.HOST_TRACE: frozenset({Layer.HOST}),
    Activity.DISASSEMBLE: frozenset({Layer.BUILD}),
    Activity.BENCHMARK_RUN: frozenset({Layer.BENCHMARK}),
}
"""What an activity looks at as it runs. A build makes something and looks at nothing, nor does a benchmark
that is run in the same command look at the build."""


@dataclass(frozen=True, slots=True)
class LayerVisits:
    """One layer. `first` and `last` are its visits, absent where it was never visited.

    `measured` visits looked at what runs, `touched` ones only read, wrote or built files. `recognisable`:
    some tool call would count as a visit; of a layer without any sign nothing follows from having none.
    """

    layer: Layer
    first: Visit | None
    last: Visit | None
    measured: int
    touched: int
    recognisable: bool

    @property
    def visits(self) -> int:
        """All of them."""
        return self.measured + self.touched

    @property
    def how(self) -> str:
        """In words."""
        if self.measured:
            return "measured"
        if self.touched:
            return "only read or edited"
        return "never visited" if self.recognisable else "no sign of it is known"


def layer_map(state: SessionState) -> list[LayerVisits]:
    """Every layer, in the order of the vocabulary, as the state stands."""
    rows = []
    for layer in Layer:
        visits = [visit for visit in state.visits if visit.layer is layer]
        if layer is Layer.BENCHMARK:
            visits = sorted([*visits, *_runs(state, visits)], key=lambda visit: visit.index)
        measured = sum(layer in MEASURES.get(visit.activity, ()) for visit in visits)
        rows.append(
            LayerVisits(
                layer,
                visits[0] if visits else None,
                visits[-1] if visits else None,
                measured,
                len(visits) - measured,
                layer in RECOGNISABLE or bool(visits),
            )
        )
    return rows


def _runs(state: SessionState, known: Sequence[Visit]) -> list[Visit]:
    """Runs of a benchmark as visits of its layer: the map of calls, which detectors use, has them nowhere."""
    there = {visit.index for visit in known}
    return [
        Visit(run.index, run.call.id, Layer.BENCHMARK, run.activity)
        for run in state.tools
        if run.activity is Activity.BENCHMARK_RUN and run.index not in there
    ]


def never_visited(state: SessionState) -> list[Layer]:
    """Layers that a tool call could have shown and none did."""
    return [row.layer for row in layer_map(state) if not row.visits and row.recognisable]


_BY_THE_WAY = frozenset({Layer.BUILD, Layer.PROCESS})  # every step builds


def most_visited(visits: Sequence[Visit]) -> Layer | None:
    """The layer visited most, of equals the one visited last; building only where nothing else was."""
    for left_out in (_BY_THE_WAY, frozenset[Layer]()):
        counts = Counter(visit.layer for visit in visits if visit.layer not in left_out)
        if counts:
            last = {visit.layer: visit.index for visit in visits}
            return max(counts, key=lambda layer: (counts[layer], last[layer]))
    return None
