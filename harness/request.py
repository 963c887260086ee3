"""What is asked of the judge, and how far it is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

FEWEST_BLOCKS, MOST_BLOCKS = 4, 256
"""With fewer no interval means anything; more than any judge takes."""

Stage = Literal["build", "check", "wait", "time", "aa", "done"]
"""`wait`: another judge is timing on this machine; `aa`: the baseline against its own twin."""


class EvaluationRequest(BaseModel):
    """One evaluation. Serialised as JSON it is the file `python -m harness.judge --request` reads.

    `operator` is a registered name; `scenario_set` one of its sets (None: its default) and `scenarios` a
    glob over ids inside that set. `blocks` None means the set's own number. `python` is the interpreter
    of the reference worker (None: this one). `candidates` is where the frozen copy is kept and
    `cache` where builds are (None: the user's cache). `fresh`: what a broken evaluation had finished is not
    used. `forbidden_libraries` are the goal's (`goal.Goal`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    operator: str
    candidate: Path
    scenario_set: str | None = None
    scenarios: str | None = None
    baseline: str = "start"
    python: str | None = None
    blocks: int | None = Field(default=None, ge=FEWEST_BLOCKS, le=MOST_BLOCKS)
    device: Literal["auto", "cpu", "cuda"] = "auto"
    owner: str = "none"
    rehearsed: bool = False
    cache: Path | None = None
    candidates: Path | None = None
    check_only: bool = False
    fresh: bool = False
    forbidden_libraries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an evaluation is. `seconds_left` is an estimate, None before there is one."""

    stage: Stage
    done: int
    total: int
    seconds_left: float | None = None
    scenario: str = ""
