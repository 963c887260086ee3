"""Claim sentences: where an agent says, in its own words, that it is done or that no more is to be had.

The phrase families are tables (`phrases.py`); the rules around them are few and each has a name. Only the
main agent's prose is read: code, quotations, tables and embedded logs are masked, and a sentence is dropped
when it asks, plans, supposes, denies, reports someone's words, or when the agent goes on working in the same
message ("... ceiling. Let me try another tiling"). English, and the Chinese families of `phrases_zh.py`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kernelseek_tui.decisions import phrases_zh as zh
from kernelseek_tui.decisions.phrases import FAMILIES, HINTS, ClaimKind, Family
from sessions.events import AgentText, AnyEvent

QUOTE_LENGTH = 280
MOST = 200_000
"""Characters of one message that detectors other than claims look at: nobody says more than that."""
_MASK = "·"


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim sentence: its kind, the family that matched and the words as they stand in the text."""

    kind: ClaimKind
    family: str
    quote: str


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve")
_NUMBER = rf"\d{{1,9}}|{'|'.join(_WORDS)}"

# Said before the matched words, in the same sentence.
_SUPPOSES = re.compile(
    r"\b(?:if|once|when|whenever|unless|until|should|would|could|might|may|maybe|perhaps|probably|whether|"
    r"assuming|suppose|see|expect(?:ed)?|hope|before|toward|not sure)\b",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"\b(?:let me|let(?:'|’)s|i(?:'|’)ll|i will|going to|needs? to|want to|wants to|to be|must|plan|todo|"
    r"in order to|mark|remains to)\b",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\b(?:statement|claim(?:ed|s|ing)?|said|says?|told|declared|assum(?:ed|ption|ing)|belie(?:f|ved)|"
    r"(?:they|users?|people|you|he|she) (?:believe|think)s?|(?:wrote|writes|reported|stated) that|"
    r"(?:sub-?)?agents?(?: \w+){0,3}? (?:reports?|reported|wrote|writes|states?|thinks?|concluded?s?)|"
    r"according to (?:the |a |my |our |your )?(?:[\w-]+ )?"
    r"(?:sub-?agents?|reviewers?|users?|notes?|authors?|you))\b|"
    r"^\W*(?:user|reviewer|colleague|manager|human|sub-?agent)(?: \w+)? ?:",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"(?:\b(?:not|never|no longer|neither|nor|without|hardly|withdraw|rather than|instead of|far from|"
    r"well above|far above|yet to|(?<!no )doubt(?:ful)?|"
    r"no (?:\w+ )?(?:evidence|proof|sign|indication|reason))|"
    r"n(?:'|’)t)\b",
    re.IGNORECASE,
)
# Said after the matched words.
_DEPENDS = re.compile(r"^\W*(?:only |not )?(?:when|once|if|unless|until)\b", re.IGNORECASE)
_SHARE = re.compile(rf"\b({_NUMBER}) (?:out )?of (?:the |our |all )?({_NUMBER})\b", re.IGNORECASE)
_IN_PART = re.compile(r"\b(?:on|for|in) (?:most|some|half|part|a few|one|the first)\b", re.IGNORECASE)
_RETRACTS = re.compile(r"\b(?:was|is) (?:false|wrong|premature|mistaken|ours)\b", re.IGNORECASE)
# The subject of a limit is something else: what it is compared with, a library, or one part on the way.
_OTHERS = (
    r"(?:baselines?|references?|cublas(?:lt)?|cudnn|cutlass|onednn|mkl|pytorch|torch|eager|competitors?|vendor|"
    r"library|libraries|path|phase|stage|branch|prologue|epilogue)"
)
_OTHER_SUBJECT = re.compile(
    rf"^\W*(?:(?:and|but|so|even|while|although|since|because|as) )*(?:(?:the|this|that|its|their|a) )?"
    rf"(?:[\w./-]+ ){{0,2}}?{_OTHERS}(?: (?!(?:we|i|our|ours|my|mine|it|the|this|that)\b)\w+){{0,3}}\s*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:—–]| (?:but|while|whereas) ")
# A limit that is a size, a quota or a rule and says nothing about speed.
_OTHER_LIMIT = re.compile(
    r"\b(?:shared|smem|register|token|context|rate|time|size|kb|mb|turn|session|usage|recursion|storage)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(?:let me|let(?:'|’)s|i(?:'|’)ll|i will|i(?:'|’)m going to|now|next|time to)\b[^.!?\n]{0,60}?\b(?:"
    r"try|implement|rewrite|redesign|switch|replace|build|explore|profile|reprofile|investigate|find|"
    r"look|focus|"
    r"optimi[sz]e|add|convert|fuse|port|test|benchmark|run|running|measure|fix|debug|write|fetching|start)\b",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\b(?:final|finali[sz]e|finish|clean|cleanup|wrap|summar|verify|confirm|mark|document|the memory|commit|"
    r"tidy|submit|write up|review)",
    re.IGNORECASE,
)

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_EMBEDDED = re.compile(
    r"^\[\w[\w ]* \(\d+ (?:chars|lines)\b[^)\n]*\)[^\n]*$.*|^\[args\s*$.*", re.MULTILINE | re.DOTALL
)
_INLINE = re.compile(r"`[^`\n]+`")
_LINES = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“](?=[^\"“”\n]{0,300}\s)[^\"“”\n]{3,300}[\"”]")
_SINGLE = re.compile(r"(?<!\w)['‘](?=[^\n'‘]{1,300}\s)(?:[^'‘’\n]|['’](?=\w)){3,300}['’](?!\w)")
_MARKUP = re.compile(r"[*_#]")
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?]+(?=[\s)*_]|$)|[。！？]+|(?=\n)|$)")
_SUMMARY = re.compile(
    r"(?:^|[.!?:]\s|\bhere(?:'|’)?s? (?:is )?(?:a|the) )[^\w\n]{0,12}(?:final )?summary"
    r"(?: of (?:what|changes|results|the)\b[^\n]{0,40})?[^\w\n]{0,12}(?::|$)",
    re.IGNORECASE | re.MULTILINE,
)
_DID = re.compile(
    r"\b(?:implement(?:s|ed)|built|written|wrote|created|added|fixed|replaced|optimi[sz]ed|achieved|"
    r"removed)\b",
    re.IGNORECASE,
)
_CONTINUED = "This session is being continued from a previous conversation"


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", _MASK, match.group())


@lru_cache(maxsize=8)  # several detectors look at the same message
def mask(text: str) -> str:
    """The prose of a message: what is not the agent's own words becomes dots, offsets stay as they are."""
    if text.startswith(_CONTINUED):
        return re.sub(r"[^\n]", _MASK, text)  # a summary of what was said before is nobody's claim now
    for pattern in (_EMBEDDED, _FENCE, _INLINE, _LINES, _QUOTED, _SINGLE, zh.QUOTED):
        text = pattern.sub(_blank, text)
    return _MARKUP.sub(" ", text)


def sentences(prose: str) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of masked prose. A line break ends a sentence."""
    for match in _SENTENCE.finditer(prose):
        if match.group().strip(_MASK + " \t\r-"):
            yield match.start(), match.end()


def _hinted(text: str) -> bool:
    text = zh.simplified(text)
    return any(map(text.lower().__contains__, HINTS)) or any(map(text.__contains__, zh.HINTS))


def _last_step(prose: str, spans: Sequence[tuple[int, int]]) -> int:
    """Where the last sentence begins that announces more work, or -1."""
    for start, end in reversed(spans):
        sentence = prose[start:end]
        if _GOES_ON.search(sentence) and not _CLOSES.search(sentence):
            return start
        if zh.GOES_ON.search(sentence) and not zh.CLOSES.search(sentence):
            return start
    return -1


def _stands(sentence: str, match: re.Match[str], family: Family) -> bool:
    before, after = sentence[: match.start()], sentence[match.end() :]
    if sentence.rstrip().endswith(("?", "？")) or _DEPENDS.search(after) or _RETRACTS.search(after):
        return False
    if any(guard.search(before) for guard in (_SUPPOSES, _PLANS, _REPORTS)) or _DENIES.search(before[-48:]):
        return False
    if zh.stops(before, after):
        return False
    if family.kind == "limit":
        return not (_OTHER_LIMIT.search(match.group()) or _OTHER_SUBJECT.search(_CLAUSE.split(before)[-1]))
    return not _partly(after)


def _partly(after: str) -> bool:
    """What is done is a part only: "... on two of four scenarios"."""
    share = _SHARE.search(after)
    return _IN_PART.search(after) is not None or (
        share is not None and _as_number(share[1]) < _as_number(share[2])
    )


def _as_number(word: str) -> int:
    return int(word) if word.isdigit() else _WORDS.index(word.lower())  # in their order


def _quote(text: str, prose: str, start: int, end: int) -> str:
    if end - start < 24:  # "Done." alone says little: take the rest of its line along, up to a sentence
        line = prose[end : (prose + "\n").index("\n", end)]
        end = next((end + stop for _, stop in sentences(line)), end)
    words = " ".join(text[start:end].replace("**", "").split()).strip("*_# ")
    return words if len(words) <= QUOTE_LENGTH else words[: QUOTE_LENGTH - 1].rstrip() + "…"


def _report(text: str, prose: str, spans: Sequence[tuple[int, int]], last_step: int) -> Claimed | None:
    """A closing report: a summary of what was made, with no step announced after it."""
    heading = _SUMMARY.search(prose) if "summary" in prose.lower() else None
    if heading is None or last_step >= heading.start() or _PLANS.search(prose[: heading.end()][-60:]):
        return None
    after = (span for span in spans if span[1] > heading.start())
    made = next((span for span in after if _DID.search(prose[slice(*span)])), None)
    if made is None:
        return None
    return Claimed("completion", "closes with a summary of what was made", _quote(text, prose, *made))


@lru_cache(maxsize=512)
def claims_of(text: str) -> tuple[Claimed, ...]:
    """The claims of one message, at most one a kind: the first sentence that makes it."""
    if not _hinted(text) or text.startswith(_CONTINUED):
        return ()
    prose = zh.simplified(mask(text))
    spans = list(sentences(prose))
    last_step = _last_step(prose, spans)
    found: dict[ClaimKind, Claimed] = {}
    for start, end in spans:
        sentence = prose[start:end]
        if start < last_step or not _hinted(sentence):
            continue
        for family in (*FAMILIES, *zh.FAMILIES):
            if family.kind in found:
                continue
            match = family.pattern.search(sentence)
            if match and _stands(sentence, match, family):
                found[family.kind] = Claimed(family.kind, family.name, _quote(text, prose, start, end))
    if "completion" not in found and (report := _report(text, prose, spans, last_step)):
        found["completion"] = report
    return tuple(found.values())


def claims_in(event: AnyEvent) -> list[tuple[ClaimKind, str]]:
    """The claims an event makes, as (kind, quote). Only the main agent's own text makes any."""
    if not isinstance(event, AgentText) or event.agent is not None:
        return []
    return [(claim.kind, claim.quote) for claim in claims_of(event.text)]
