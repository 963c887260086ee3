"""The goal: clauses quantified over every scenario of the manifest, and the file that holds them."""

import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from harness.errors import JudgeError
from harness.manifest import Manifest
from harness.policy.libraries import ALWAYS_NEEDED, forbids

Threshold = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]


class GoalError(JudgeError):
    """`goal.toml` is not a goal, or not one of this manifest; the message names the key."""

    exit_code = 3


class Clause(BaseModel):
    """One demand on every scenario of `set` whose id matches the glob `scenarios`.

    `correct`: the scenario is CORRECT. `ratio_low`: it is, and the lower end of the interval of its ratio
    over `baseline` is above `above`, on the runner's clock and by the witness (`record.BlockSamples`).
    Both are computed from the record's raw samples. `targets` (`[clause.targets]`, id glob to threshold)
    names scenarios with another threshold; of several globs that match one, the last counts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    text: str = ""
    set: str = Field(min_length=1)
    baseline: str = "start"
    scenarios: str = "*"
    statistic: Literal["ratio_low", "correct"]
    above: Threshold | None = None
    targets: dict[str, Threshold] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _threshold(self) -> "Clause":
        if (self.above is None) != (self.statistic == "correct"):
            raise ValueError("`ratio_low` needs `above`, and `correct` has none")
        if self.targets and self.statistic == "correct":
            raise ValueError("`correct` has no `targets`")
        return self

    def target(self, scenario: str) -> float | None:
        """What a scenario's ratio has to be above; None for a clause about correctness."""
        own = [above for glob, above in self.targets.items() if fnmatchcase(scenario, glob)]
        return own[-1] if own else self.above


class Goal(BaseModel):
    """All clauses must hold. They share one set and one baseline, so that one evaluation decides.

    `forbidden_libraries` are globs over the names of shared libraries (`*blas*`, `libmkl*`) that a candidate
    may not use, beside those that no candidate may (`harness.policy.libraries`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    forbidden_libraries: tuple[str, ...] = ()
    clause: tuple[Clause, ...] = Field(min_length=1)

    @field_validator("forbidden_libraries")
    @classmethod
    def _globs(cls, globs: tuple[str, ...]) -> tuple[str, ...]:
        for glob in globs:
            if not re.fullmatch(r"[\w.+*?\[\]!-]{1,100}", glob) or not glob.strip("*?"):
                raise ValueError(f"{glob!r} is no pattern of a library's name, such as '*blas*' or 'libmkl*'")
            needed = next((one for one in ALWAYS_NEEDED if forbids(glob, one)), None)
            if needed is not None:
                raise ValueError(f"{glob!r} forbids {needed}, which every C++ candidate needs")
        return globs

    @model_validator(mode="after")
    def _one_evaluation_decides(self) -> "Goal":
        if len({(clause.set, clause.baseline) for clause in self.clause}) > 1:
            raise ValueError("the clauses name different sets or baselines; one evaluation must decide them")
        if len({clause.id for clause in self.clause}) < len(self.clause):
            raise ValueError("two clauses have the same id")
        return self

    @property
    def set(self) -> str:
        """The set an evaluation must be over."""
        return self.clause[0].set

    @property
    def baseline(self) -> str:
        """The baseline an evaluation must be against."""
        return self.clause[0].baseline


def default_goal(set_name: str, target: float) -> Goal:
    """Every scenario of the set correct, and its ratio over the start above `target`."""
    return Goal(
        clause=(
            Clause(id="correct", text="every scenario is correct", set=set_name, statistic="correct"),
            Clause(
                id="faster",
                text=f"every scenario's interval lies above {target:g}x over the start",
                set=set_name,
                statistic="ratio_low",
                above=target,
            ),
        )
    )


def dump_goal(goal: Goal) -> str:
    """The goal as TOML; `read_goal` gives the same goal back."""
    said = goal.model_dump(exclude_none=True)
    if not goal.forbidden_libraries:
        del said["forbidden_libraries"]
    for clause in said["clause"]:
        if not clause["targets"]:
            del clause["targets"]
    return tomli_w.dumps(said)


def read_goal(path: Path, manifest: Manifest | None = None) -> Goal:
    """Read `goal.toml`; with a manifest, also refuse sets and globs that name nothing there."""
    try:
        goal = Goal.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise GoalError(f"The goal {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GoalError(f"The goal {path} is not TOML: {error}.") from error
    except ValidationError as error:
        raise GoalError(f"The goal {path} is refused: {_first_fault(error)}.") from error
    if manifest is not None:
        for clause in goal.clause:
            if clause.set not in manifest.sets:
                known = ", ".join(manifest.sets)
                raise GoalError(f"The goal {path} names the set '{clause.set}'; the manifest has {known}.")
            if not ids_of(clause, manifest):
                raise GoalError(
                    f"The goal {path}: clause '{clause.id}' matches no scenario of '{clause.set}' with "
                    f"'{clause.scenarios}'."
                )
            for glob in clause.targets:
                if not any(fnmatchcase(one, glob) for one in ids_of(clause, manifest)):
                    raise GoalError(
                        f"The goal {path}: clause '{clause.id}' has a target for '{glob}', which matches "
                        "none of its scenarios."
                    )
    return goal


def ids_of(clause: Clause, manifest: Manifest) -> tuple[str, ...]:
    """The scenarios that a clause is about, in the manifest's order."""
    return tuple(one for one in manifest.ids(clause.set) if fnmatchcase(one, clause.scenarios))


_WANTED = {
    "tuple_type": "has to be a list: [...], or for clauses [[clause]] tables",
    "dict_type": "has to be a table",
    "model_type": "has to be a table ([[clause]])",
    "model_attributes_type": "has to be a table ([[clause]])",
    "string_type": "has to be text in quotes",
    "string_too_short": "has to say something",
    "float_type": "has to be a number, without quotes",
    "greater_than": "has to be above 0",
    "finite_number": "has to be a number that is finite",
}
"""What a key has to be, by the kind of pydantic's error."""


def _first_fault(error: ValidationError) -> str:
    """The first thing that is wrong, in a goal's own words (pydantic's are about Python)."""
    first = error.errors(include_url=False)[0]
    where, kind = ".".join(_place(first["loc"])), first["type"]
    if kind == "extra_forbidden":
        return f"unknown key '{where}'"
    if kind == "missing" or (kind == "too_short" and where == "clause"):
        return "it has no [[clause]]" if where == "clause" else f"'{where}' is missing"
    if kind == "value_error":
        words = str(first["ctx"]["error"])
    elif kind == "literal_error":
        words = f"has to be {first['ctx']['expected']}"
    else:
        words = _WANTED.get(kind, str(first["msg"]))
    return f"{where}: {words}" if where else words


def _place(location: tuple[int | str, ...]) -> Iterator[str]:
    """Clauses counted from 1, as a reader counts them."""
    for part in location:
        yield str(part + 1) if isinstance(part, int) else part
