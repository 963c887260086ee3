"""Takes out of a question what belongs to one session: names, files, numbers. Neutral words stand there then.

Words are known by the lists of the admission rules, files and identifiers by their shape. What is in plain
words ("the thing with the pages") stays: a reader has to see it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bank.reading import load_yaml
from bank.words import begun_pattern, exact_pattern, form_pattern, vocabulary, word_pattern

_NEUTRAL = Path(__file__).parent / "neutral.yaml"
ARCH, SCENARIOS = "{arch}", "{scenarios}"


@dataclass(frozen=True, slots=True)
class Taken:
    """Words that were taken out, what stands there now (empty: nothing), and why."""

    words: str
    put: str
    why: str


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without what belongs to one session, and everything that was taken out, in order."""

    text: str
    taken: tuple[Taken, ...]


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    noun: str
    why: str
    article: str = "the"


def strip(text: str, scenarios: Iterable[str] = ()) -> Stripped:
    """Strip one line of text, redacted before. `scenarios` are the ids of the session's scenarios."""
    spans: list[_Span] = []
    for span in _found(text, scenarios):
        if all(span.end <= other.start or other.end <= span.start for other in spans):
            spans.append(span)
    out: list[str] = []
    taken: list[Taken] = []
    done = 0
    for span in _merged(text, sorted(spans, key=lambda span: span.start)):
        start, end, put = _place(text, span, done)
        out += [text[done:start], put]
        taken.append(Taken(text[start:end].strip(), put.strip(), span.why))
        done = end
    out.append(text[done:])
    return Stripped(_tidy("".join(out)), tuple(taken))


@cache
def _neutral() -> dict[str, Any]:
    data: dict[str, Any] = load_yaml(_NEUTRAL)
    return data


@cache
def _nouns(name: str) -> dict[str, str]:
    return {str(word): row["noun"] for row in _neutral()[name]["nouns"] for word in row["words"]}


def _noun(name: str, words: str) -> str:
    plain = re.sub(r"[\s-]+", " ", words.lower())
    return _nouns(name).get(plain) or str(_neutral()[name]["otherwise"])


def _found(text: str, scenarios: Iterable[str]) -> Iterator[_Span]:
    """Every span, the surest rule first."""
    for match in _ids(scenarios).finditer(text):
        yield _Span(*match.span(), SCENARIOS, "the id of a scenario")
    for pattern, noun, why in _shapes():
        for match in pattern.finditer(text):
            yield _Span(*match.span(), noun, why)
    for match in _IDENTIFIER.finditer(text):
        if re.search(r"[<(]|::", match.group()):  # code beyond doubt: a name in it is no name of a device
            yield _Span(*match.span(), "part", "an identifier")
    for family in vocabulary("devices"):
        for match in begun_pattern("devices", family).finditer(text):
            yield _Span(*match.span(), ARCH, "names a device")
    for name, why in (
        ("upstreams", "names a library, tool or project"),
        ("operators", "names an operator or its shapes"),
        ("architectures", "belongs to one architecture"),
    ):
        for words in (word_pattern(name), exact_pattern(name)):
            for match in words.finditer(text):
                yield _Span(*match.span(), _noun(name, match.group()), why)
    for match in form_pattern("architectures", "patterns").finditer(text):
        yield _Span(*match.span(), ARCH, "names a device")
    yield from _numbers(text)
    common = frozenset(_neutral()["common"])
    for match in _IDENTIFIER.finditer(text):
        if match.group().lower() not in common:
            yield _Span(*match.span(), "part", "an identifier")


def _ids(scenarios: Iterable[str]) -> re.Pattern[str]:
    # An id that is a plain word may stand there as one.
    names = sorted({name for name in scenarios if re.search(r"[\d_-]", name)}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])" if names else r"(?!)")


@cache
def _shapes() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    endings = "|".join(sorted(map(re.escape, _neutral()["extensions"]), key=len, reverse=True))
    return (
        # Before what may stand in one: a login, a person's name.
        (re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE), "source", "an address"),
        (re.compile(r"\[[a-z]+(?:-[a-z]+)*\]"), "value", "a secret"),
        (re.compile(r"(?<![\w.])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"), "author", "a person"),
        (re.compile(r"`[^`]{1,400}`"), "part", "quoted code"),
        (re.compile(r"(?<!\w)(?:[A-Za-z]:|~\w*)\\[^\s,;?]+"), "file", "a file"),
        (
            re.compile(
                r"(?<![\w/])(?:~\w*|\.{1,2}(?:/\.{1,2})*|\$\{?\w+\}?)?"  # `~ann`, `../..`, `$HOME`
                r"(?:/[\w.+~-]*[\w+~-])+/?(?::\d+)*"
            ),
            "file",
            "a file",
        ),
        (
            re.compile(
                rf"(?<![\w/.])[\w+-]+(?:[./][\w+-]+)*\.(?:{endings})(?::\d+)*(?![\w.]\w|\w)", re.IGNORECASE
            ),
            "file",
            "a file",
        ),
        (
            re.compile(r"(?<![\w@/.-])(?:[A-Za-z0-9-]+\.){2,}[A-Za-z]{2,24}(?![\w(.])"),
            "part",
            "an identifier",
        ),
        (re.compile(r"(?<![\w/.-])(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[\w+=-]{20,}"), "value", "a secret"),
        (re.compile(r"(?<![\w-])--[A-Za-z][\w-]*(?:=[^\s,;?]+)?"), "option", "an option of a tool"),
    )


_IDENTIFIER = re.compile(
    r"(?<![\w])(?:[A-Za-z_]\w*(?:::\w+)+(?:\(\))?|[A-Za-z_]\w*\(\)|[A-Za-z_]\w*<[^<>\s]{1,40}>|"
    r"[A-Za-z]*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+(?:[A-Z][a-z0-9]+)+|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])\w{2,40})(?!\w)"
)

_UNITS = {
    "ratio": r"x|×",
    "share": r"%|percent|per cent",
    "time": r"ns|us|µs|μs|ms|s|sec|seconds?|minutes?|hours?|microseconds?|nanoseconds?|milliseconds?|cycles?",
    "rate": r"[kmgt]i?b/s|[gtmp]?flop/?s|[gt]bps|tok(?:ens)?/s|it/s|[kmg]?hz",
    "size": r"bytes?|[kmgt]i?b",
}
_NUMBER = re.compile(
    r"(?<![\w.])[~≈+−-]?(?P<number>\d+(?:[.,]\d+)*(?:e[+-]?\d+)?)"
    r"(?:\s?(?:-|–|to|/|of|out of)\s?\d+(?:[.,]\d+)*)?"
    r"(?:(?P<kilo>[km])(?!\w)|\s?(?:"
    + "|".join(f"(?P<{name}>{units})" for name, units in _UNITS.items())
    + r")(?!\w))?(?![\w])",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\s+(?=[a-z]+s\b)")


def _numbers(text: str) -> Iterator[_Span]:
    """Numbers with a unit, decimals, and whole ones above ten: an answer, or one session's constant."""
    for match in [*_NUMBER.finditer(text), *word_pattern("numerals").finditer(text)]:
        parts = match.groupdict()
        unit = next((name for name in _UNITS if parts.get(name)), None)
        whole = parts.get("number") or ""
        if unit is None and match.group().strip("~≈+−-").isdigit() and int(whole[:4]) <= 10:
            continue
        plural = _PLURAL.match(text, match.end()) if unit is None else None
        noun = "" if plural else unit or "value"  # "all 40 scenarios" are all scenarios
        yield _Span(*match.span(), noun, "a number", "this")


def _merged(text: str, spans: list[_Span]) -> Iterator[_Span]:
    """Neighbours as one span with the last one's noun: of a compound the last word says what it is."""
    waiting: _Span | None = None
    for span in spans:
        if waiting is not None and re.fullmatch(r"[\s/-]{0,3}", text[waiting.end : span.start]):
            why = waiting.why if span.why in waiting.why else f"{waiting.why}; {span.why}"
            noun = span.noun or waiting.noun
            noun = waiting.noun if waiting.noun in (ARCH, SCENARIOS) and noun in ("part", "value") else noun
            waiting = _Span(waiting.start, span.end, noun, why, waiting.article)
            continue
        if waiting is not None:
            yield waiting
        waiting = span
    if waiting is not None:
        yield waiting


_ARTICLE = re.compile(r"\b(an?|the|this|that|our|your)\s+$", re.IGNORECASE)
_DETERMINER = re.compile(
    r"\b(?:the|an?|this|that|these|those|our|your|my|its|their|his|her|each|every|any|some|no|all|which|what)\s+$",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"\b(?:the|an?|this|that|these|those|our|your|its|their)\s+(?:\w+\s+){1,2}$", re.IGNORECASE
)


def _place(text: str, span: _Span, done: int) -> tuple[int, int, str]:
    """Where a span begins and ends with the words that go with it, and what is put there."""
    start, end = span.start, span.end
    before = text[max(done, start - 60) : start]
    following = re.match(r"[\s-]+([a-z]+)", text[end:], re.IGNORECASE)
    word = following.group(1).lower() if following else ""
    if span.noun in (ARCH, SCENARIOS):
        article = _ARTICLE.search(before)
        if article:
            start -= len(before) - article.start()
        swallowed = _neutral()["devices" if span.noun == ARCH else "heads"]
        if following and word in swallowed:
            end += following.end()
        return start, end, span.noun
    if span.noun == "" or (following and word in _neutral()["heads"]):
        bare = span.noun and not word.endswith("s") and not _DETERMINER.search(before)
        return start, end + _gap(text, end), "the " if bare else ""
    indefinite = re.search(r"\b(an?)\s+$", before, re.IGNORECASE)
    if indefinite:
        start -= len(before) - indefinite.start()
        return start, end, f"{'an' if span.noun[0] in 'aeiou' else 'a'} {span.noun}"
    if _DETERMINER.search(before) or _ATTRIBUTE.search(before):
        return start, end, span.noun
    return start, end, f"{span.article} {span.noun}"


def _gap(text: str, at: int) -> int:
    """Spaces and hyphens from a place on."""
    return len(text) - at - len(text[at:].lstrip(" -"))


def _tidy(text: str) -> str:
    text = re.sub(r"\{scenarios\}(?:(?:,? and|,? or|,)\s+\{scenarios\})+", SCENARIOS, text)
    text = re.sub(r"\b(\w+ \w+)(?:(?:,? and|,? or|,) \1\b)+", r"\1", text)
    text = re.sub(r"\s+([,;:.?])", r"\1", " ".join(text.split()))
    return text[:1].upper() + text[1:]
