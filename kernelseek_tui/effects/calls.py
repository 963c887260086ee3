"""What one tool call shows: the layers it measured, and whether it worked."""

from kernelseek_tui.review.visits import MEASURES
from sessions.figures import prints_figure
from sessions.seen import ToolRun
from sessions.vocabulary import Activity, Layer


def layers_measured(run: ToolRun) -> tuple[Layer, ...]:
    """The layers that a call looked at as it ran; running a benchmark by itself is a look at none."""
    looked = MEASURES.get(run.activity, frozenset[Layer]())
    return tuple(layer for layer in run.layers if layer in looked)


def worked(run: ToolRun) -> bool:
    """It ended well, or is a benchmark that printed figures: one that fails its goal ends with an error."""
    if run.result is None:
        return False
    if not run.result.is_error:
        return True
    return run.activity is Activity.BENCHMARK_RUN and prints_figure(run.result.output)
