"""Q02 to Q12: what the text of a question shows. Each check takes the entry and reads only its text.

The rules are those of arXiv 2611.03517's bank; vocabularies catch careless entries, and a leak in plain
words still needs a reader.
"""

import math
import re
from collections.abc import Iterator
from functools import cache

from bank.admission.finding import Hit
from bank.params import PARAMETERS, placeholders
from bank.question import Question
from bank.words import exact_pattern, form_pattern, vocabulary, word_pattern, word_set

WARN_TOKENS = 40
ERROR_TOKENS = 60
TOKENS_PER_WORD = 1.35
"""A question is tens of tokens; with no tokenizer at hand, 1.35 tokens a word."""

LETTERS_PER_TOKEN = 5
"""Words may be long, and what has no blanks is one: no token is counted for more characters than this."""


def tokens(text: str) -> int:
    """The estimated length of a text in tokens."""
    return math.ceil(max(len(text.split()) * TOKENS_PER_WORD, len(text) / LETTERS_PER_TOKEN))


def _hits(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    seen: set[str] = set()
    for match in pattern.finditer(text):
        words = match.group(0).strip()
        if words.lower() not in seen:
            seen.add(words.lower())
            yield words


def interrogative(entry: Question) -> Iterator[Hit]:
    """Q02: one sentence that ends in its only question mark."""
    text = entry.question
    if not text.endswith("?"):
        yield Hit(text[-20:], "the question does not end in a question mark")
    if text.count("?") > 1:
        yield Hit(text[: text.index("?") + 1][-20:], "there is more than one question mark, ask one question")
    stop = re.search(r"\w[.!]\s+[A-Z]", text)
    if stop:
        yield Hit(stop.group(0), "there is more than one sentence, keep the question alone")


def length(entry: Question) -> Iterator[Hit]:
    """Q03: tens of tokens."""
    count = tokens(entry.question)
    if count > WARN_TOKENS:
        words = len(entry.question.split())
        yield Hit(
            f"{words} {'word' if words == 1 else 'words'}",
            f"about {count} tokens, more than {WARN_TOKENS}",
            "error" if count > ERROR_TOKENS else "warning",
        )


def operator_words(entry: Question) -> Iterator[Hit]:
    """Q04: no operator, and no shape jargon that names one."""
    for pattern in (word_pattern("operators"), exact_pattern("operators")):
        for words in _hits(pattern, entry.question):
            yield Hit(words, f"{words!r} names an operator or its shapes")


def upstream_words(entry: Question) -> Iterator[Hit]:
    """Q05: no library, compiler, harness or project by others."""
    for pattern in (word_pattern("upstreams"), exact_pattern("upstreams")):
        for words in _hits(pattern, entry.question):
            yield Hit(words, f"{words!r} names a library, tool or project")


def architecture_words(entry: Question) -> Iterator[Hit]:
    """Q06: an architecture only as `{arch}`."""
    patterns = (
        word_pattern("architectures"),
        form_pattern("architectures", "patterns"),
        exact_pattern("architectures"),
    )
    # An entry for one family of devices may speak of it; a person's own words and core entries may not.
    for pattern in patterns if not entry.architectures else ():
        for words in _hits(pattern, entry.question):
            yield Hit(words, f"{words!r} belongs to one architecture, say {{arch}} or nothing")
    for name in placeholders(entry.question):
        if name not in PARAMETERS:
            known = ", ".join(f"{{{known}}}" for known in PARAMETERS)
            yield Hit(f"{{{name}}}", f"there is no parameter {{{name}}}, there is {known}")


_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w]*\})")


def numerals(entry: Question) -> Iterator[Hit]:
    """Q07: a decimal or a number above ten is often the answer, or one device's constant."""
    for words in _hits(_NUMBER, entry.question):
        if not words.isdigit() or int(words) > 10:
            yield Hit(words, f"the number {words} is baked in, ask for it or leave it to the measurement")
    for words in _hits(word_pattern("numerals"), entry.question):
        yield Hit(words, f"the number {words!r} is baked in, ask for it or leave it to the measurement")


def reference_words(entry: Question) -> Iterator[Hit]:
    """Q08: posed against a bound, never against another implementation.

    An entry with `needs_upstream` compares, and is offered only where there is something to compare with; one
    that compares with nothing would be kept back for no reason.
    """
    patterns = (word_pattern("references"), form_pattern("references", "patterns"))
    found = [words for pattern in patterns for words in _hits(pattern, entry.question)]
    if not entry.needs_upstream:
        for words in found:
            yield Hit(words, f"{words!r} compares with another implementation, compare with a bound")
    elif not found:
        yield Hit("needs_upstream", "needs_upstream is set and the question compares with nothing", "warning")


def yes_no_opening(entry: Question) -> Iterator[Hit]:
    """Q09: a yes or no is an opinion; by how much is a measurement."""
    text = entry.question
    first = re.split(r"[\s,]", text.lower().replace("’", "'"), maxsplit=1)[0]
    if first in word_set("openings") and not re.search(r"by how (?:much|many|far)", text, re.IGNORECASE):
        yield Hit(text.split()[0], "it can be answered yes or no, ask how many or how much")


def no_quantity(entry: Question) -> Iterator[Hit]:
    """Q10: the answer is a number."""
    if not form_pattern("quantities").search(entry.question):
        yield Hit(entry.question[:40], "it asks for no number")


def leading(entry: Question) -> Iterator[Hit]:
    """Q11: no form that carries the asker's own answer."""
    for words in _hits(form_pattern("leading"), entry.question):
        yield Hit(words, f"{words!r} leads to an answer, ask for the measurement alone")


@cache
def _gerunds() -> frozenset[str]:
    return frozenset(form for verb in vocabulary("fixes")["verbs"] for form in _forms(verb, "ing"))


def _forms(verb: str, ending: str) -> tuple[str, str]:
    """A verb with an ending, and with its last letter doubled before it where that is how it is written."""
    stem = verb[:-1] if verb.endswith("e") else verb
    doubled = stem + stem[-1] if re.search(r"[^aeiou][aeiou][pdnt]$", stem) and stem == verb else stem
    return doubled + ending, stem + ending


@cache
def _fix_verbs() -> re.Pattern[str]:
    bases = vocabulary("fixes")["verbs"]
    participles = [form for verb in bases for form in _forms(verb, "ed")]
    base, gerund, participle = ("|".join(sorted(set(s))) for s in (bases, _gerunds(), participles))
    what = r"(?:the|a|an|each|every|it|them|this|that|these|those|your|its|all|both|more|two|some)\b"
    return re.compile(
        r"\b(?:to|you|we|would|could|should|must|can|cannot|not|let's|please) "
        rf"(?:{base})\b(?! (?:hit|miss|size|line)s?\b)"
        rf"|\b(?:by|through|without) (?:{gerund})\b"
        rf"|\b(?:{gerund}) {what}"
        rf"|\b(?:be|been|being|get|gets|got) (?:\w+ly )?(?:{participle})\b"
        rf"|(?:^|[,;:] (?:and |then |or )?)(?:{base}) {what}",
        re.IGNORECASE,
    )


@cache
def _cures() -> re.Pattern[str]:
    gerunds = "|".join(sorted(_gerunds()))
    return re.compile(
        rf"\b(?:by|through) (?:{gerunds}) (?:the|a|an|each|every|its|your|all|both)\b", re.IGNORECASE
    )


def fix_verbs(entry: Question) -> Iterator[Hit]:
    """Q12: no edit is named; a warning, since a verb may be a noun, but for forms that leave no doubt."""
    certain = False
    for pattern in (_cures(), form_pattern("fixes", "cures")):
        for words in _hits(pattern, entry.question):
            certain = True
            yield Hit(words, f"{words!r} names the cure, leave it to the agent", "error")
    if certain:
        return
    for pattern in (_fix_verbs(), form_pattern("fixes", "phrases")):
        for words in _hits(pattern, entry.question):
            yield Hit(words, f"{words!r} names an edit, leave the cure to the agent")
