"""The family of the device a session works on, as far as its words tell."""

from collections import Counter
from collections.abc import Iterator, Mapping

from bank.question import Architecture
from bank.words import begun_pattern, vocabulary
from sessions.state import SessionState

_FIRST_MESSAGES, _FIRST_RUNS, _LAST_TEXTS = 3, 40, 40
_READ_AT_MOST = 8_000  # characters of one text
CLEAR = 2
"""A family is told when it is named this many times as often as the next: a log of one device names
others."""


def family_in(texts: Iterator[str]) -> Architecture | None:
    """The family that a session's texts name most, or None where they name none, or several alike."""
    named: Counter[Architecture] = Counter()
    for text in texts:
        for family in Architecture:
            if family.value in vocabulary("devices"):
                named[family] += len(begun_pattern("devices", family.value).findall(text[:_READ_AT_MOST]))
    # A machine with a GPU has a CPU, too, and says so.
    if any(count for family, count in named.items() if family is not Architecture.CPU):
        del named[Architecture.CPU]
    (first, most), (_, second) = ([*named.most_common(2), *[(Architecture.CPU, 0)] * 2])[:2]
    return first if most and most >= CLEAR * second else None


def device_family(state: SessionState, facts: Mapping[str, str]) -> Architecture | None:
    """The family of the device: from the fact `arch` where it names one, else from the session's texts.

    Read are the task, the first messages and tool results, and what the agent said last.
    """
    return family_in(iter([facts.get("arch", "")])) or family_in(_texts(state))


def _texts(state: SessionState) -> Iterator[str]:
    if state.started is not None:
        yield state.started.task or ""
    yield from (seen.event.text for seen in state.human[:_FIRST_MESSAGES])
    for run in state.tools[:_FIRST_RUNS]:
        if run.result is not None:
            yield run.result.output
    yield from (seen.event.text for seen in state.texts[-_LAST_TEXTS:])
