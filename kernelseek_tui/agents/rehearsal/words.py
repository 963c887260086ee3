"""Does a message bear on a layer? Decided from its words alone.

A rehearsed agent moves on only if the words of a message touch what it has not looked at. Nothing else
about the message is known here: no entry, no group, no sender.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field, field_validator

_PHRASE = re.compile(r"[a-z0-9]+\*?( [a-z0-9]+\*?)*")


class Words(BaseModel):
    """What a message about one subject says: one `strong` phrase is enough, of the `weak` it takes two
    different ones in different places.

    A phrase is lower-case words with one space between them; `*` at the end of a word stands for any
    ending (`launch*`: launches, launcher). Hyphens and all other signs in a message count as spaces.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    strong: tuple[str, ...] = Field(min_length=1)
    weak: tuple[str, ...] = ()

    @field_validator("strong", "weak")
    @classmethod
    def _phrases(cls, phrases: tuple[str, ...]) -> tuple[str, ...]:
        for phrase in phrases:
            if not _PHRASE.fullmatch(phrase):
                raise ValueError(f"{phrase!r} is not a phrase of lower-case words (a word may end in *)")
        return phrases


@lru_cache(maxsize=1024)
def _pattern(phrase: str) -> re.Pattern[str]:
    words = (
        re.escape(word.removesuffix("*")) + ("[a-z0-9]*" if word.endswith("*") else "")
        for word in phrase.split()
    )
    return re.compile(r"(?<![a-z0-9])" + " ".join(words) + r"(?![a-z0-9])")


def found_in(text: str, words: Words) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The strong and the weak phrases that `text` holds; of weak ones that overlap only the first."""
    plain = " ".join(re.findall(r"[a-z0-9]+", text.casefold().replace("’", "").replace("'", "")))
    strong = tuple(phrase for phrase in words.strong if _pattern(phrase).search(plain))
    weak: dict[str, tuple[int, int]] = {}
    for phrase in words.weak:
        for match in _pattern(phrase).finditer(plain):
            if all(match.end() <= begin or end <= match.start() for begin, end in weak.values()):
                weak[phrase] = match.span()
                break
    return strong, tuple(weak)


def bears(text: str, words: Words) -> bool:
    """Whether `text` is about what `words` describe: one strong phrase, or two weak ones apart."""
    strong, weak = found_in(text, words)
    return bool(strong) or len(weak) >= 2


def word_counts(lists: Mapping[str, Words], questions: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """For each word list the names of the questions (name to text) that bear on it, in their order."""
    return {
        subject: tuple(name for name, text in questions.items() if bears(text, words))
        for subject, words in lists.items()
    }
