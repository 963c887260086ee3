"""What the scoreboard says: spread, wrong results, gap classes, an unmet goal, a moving baseline."""

from bank.question import Category, Group, Question
from bank.ranking.moment import RankingFacts
from bank.ranking.rules.rule import LAYER_NAMES, Reason, Rule
from sessions.vocabulary import DecisionKind, Layer

BESIDE = 0.6
"""How strongly a rule about a layer speaks for an entry of its group that leads to another one."""


def _lag(moment: RankingFacts) -> str | None:
    spread = moment.spread
    if spread.shape != "unequal" or spread.wrong:
        return None
    verb = "lags" if len(spread.lagging) == 1 else "lag"
    counted = f"{len(spread.lagging)} of {spread.count} scenario{'s' if spread.count > 1 else ''}"
    return f"{counted} {verb}: best {spread.best:.3g}x, worst {spread.worst:.3g}x"


def _of(group: Group, layer: Layer, entry: Question, text: str | None) -> Reason | None:
    """A reason for the entries of a group, weaker for those that lead to another layer than the one meant."""
    if text is None or entry.group is not group:
        return None
    return Reason(text, 1.0 if entry.moves.to is layer else BESIDE)


def _lag_routing(entry: Question, moment: RankingFacts) -> Reason | None:
    return _of(Group.ROUTING, Layer.ROUTING, entry, _lag(moment))


def _lag_triage(entry: Question, moment: RankingFacts) -> Reason | None:
    return _of(Group.SCOPE, Layer.ROUTING, entry, _lag(moment))


def _even(entry: Question, moment: RankingFacts) -> Reason | None:
    spread = moment.spread
    if spread.shape != "even" or spread.wrong or entry.group not in (Group.HOST, Group.BOUNDS):
        return None
    alike = f"{spread.worst:.3g}x to {spread.best:.3g}x"
    return _of(
        entry.group,
        Layer.HOST,
        entry,
        f"all {spread.count} scenarios lie close together ({alike}): what do they share?",
    )


def _unmoved(entry: Question, moment: RankingFacts) -> Reason | None:
    still = moment.unmoved
    if not still or moment.spread.wrong:
        return None
    who = still[0][:40] if len(still) == 1 else f"each of {len(still)} lagging scenarios"
    text = f"{who} stands where it stood, whatever was edited"
    layer = Layer.HOST if entry.group is Group.HOST else Layer.ROUTING
    return _of(entry.group, layer, entry, text) if entry.group in (Group.HOST, Group.ROUTING) else None


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


def _lagging_claim(entry: Question, moment: RankingFacts) -> str | None:
    if moment.kind is not DecisionKind.CLAIMED_COMPLETION or entry.group is not Group.SCOPE:
        return None
    behind = moment.spread.worst
    return f"one scenario stands at {behind:.2f}x of the baseline" if 0 < behind < 1 else None


def _covered(entry: Question, moment: RankingFacts) -> str | None:
    if moment.kind is not DecisionKind.CLAIMED_COMPLETION or moment.holds is None:
        return None
    return f"{moment.holds}: what the set leaves out is open" if entry.group is Group.BENCHMARK else None


def _covered_right(entry: Question, moment: RankingFacts) -> str | None:
    if moment.kind is not DecisionKind.CLAIMED_COMPLETION or moment.holds is None:
        return None
    return f"{moment.holds}, on what was checked" if entry.group is Group.NUMERICS else None


def _wrong(entry: Question, moment: RankingFacts) -> str | None:
    wrong = moment.spread.wrong
    if not wrong or entry.group is not Group.NUMERICS:
        return None
    return f"{len(wrong)} scenario{'s are' if len(wrong) > 1 else ' is'} not correct, first {wrong[0][:60]}"


def _moved(entry: Question, moment: RankingFacts) -> str | None:
    return moment.moved_baseline if entry.group is Group.MEASUREMENT else None


RULES = (
    Rule("lag-routing", 0.8, "unequal scenarios usually run different code", _lag_routing, fact=True),
    Rule("lag-triage", 0.5, "when scenarios are unequal, triage says where", _lag_triage, fact=True),
    Rule("unmoved", 0.8, "what no edit moves does not run the edited code, or waits", _unmoved, fact=True),
    Rule("even", 0.4, "a loss shared by all lies in what they share", _even, fact=True),
    Rule("classed", 1.0, "a gap classified by measurement says where to look", _classed, fact=True),
    Rule("unmet", 0.4, "a claim against an unmet goal leaves scenarios to look for", _unmet, fact=True),
    Rule("behind", 0.7, "a claim over a scenario that is behind has not looked", _lagging_claim, fact=True),
    Rule("covered", 1.2, "the published case of 40 of 40: 6 of 58 were wrong", _covered, fact=True),
    Rule("covered-right", 0.6, "and what was wrong there was wrong by 100 times", _covered_right, fact=True),
    Rule("wrong", 1.0, "a wrong result makes every ratio void", _wrong, fact=True),
    Rule("moved", 1.3, "a ratio has two sides, and only one was edited", _moved, fact=True),
)
