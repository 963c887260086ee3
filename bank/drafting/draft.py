"""A draft: what somebody said of an entry, and defaults for the rest."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from pydantic import ValidationError

from bank.drafting.defaults import CATEGORIES, CLAIMS, LAYERS, group_for, next_id, outcomes_for, prefix_for
from bank.drafting.sentences import printable
from bank.errors import BankError
from bank.question import Architecture, Category, Evidence, Group, Moves, Outcome, Question, Related
from sessions.vocabulary import DecisionKind, Layer

AUTHOR = "KernelSeek contributors"
MAX_TEXT = 2_000
"""Characters of one text of a draft."""

_FROM_MOVES = "they follow from the moves alone, say what a reading would mean"
_NO_MOVE = "a gap, since no other layer is known: say where each reading leads"


@dataclass(slots=True)
class Wanted:
    """What is known of an entry that is to be drafted; what is empty gets a default or stays empty."""

    question: str = ""
    id: str = ""
    group: Group | None = None
    kinds: tuple[DecisionKind, ...] = ()
    category: tuple[Category, ...] = ()
    moves: Moves | None = None
    refuses_closure: bool | None = None
    needs_upstream: bool = False
    architectures: tuple[Architecture, ...] = ()
    method: str = ""
    tools: tuple[str, ...] = ()
    number: str = ""
    unit: str = ""
    outcomes: tuple[Outcome, ...] = ()
    answered_when: str = ""
    author: str = AUTHOR
    ai_assisted: bool = False
    provenance: Literal["written", "promoted"] = "written"
    related: tuple[Related, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(slots=True)
class Draft:
    """An entry that a person still has to finish. `said` are the remarks that stand above it in the file.

    `assumed` says what was filled in because nobody said it.
    """

    entry: Question
    said: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)


def draft(wanted: Wanted, taken: Iterable[str], today: date) -> Draft:
    """Make an entry of it. `taken` are all ids that the bank, the shipped one and their lists of
    published ids have.

    Raises `BankError` where it cannot be an entry: no question, text that cannot be printed, an id that is
    taken or none.
    """
    taken = frozenset(taken)
    assumed: list[str] = []
    category = wanted.category[0] if wanted.category else None
    group, moves = wanted.group, wanted.moves
    if group is None:
        base = moves or Moves(**{"from": Layer.KERNEL, "to": Layer.KERNEL})
        group, why = group_for(base, category)
        assumed.append(f"group {group.value}: {why}")
    if moves is None:
        moves = Moves(**{"from": Layer.KERNEL, "to": LAYERS[group]})
        assumed.append(f"moves {moves.from_.value} to {moves.to.value}: as most entries of the group do")
    kinds = wanted.kinds
    if not kinds:
        kinds = (DecisionKind.PLATEAU,)
        assumed.append("decision kind plateau: none was given")
    if category is None:
        assumed.append(f"category {CATEGORIES[group].value}: as most entries of the group")
    closing = bool(CLAIMS & set(kinds)) if wanted.refuses_closure is None else wanted.refuses_closure
    outcomes = wanted.outcomes
    if not outcomes:
        outcomes = outcomes_for(moves, closing)
        known = any(one.next or one.verdict for one in outcomes)
        assumed.append(f"outcomes: {_FROM_MOVES if known else _NO_MOVE}")
    name = wanted.id or next_id(prefix_for(group, wanted.needs_upstream, wanted.architectures), taken)
    if name in taken:
        what = f"the id {name} is taken, here or in the shipped bank, and ids are never used again"
        raise BankError(f"{what}; leave --id out", lint="Q21")
    data: dict[str, Any] = {
        "id": name,
        "group": group,
        "question": wanted.question,
        "decision_kinds": kinds,
        "category": wanted.category or (CATEGORIES[group],),
        "moves": moves,
        "refuses_closure": closing,
        "needs_upstream": wanted.needs_upstream,
        "architectures": wanted.architectures,
        "params": tuple(p for p in ("arch", "scenarios") if f"{{{p}}}" in wanted.question),
        "measurement": {
            "method": _text("method", wanted.method),
            "tools": tuple(_text("tool", tool) for tool in wanted.tools) or ("",),
            "number": _text("number", wanted.number),
            "unit": _text("unit", wanted.unit),
        },
        "outcomes": tuple(
            outcome.model_copy(update={"if_": _text("outcome", outcome.if_)}) for outcome in outcomes
        ),
        "answered_when": _text("answered-when", wanted.answered_when),
        "provenance": {
            "kind": wanted.provenance,
            "date": today,
            "author": _text("author", wanted.author),
            "ai_assisted": wanted.ai_assisted,
        },
        "related": wanted.related,
        "evidence": wanted.evidence,
    }
    if len(wanted.question) > MAX_TEXT:
        raise BankError(f"the question is longer than {MAX_TEXT} characters, shorten it")
    try:
        return Draft(Question.model_validate(data), assumed=assumed)
    except ValidationError as error:
        raise BankError(_refusal(error)) from error


def _text(name: str, text: str) -> str:
    if len(text) > MAX_TEXT:
        raise BankError(f"the {name} is longer than {MAX_TEXT} characters, shorten it")
    return printable(text)


def _refusal(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    if first["type"] == "string_unicode":  # bytes of the command line that are no UTF-8
        what = "it is no UTF-8, write one line of printable text"
    elif first["type"] == "string_too_short":
        what = "it is empty"
    elif first["type"] == "string_pattern_mismatch" and key == "id":
        what = "an id is kq-, small letters, a hyphen and three digits, as in kq-host-123"
    return f"this cannot be an entry, {key}: {what}"
