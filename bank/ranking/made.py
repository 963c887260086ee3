"""Was an entry's measurement made on the build that stands?

Two things are asked for together: its instruments were used since the last edit of the kernel, and one line
since then names the number it asks for, with a figure in it that a measuring call printed. One alone says
little: a profile shows a hundred things, and a number may be talked about, planned or missed before that.
"""

from collections.abc import Sequence

from bank.question import Question
from bank.words import content_words, vocabulary
from sessions.vocabulary import Activity

MOST = 0.75
"""Share of the words of a number's name that must stand in one line for it to speak of that number."""
FEWEST = 2
"""Words below which a number's name is too general to be recognised."""

MEASURES = frozenset({Activity.BENCHMARK_RUN, Activity.PROFILE, Activity.HOST_TRACE, Activity.DISASSEMBLE})


def instruments(entry: Question) -> list[tuple[Activity, ...]]:
    """For each tool of an entry that leaves a trace in a session, the activities that show its use."""
    known = vocabulary("tools")["tools"]
    activities = (tuple(Activity(name) for name in known.get(tool, ())) for tool in entry.measurement.tools)
    return [some for some in activities if some]


def used(entry: Question, done: frozenset[Activity]) -> bool:
    """All of an entry's instruments were used; of those that leave no trace, any measuring call will do."""
    tools = instruments(entry)
    return all(done.intersection(tool) for tool in tools) if tools else bool(done & MEASURES)


def made(entry: Question, done: frozenset[Activity], lines: Sequence[frozenset[str]]) -> bool:
    """Whether the measurement of `entry` was made on a build.

    `done` is what calls did since its last edit, `lines` the content words of every line since with a figure
    that a measuring call printed (`RankingFacts.figures_since`).
    """
    words = frozenset(content_words(entry.measurement.number).split())
    if len(words) < FEWEST or not used(entry, done):
        return False
    return any(len(words & line) >= MOST * len(words) for line in lines)
