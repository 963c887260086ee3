"""What a lint says, and what a lint is."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bank.admission.context import Context
from bank.question import Question

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One rule broken by one entry (`entry` is empty for the whole bank), with the words that broke it."""

    entry: str
    lint: str
    level: Level
    words: str
    message: str


@dataclass(frozen=True, slots=True)
class Hit:
    """What a check found: the words, one sentence, and a level where it differs from the lint's own."""

    words: str
    message: str
    level: Level | None = None


@dataclass(frozen=True, slots=True)
class Lint:
    """One admission rule. `what` is flagged, because `why`; both are shown to authors.

    `check` looks at one entry and `over_all` at the whole bank; both are pure and yield what they found. A
    lint with neither is applied on reading. `level` is that of its findings, but for the case that
    `otherwise` names. `leak`: a hit in a person's own question suggests that it carries its answer.
    """

    id: str
    level: Level
    what: str
    why: str
    check: Callable[[Question], Iterable[Hit]] | None = None
    over_all: Callable[[Sequence[Question], Context], Iterable[LintFinding]] | None = None
    otherwise: str = ""
    leak: bool = False
