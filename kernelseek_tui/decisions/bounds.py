"""Figures above a bound: more than all of the peak, as printed, as evaluated or in the agent's words."""

import re
from collections.abc import Iterator

from kernelseek_tui.decisions.checks import line_at
from sessions import events as ev

MARGIN = 0.02
"""Clock boost and rounding: a reading within this share above a bound is still the bound."""

_BOUND = (
    r"(?:peak|roofline|speed[- ]of[- ]light|sol|bound|theoretical|maximum|hardware limit|dram|hbm|"
    r"memory throughput)"
)
_PERCENT = re.compile(
    rf"(?:\b{_BOUND}\b[^\n%,;\d]{{0,30}}?[ :=(])(\d{{2,5}}(?:\.\d+)?) ?%|"
    rf"(?<![\w.])(\d{{2,5}}(?:\.\d+)?) ?(?:%|percent)(?: \w+){{0,3}}? (?:of|above|"
    rf"over) (?:the )?(?:\w+ )?\b{_BOUND}\b",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"\b(\w*(?:peak_?frac(?:tion)?|frac(?:tion)?_of_peak|bw_?util(?:ization)?|bandwidth_?util(?:ization)?|"
    r"roofline_?(?:frac(?:tion)?|ratio)))\b[ \t\"']*[:=][ \t]*(\d+(?:\.\d+)?)(?! ?%)",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"\b(?:speed-?up|ratio|geo\w*mean\w*)\b[ \t:=]{1,4}(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?) ?[x×](?!\w)",
    re.IGNORECASE,
)

# What an agent says when a figure is beyond what the device can do.
_BEYOND = re.compile(
    r"(?:\b(?:more than|above|over|exceed(?:s|ing|ed)?|beyond|higher than|faster than|greater than)|>) "
    r"(?:the |our |its )?(?:\d[\d.,]* ?[TG]?B/s )?(?:(?:theoretical|hardware|physical|memory|hbm|dram|"
    r"device|bandwidth|"
    r"peak|\d[\d.,]* ?[TG](?:B/s|FLOPS))\s){0,3}?(?:peak|roofline|speed[- ]of[- ]light|100 ?%)",
    re.IGNORECASE,
)
_OVER_ALL = re.compile(r"(?<![\w.])(1[0-9]{2}|[2-9][0-9]{2})(?:\.\d+)? ?%", re.IGNORECASE)
_BANDWIDTH = re.compile(r"\b[TG]B/s|\b[TGP]FLOP|bandwidth|throughput|peak|roofline", re.IGNORECASE)
_CANNOT = re.compile(
    r"\b(?:physically )?impossible\b|\bcan(?:not|(?:'|’)t) be (?:right|real|true)\b", re.IGNORECASE
)
_RATE_THEN = re.compile(
    r"\d ?[TG](?:B/s|FLOP\w*)\b[^.\n]{0,60}?\b(?:physically )?(?:impossible\b|can(?:not|(?:'|"
    r"’)t) be (?:right|real|true)\b)|"
    r"\bimpossible (?:bandwidth|throughput) of \d",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:less|faster|quicker|shorter) than (?:(?:the time )?it takes to (?:read|load|write|stream|move)\b|"
    r"(?:the |our )?(?:memory|hbm|dram|device|hardware|bandwidth)(?: \w+){0,2}? "
    r"(?:allows|permits|can (?:deliver|supply)))",
    re.IGNORECASE,
)
_NO_LESS = re.compile(r"\b(?:no|nothing|anything|to be|any)\b", re.IGNORECASE)
_ONLY_IF = re.compile(
    r"\b(?:if|would|could|should|might|may|cannot|can(?:'|’)t|never|no way|not)\b", re.IGNORECASE
)
_TELLING = re.compile(r"%|peak|roofline|of.light|impossible|be (?:right|real|true)", re.IGNORECASE)
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?]+(?=\s)|(?=\n)|$)")


def above_in_output(output: str) -> str | None:
    """The line of an output that reads more than all of a bound.

    A fraction that the same output prints as a speed-up is one, whatever its name.
    """
    for match in _PERCENT.finditer(output):
        if float(match[1] or match[2]) > 100 * (1 + MARGIN):
            return line_at(output, match.start(), match.end())
    ratios: list[float] | None = None
    for match in _FRACTION.finditer(output):
        value = float(match[2])
        if value <= 1 + MARGIN:
            continue
        if ratios is None:
            ratios = [float(found[1] or found[2]) for found in _RATIO.finditer(output)]
        if not ratios or not min(ratios) * 0.9 <= value <= max(ratios) * 1.1:
            return line_at(output, match.start(), match.end())
    return None


def labels_of_fractions(output: str) -> Iterator[tuple[str, float]]:
    """Fractions of a peak that an output prints, as (label, value)."""
    for match in _FRACTION.finditer(output):
        yield match[1].lower(), float(match[2])


def above_in_words(prose: str) -> str | None:
    """The sentence in which an agent says that a figure it measured lies beyond the device's bound."""
    if _LESS.search(prose):
        for sentence in _SENTENCE.finditer(prose):
            words = sentence.group()
            less = _LESS.search(words) if len(words) <= 2_000 and not words.rstrip().endswith("?") else None
            before = words[: less.start()][-40:] if less else ""
            if less and not _ONLY_IF.search(before) and not _NO_LESS.search(before):
                return " ".join(words.split())[:280]
    if not _BANDWIDTH.search(prose):
        return None
    for sentence in _SENTENCE.finditer(prose):
        words = sentence.group()
        if len(words) > 2_000 or not _TELLING.search(words) or not re.search(r"\d", words):
            continue
        beyond = _BEYOND.search(words)
        over = _OVER_ALL.search(words) if _BANDWIDTH.search(words) else None
        said = beyond or (over if over and (_CANNOT.search(words) or "!" in words) else None)
        said = said or _RATE_THEN.search(words)
        if said is not None and not _ONLY_IF.search(words[: said.start()][-40:]):
            return " ".join(words.split())[:280]
    return None


def above_in_evaluation(event: ev.Evaluation) -> str | None:
    """The first scenario that ran faster than its bound allows."""
    for row in event.scenarios:
        if row.bound_ns and row.candidate_ns and row.candidate_ns < row.bound_ns * (1 - MARGIN):
            share = row.bound_ns / row.candidate_ns
            return f"{row.id}: {share:.0%} of its bound"
    return None
