"""The goal: clauses quantified over every scenario of the manifest, and whether a record meets them.

A clause is counted from the manifest's ids, never from the results: what is missing, extra, there twice or
of another candidate makes the goal unmet, with the reason (facts: harness.md §7.14).
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from harness.errors import JudgeError
from harness.manifest import Manifest, scenario_sha256
from harness.policy.libraries import ALWAYS_NEEDED, forbidden_by, forbids
from harness.record import Record, ScenarioRecord, not_run
from harness.verdict import GoalOutcome, Outcome, Status

SHOWN_IDS = 5
"""How many failing ids a verdict names; the rest are counted."""

RUN_EVALUATE = "run `kernelseek evaluate`"


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


@dataclass(frozen=True, slots=True)
class ClauseReport:
    """A clause that does not hold. `undecided`: every failing interval reaches across the threshold.

    `total`: of how many the failing ones are, where that is not the set.
    """

    id: str
    sentence: str
    failing: tuple[str, ...] = ()
    undecided: bool = False
    total: int | None = None


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
            if not _ids(clause, manifest):
                raise GoalError(
                    f"The goal {path}: clause '{clause.id}' matches no scenario of '{clause.set}' with "
                    f"'{clause.scenarios}'."
                )
            for glob in clause.targets:
                if not any(fnmatchcase(one, glob) for one in _ids(clause, manifest)):
                    raise GoalError(
                        f"The goal {path}: clause '{clause.id}' has a target for '{glob}', which matches "
                        "none of its scenarios."
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
    forbidden = forbidden_by(goal.forbidden_libraries, record.build.needed, record.build.undefined)
    if forbidden:
        return _all_unmet(goal, forbidden, ids)
    if record.protocol.off:
        off = ", ".join(record.protocol.off)
        return _all_unmet(goal, f"The record was made with checks switched off ({off}); {RUN_EVALUATE}.", ids)
    fault, failing = _miscounted(goal, manifest, record)
    if fault:
        return _all_unmet(goal, f"{fault}.", failing)
    from harness.verify.record import (
        fault as contradiction,  # arrays; a hook that only looks up goes without them
    )

    found = contradiction(record)
    if found is not None:
        return _all_unmet(goal, f"The record contradicts itself: {found}; {RUN_EVALUATE}.", ids)
    by_id = {scenario.id: scenario for scenario in record.scenarios}
    reports = [report for clause in goal.clause if (report := _check(clause, manifest, by_id)) is not None]
    not_correct = tuple(one for one in ids if by_id[one].status is not Status.CORRECT)
    if not_correct and not any(set(not_correct) <= set(report.failing) for report in reports):
        # A clause's glob may look away; a set is only done when all of it is right.
        words = _listed([f"{one} {by_id[one].status}" for one in not_correct])
        reports.append(ClauseReport("all-correct", f"not correct: {words}", not_correct))
    unlisted = [one for one in record.off_list if one.status is not Status.CORRECT]
    if unlisted:
        words = _listed([f"{one.id} {one.status}" for one in unlisted])
        words, failing = f"not correct on shapes off the list: {words}", tuple(one.id for one in unlisted)
        reports.append(ClauseReport("off-list", words, failing, total=len(record.off_list)))
    if not reports:
        return GoalReport(
            True, f"All {len(goal.clause)} clauses hold over {len(ids)} of {len(ids)} scenarios."
        )
    failed = dict.fromkeys(one for report in reports for one in report.failing)
    first = (*(one for one in ids if one in failed), *(one for one in failed if one not in ids))[:SHOWN_IDS]
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
    from harness.verify.record import clocks

    ids = _ids(clause, manifest)
    plain: list[tuple[str, str]] = []
    undecided: list[tuple[str, str]] = []
    for one in ids:
        scenario = by_id[one]
        timing = scenario.timing
        above = clause.target(one)
        if scenario.status is not Status.CORRECT:
            plain.append((one, f"{one} {scenario.status}"))
        elif above is None:
            continue
        elif timing is None:
            plain.append((one, f"{one} not timed"))
        else:
            within, seen = clocks(timing)
            low, high = min(within.low, seen.low), within.high
            if math.exp(low) > above:
                continue
            own = "" if above == clause.above else f", target {above:g}x"
            words = f"{one} {timing.ratio:.2f}x ({math.exp(low):.2f}..{timing.high:.2f}{own})"
            (undecided if math.exp(high) > above else plain).append((one, words))
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
        f"{one.id} {'is undecided' if one.undecided else 'fails'} on {len(one.failing)} of "
        f"{total if one.total is None else one.total}, "
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
