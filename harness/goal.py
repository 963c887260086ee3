"""The goal: clauses quantified over every scenario of the manifest, and whether a record meets them.

A clause is counted from the manifest's ids, never from the results: what is missing, extra, there twice or
of another candidate makes the goal unmet, with the reason (facts: harness.md §7.14).
"""

import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.errors import JudgeError
from harness.manifest import Manifest, scenario_sha256
from harness.record import Record, ScenarioRecord, not_run
from harness.verdict import GoalOutcome, Outcome, Status

SHOWN_IDS = 5
"""How many failing ids a verdict names; the rest are counted."""

RUN_EVALUATE = "run `kernelseek evaluate`"


class GoalError(JudgeError):
    """`goal.toml` is not a goal, or not one of this manifest; the message names the key."""

    exit_code = 3


class Clause(BaseModel):
    """One demand on every scenario of `set` whose id matches the glob `scenarios`.

    `correct`: the scenario is CORRECT. `ratio_low`: it is, and the lower end of the interval of its ratio
    over `baseline` is above `above`, on the runner's clock and by the witness (`record.BlockSamples`).
    Both are computed from the record's raw samples.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    text: str = ""
    set: str = Field(min_length=1)
    baseline: str = "start"
    scenarios: str = "*"
    statistic: Literal["ratio_low", "correct"]
    above: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)] | None = None

    @model_validator(mode="after")
    def _threshold(self) -> "Clause":
        if (self.above is None) != (self.statistic == "correct"):
            raise ValueError("`ratio_low` needs `above`, and `correct` has none")
        return self


class Goal(BaseModel):
    """All clauses must hold. They share one set and one baseline, so that one evaluation decides."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    clause: tuple[Clause, ...] = Field(min_length=1)

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


@dataclass(frozen=True, slots=True)
class ClauseReport:
    """A clause that does not hold. `undecided`: every failing interval reaches across the threshold."""

    id: str
    sentence: str
    failing: tuple[str, ...] = ()
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class GoalReport:
    """What the goal says about a record.

    `met` is None where the judge itself could not judge. `reason` is one sentence; `first_failing` the
    first failing ids in the manifest's order.
    """

    met: bool | None
    reason: str
    unmet: tuple[ClauseReport, ...] = ()
    first_failing: tuple[str, ...] = ()

    @property
    def outcome(self) -> GoalOutcome:
        """AMBIGUOUS only where undecided intervals are all that is unmet."""
        if self.met:
            return GoalOutcome.MET
        undecided = bool(self.unmet) and all(clause.undecided for clause in self.unmet)
        return GoalOutcome.AMBIGUOUS if undecided else GoalOutcome.UNMET


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
    return tomli_w.dumps(goal.model_dump(exclude_none=True))


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
            if not _ids(clause, manifest):
                raise GoalError(
                    f"The goal {path}: clause '{clause.id}' matches no scenario of '{clause.set}' with "
                    f"'{clause.scenarios}'."
                )
    return goal


def check_goal(goal: Goal, manifest: Manifest, record: Record | None, candidate_sha256: str) -> GoalReport:
    """Whether `record` shows that the candidate with that hash meets the goal. Never raises on a record."""
    ids = manifest.ids(goal.set)
    if record is None:
        return _all_unmet(goal, f"This candidate has no evaluation yet: {RUN_EVALUATE}.", ids)
    stale = _stale(goal, manifest, record, candidate_sha256)
    if stale:
        return _all_unmet(goal, stale, ids)
    if not_run(record):
        return _all_unmet(goal, record.summary, ids)
    from harness.audit import audit  # arrays; a hook that only looks a record up goes without them

    contradiction = audit(record)
    if contradiction:
        return _all_unmet(goal, f"The record contradicts itself: {contradiction}; {RUN_EVALUATE}.", ids)
    fault, failing = _miscounted(goal, manifest, record)
    if fault:
        return _all_unmet(goal, f"{fault}.", failing)
    by_id = {scenario.id: scenario for scenario in record.scenarios}
    reports = [report for clause in goal.clause if (report := _check(clause, manifest, by_id)) is not None]
    not_correct = tuple(one for one in ids if by_id[one].status is not Status.CORRECT)
    if not_correct and not any(set(not_correct) <= set(report.failing) for report in reports):
        # A clause's glob may look away; a set is only done when all of it is right.
        words = _listed([f"{one} {by_id[one].status}" for one in not_correct])
        reports.append(ClauseReport("all-correct", f"not correct: {words}", not_correct))
    if not reports:
        return GoalReport(
            True, f"All {len(goal.clause)} clauses hold over {len(ids)} of {len(ids)} scenarios."
        )
    failed = {one for report in reports for one in report.failing}
    first = tuple(one for one in ids if one in failed)[:SHOWN_IDS]
    if record.status is Outcome.INFRASTRUCTURE:
        return GoalReport(None, f"The judge could not judge: {record.summary}", tuple(reports), first)
    return GoalReport(False, _reason(reports, len(ids)), tuple(reports), first)


def _stale(goal: Goal, manifest: Manifest, record: Record, candidate_sha256: str) -> str:
    """Why the record is of another contest; empty where it is not."""
    if record.hashes.candidate != candidate_sha256:
        return f"The newest record is of another version of the candidate: {RUN_EVALUATE}."
    if record.operator != manifest.operator:
        return f"The record is of the operator '{record.operator}', the workspace of '{manifest.operator}'."
    if record.hashes.start != manifest.start_sha256 or record.hashes.operator != manifest.operator_sha256:
        return (
            f"The operator '{manifest.operator}' was changed since this workspace was made; "
            "make a new one with `kernelseek init`."
        )
    if record.scenario_set != goal.set:
        return f"The record is over the set '{record.scenario_set}', the goal over '{goal.set}'."
    if record.baseline != goal.baseline:
        return f"The record's ratios are over '{record.baseline}', the goal's over '{goal.baseline}'."
    return ""


def _miscounted(goal: Goal, manifest: Manifest, record: Record) -> tuple[str, tuple[str, ...]]:
    """What is wrong with the record's list of scenarios, and which ids; empty where it is the manifest's."""
    wanted = {scenario.id: scenario.sha256 for scenario in manifest.sets.get(goal.set, ())}
    seen = Counter(scenario.id for scenario in record.scenarios)
    hashes = {one.id: scenario_sha256(one.id, one.family, one.params) for one in record.scenarios}
    faults = (
        ("was not judged", [one for one in wanted if one not in seen]),
        ("is in the record more than once", [one for one in seen if seen[one] > 1]),
        ("is not in the manifest", [one for one in seen if one not in wanted]),
        ("was changed since", [one for one in wanted if hashes.get(one, wanted[one]) != wanted[one]]),
    )
    for what, ids in faults:
        if ids:
            return f"{len(ids)} of {len(wanted)} scenarios: {_listed(ids)} {what}", tuple(ids)
    return "", ()


def _check(clause: Clause, manifest: Manifest, by_id: dict[str, ScenarioRecord]) -> ClauseReport | None:

    from harness.audit import clocks

    ids = _ids(clause, manifest)
    plain: list[tuple[str, str]] = []
    undecided: list[tuple[str, str]] = []
    for one in ids:
        scenario = by_id[one]
        timing = scenario.timing
        if scenario.status is not Status.CORRECT:
            plain.append((one, f"{one} {scenario.status}"))
        elif clause.above is None:
            continue
        elif timing is None:
            plain.append((one, f"{one} not timed"))
        else:
            within, seen = clocks(timing)
            low, high = min(within.low, seen.low), within.high
            if math.exp(low) > clause.above:
                continue
            words = f"{one} {timing.ratio:.2f}x ({math.exp(low):.2f}..{timing.high:.2f})"
            (undecided if math.exp(high) > clause.above else plain).append((one, words))
    if not ids:
        return ClauseReport(clause.id, f"matches no scenario of '{clause.set}'", manifest.ids(clause.set))
    failing = plain + undecided
    if not failing:
        return None
    target = "correct" if clause.above is None else f"above {clause.above:g}x over {clause.baseline}"
    how = "not" if plain else "not surely"
    sentence = f"{len(failing)} of {len(ids)} {how} {target}: {_listed([words for _, words in failing])}"
    return ClauseReport(clause.id, sentence, tuple(one for one, _ in failing), undecided=not plain)


def _reason(reports: Sequence[ClauseReport], total: int) -> str:
    """Which clauses, how widely and where first; the clauses' own sentences have the numbers."""
    words = (
        f"{one.id} {'is undecided' if one.undecided else 'fails'} on {len(one.failing)} of {total}, "
        f"first {one.failing[0]}"
        for one in reports
    )
    return "; ".join(words) + "."


def _all_unmet(goal: Goal, reason: str, failing: Sequence[str]) -> GoalReport:
    sentence = reason.removesuffix(".")
    unmet = tuple(ClauseReport(clause.id, sentence, tuple(failing)) for clause in goal.clause)
    return GoalReport(False, reason, unmet, tuple(failing)[:SHOWN_IDS])


def _ids(clause: Clause, manifest: Manifest) -> tuple[str, ...]:
    return tuple(one for one in manifest.ids(clause.set) if fnmatchcase(one, clause.scenarios))


def _listed(words: Sequence[str]) -> str:
    more = len(words) - SHOWN_IDS
    return ", ".join(words[:SHOWN_IDS]) + (f" and {more} more" if more > 0 else "")


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(_place(first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"unknown key '{where}'"
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _place(location: tuple[int | str, ...]) -> Iterator[str]:
    """Clauses counted from 1, as a reader counts them."""
    for part in location:
        yield str(part + 1) if isinstance(part, int) else part
