"""The rules of the ranker, in one table: what each looks at, its weight, and the sentence it gives.

The features are those that steered the published sessions (arXiv 2611.03517): another layer, a measurement
not yet made, the spread of the scoreboard, novelty. The weights are judgement, fixed and shown, to be
replaced by measured effects once there are any; with none recorded, past effect says nothing here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bank.likeness import NEAR, SAME, content_likeness
from bank.moment import RankingFacts
from bank.params import fill
from bank.question import Category, Group, Question
from bank.words import content_words, vocabulary
from sessions.layer_rules import RECOGNISABLE
from sessions.vocabulary import Activity, DecisionKind, Layer


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason: `applies` gives the sentence, or None where the rule says nothing.

    `fact`: it speaks of something that happened or stands in this session. What merely has not happened is
    none by itself, and an entry without any fact does not come first while another has one.
    """

    name: str
    weight: float
    why: str
    applies: Callable[[Question, RankingFacts], str | None]
    fact: bool = False


LAYER_NAMES = {
    Layer.KERNEL: "the kernel",
    Layer.MEMORY: "memory traffic",
    Layer.BUILD: "the build",
    Layer.HOST: "the host path",
    Layer.ROUTING: "routing",
    Layer.NUMERICS: "the numerics",
    Layer.BENCHMARK: "the benchmark",
    Layer.PROCESS: "the process",
}

KIND_NAMES = {
    DecisionKind.SCOPE: "an opening",
    DecisionKind.PLATEAU: "a plateau",
    DecisionKind.CLAIMED_LIMIT: "a claimed limit",
    DecisionKind.CLAIMED_COMPLETION: "a claimed completion",
    DecisionKind.SUSPICIOUS_WIN: "a suspicious win",
    DecisionKind.EXPLAINED_ANOMALY: "an explained anomaly",
    DecisionKind.REPEATED_EDIT: "a repeated edit",
    DecisionKind.AGENT_LOOP: "a loop",
}

CATEGORY_NAMES = {
    Category.MEASUREMENT_CHECK: "a check of the measurement",
    Category.BOUND_DIFFERENCING: "a bound",
    Category.BENCHMARK_VALIDITY: "a check of the benchmark",
    Category.GAP_TRIAGE: "triage of the gap",
    Category.AGENT_PROCESS: "a look at the process",
    Category.CHALLENGE_A_LIMIT: "a challenge to the limit",
    Category.STRATEGY_OPTIONS: "a choice of ways",
    Category.HYPOTHESIS_CHECK: "a check of the hypothesis",
}

ANSWERS: dict[DecisionKind, tuple[Category, ...]] = {
    DecisionKind.SCOPE: (Category.GAP_TRIAGE, Category.BENCHMARK_VALIDITY),
    DecisionKind.PLATEAU: (Category.GAP_TRIAGE,),
    DecisionKind.CLAIMED_LIMIT: (Category.CHALLENGE_A_LIMIT,),
    DecisionKind.CLAIMED_COMPLETION: (Category.BENCHMARK_VALIDITY, Category.CHALLENGE_A_LIMIT),
    DecisionKind.SUSPICIOUS_WIN: (Category.MEASUREMENT_CHECK, Category.BENCHMARK_VALIDITY),
    DecisionKind.EXPLAINED_ANOMALY: (Category.BENCHMARK_VALIDITY, Category.MEASUREMENT_CHECK),
    DecisionKind.REPEATED_EDIT: (Category.AGENT_PROCESS, Category.HYPOTHESIS_CHECK),
    DecisionKind.AGENT_LOOP: (Category.AGENT_PROCESS,),
}
"""Which categories answer a kind of moment first; the published cases asked these there."""

FEW_LAYERS = 2
"""A claim after visits to no more layers than these is premature."""

FEW_WORDS = 3
"""Shared words from which a question and a message are about the same thing."""

_TELLING = {
    Activity.HOST_TRACE: "host trace",
    Activity.PROFILE: "profile",
    Activity.DISASSEMBLE: "disassembly",
}
RECOGNISED = RECOGNISABLE - {Layer.KERNEL, Layer.PROCESS}
"""Layers whose absence says something: the layer map knows signs of them, and work is not always there."""

SOME_WORK = 3
"""Calls or edits on another layer from which it says something that one was not touched."""


def _serves(entry: Question, moment: RankingFacts) -> str | None:
    return f"serves {KIND_NAMES[moment.kind]}" if moment.kind in entry.decision_kinds else None


def _answers(entry: Question, moment: RankingFacts) -> str | None:
    for category in ANSWERS[moment.kind]:
        if category in entry.category:
            return f"{KIND_NAMES[moment.kind]} calls for {CATEGORY_NAMES[category]} first"
    return None


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
    return f"the last calls were on {LAYER_NAMES[layer]}"


def _spoken(entry: Question, moment: RankingFacts) -> str | None:
    words = moment.spoken.get(entry.moves.to)
    if not words:
        return None
    quoted = ", ".join(f'"{word}"' for word in words[:2])
    return f"the agent speaks of {LAYER_NAMES[entry.moves.to]} ({quoted})"


def shared_words(entry: Question, moment: RankingFacts) -> tuple[str, ...]:
    """Words of the question that stand in the agent's last messages, too."""
    own = dict.fromkeys(content_words(fill(entry.question, {})).split())
    return tuple(word for word in own if word in moment.recent_content)


def _words(entry: Question, moment: RankingFacts) -> str | None:
    shared = shared_words(entry, moment)
    if len(shared) < FEW_WORDS:
        return None
    return f"it speaks of what the agent speaks of ({', '.join(shared[:3])})"


def _tools(entry: Question) -> list[tuple[Activity, ...]]:
    known = vocabulary("tools")["tools"]
    activities = (tuple(Activity(name) for name in known.get(tool, ())) for tool in entry.measurement.tools)
    return [some for some in activities if some]


def _measured(entry: Question, moment: RankingFacts) -> str | None:
    tools = _tools(entry)
    if not tools or not all(moment.done_since.intersection(tool) for tool in tools):
        return None
    made = next(activity for activity in tools[0] if activity in moment.done_since)
    return f"a {_TELLING[made]} was already made since the last kernel edit"


def _unmeasured(entry: Question, moment: RankingFacts) -> str | None:
    missing = [tool for tool in _tools(entry) if not moment.done_since.intersection(tool)]
    if not missing or moment.last_edit < 0:
        return None
    return f"no {_TELLING[missing[0][0]]} is recognised since the last kernel edit"


def _scenarios(count: int, total: int) -> str:
    return f"{count} of {total} scenario{'s' if total > 1 else ''}"


def _lag(moment: RankingFacts) -> str | None:
    spread = moment.spread
    if spread.shape != "unequal" or spread.wrong:
        return None
    verb = "lags" if len(spread.lagging) == 1 else "lag"
    counted = _scenarios(len(spread.lagging), spread.count)
    return f"{counted} {verb}: best {spread.best:.1f}x, worst {spread.worst:.1f}x"


def _lag_routing(entry: Question, moment: RankingFacts) -> str | None:
    return _lag(moment) if entry.group is Group.ROUTING else None


def _lag_triage(entry: Question, moment: RankingFacts) -> str | None:
    return _lag(moment) if entry.group is Group.SCOPE else None


def _even(entry: Question, moment: RankingFacts) -> str | None:
    spread = moment.spread
    if spread.shape != "even" or spread.wrong or entry.group not in (Group.HOST, Group.BOUNDS):
        return None
    alike = f"{spread.worst:.1f}x to {spread.best:.1f}x"
    return f"all {spread.count} scenarios stand alike ({alike}): what do they share?"


def _classed(entry: Question, moment: RankingFacts) -> str | None:
    count = moment.gap_layers.get(entry.moves.to, 0)
    if not count:
        return None
    held = f"{count} scenario{'s are' if count > 1 else ' is'} recorded as held back by"
    return f"{held} {LAYER_NAMES[entry.moves.to]}"


def _unmet(entry: Question, moment: RankingFacts) -> str | None:
    if moment.unmet is None or Category.GAP_TRIAGE not in entry.category:
        return None
    return f"the goal is unmet: {moment.unmet}" if moment.unmet else "the goal is unmet"


def _premature(entry: Question, moment: RankingFacts) -> str | None:
    if moment.kind not in (DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION):
        return None
    if entry.moves.to is not Layer.PROCESS or not 0 < len(moment.layers) <= FEW_LAYERS:
        return None
    touched = " and ".join(LAYER_NAMES[layer] for layer in moment.layers)
    return f"before the claim only work on {touched} is recognised"


def _wrong(entry: Question, moment: RankingFacts) -> str | None:
    wrong = moment.spread.wrong
    if not wrong or entry.group is not Group.NUMERICS:
        return None
    return f"{len(wrong)} scenario{'s are' if len(wrong) > 1 else ' is'} not correct, first {wrong[0][:60]}"


def _likeness(entry: Question, moment: RankingFacts) -> float:
    own = content_words(entry.question)
    return max((content_likeness(own, asked) for asked in moment.asked_texts), default=0.0)


def _repeats(entry: Question, moment: RankingFacts) -> str | None:
    asked = entry.id in moment.asked_ids or _likeness(entry, moment) >= SAME
    return "it was asked before in this session" if asked else None


def _resembles(entry: Question, moment: RankingFacts) -> str | None:
    if entry.id in moment.asked_ids or not NEAR <= _likeness(entry, moment) < SAME:
        return None
    return "it resembles a question already asked"


def _same_group(entry: Question, moment: RankingFacts) -> str | None:
    groups = {asked.group for asked in moment.recently_asked}
    return "its group was asked from lately" if entry.group in groups else None


def _same_layer(entry: Question, moment: RankingFacts) -> str | None:
    layers = {asked.moves.to for asked in moment.recently_asked}
    return f"{LAYER_NAMES[entry.moves.to]} was asked about lately" if entry.moves.to in layers else None


def _dismissed(entry: Question, moment: RankingFacts) -> str | None:
    return "you put it aside before" if entry.id in moment.dismissed_ids else None


def _dismissed_group(entry: Question, moment: RankingFacts) -> str | None:
    aside = entry.group in moment.dismissed_groups and entry.id not in moment.dismissed_ids
    return "you put a question of its group aside" if aside else None


RULES: tuple[Rule, ...] = (
    Rule("serves", 1.0, "an entry is only offered for moments it was written for", _serves),
    Rule("spoken", 1.5, "what an agent says of a layer, it can measure there", _spoken, fact=True),
    Rule("unvisited", 0.75, "every large gain followed a move to another layer", _unvisited, fact=True),
    Rule("left", 0.5, "a layer left long ago was left for another build", _left, fact=True),
    Rule("from", 0.25, "a question leads away from where the agent is", _from),
    Rule("words", 0.25, "a question about what was just said is heard", _words, fact=True),
    Rule("lag-routing", 1.5, "unequal scenarios usually run different code", _lag_routing, fact=True),
    Rule("lag-triage", 1.0, "when scenarios are unequal, triage says where", _lag_triage, fact=True),
    Rule("even", 1.5, "a loss shared by all lies in what they share", _even, fact=True),
    Rule("classed", 1.5, "a gap classified by measurement says where to look", _classed, fact=True),
    Rule("unmet", 0.75, "a claim against an unmet goal leaves scenarios to look for", _unmet, fact=True),
    Rule("premature", 1.0, "the published false completion stopped after one lever", _premature, fact=True),
    Rule("wrong", 1.5, "a wrong result makes every ratio void", _wrong, fact=True),
    Rule("answers", 0.5, "the published cases asked these first", _answers),
    Rule("unmeasured", 0.25, "a missing measurement is the cheapest news", _unmeasured),
    Rule("measured", -1.0, "its number may already be in the log", _measured),
    Rule("repeats", -5.0, "a question asked twice is noise", _repeats),
    Rule("resembles", -2.0, "so is a near copy", _resembles),
    Rule("same-group", -1.5, "the next question should open something else", _same_group),
    Rule("same-layer", -1.0, "so should the layer it leads to", _same_layer),
    Rule("dismissed", -5.0, "a person said no", _dismissed),
    Rule("dismissed-group", -0.5, "and may mean more than the one entry", _dismissed_group),
)
