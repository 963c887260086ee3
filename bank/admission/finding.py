"""What a lint says, and what a lint is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

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
    """One admission rule: `check` is pure and yields what it found. `why` is shown to authors.

    `leak`: a hit in a person's own question suggests that it carries its answer.
    """

    id: str
    level: Level
    why: str
    check: Callable[[Question], Iterable[Hit]]
    leak: bool = False
