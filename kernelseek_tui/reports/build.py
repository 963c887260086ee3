"""Reading sessions into the report's model."""

import re
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from bank.bank import Bank
from kernelseek_tui.hindsight import Moment
from kernelseek_tui.reading import Progress, Reading, read_session
from kernelseek_tui.reports import model
from kernelseek_tui.review import jumps as gains
from kernelseek_tui.review.attention import Flag, attention
from kernelseek_tui.review.curve import Series, finite
from kernelseek_tui.review.ledger import ClaimRow
from kernelseek_tui.review.messages import Message, messages
from kernelseek_tui.review.review import Review
from kernelseek_tui.review.tally import tally
from kernelseek_tui.review.visits import layer_map
from sessions import events as ev
from sessions.archive.redactor import Redactor
from sessions.home import JOURNAL
from sessions.readers.detect import resolve
from sessions.state import SessionState

DAMAGED_SHOWN = 20
EVIDENCE_SHOWN = 4
SUGGESTIONS = 3

_LONE = re.compile("[\ud800-\udfff]")
_At = Callable[[str], int]


def report_of(
    sessions: Sequence[model.SessionReport], bank: Bank, redactor: Redactor | None = None
) -> model.Report:
    """The report of one session or, of several, of a campaign; `redactor` is the one they were read with."""
    title = sessions[0].name if len(sessions) == 1 else f"{len(sessions)} sessions"
    redacted = dict(+redactor.found) if redactor is not None else None
    return model.Report(title, version("kernelseek-tui"), bank.version, tuple(sessions), redacted)


def distinct(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The paths in order, each file once: a session's folder and its journal are the same."""
    found: dict[Path, Path] = {}
    for path in paths:
        found.setdefault(resolve(path).resolve(), path)
    return tuple(found.values())


def session_report(
    path: Path,
    bank: Bank,
    progress: Progress | None = None,
    mapping: Path | None = None,
    redactor: Redactor | None = None,
) -> model.SessionReport:
    """Read one session, redacted where there is a `redactor`, before texts are cut or anything is judged.

    Raises `RefusedInput` for a file that is no transcript.
    """
    review = Review()
    reading = read_session(path, bank, SUGGESTIONS, progress, review.take, mapping, redactor)
    name = name_of(path)
    return from_reading(reading, review, redactor.text(name) if redactor is not None else name)


def from_reading(reading: Reading, review: Review, name: str) -> model.SessionReport:
    """The report of a session that was read with `review` following it."""
    state = reading.state

    def at(event: str) -> int:
        return reading.lines.get(event, max(0, reading.entries - 1))

    said = messages(state)
    series = review.scores.series(state)
    started = state.started
    flags = [Flag(seen.index, seen.event.time) for seen in state.decisions] or [
        Flag(moment.index, review.times[moment.index]) for moment in reading.moments
    ]
    damaged = [f"line {line}: {short(what)}" for line, what in reading.problems]
    if len(damaged) > DAMAGED_SHOWN:
        damaged[DAMAGED_SHOWN:] = [f"and {len(damaged) - DAMAGED_SHOWN} more"]
    return model.SessionReport(
        name=name,
        format=reading.format.name,
        entries=reading.entries,
        unknown=sum(reading.unknown.values()),
        damaged=tuple(damaged),
        rehearsed=state.rehearsed,
        agent=short(started.agent_name) if started else "",
        model=short(started.model or "") if started else "",
        operator=short(started.operator or "") if started else "",
        questioner=short(started.questioner or "") if started else "",
        started=review.time.first.isoformat() if review.time.first else None,
        goal=_goal(state.goal),
        score=_score(series, at),
        today=tuple(_moment(moment, reading.entry(moment)) for moment in reading.moments),
        recorded=tuple(_recorded(state, at)),
        messages=tuple(_message(message, at) for message in said),
        claims=tuple(_claim(row, at) for row in review.ledger.rows(state)),
        claims_said=review.ledger.sayings,
        jumps=tuple(_jump(jump, at) for jump in gains.jumps(state, series, said)),
        layers=tuple(
            model.LayerRow(
                row.layer.value,
                at(row.first.event_id) if row.first else None,
                at(row.last.event_id) if row.last else None,
                row.measured,
                row.touched,
                row.how,
            )
            for row in layer_map(state)
        ),
        counts=_counts(reading, review),
        human=_human(flags, said),
        spent=model.Spent(
            state.spend.input_tokens,
            state.spend.output_tokens,
            state.spend.cache_read_tokens,
            state.spend.cache_write_tokens,
            finite(state.spend.cost_usd) or 0.0,
        ),
    )


def name_of(path: Path) -> str:
    """What a session is called: its file, or the folder of a journal."""
    path = path.absolute()
    return short(path.parent.name if path.name == JOURNAL else path.name)


def short(text: str, limit: int = model.QUOTE) -> str:
    """One line of at most `limit` characters that any file can hold."""
    words = " ".join(_LONE.sub("\ufffd", text[: 4 * limit]).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def _goal(goal: ev.GoalVerdict | None) -> str:
    """The newest verdict in words."""
    if goal is None:
        return "no goal is known here"
    if goal.met is None:
        return f"unknown: {short(goal.reason)}" if goal.reason else "unknown"
    return "met" if goal.met else "unmet: " + short("; ".join(goal.unmet) or goal.reason or "not met")


def _score(series: Series, at: _At) -> model.Score:
    bests = {point.index for point in series.bests()}
    right = [point for point in series.points if point.scores]
    best = series.best
    return model.Score(
        origin=series.origin.value,
        baseline=short(series.baseline, 80),
        scenario_set=short(series.scenario_set, 80),
        scenarios=series.total,
        ratio=series.ratio,
        first=right[0].value if right else None,
        best=best.value if best else None,
        left_out=series.left_out,
        points=tuple(
            model.PointRow(
                at(point.event),
                point.value,
                point.low,
                point.high,
                point.mark.value,
                point.index in bests,
                short(point.status, 80),
            )
            for point in series.points
        ),
    )


def _moment(moment: Moment, entry: int) -> model.MomentRow:
    return _row(moment.decision, moment.suggestions, entry, ())


def _recorded(state: SessionState, at: _At) -> Iterator[model.MomentRow]:
    """What the journal itself says was flagged, shown and asked."""
    shown = {seen.event.parent: seen.event.suggestions for seen in state.shown}
    asked: dict[str | None, list[str]] = {}
    for seen in state.asked:
        asked.setdefault(seen.event.parent, []).append(
            f"{short(seen.event.questioner, 40)}: {seen.event.text}"
        )
    for decision in (seen.event for seen in state.decisions):
        evidence = decision.evidence[0].event if decision.evidence else decision.id
        yield _row(decision, shown.get(decision.id, ()), at(evidence), tuple(asked.get(decision.id, ())))


def _row(
    decision: ev.DecisionPoint, suggestions: Sequence[ev.Suggestion], entry: int, asked: tuple[str, ...]
) -> model.MomentRow:
    return model.MomentRow(
        entry,
        decision.decision.value,
        decision.confidence,
        short(decision.reason, 2 * model.QUOTE),
        tuple(short(evidence.quote) for evidence in decision.evidence[:EVIDENCE_SHOWN]),
        tuple(
            model.Suggested(
                short(one.entry, 40),
                short(one.group, 60),
                short(one.question),
                finite(one.score) or 0.0,
                tuple(short(reason) for reason in one.reasons[:8]),
            )
            for one in suggestions[:SUGGESTIONS]
        ),
        tuple(short(text) for text in asked),
    )


def _message(message: Message, at: _At) -> model.MessageRow:
    read = message.read
    return model.MessageRow(
        at(message.event),
        short(message.by, 40),
        short(message.text),
        read.act.value if read.act else "",
        read.form.value,
        read.asks,
        read.category.value if read.category else "",
        tuple(rule for rule in (read.act_rule, read.category_rule) if rule),
        short(message.entry, 40) if message.entry else None,
    )


def _claim(row: ClaimRow, at: _At) -> model.ClaimRow:
    claim = row.claim
    return model.ClaimRow(
        at(claim.event),
        claim.kind,
        short(claim.quote),
        claim.said,
        claim.goal.value,
        short(claim.goal_why),
        at(claim.bound.event_id) if claim.bound else None,
        at(claim.measured.event_id) if claim.measured else None,
        claim.events_since,
        claim.edits_since,
        row.tried.value,
        row.tried_why,
        row.fate.value,
        row.fate_why,
        tuple(f"entry {at(one.event)}: {short(one.quote)}" for one in row.evidence[:EVIDENCE_SHOWN]),
    )


def _jump(jump: gains.Jump, at: _At) -> model.JumpRow:
    message = jump.message
    read = message.read if message else None
    return model.JumpRow(
        at(jump.after.event),
        jump.before.value or 0.0,
        jump.after.value or 0.0,
        jump.factor,
        at(message.event) if message else None,
        short(message.by, 40) if message else "",
        short(message.text) if message else "",
        jump.opening,
        read.act.value if read and read.act else "",
        read.category.value if read and read.category else "",
        jump.events,
        jump.measurements,
        jump.layer_before.value if jump.layer_before else "",
        jump.layer_after.value if jump.layer_after else "",
        tuple(layer.value for layer in jump.moved_to),
    )


def _counts(reading: Reading, review: Review) -> model.Counts:
    counted = tally(reading.state, review.time)
    return model.Counts(
        turns=counted.turns,
        tool_calls=counted.tool_calls,
        by_kind={kind.value: number for kind, number in counted.by_kind.items()},
        by_tool=_few(counted.by_tool),
        builds=counted.builds,
        benchmark_runs=counted.benchmark_runs,
        profiler_runs=counted.profiler_runs,
        disassemblies=counted.disassemblies,
        host_traces=counted.host_traces,
        subagents=counted.subagents,
        evaluations=counted.evaluations,
        judged=counted.judged,
        wall_seconds=counted.wall,
        active_seconds=counted.active,
        bytes_read=review.reading.total,
        reading_share=review.reading.share,
        lines_added=review.readded.raw.added,
        edits=review.readded.edits,
        edits_with_diff=review.readded.diffs,
        readded_raw=review.readded.raw.share,
        readded_filtered=review.readded.filtered.share,
    )


def _few(by_tool: dict[str, int], most: int = 20) -> dict[str, int]:
    """The tools called most; the rest under one name. Two names that look alike when cut are one."""
    found: dict[str, int] = {}
    for place, (tool, number) in enumerate(by_tool.items()):
        name = short(tool, 60) if place < most else "(other tools)"
        found[name] = found.get(name, 0) + number
    return found


def _human(flags: Sequence[Flag], said: Sequence[Message]) -> model.Human:
    found = attention(flags, said)
    return model.Human(found.messages, found.words, found.waits, found.median_wait, found.unanswered)
