"""How agents say that they are done or can go no further: tables of phrase families, English only.

Each family is matched within one sentence of prose. What must not stand around a match is the business of
`claims.py`.
"""

import re
from dataclasses import dataclass
from typing import Literal

ClaimKind = Literal["limit", "completion"]


@dataclass(frozen=True, slots=True)
class Family:
    """A way of saying it. `name` continues the sentence "The agent ..." in reasons."""

    name: str
    kind: ClaimKind
    pattern: re.Pattern[str]


def _family(name: str, kind: ClaimKind, *alternatives: str) -> Family:
    # Straight and typographic apostrophes are the same letter to a reader.
    return Family(name, kind, re.compile("|".join(alternatives).replace("'", "['’]"), re.IGNORECASE))


_WHOLE = (
    r"(?:work|tasks?|todos|solution|kernel|implementation|optimi[sz]ation|project|goals?|objective|port|"
    r"rewrite|assignment|mission)"
)
_OVER = r"(?:done|completed?|finished|achieved|met|reached|accomplished|fulfilled|verified and working)"
_GAIN = r"(?:gains?|improvements?|speed-?ups?|optimi[sz]ations?|reductions?|headroom|progress|levers?|wins?)"
_RESOURCE = r"(?:hardware|compute|memory|bandwidth|latency|physical|practical|fundamental|hard|theoretical)"

FAMILIES: tuple[Family, ...] = (
    _family(
        "says it is over",
        "completion",
        r"^\W*(?:and |all |it's |it is |we're )?(?:done|completed?|finished|fixed)[^\w:]*$",
        r"^\W*(?:all|everything|implementation|optimi[sz]ation|work)\b(?: \d+| the| my| planned| remaining)?"
        r"(?: (?:tasks?|todos?|items?|steps?|goals?|work|of (?:it|this|that)))? (?:is |are )?"
        r"(?:now )?(?:done|completed?|finished)\b(?! (?:in|within)\b)",
        r"^\W*(?:task|mission|goal) (?:is )?(?:now )?(?:done|completed?|accomplished|achieved|finished)\b",
        r"\b(?:i|we)(?:'m|'re| am| are) (?:now )?(?:all )?done\b(?! with)",
        r"\b(?:this|that) completes (?:the|this|my|our)\b",
        r"\bi(?: will| can| would|'d)? (?:stop|end) here\b",
        r"\bready to ship\b",
        r"\bnothing (?:left|more|else) to do\b(?! (?:but|except|until)\b)",
        r"\bi (?:now )?consider (?:this|that|it|the \w+) (?:\w+ )?(?:done|finished|completed?)\b",
        r"\b(?:everything|every (?:item|task|step|todo)|all (?:items|tasks|steps|todos))\b"
        r"(?: (?:in|on|of|from) (?:the|my|our) (?:[\w-]+ ){0,2}?(?:list|plan|checklist|todos?))? "
        r"(?:is|are|has been|have been) (?:now )?(?:checked|ticked|crossed) off\b",
        r"\bi'll (?:stop|end) (?:here|now|optimi[sz]ing|tuning)\b",
    ),
    _family(
        "calls the whole done",
        "completion",
        rf"\b(?:the|this|my|our|all)\s+(?:[\w-]+\s+){{0,2}}?{_WHOLE}\b(?:\s+(?:of|for|"
        rf"in)(?:\s+\w+){{1,4}}?)?\s+"
        rf"(?:is|are|was|has been|have been)\s+(?:(?:now|all|fully|already|thus|therefore)\s+)*{_OVER}\b"
        r"(?! (?:\w+ing|in|within|with)\b)",
        r"\b(?:goal|target|objective)s? (?:achieved|met|reached)\b",
        r"\b(?:i|we)(?:'ve| have)? (?:now |successfully )*(?:reached|achieved|met) "
        r"(?:(?:the|our|its|full|overall)\s+)*(?:goal|target|objective|parity)\b",
        r"\b(?:all|every) (?:[\w-]+ )?(?:requirements?|criteria|clauses?) (?:is |are |have been )?(?:now )?"
        r"(?:met|satisfied|fulfilled)\b",
        r"\bmeets all (?:[\w-]+ )?(?:requirements|criteria|clauses|goals|targets)\b",
    ),
    _family(
        "delivers it",
        "completion",
        r"\b(?:solution|kernel|implementation|[\w-]{1,64}\.(?:py|cu|cuh|cpp|hip))\b.{0,40}?\bha(?:s|ve) been "
        r"(?:written|implemented|delivered|completed)\b",
        # What was made has to be what was asked for, not a tool on the way.
        r"^\W*i(?:'ve| have) (?:now |successfully )*(?:implemented|completed|finished|delivered|built)\b"
        r"(?=.{0,80}?\b(?:kernels?|solution|implementation|operator|everything|all|optimi[sz]\w+|fused|"
        r"fusion|"
        r"tasks?|gemm|attention|version)\b)",
        r"\b(?:is|are) (?:now )?ready for (?:the )?(?:harness|submission|review|production|merg|deploy|use)",
        r"\b(?:is|are) (?:now )?(?:verified and working|production[- ]ready)",
        r"\bcan (?:now )?replace the (?:reference|baseline|original)\b",
    ),
    _family("states a final result", "completion", r"^\W*final (?:results?|performance|numbers)\b"),
    _family("speaks of diminishing returns", "limit", r"\bdiminishing returns\b"),
    _family(
        "names a ceiling",
        "limit",
        r"(?:\b(?:is|are|at|near|nearing|hit|hits|hitting|reached|reaching|against)|'s)\s+"
        r"(?:(?:now|essentially|already|basically|close to|near|at)\s+)*(?:a|an|the|its|their|our)\s+"
        rf"(?:[\w-]+\s+){{0,3}}?(?:ceiling|roofline|{_RESOURCE} (?:limits?|wall)|"
        r"limits? of (?:the|this|what))\b",
        rf"\b{_RESOURCE} (?:limits?|wall|ceiling)(?: is| was| has been)? (?:reached|hit)\b",
        r"\d ?[x×%] is (?:now )?(?:the|our|its|a|this \w+'s) (?:[\w-]+ ){0,2}?"
        r"(?:limit|ceiling|maximum|cap)\b",
        r"\b(?:hit|hits|hitting|reached|against) (?:a|the) (?:[\w-]+ )?wall\b",
        r"\bwithin (?:~|about )?\d+(?:\.\d+)? ?(?:%|percent) of (?:the )?"
        r"(?:speed of light|roofline|peak|bound|ceiling|hardware|theoretical|memory|bandwidth)\b",
        r"\b(?:floor|roofline|ceiling)-bound\b",
        r"\blimited by (?:the )?(?:hardware|physics|silicon)\b",
        r"\bsaturat(?:es|ed|ing) (?:the )?(?:memory|hbm|dram|device|gpu|tensor|bandwidth|hardware)\b",
        r"\b(?:already|essentially|basically|effectively) (?:at|near|close to) (?:the )?"
        r"(?:peak|optimal|optimum|roofline)\b",
        r"\b(?:configs?|configurations?|parameters|settings|tiles?|tile sizes|kernels) are "
        r"(?:now |already |all |essentially )*(?:near[- ]|close to )optimal\b",
        r"\b(?:kernel|implementation|design|solution|performance|this|it)\b(?: \w+){0,3}? is "
        r"(?:already |now )?(?:near[- ]|close to |essentially )?optimal\b",
    ),
    _family(
        "sees nothing more to gain",
        "limit",
        rf"\bno (?:(?:more|further|other|additional|real|meaningful)\s+)+(?:[\w-]+\s+)?{_GAIN}\b",
        rf"\b(?:further|additional|more) (?:[\w-]+\s+){{0,2}}?(?:{_GAIN}|work|tuning)\s+"
        r"(?:(?:would|will) (?:require|need|not|only|yield)|"
        r"(?:is|are|seems?) (?:not|impossible|unlikely|marginal|negligible))",
        r"\bgoing (?:further|faster|lower) would (?:require|need|take)\b",
        r"\bnothing (?:more|else|left|further)\b.{0,20}?\bto (?:gain|optimi[sz]e|squeeze|improve|tune|win)\b",
        r"\b(?:cannot|can't|can not|impossible to|no way to) "
        r"(?:(?:be|get|go|run|made?|make|it|this|any|much)\s+)*"
        r"(?:faster|further|improved?|optimi[sz]ed? (?:any )?further|sped up|beat(?:en)?)\b",
        r"\b(?:don't|do not|can't|cannot) (?:think|believe|see how|see that) "
        r"(?:this|it|we|i|the \w+)(?: \w+)? (?:can|could|will) (?:\w+ ){0,3}?"
        r"(?:faster|further|improved?|better|more)\b",
        r"\b(?:don't|do not|can't|cannot) see (?:any|a) (?:further|remaining|other|more) (?:\w+ )?"
        r"(?:avenues?|options?|levers?|ways?|directions?|opportunit(?:y|ies)|gains?|improvements?|headroom)\b",
        r"\bnothing (?:more|else|further) (?:can|could|is to) be "
        r"(?:gained|won|squeezed|improved|optimi[sz]ed)\b",
        r"\bat (?:~|about )?(?:8[5-9]|9\d|100)(?:\.\d+)? ?(?:%|percent) of "
        r"(?:the )?(?:\w+ )?(?:peak|roofline)\b.{0,60}?"
        r"\b(?:effectively|essentially|basically|practically) (?:done|finished)\b",
        r"\bno (?:more )?low[- ]hanging fruit\b",
        r"\blow[- ]hanging fruit (?:is|has been|was) (?:all |now )?(?:gone|picked|taken|exhausted)\b",
        r"\bas (?:fast|good) as (?:it|this|we|they)\b(?: \w+){0,3}? (?:gets?|be|go)\b",
        r"\b(?:best|most) (?:that )?(?:we|i|one|it|this \w+) can (?:do|get|achieve|reach)\b",
        r"\b(?:little|not much|no|hardly any) (?:room|headroom|potential) (?:left|for|to|remains?)\b",
        r"\bexhausted (?:the|all|most|my|every|our)\b",
        r"\b(?:performance|score|it|we|i)(?:'ve| has| have) plateaued\b",
        r"\b(?:latency|overhead|cost|gap|floor)\b.{0,40}\b(?:cannot|can't) be "
        r"(?:reduced|avoided|eliminated|removed|hidden)\b",
    ),
    _family(
        "settles for what is there",
        "limit",
        r"\b(?:accept|settle for|live with) (?:(?:the|this|that|a|these)\s+)?(?:~?\d|result|remaining|gap)",
        r"\bgood enough\b",
        r"\bnot worth (?:it\b|the (?:risk|effort|complexity)|pursuing)",
        r"\bremaining (?:gap|difference|overhead) (?:is|are) (?:(?:just|only|within|measurement|mostly|"
        r"due to|the)\s+)*(?:noise|inherent|unavoidable|irreducible|fundamental|hardware)\b",
        r"\brisky? for (?:a |the )?marginal gains?\b",
    ),
)

# A sentence is worth matching only when one of these stands in it, in lower case: most cost nothing that way.
HINTS: tuple[str, ...] = tuple(
    hint
    for line in (
        "done|complete|finish|fixed|achieved|met|reached|accomplish|fulfil|satisf|written|implemented",
        "delivered|built|ready|verified|final|summary|meets|stop here|end here|replace the|diminishing",
        "limit|ceiling|roofline|-bound|wall|saturat|peak|optimal|optimum|further|additional|more |going ",
        "nothing|faster|no more|no other|no real|no meaningful|improve|sped|beat|as good|as fast|best ",
        "most |room |potential|headroom|exhausted|plateaued|cannot|can't|can’t|can not|impossible|no way",
        "hit a|hits a|hit the|hits the|hitting|against|% is|x is|× is|within|don't|don’t|do not",
        "hanging fruit|i'll|i’ll|maximum|checked off|ticked off|crossed off",
        "accept|settle|live with|enough|worth|remaining gap|remaining difference|remaining overhead|marginal",
    )
    for hint in line.split("|")
)
