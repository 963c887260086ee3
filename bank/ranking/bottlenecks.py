"""What a profile in the transcript names as the bottleneck, and the groups that ask about it.

The labels are data (`vocabularies/bottlenecks.yaml`): a profiler's own words, each with the groups they point
to. Labels are read from the results of profiling calls only, newest build first.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice

from bank.question import Group
from bank.words import vocabulary
from sessions.state import SessionState
from sessions.vocabulary import Activity

_READ_AT_MOST = 30_000  # characters at the end of one result: a full report of several kernels
_LAST_PROFILES = 3


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """A profiler's label as it stands in a result, and the groups it points to."""

    words: str
    groups: tuple[Group, ...]


@cache
def _labels() -> tuple[tuple[re.Pattern[str], tuple[Group, ...]], ...]:
    return tuple(
        (re.compile(item["seen"], re.IGNORECASE), tuple(Group(group) for group in item["groups"]))
        for item in vocabulary("bottlenecks")["labels"]
    )


def labels_in(output: str) -> tuple[Bottleneck, ...]:
    """Every label that a profiler's output names, in the order of the table."""
    return _labels_in(output[-_READ_AT_MOST:])


@lru_cache(maxsize=16)  # the same profiles are looked at from moment to moment
def _labels_in(output: str) -> tuple[Bottleneck, ...]:
    text = " ".join(output.split())
    named = ((pattern.search(text), groups) for pattern, groups in _labels())
    return tuple(Bottleneck(found.group(0)[:60], groups) for found, groups in named if found)


def bottlenecks(state: SessionState) -> Mapping[Group, str]:
    """Group to the words that point to it, from the last few profiles of the session."""
    profiles = (
        run
        for run in reversed(state.tools)
        if run.activity in (Activity.PROFILE, Activity.HOST_TRACE) and run.result_index is not None
    )
    found: dict[Group, str] = {}
    for run in islice(profiles, _LAST_PROFILES):
        for label in labels_in(run.result.output if run.result is not None else ""):
            for group in label.groups:
                found.setdefault(group, label.words)
    return found
