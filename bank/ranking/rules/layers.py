"""Where the agent has been: layers untouched or long left, measurements made or missing, profiles."""

from bank.question import Question
from bank.ranking.made import instruments, used
from bank.ranking.moment import RankingFacts
from bank.ranking.rules.rule import LAYER_NAMES, Rule
from sessions.layer_rules import RECOGNISABLE
from sessions.vocabulary import Activity, DecisionKind, Layer

FEW_LAYERS = 2
"""A claim after visits to no more layers than these is premature."""

RECOGNISED = RECOGNISABLE - {Layer.KERNEL, Layer.PROCESS}
"""Layers whose absence says something: the layer map knows signs of them, and work is not always there."""

SOME_WORK = 3
"""Calls or edits on another layer from which it says something that one was not touched."""

_TELLING = {
    Activity.HOST_TRACE: "host trace",
    Activity.PROFILE: "profile",
    Activity.DISASSEMBLE: "disassembly",
}


def _touched(layer: Layer, moment: RankingFacts) -> bool:
    return bool(moment.layers.get(layer)) or (layer is Layer.BENCHMARK and moment.measured)


def _unvisited(entry: Question, moment: RankingFacts) -> str | None:
    layer = entry.moves.to
    if layer not in RECOGNISED or _touched(layer, moment):
        return None
    where, steps = moment.most_work
    if steps < SOME_WORK:
        return None
    reason = f"{steps} steps on {LAYER_NAMES[where]}, none recognised on {LAYER_NAMES[layer]}"
    total = len(moment.state.tools)
    partial = moment.unrecognised * 2 > total
    return f"{reason} ({moment.unrecognised} of {total} calls say nothing of layers)" if partial else reason


def _left(entry: Question, moment: RankingFacts) -> str | None:
    layer = entry.moves.to
    if layer not in RECOGNISED or layer in moment.recent_layers or not moment.layers.get(layer):
        return None
    return f"{LAYER_NAMES[layer]} was looked at before, not lately"


def _from(entry: Question, moment: RankingFacts) -> str | None:
    layer = entry.moves.from_
    if layer is entry.moves.to or layer not in moment.recent_layers:
        return None
    return f"the last calls touched {LAYER_NAMES[layer]}"


def _measured(entry: Question, moment: RankingFacts) -> str | None:
    tools = instruments(entry)
    if not tools or not used(entry, moment.done_since):
        return None
    made = next(activity for activity in tools[0] if activity in moment.done_since)
    return f"a {_TELLING[made]} was already made since the last kernel edit"


def _unmeasured(entry: Question, moment: RankingFacts) -> str | None:
    missing = [tool for tool in instruments(entry) if not moment.done_since.intersection(tool)]
    if not missing or moment.last_edit < 0:
        return None
    return f"no {_TELLING[missing[0][0]]} is recognised since the last kernel edit"


def _premature(entry: Question, moment: RankingFacts) -> str | None:
    if moment.kind not in (DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION):
        return None
    if entry.moves.to is not Layer.PROCESS or not 0 < len(moment.layers) <= FEW_LAYERS:
        return None
    touched = " and ".join(LAYER_NAMES[layer] for layer in moment.layers)
    return f"before the claim only work on {touched} is recognised"


def _profiled(entry: Question, moment: RankingFacts) -> str | None:
    words = moment.bottlenecks.get(entry.group)
    return f'a profile names "{words}"' if words else None


RULES = (
    Rule("unvisited", 0.15, "every large gain followed a move to another layer", _unvisited, fact=True),
    Rule("left", 0.1, "a layer left long ago was left for another build", _left, fact=True),
    Rule("from", 0.1, "a question leads away from where the agent is", _from),
    Rule("premature", 0.2, "the published false completion stopped after one lever", _premature, fact=True),
    Rule("profiled", 0.7, "a profiler's own label points to a part of the system", _profiled, fact=True),
    Rule("unmeasured", 0.1, "a missing measurement is the cheapest news", _unmeasured),
    Rule("measured", -0.3, "its number may already be in the log", _measured),
)
