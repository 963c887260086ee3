"""The family of the device a session works on, as far as its words tell."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from bank.question import Architecture
from bank.words import begun_pattern, vocabulary
from sessions.state import SessionState

_FIRST_MESSAGES, _FIRST_RUNS, _LAST_TEXTS = 3, 40, 40
_READ_AT_MOST = 8_000  # characters of one text
CLEAR = 2
"""A family is told when it is named so many times as often as the next: a log of one device names others."""
OFTEN = 2
"""Where neither a person nor a command that lists devices names one, it has to be named so often."""

_NO_NAME = re.compile(
    r"sm_|gfx|compute|avx|sse|sve|amx|hopper|blackwell|cdna|genuine|authentic", re.IGNORECASE
)
"""Targets, instruction sets and families: they tell the family and are no device's name."""
_LISTS_DEVICES = re.compile(
    r"nvidia-smi|rocm-smi|rocminfo|amd-smi|lscpu|cpuinfo|deviceQuery|get_device_(?:name|properties)"
)


def family_in(texts: Iterable[str], least: int = 1) -> Architecture | None:
    """The family that texts name most, `least` times or more; None where they name none, or several alike."""
    named: Counter[Architecture] = Counter()
    for text in texts:
        named.update(_named_in(text[:_READ_AT_MOST]))
    # A machine with a GPU has a CPU, too, and says so.
    if any(count for family, count in named.items() if family is not Architecture.CPU):
        del named[Architecture.CPU]
    (first, most), (_, second) = ([*named.most_common(2), *[(Architecture.CPU, 0)] * 2])[:2]
    return first if most >= max(least, 1) and most >= CLEAR * second else None


@lru_cache(maxsize=256)  # most of what is read stands at the beginning of a session
def _named_in(text: str) -> dict[Architecture, int]:
    families = (family for family in Architecture if family.value in vocabulary("devices"))
    return {family: len(begun_pattern("devices", family.value).findall(text)) for family in families}


def device_family(state: SessionState, given: Mapping[str, str]) -> Architecture | None:
    """The family of the device, from the first of these that tells one.

    The fact `arch`; the task and the first messages of people; commands that list devices; everything that
    was printed at the beginning or said lately.
    """
    people, listed, others = _texts(state)
    return (
        family_in([given.get("arch", "")])
        or family_in(people)
        or family_in(listed)
        or family_in(others, OFTEN)
    )


def device_name(state: SessionState) -> str | None:
    """The device as people, or a command that lists devices, call it most fully; None where none does."""
    for texts in _texts(state)[:2]:
        family = family_in(texts)
        if family is None:
            continue
        names = Counter(
            name
            for text in texts
            for name in begun_pattern("devices", family.value).findall(text[:_READ_AT_MOST])
            if not _NO_NAME.match(name)
        )
        if names:
            return str(max(names, key=lambda name: (len(name), names[name])))
    return None


def _texts(state: SessionState) -> tuple[list[str], list[str], list[str]]:
    """What people said, what listings printed, and everything else that is looked at."""
    task = state.started.task if state.started is not None else None
    people = [task or "", *(seen.event.text for seen in state.human[:_FIRST_MESSAGES])]
    runs = [run for run in state.tools[:_FIRST_RUNS] if run.result is not None]
    listed = [
        run.result.output
        for run in runs
        if run.result is not None and _LISTS_DEVICES.search(str(run.call.input.get("command", "")))
    ]
    printed = [run.result.output for run in runs if run.result is not None]
    return people, listed, [*printed, *(seen.event.text for seen in state.texts[-_LAST_TEXTS:])]
