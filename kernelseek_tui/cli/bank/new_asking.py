"""Asks on a terminal for what a draft still lacks. Prompts go to stderr: stdout carries the draft."""

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeVar

import click

from bank.drafting.defaults import NOT_WRITTEN
from bank.drafting.draft import Wanted
from bank.question import Category, Group, Outcome
from bank.words import vocabulary
from kernelseek_tui.cli.bank.new_values import LAYERS, moves_of, outcome_of
from kernelseek_tui.cli.terminal import is_terminal
from sessions.vocabulary import DecisionKind

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


def can_ask() -> bool:
    """Somebody can answer: stdin and stderr are a terminal."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def ask_for(wanted: Wanted) -> None:
    """Fill in what is empty. Raises `click.Abort` on Ctrl-C and at the end of the input."""
    if wanted.group is None:
        wanted.group = _ask("group", "what the question is about", _one(Group), values=list(Group))
    if wanted.question in ("", NOT_WRITTEN):
        help_ = "one sentence that a measurement answers with a number; it names no cure"
        wanted.question = _ask("question", help_, _text, optional=wanted.question or None)
    if not wanted.kinds:
        help_ = "the moments at which it is worth asking, with commas between"
        wanted.kinds = _ask("kinds", help_, _some(DecisionKind), values=list(DecisionKind))
    if not wanted.category:
        help_ = "what it does, of the eight kinds of question"
        wanted.category = _ask("category", help_, _some(Category), values=list(Category))
    if wanted.moves is None:
        help_ = f"FROM:TO, where the agent is and where this takes it; layers: {LAYERS}"
        wanted.moves = _ask("moves", help_, moves_of)
    _ask_measurement(wanted)
    if not wanted.outcomes:
        help_ = "READING=NEXT, with semicolons between, as in 'it is large=host; it is not=stand'"
        wanted.outcomes = _ask("outcomes", help_, _outcomes, optional=())
    if not wanted.answered_when:
        help_ = "what shows that it is answered already: an artefact, and what ties it to this build"
        wanted.answered_when = _ask("answered when", help_, _text, optional="")


def _ask_measurement(wanted: Wanted) -> None:
    if not wanted.method:
        wanted.method = _ask("method", "how it is measured, in one line", _text, optional="")
    if not wanted.tools or wanted.tools == ("",):
        tools = sorted(vocabulary("tools")["tools"])
        wanted.tools = _ask("tools", "with commas between", _words(tools), values=tools, optional=())
    if not wanted.number:
        wanted.number = _ask("number", "what the number is, as in 'idle time per call'", _text, optional="")
    if not wanted.unit:
        wanted.unit = _ask("unit", "us, ratio, percent, bytes, count, ...", _text, optional="")


def _ask(
    name: str, help_: str, read: Callable[[str], T], *, values: Sequence[str] = (), optional: T | None = None
) -> T:
    """Ask until the answer can be read; where it is optional, Enter leaves it empty."""
    click.echo(f"{name}: {help_}" + ("; Enter leaves it empty" if optional is not None else ""), err=True)
    if values:
        click.echo(f"  one of: {', '.join(values)}", err=True)
    while True:
        typed: str = click.prompt("  >", default="", show_default=False, prompt_suffix=" ", err=True).strip()
        if not typed and optional is not None:
            return optional
        try:
            return read(typed)
        except ValueError as error:
            click.echo(f"  {error}", err=True)


def _text(typed: str) -> str:
    if not typed or not typed.isprintable():
        raise ValueError("write one line of printable text")
    return typed


def _one(values: type[E]) -> Callable[[str], E]:
    def read(typed: str) -> E:
        try:
            return values(typed)
        except ValueError:
            raise ValueError(f"{typed[:60]!r} is none of them") from None

    return read


def _some(values: type[E]) -> Callable[[str], tuple[E, ...]]:
    one = _one(values)
    return lambda typed: tuple(one(part.strip()) for part in typed.split(","))


def _words(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    def read(typed: str) -> tuple[str, ...]:
        parts = tuple(part.strip() for part in typed.split(","))
        for part in parts:
            if part not in known:
                raise ValueError(f"{part[:60]!r} is none of them")
        return parts

    return read


def _outcomes(typed: str) -> tuple[Outcome, ...]:
    return tuple(outcome_of(part) for part in typed.split(";"))
