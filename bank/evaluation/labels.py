"""Labelled states: places in sessions with the groups and layers that a question should be of there."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bank.question import Group
from bank.wrong_value import shown, wrong
from sessions.errors import RefusedInput
from sessions.vocabulary import DecisionKind, Layer

_ENDINGS = (".xz", ".gz", ".jsonl", ".json", ".tsv", ".csv")
# The archive of kernelbench.com names a run's file by its task at the end: …_02_kimi_linear_decode.jsonl
_TASK = re.compile(r"_(\d\d_[a-z][a-z0-9_]*)$")


@dataclass(frozen=True, slots=True)
class Gain:
    """The next real gain after a state: the `layer` it came from, and the 0-based entry where it was
    measured. `derived`: worked out from the session's evaluations, not given by an annotator."""

    layer: Layer
    entry: int | None = None
    derived: bool = False


@dataclass(frozen=True, slots=True)
class LabelledState:
    """The state of `file` after its 0-based entry `place` (-1: before the first), and what would help there.

    `kind` is None where the annotator saw no moment of any kind. `groups` and `layers` are best first;
    `groups` has one at least, `layers` may be empty: then nothing is scored on layers. `no_gain`: the
    annotator looked, and no next gain is known.
    """

    id: str
    file: str
    place: int
    kind: DecisionKind | None
    groups: tuple[Group, ...]
    layers: tuple[Layer, ...]
    task: str
    rehearsed: bool = False
    next_gain: Gain | None = None
    no_gain: bool = False


Number = Annotated[int, Field(ge=0, strict=True)]
OneBased = Annotated[int, Field(ge=1, strict=True)]


class _Row(BaseModel):
    # a label may say more than is scored: why, who, when
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Where(_Row):
    entry: Number | tuple[Number, ...] = ()
    line: OneBased | tuple[OneBased, ...] = ()
    row: Number | tuple[Number, ...] = ()

    def last(self) -> int | None:
        found = [*_several(self.entry), *(at - 1 for at in _several(self.line)), *_several(self.row)]
        return max(found, default=None)


class _Gain(_Row):
    layer: Layer
    entry: Number | None = None


class _State(_Row):
    id: str = Field(min_length=1)
    file: str = Field(min_length=1)
    where: _Where
    kind: DecisionKind | Literal["none"]
    groups: tuple[Group, ...] = Field(min_length=1)
    layers: tuple[Layer, ...] = ()
    task: str | None = None
    source: str = ""
    next_gain: _Gain | None = None


class _Case(_Row):
    file: str = Field(min_length=1)
    question_entry: Number
    decision_kind: DecisionKind
    acceptable_groups: tuple[Group, ...] = Field(min_length=1)
    layers: tuple[Layer, ...] = ()


T = TypeVar("T", bound=_Row)


def read_states(path: Path) -> tuple[LabelledState, ...]:
    """The labelled states of a file, in its order (docs/ranking.md has the shapes).

    Of several places the last counts: all belong to the moment, and the state is what was known when it was
    over. Raises `RefusedInput` with what is wrong, and where.
    """
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise RefusedInput(f"{path} holds no labelled states: it is not one JSON document.") from error
    for name, read in (("states", _state), ("cases", _case)):
        rows = document.get(name) if isinstance(document, dict) else None
        if isinstance(rows, list):
            states = tuple(read(row, f"{name}[{at}]", path) for at, row in enumerate(rows))
            _check(states, path)
            return states
    raise RefusedInput(f"{path} holds no labelled states: it is no object with a list `states` or `cases`.")


def task_of(file: str) -> str:
    """The task of a session by its file's name: what follows the last two-digit number, else the name.

    >>> task_of("kernelbench/20260604_131045_claude_claude-opus-4-6_02_kda_cutlass.jsonl")
    '02_kda_cutlass'
    >>> task_of("runs/attention.jsonl.xz")
    'attention'
    """
    name = PurePosixPath(file).name
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    found = _TASK.search(name)
    return found.group(1) if found else name


def _state(row: Any, at: str, path: Path) -> LabelledState:
    read = _read(_State, row, at, path)
    place = read.where.last()
    if place is None:
        raise RefusedInput(f"{path}, {at} is no labelled state: where names no entry, line or row.")
    gain = read.next_gain
    return LabelledState(
        read.id,
        read.file,
        place,
        None if read.kind == "none" else read.kind,
        tuple(dict.fromkeys(read.groups)),
        tuple(dict.fromkeys(read.layers)),
        read.task or task_of(read.file),
        read.source == "rehearsal",
        None if gain is None else Gain(gain.layer, gain.entry),
        gain is None and "next_gain" in read.model_fields_set,
    )


def _case(row: Any, at: str, path: Path) -> LabelledState:
    read = _read(_Case, row, at, path)
    return LabelledState(
        f"{PurePosixPath(read.file).stem}:{read.question_entry}",
        read.file,
        read.question_entry - 1,
        read.decision_kind,
        tuple(dict.fromkeys(read.acceptable_groups)),
        tuple(dict.fromkeys(read.layers)),
        task_of(read.file),
    )


def _read(shape: type[T], row: Any, at: str, path: Path) -> T:
    try:
        return shape.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        # Of a choice of shapes pydantic names the branch, too: str-enum[…], tuple[…], constrained-int.
        steps = [shown(step) for step in first["loc"]]
        field = ".".join(step for step in steps if "[" not in step and "-" not in step)
        said = f"{field}: {wrong(first)}" if field else wrong(first)
        raise RefusedInput(f"{path}, {at} is no labelled state: {said}.") from error


def _check(states: Sequence[LabelledState], path: Path) -> None:
    if not states:
        raise RefusedInput(f"{path} holds no labelled states: its list is empty.")
    seen: set[str] = set()
    for state in states:
        if state.id in seen:
            raise RefusedInput(f"{path} has two states with the id {state.id!r}; give each its own.")
        seen.add(state.id)


def _several(value: int | tuple[int, ...]) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else (value,)
