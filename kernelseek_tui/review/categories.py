"""The phrase rules for the eight question categories of arXiv 2611.03517, in the order they are tried."""

import re
from dataclasses import dataclass

from sessions.vocabulary import Category


@dataclass(frozen=True, slots=True)
class CategoryRule:
    """A way of asking that gives a category away. `name` says what it listens for."""

    category: Category
    name: str
    pattern: re.Pattern[str]


def _rule(category: Category, name: str, *alternatives: str) -> CategoryRule:
    return CategoryRule(
        category, name, re.compile("|".join(alternatives).replace("'", "['’]"), re.IGNORECASE)
    )


_CASES = (
    r"(?:scenarios?|configs?|configurations?|shapes?|cases?|sizes?|inputs?|tests?|checks?|benchmarks?|grid)"
)

CATEGORY_RULES: tuple[CategoryRule, ...] = (
    _rule(
        Category.BENCHMARK_VALIDITY,
        "whether what is measured or checked is what matters",
        rf"\b(?:do|does|are|is) (?:our|the|these|this|those|"
        rf"your) (?:\w+ )?{_CASES}\b[^?]{{0,60}}\b(?:cover|include|"
        r"match|represent|reflect|realistic|real|enough|complete|catch)",
        r"\b(?:callers?|users?|production|in practice) (?:really |actually )?(?:call|use|see|need|send)",
        r"\bcalled with\b|\bnever tested\b|\buntested\b|\bnot (?:covered|tested|checked)\b|\bno test\b",
        rf"\b(?:beyond|outside) (?:the )?(?:range|{_CASES})|\bfaults?\b|\bturns? (?:the check )?red\b",
        r"\b(?:check|test|checker|suite)s? (?:let|pass|miss|catch|fail)\w*|\btolerances?\b|\bthe aggregate\b",
        r"\b(?:correct bits|last place|ulps?|not-a-number|nans?)\b|\berror\b[^?]{0,40}\b(?:row|output|"
        r"element)",
        r"\bcold (?:memory|cache|start)\b|\bis the benchmark\b|\bmeasures? what\b|\bcheat",
    ),
    _rule(
        Category.AGENT_PROCESS,
        "what the agent did, or why it holds that it is done",
        r"\bwhy (?:do|did|are|were|have) you\b|\bwhat (?:are|were) you (?:doing|working|waiting|trying)\b",
        r"\b(?:did|have|had) you (?:actually |really |ever |also )?(?:read|tried|try|run|ran|check|checked|"
        r"verify|verified|test|tested|commit|look|looked|use|used|finish|write|update)\w*",
        r"\b(?:goal|task|it|this|that)\b[^?]{0,20}\b(?:achieved|done|finished|complete)\b",
        r"\bfewest attempts\b|\bhow many (?:attempts|tries|times did you)\b|\bclears? the tightest\b",
        r"\bwhat is (?:left|missing|the status)\b|\bhow far (?:are|is)\b|\bgains you accepted\b",
    ),
    _rule(
        Category.CHALLENGE_A_LIMIT,
        "whether a limit is the hardware's or the design's own",
        r"\b(?:ceiling|hard limit|hardware limit|the limit|a limit|limits?)\b",
        r"\bhardware\b[^?]{0,40}\bor\b[^?]{0,40}\b(?:design|code|kernel|implementation|ours?)\b",
        r"\b(?:impossible|cannot|can't|no faster|any faster|nothing (?:more|left))\b",
        r"\bbetween the bound and\b|\bnever timed\b|\bruled out\b",
    ),
    _rule(
        Category.GAP_TRIAGE,
        "which scenarios or parts hold the result back",
        rf"\b(?:which|what) (?:of the |\w+ )?{_CASES}\b[^?]{{0,60}}\b(?:down|slow\w*|worst|behind|lose|"
        rf"lost|lag\w*|"
        r"below|far|pull|bring|drag|hold|cost|fail|general)",
        r"\b(?:brings?|bringing|pulls?|pulling|drags?|dragging|holds?|holding)\b[^?]{0,30}\b(?:down|back)\b",
        r"\bwhere (?:does|do|did|is|are) (?:(?:all )?(?:the|our|its) )?(?:\w+ )?(?:time|microseconds|rest|"
        r"gap|loss)\b",
        r"\b(?:outside|inside) the kernel\b|\bpass outside\b|\bon the host\b|\bbelongs? to the host\b",
        r"\b(?:worst|slowest) (?:\w+ )?(?:scenarios?|shapes?|cases?|configs?|ones?)\b|\bmost general\b",
        r"\b(?:branch|route|dispatch|code path|fallback|workers? wait)\w*\b|\bscenarios\b[^?]{0,20}\bsplit",
        r"\bfor each scenario\b|\bsplits the scenarios\b",
    ),
    _rule(
        Category.MEASUREMENT_CHECK,
        "whether a number can be trusted",
        r"\b(?:noise|noisy|spread|variance|repeats?|repeated|reproduc\w+|warm(?:s|ed)? ?up|drift\w*|"
        r"jitter)\b",
        r"\b(?:idle|busy) (?:machine|gpu|box)\b|\bsame (?:binary|build|kernel|source)\b|\bclocks?\b",
        r"\bhow (?:did|do|was|were|is|are) (?:you |it |that |this |these |those )?(?:measure|time|"
        r"benchmark)\w*",
        r"\b(?:is|are|was|were) (?:that|this|these|those|the) (?:\w+ )?(?:numbers?|figures?|results?|"
        r"timings?|"
        r"speed-?ups?|measurements?)\b[^?]{0,40}\b(?:right|real|correct|stable|from|after|trust\w*|"
        r"plausible|true)",
        r"\bprofiler\b[^?]{0,60}\b(?:timer|disagree|agree|says?|report)|\bwhich was quoted\b|\bremarks\b",
        r"\bdid you (?:re)?(?:measure|time|benchmark|profile)\b|\bin what order\b",
    ),
    _rule(
        Category.BOUND_DIFFERENCING,
        "how far from a bound, or what is left when something is taken away",
        r"\b(?:roofline|speed of light|peak|bound|fraction of|percent of|share of)\b",
        r"\b(?:empt(?:y|ied)|taking|take|taken|leave|leaving|left) (?:\w+ ){0,4}?(?:out|away|kernel|body)\b",
        r"\b(?:removal|removed|removing|stubbed|launch nothing|half|halved|nothing at all|without the)\b",
        r"\bhow (?:many|much)\b[^?]{0,40}\b(?:microseconds|bytes|requests|host time|bits)\b",
        r"\b(?:rate|time|latency)\b[^?]{0,30}\b(?:change|fall|drop|rise)\w*\b[^?]{0,30}\bwhen\b",
    ),
    _rule(
        Category.STRATEGY_OPTIONS,
        "which ways are open",
        r"\bwhat (?:are|were) (?:the|our|your|my) (?:\w+ )?(?:options|choices|alternatives|next steps?|"
        r"ideas|plans?)\b",
        r"\bwhat (?:else|other)\b|\bwhat (?:would|should|could|can) (?:you|we|i) (?:try|do|change|use|"
        r"attack)\b",
        r"\b(?:which|what) (?:approach|strategy|design|option|route|technique|optimi[sz]ations?|direction)\b",
        r"\bshould (?:we|i|you)\b|\bis there (?:a|an|any) (?:better|other|faster|simpler|way)\b",
        r"\balternatives?\b|\bworth (?:trying|doing|it)\b|\bwhat(?:'s| is) next\b",
    ),
    _rule(
        Category.HYPOTHESIS_CHECK,
        "whether an explanation holds",
        r"\b(?:is|are|could|might|may|can) (?:it|this|that|these|there)\b[^?]{0,60}\b(?:because|due to|"
        r"caused|why|"
        r"be|from)\b",
        r"\bhypothes[ie]s\b|\bpredict\w*|\bwhat (?:would )?happens? (?:if|when)\b|\bwhat if\b",
        r"\bdo(?:es)? (?:it|this|that|the \w+|they) (?:still|really|actually|also|depend|change|matter|"
        r"explain|help)\b",
        r"\bwhy (?:is|are|does|do|did|was|would)\b|\bdisassembly\b|\bcompiler option|\bcan you explain\b",
        r"\b(?:is|are) (?:the|our|your) \w+(?: \w+)? (?:really|actually|bound|limited|stalled|spilling)\b",
    ),
)
