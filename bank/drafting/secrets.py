"""Secrets and persons in a message that is to become a draft, also where unseen signs break them up.

The redaction of sessions knows the usual shapes; here what it leaves is taken out for a question, of which
little is lost: whatever stands behind `password=`, with the name, and a person's folder behind `../..`.
"""

import re
import unicodedata
from collections.abc import Callable

from bank.drafting.sentences import visible

Redact = Callable[[str], str]

PUT = "[secret]"
_WORD = r"(?:secret|passw(?:or)?d|passphrase|pwd|api[_-]?key|access[_-]?key"
_AROUND = r"[\w-]{0,40}"
_GIVEN = (
    re.compile(
        rf"(?<![\w-]){_AROUND}{_WORD}|token|credential){_AROUND}[\"']?\s{{0,4}}[:=]\s{{0,4}}"
        r"(?:\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s,;?][^\s,;]{0,400})",
        re.IGNORECASE,
    ),
    # Without a sign between, only what looks drawn by lot: "the password check" and "per token" stay.
    re.compile(
        rf"(?<![\w-]){_AROUND}{_WORD}|_token){_AROUND}\s{{1,4}}(?:is\s{{1,4}})?"
        r"(?=[^\s\d]{0,200}\d)[^\s?,;]{6,}",
        re.IGNORECASE,
    ),
)
_BASE64 = re.compile(
    r"(?<![\w/+.~-])(?=[^\sA-Z]{0,40}[A-Z])(?=[^\sa-z]{0,40}[a-z])(?=[^\s\d]{0,40}\d)[A-Za-z0-9+][A-Za-z0-9/+]{39,}={0,2}"
    r"(?![\w/+.])"
)
_REST = re.compile(r"\[[a-z]+(?:-[a-z]+)*\][\w-]+")  # of a key that is longer than its shape
_UP_HOME = re.compile(r"(?:\.{1,2}/)+(?:home|Users)/[^/\s,;?]+")
_BROKEN = re.compile(r"(\S+)[^\S\n]*\n[^\S\n]*(\S+)")


def without_secrets(text: str, redact: Redact) -> str:
    """The text, its lines kept, with placeholders for what must not be shared.

    `redact` is the redaction of sessions. It is given the text as it is seen, as wide letters read, and what
    stands on both sides of a line's end as one word.
    """
    text = _seen(redact(text), redact)
    for _ in range(8):  # a key over so many lines
        joined = _BROKEN.sub(lambda found: _joined(found, redact), text)
        if joined == text:
            break
        text = joined
    return text


def _seen(text: str, redact: Redact) -> str:
    text = _own(redact(visible(text)))
    plain = unicodedata.normalize("NFKC", text)
    return clean if plain != text and (clean := _own(redact(plain))) != plain else text


def _own(text: str) -> str:
    for shape in _GIVEN:
        text = shape.sub(PUT, text)
    text = _REST.sub(PUT, text)
    return _UP_HOME.sub("~", _BASE64.sub(PUT, text))


def _joined(found: re.Match[str], redact: Redact) -> str:
    before, after = found.groups()
    # Of a very long word its end and beginning are enough.
    both = before[-200:] + after[:400]
    if _own(redact(before)) + _own(redact(after)) == before + after and _own(redact(both)) != both:
        return PUT
    return found.group()
