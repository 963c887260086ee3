"""Every recogniser there is: the user's patterns, those of installed packages, then ours.

A package brings its own by an entry point in the group `kernelseek.recognisers` that names an object with
`name` and `look`, or a class without arguments that makes one.
"""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from sessions.recognisers import patterns
from sessions.recognisers.labelled import Labelled
from sessions.recognisers.overall import Overall
from sessions.recognisers.own import OwnEvaluation
from sessions.recognisers.protocol import Recogniser
from sessions.recognisers.tables import Tables
from sessions.recognisers.verdicts import Verdicts

GROUP = "kernelseek.recognisers"

BUILT_IN: tuple[Recogniser, ...] = (OwnEvaluation(), Tables(), Labelled(), Overall(), Verdicts())
"""In order: of what two of them say of the same thing, the earlier is believed."""


def recognisers() -> tuple[Recogniser, ...]:
    """All of them. Raises `RefusedInput` where the user's pattern file is wrong."""
    return (*patterns.load(), *added(), *BUILT_IN)


@cache
def added() -> tuple[Recogniser, ...]:
    """The recognisers that installed packages add. One that cannot be loaded is left out."""
    return tuple(_load())


def _load() -> Iterator[Recogniser]:
    for point in entry_points(group=GROUP):
        try:
            found: Any = point.load()
            found = found() if isinstance(found, type) else found
        except Exception:  # a package of somebody else's, broken in any way
            continue
        if isinstance(getattr(found, "name", None), str) and callable(getattr(found, "look", None)):
            yield found
