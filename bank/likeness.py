"""How alike two questions are, by their content words, from 0 to 100."""

from rapidfuzz import fuzz

NEAR, SAME = 58, 80
"""Paraphrases of one question mostly reach 58, distinct questions stay below it; 80 is the same question.

On raw text no threshold separates the two, so stop words and the bank's own idiom are taken out first.
"""

FEWEST_SHARED = 3
"""Content words that two texts need in common before one may be called a part of the other."""


def content_likeness(one: str, other: str) -> float:
    """The similarity of two texts already reduced by `content_words`; nothing is like an empty text.

    With three words in common or more, what only one text has counts little: a question asked within a
    longer message is that question. With fewer the texts are compared whole, their words sorted: a text of
    one or two content words is a part of many that ask something else.
    """
    if not one or not other:
        return 0.0
    within = fuzz.token_set_ratio(one, other)
    if len(set(one.split()) & set(other.split())) >= FEWEST_SHARED:
        return within
    # The other order of words may happen to fit better: the less of both is meant.
    return min(within, fuzz.token_sort_ratio(one, other))
