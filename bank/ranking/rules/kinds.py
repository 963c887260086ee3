"""Which groups help at which kind of moment: what people who looked at such moments named.

The shares are data (`vocabularies/moments.yaml`), counted from labelled places by `bank.ranking.learn`.
"""

from math import log

from bank.question import Category, Group, Question
from bank.ranking.moment import RankingFacts
from bank.ranking.rules.rule import KIND_NAMES, LAYER_NAMES, Reason, Rule
from bank.words import vocabulary
from sessions.vocabulary import DecisionKind, Layer

EVEN = 1 / len(Group)
"""The share of a group that is named as often as any other."""


def _helps(entry: Question, moment: RankingFacts) -> Reason | None:
    share = vocabulary("moments")["shares"].get(moment.kind.value, {}).get(entry.group.value)
    if not share:
        return None
    where = KIND_NAMES[moment.kind]
    weight = f"{share:.0%} of the weight that readers gave to groups there"
    text = f"serves {where}: {weight}" if share >= EVEN else f"serves {where}, if seldom its group: {weight}"
    return Reason(text, log(share / EVEN))


def _leads(entry: Question, moment: RankingFacts) -> Reason | None:
    share = vocabulary("moments")["layers"].get(moment.kind.value, {}).get(entry.moves.to.value)
    if not share:
        return None
    often = "often" if share * len(Layer) >= 1 else "seldom"
    where = f"{LAYER_NAMES[entry.moves.to]} at {KIND_NAMES[moment.kind]}"
    return Reason(f"readers {often} pointed to {where} ({share:.0%} of the weight)", log(share * len(Layer)))


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
"""Which categories answer a kind of moment first: at a plateau and at claims as in the published cases,
elsewhere by judgement."""

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


def _answers(entry: Question, moment: RankingFacts) -> str | None:
    for category in ANSWERS[moment.kind]:
        if category in entry.category:
            return f"{KIND_NAMES[moment.kind]} calls for {CATEGORY_NAMES[category]} first"
    return None


RULES = (
    Rule(
        "helps",
        0.9,
        "readers of such moments named some groups more often than others, first ones more than third",
        _helps,
    ),
    Rule("leads", 0.2, "they also named layers to go to", _leads),
    Rule("answers", 0.25, "the published cases asked these first, where there are any", _answers),
)
