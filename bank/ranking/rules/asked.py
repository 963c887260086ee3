"""What was asked or put aside before in this session."""

from bank.likeness import NEAR, SAME, content_likeness
from bank.question import Question
from bank.ranking.moment import RankingFacts
from bank.ranking.rules.rule import LAYER_NAMES, Reason, Rule
from bank.words import content_words

MOST = 2
"""Questions of a group from which more of them change nothing."""


def _likeness(entry: Question, moment: RankingFacts) -> float:
    own = content_words(entry.question)
    return max((content_likeness(own, asked) for asked in moment.asked_texts), default=0.0)


def _repeats(entry: Question, moment: RankingFacts) -> str | None:
    asked = entry.id in moment.asked_ids or _likeness(entry, moment) >= SAME
    return "it was asked before in this session" if asked else None


def _resembles(entry: Question, moment: RankingFacts) -> str | None:
    if entry.id in moment.asked_ids or not NEAR <= _likeness(entry, moment) < SAME:
        return None
    return "it resembles a question already asked"


def _same_group(entry: Question, moment: RankingFacts) -> str | None:
    groups = {asked.group for asked in moment.recently_asked}
    return "its group was asked from lately" if entry.group in groups else None


def _earlier_group(entry: Question, moment: RankingFacts) -> Reason | None:
    lately = sum(one.group is entry.group for one in moment.recently_asked)
    earlier = moment.asked_groups[entry.group] - lately
    if earlier <= 0:
        return None
    times = "once" if earlier == 1 else f"{earlier} times"
    return Reason(f"its group was asked from {times} before that", min(MOST, earlier))


def _same_layer(entry: Question, moment: RankingFacts) -> str | None:
    layers = {asked.moves.to for asked in moment.recently_asked}
    return f"{LAYER_NAMES[entry.moves.to]} was asked about lately" if entry.moves.to in layers else None


def _dismissed(entry: Question, moment: RankingFacts) -> str | None:
    return "you put it aside before" if entry.id in moment.dismissed_ids else None


def _dismissed_group(entry: Question, moment: RankingFacts) -> str | None:
    aside = entry.group in moment.dismissed_groups and entry.id not in moment.dismissed_ids
    return "you put a question of its group aside" if aside else None


RULES = (
    Rule("repeats", -5.0, "a question asked twice is noise", _repeats),
    Rule("resembles", -2.0, "so is a near copy", _resembles),
    Rule("same-group", -1.5, "the next question should open something else", _same_group),
    Rule("earlier-group", -0.8, "a door that was opened is known; others are not", _earlier_group),
    Rule("same-layer", -0.8, "so should the layer it leads to", _same_layer),
    Rule("dismissed", -5.0, "a person said no", _dismissed),
    Rule("dismissed-group", -0.5, "and may mean more than the one entry", _dismissed_group),
)
