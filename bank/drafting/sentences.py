"""A person's message as printable text, and its sentences one by one."""

import re

from sessions.redaction import uncoloured

READ_AT_MOST = 4_000
"""Characters of a message that are looked at; as many as the rules for what a message does look at."""

_SENTENCE = re.compile(r"[^.!?？。\n]+(?:\.(?=\S)[^.!?？。\n]+)*[.!?？。]*")
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_MARKS = re.compile(r"[?？]+\s*$")
# What stands before the question and asks nothing: a greeting, an agreement, a link, "before you go on:".
_LEAD = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|and|but|now|then|well|also|oh|ah|aha|hmm+|hi|hello|hey|yes|no|great|nice|thanks|"
    r"thank you|please|first|wait|before (?:you|we) [^,:?]{0,60}(?=[,:])|"
    r"one (?:more )?question)(?:[\s,:;!-]+))+",
    re.IGNORECASE,
)


def printable(text: str) -> str:
    """The text on one line of printable characters: colour codes, control and format characters are gone."""
    plain = uncoloured(text)
    words = " ".join((text if plain is None else plain).split())
    return "".join(sign for sign in words if sign.isprintable())


def visible(text: str) -> str:
    """The text without colour codes and signs that are not seen, as `printable` leaves it; its lines stay.

    Signs that print nothing although they count as letters are gone, too: a key is no less one with them.
    """
    plain = uncoloured(text)
    lines = (text if plain is None else plain).splitlines()
    return "\n".join(_BLANK.sub("", printable(line)) for line in lines)


def sentences(text: str) -> list[str]:
    """The sentences of a message's beginning, each printable, in order; empty ones are left out."""
    head = text[:READ_AT_MOST]
    plain = uncoloured(head)
    found = (printable(match.group()) for match in _SENTENCE.finditer(head if plain is None else plain))
    return [sentence for sentence in found if any(map(str.isalnum, sentence))]


def as_question(sentence: str) -> tuple[str, str]:
    """The sentence as a question (capital letter, one mark), and the words before it that were left out.

    Braces go: only parameters stand in them.
    """
    bare = _LEAD.sub("", sentence)
    lead = sentence[: len(sentence) - len(bare)].strip()
    if not bare.strip(" ?？.!"):
        bare, lead = sentence, ""
    bare = _MARKS.sub("", bare.replace("{", "").replace("}", "")).rstrip(" .!。") + "?"
    return bare[:1].upper() + bare[1:], lead
