"""Whether a record meets the goal.

A clause is counted from the manifest's ids, never from the results: what is missing, extra, there twice or
of another candidate makes the goal unmet, with the reason.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from harness.blocks import blocks_of
from harness.goal import Clause, Goal, ids_of
from harness.manifest import Manifest, scenario_sha256
from harness.policy.libraries import forbidden_by
from harness.record.record import Record, ScenarioRecord, not_run
from harness.verdict import GoalOutcome, Outcome, Status

SHOWN_IDS = 5
"""How many failing ids a verdict names; the rest are counted."""


RUN_EVALUATE = "run `kernelseek evaluate`"


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
    if record.asked.blocks not in (None, blocks_of(goal.set)):
        blocks = f"{record.asked.blocks} blocks a scenario in place of {blocks_of(goal.set)}"
        return _all_unmet(goal, f"The record was made with {blocks}; {RUN_EVALUATE}.", ids)
    fault, failing = _miscounted(goal, manifest, record)
    if fault:
        # What is wrong with the candidate comes before what is wrong with the list: the exit code says it.
        bad = [one for one in record.scenarios if one.status not in {Status.CORRECT, Status.NOT_RUN}]
        words = f"not correct: {_listed([f'{one.id} {one.status}' for one in bad])}; " if bad else ""
        named = dict.fromkeys([*(one.id for one in bad), *failing])
        return _all_unmet(goal, f"{words}{fault}.", tuple(named))
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
    changed = [one for one in wanted if hashes.get(one, wanted[one]) != wanted[one]]
    faults = (
        ("was", "were", "not judged", [one for one in wanted if one not in seen]),
        ("is", "are", "in the record more than once", [one for one in seen if seen[one] > 1]),
        ("is", "are", "not in the manifest", [one for one in seen if one not in wanted]),
        ("was", "were", "changed since", changed),
    )
    for one_was, they_were, what, ids in faults:
        if ids:
            verb = one_was if len(ids) == 1 else they_were
            return f"{len(ids)} of {len(wanted)} scenarios {verb} {what}: {_listed(ids)}", tuple(ids)
    return "", ()


def _check(clause: Clause, manifest: Manifest, by_id: dict[str, ScenarioRecord]) -> ClauseReport | None:
    from harness.verify.record import clocks

    ids = ids_of(clause, manifest)
    own = any(clause.target(one) != clause.above for one in ids)
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
            at = f", target {above:g}x" if own else ""
            words = f"{one} {timing.ratio:.2f}x ({math.exp(low):.2f}..{timing.high:.2f}{at})"
            (undecided if math.exp(high) > above else plain).append((one, words))
    if not ids:
        return ClauseReport(clause.id, f"matches no scenario of '{clause.set}'", manifest.ids(clause.set))
    failing = plain + undecided
    if not failing:
        return None
    wanted = "its own target" if own or clause.above is None else f"{clause.above:g}x"
    target = "correct" if clause.above is None else f"above {wanted} over {clause.baseline}"
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


def _listed(words: Sequence[str]) -> str:
    more = len(words) - SHOWN_IDS
    return ", ".join(words[:SHOWN_IDS]) + (f" and {more} more" if more > 0 else "")
