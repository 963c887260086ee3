"""What the agent speaks of: of a group's subject, of a layer, of the very words of a question."""

from collections import Counter
from math import log1p

from bank.bank import Bank
from bank.params import fill
from bank.question import Question
from bank.ranking.moment import RankingFacts
from bank.ranking.rules.rule import LAYER_NAMES, Reason, Rule
from bank.words import content_words, vocabulary
from sessions.vocabulary import DecisionKind

ODD = frozenset(
    {
        DecisionKind.SUSPICIOUS_WIN,
        DecisionKind.EXPLAINED_ANOMALY,
        DecisionKind.REPEATED_EDIT,
        DecisionKind.AGENT_LOOP,
    }
)
"""Moments about something odd that was just seen: the question that helps is about what is being spoken of.

At a stall or a claim it is not: there the words of the agent say where it has looked, and on the labelled
places they said nothing of where to look next (weight 0.04 against 0.76).
"""

MOST = 1.5
"""No more of a subject is counted: after four times the usual words it is clear what a text is about."""
FEW_WORDS = 3
"""Shared words from which a question and a message are about the same thing."""


def _subject(entry: Question, moment: RankingFacts) -> Reason | None:
    if moment.kind not in ODD:
        return None
    said = moment.subjects.get(entry.group, ())
    usual = vocabulary("subjects")["usual"][entry.group.value]
    more = log1p(len(said)) - log1p(usual)
    if more <= 0:
        return None
    quoted = ", ".join(f'"{word}"' for word in list(dict.fromkeys(said))[:3])
    return Reason(f"the last messages are about its subject ({quoted})", min(MOST, more))


def _spoken(entry: Question, moment: RankingFacts) -> str | None:
    words = moment.spoken.get(entry.moves.to)
    if not words:
        return None
    quoted = ", ".join(f'"{word}"' for word in words[:2])
    return f"the agent speaks of {LAYER_NAMES[entry.moves.to]} ({quoted})"


LARGE, OFTEN = 40, 20
"""Entries from which a bank is large, and the part of them: a word in more than one of twenty questions tells
none from another."""

_COMMON: dict[str, frozenset[str]] = {}


def common_words(bank: Bank) -> frozenset[str]:
    """The words that stand in too many questions of a large bank to say what one is about."""
    if len(bank.entries) < LARGE:
        return frozenset()
    if bank.version not in _COMMON:
        counts = Counter(word for one in bank.entries for word in set(content_words(one.question).split()))
        often = (word for word, count in counts.items() if count * OFTEN > len(bank.entries))
        _COMMON[bank.version] = frozenset(often)
    return _COMMON[bank.version]


def shared_words(entry: Question, moment: RankingFacts) -> tuple[str, ...]:
    """Words of the question that stand in the agent's last messages, too."""
    own = dict.fromkeys(content_words(fill(entry.question, {})).split())
    return tuple(
        word for word in own if word in moment.recent_content and word not in common_words(moment.bank)
    )


def _words(entry: Question, moment: RankingFacts) -> str | None:
    shared = shared_words(entry, moment)
    if len(shared) < FEW_WORDS:
        return None
    return f"it speaks of what the agent speaks of ({', '.join(shared[:3])})"


RULES = (
    Rule("subject", 0.85, "about something odd, ask about what is being said of it", _subject, fact=True),
    Rule("spoken", 0.25, "what an agent says of a layer, it can measure there", _spoken, fact=True),
    Rule("words", 0.1, "a question about what was just said is heard", _words, fact=True),
)
