"""How alike two questions are: token-set similarity on content words, from 0 to 100."""

from rapidfuzz import fuzz

NEAR, SAME = 58, 80
"""Paraphrases of one question mostly reach 58, distinct questions stay below it; 80 is the same question.

On raw text no threshold separates the two, so stop words and the bank's own idiom are taken out first.
"""


def content_likeness(one: str, other: str) -> float:
    """The similarity of two texts already reduced by `content_words`; nothing is like an empty text."""
    return fuzz.token_set_ratio(one, other) if one and other else 0.0
