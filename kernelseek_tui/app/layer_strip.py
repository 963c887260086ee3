"""The layer strip: which layers of the system the session has touched, and which it never has."""

from rich.cells import cell_len

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, Span, line
from sessions.state import SessionState
from sessions.vocabulary import Activity, Layer

SEEN_IN_CALLS = tuple(layer for layer in Layer if layer is not Layer.PROCESS)
"""The layers that tool calls show; how a session is run (`process`) no single call tells."""

GAP = "  "


def strip(state: SessionState, width: int, glyphs: Glyphs) -> list[Line]:
    """Each layer with its visits, the last one strongest, unvisited ones marked; nothing before the first."""
    visited = dict(state.layers)
    # A benchmark run visits no layer of its own in the map (it may time any of them); here it is one.
    runs = sum(run.activity is Activity.BENCHMARK_RUN for run in state.tools)
    if runs:
        visited[Layer.BENCHMARK] = visited.get(Layer.BENCHMARK, 0) + runs
    if not visited:
        return []
    last = state.visits[-1].layer if state.visits else None
    rows: list[list[Span]] = [[(" ", "text")]]
    used = 1
    for layer in SEEN_IN_CALLS:
        count = visited.get(layer, 0)
        text = f"{layer.value} {count or glyphs.unmet}"
        if used + cell_len(text) > width and used > 1:
            rows.append([(" ", "text")])
            used = 1
        role = "strong" if layer is last else "text" if count else "warn"
        rows[-1] += [(text, role), (GAP, "text")]
        used += cell_len(text + GAP)
    return [line(*row[:-1]) for row in rows]
