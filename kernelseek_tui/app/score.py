"""What the scoreboard says of a state: rows of text, computed from nothing but that state."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from kernelseek_tui.app import figures
from kernelseek_tui.app.chart import bounds, curve
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.layer_strip import strip
from kernelseek_tui.app.lines import Line, Span, clip, line, pad, wrap_text
from kernelseek_tui.app.render.scores import first_failing, headline
from kernelseek_tui.plain import one_line
from sessions import events as ev
from sessions.state import Seen, SessionState, Spend

CHART_ROWS = 4
PRINTED_ROWS = 12


def time_lost(item: ev.ScenarioResult) -> float:
    """Nanoseconds above the bound, or all of them where no bound is known; wrong ones come first."""
    if figures.bad_status(item.status):
        return float("inf")
    if item.candidate_ns is None:
        return -1.0 if item.ratio is None else 1 / max(item.ratio, 1e-9)
    return item.candidate_ns - (item.bound_ns or 0.0)


@dataclass(frozen=True, slots=True)
class Read:
    """What a transcript without evaluations of ours has instead: scores that its own text printed.

    `foreign`: no evaluation of ours can ever come: the file is no journal of ours, or the session (`live`)
    works in no workspace. `scores` are (event, value, the words), oldest first.
    """

    foreign: bool
    scores: tuple[tuple[int, float, str], ...] = ()
    live: bool = False


@dataclass(frozen=True, slots=True)
class Conduct:
    """How the agent goes about it.

    `reads`: how much of what it reads is its own source, from 0 to 1, None while it has read nothing;
    `without_bound`: how many of its claims came before any bound had been measured or computed.
    """

    reads: float | None = None
    claims: int = 0
    without_bound: int = 0


def board(
    state: SessionState,
    width: int,
    glyphs: Glyphs,
    read: Read | None = None,
    conduct: Conduct | None = None,
) -> list[Line]:
    """All rows of the scoreboard at `width` cells. `read`: of a replay; `conduct`: as far as it is known."""
    rows = _board(state, width, glyphs, read)
    rows += [
        *conduct_rows(conduct, width, glyphs),
        *_layers(state, width, glyphs),
        *_spend(state, width, glyphs),
    ]
    return [clip(row, width, glyphs.more) for row in rows]


def _board(state: SessionState, width: int, glyphs: Glyphs, read: Read | None) -> list[Line]:
    latest = state.latest
    if latest is None:
        return _empty(state, width, glyphs, read)
    last = latest.event
    rows = [clip(line((" ", "text"), *headline(last, glyphs.times)), width)]
    rows.append(clip(_named(last, len(state.evaluations), glyphs), width))
    best = state.best
    if best is not None and best.event is not last:
        number = 1 + next(i for i, seen in enumerate(state.evaluations) if seen.index == best.index)
        text = f" best {figures.ratio(best.event.geomean, glyphs.times)}"
        rows.append(line((text, "good"), (f"  at evaluation {number}", "faint")))
    if state.rehearsed:
        rows.append(line((" REHEARSED: a scripted agent, a real judge", "warn")))
    rows += _history(state, width, glyphs)
    rows += _scenarios(last, state, width, glyphs)
    return rows + _goal(state, latest, width, glyphs)


def _empty(state: SessionState, width: int, glyphs: Glyphs, read: Read | None) -> list[Line]:
    rows: list[Line] = []
    if state.rehearsed:
        rows.append(line((" REHEARSED: a scripted agent, a real judge", "warn")))
    if read is not None and read.live:
        text = "This session works in no workspace of ours: nothing is judged."
    elif read is not None and read.foreign:
        text = "This transcript holds no evaluation by our judge."
    elif read is not None:
        text = "No evaluation up to here."
    else:
        text = "No evaluation yet."
    rows += wrap_text(text, "text", width - 1, ((" ", "text"),))
    if read is None:
        hint = (
            "The first one brings the geometric mean over the baseline with its interval, "
            "each scenario's ratio, and the goal."
        )
        rows += wrap_text(hint, "muted", width - 1, ((" ", "text"),))
    else:
        rows += _printed(read.scores, width, glyphs)
    return rows


def conduct_rows(conduct: Conduct | None, width: int, glyphs: Glyphs) -> list[Line]:
    """Claims, with the key that shows them, and how much of its own source the agent reads."""
    rows: list[Line] = []
    if conduct is None:
        return rows
    if conduct.claims:
        bare = f" ({conduct.without_bound} without a measured bound)" if conduct.without_bound else ""
        rows.append(
            line((f" claims {conduct.claims}", "text"), (bare, "warn"), ("  c", "key"), (" shows", "faint"))
        )
    if conduct.reads is not None:
        rows.append(line((f" reads: {conduct.reads:.0%} own source".replace("%", " %"), "text")))
    return [_heading("conduct", width, glyphs), *rows] if rows else rows


def _layers(state: SessionState, width: int, glyphs: Glyphs) -> list[Line]:
    """Where the session has worked, and where it never has."""
    rows = strip(state, width, glyphs)
    return [_heading("layers visited", width, glyphs), *rows] if rows else []


def _printed(scores: Sequence[tuple[int, float, str]], width: int, glyphs: Glyphs) -> list[Line]:
    """Numbers that the session's own commands printed, newest first; nobody vouches for them."""
    if not scores:
        return []
    rows = [_heading(f"{len(scores)} read from the text, not judged", width, glyphs)]
    for event, value, words in reversed(scores[-PRINTED_ROWS:]):
        head = line((f" {value:g} ", "strong"), (f" event {event + 1}  ", "faint"))
        rows.append(clip(line(*head, (one_line(words, 160), "muted")), width, glyphs.more))
    if len(scores) > PRINTED_ROWS:
        rows.append(line((f" {glyphs.more} and {len(scores) - PRINTED_ROWS} before", "faint")))
    return rows


def _named(last: ev.Evaluation, number: int, glyphs: Glyphs) -> Line:
    dot = f" {glyphs.dot} "
    parts = [f" over {one_line(last.baseline, 40)}" if last.baseline else " no baseline named"]
    if last.scenario_set:
        parts.append(f"set {one_line(last.scenario_set, 30)}")
    parts.append(f"evaluation {number}")
    mark: Span = (dot + figures.judged(last), "muted" if last.source_kind == "judge" else "warn")
    return line((dot.join(parts), "muted"), mark)


def _heading(text: str, width: int, glyphs: Glyphs) -> Line:
    return line((f" {text} ", "heading"), (glyphs.rule * max(0, width - len(text) - 3), "faint"))


def _history(state: SessionState, width: int, glyphs: Glyphs) -> list[Line]:
    """Geometric mean over evaluations; a wrong one is 0 in the judge's books and a cross here."""
    points = [seen.event for seen in state.series]
    good = [
        point.geomean
        for point in points
        if point.geomean is not None and not figures.bad_status(point.status)
    ]
    if not good or len(points) < 2:
        return []  # one point is no history
    wrong = len([point for point in points if figures.bad_status(point.status)])
    note = f"history of {len(points)}" + (f", {wrong} wrong" if wrong else "")
    rows = [_heading(note, width, glyphs)]
    low, high = bounds(good)
    margin = 7
    values: list[float] = []
    for point in points:
        usable = point.geomean is not None and not figures.bad_status(point.status)
        # A wrong evaluation does not move the curve; the row below it says where it was.
        values.append(float(point.geomean or 0) if usable else (values[-1] if values else good[0]))
    across = max(4, width - margin - 2)
    drawn = curve(values, across, CHART_ROWS, glyphs.braille)
    for row, cells in enumerate(drawn):
        label = figures.ratio(high, glyphs.times) if row == 0 else ""
        label = figures.ratio(low, glyphs.times) if row == CHART_ROWS - 1 else label
        rows.append(
            line(
                (pad(label, margin, right=True), "faint"),
                (glyphs.cursor[:1] or "|", "faint"),
                (cells, "accent"),
            )
        )
    if wrong:
        signs = [" "] * across
        for index, point in enumerate(points):
            if figures.bad_status(point.status):
                signs[min(across - 1, index * across // len(points))] = glyphs.bad
        rows.append(line((" " * (margin + 1), "text"), ("".join(signs), "bad")))
    return rows


def _scenarios(last: ev.Evaluation, state: SessionState, width: int, glyphs: Glyphs) -> list[Line]:
    if not last.scenarios:
        return []
    floor = f", floor {last.noise_floor:.1%}" if last.noise_floor is not None else ""
    rows = [_heading(f"scenarios by time lost{floor}", width, glyphs)]
    longest = max(cell_len(one_line(item.id, 80)) for item in last.scenarios)
    name = max(10, min(longest, width - 36 if width >= 50 else width - 12))
    ordered = sorted(last.scenarios, key=time_lost, reverse=True)
    for item in ordered:
        bad = figures.bad_status(item.status)
        word = item.status if bad or item.status == "UNSUPPORTED" else (item.verdict or item.status)
        role = (
            "bad"
            if bad
            else figures.VERDICT_ROLES.get(word, "warn" if item.status == "UNSUPPORTED" else "muted")
        )
        signs = {"FASTER": glyphs.up, "SLOWER": glyphs.down, "SAME": glyphs.same}
        sign = glyphs.bad if bad else signs.get(word, glyphs.question)
        gap = state.gaps.get(item.id)
        rows.append(
            clip(
                line(
                    (f" {sign} ", role),
                    (pad(one_line(item.id, 80), name), "text"),
                    (pad("" if bad else figures.ratio(item.ratio, glyphs.times), 8, right=True), "strong"),
                    (f" {pad('' if bad else figures.interval(item.low, item.high), 14)}", "muted"),
                    (f" {word}" if bad or word not in signs else "", role),
                    (f" {gap.value}" if gap else "", "accent"),
                ),
                width,
                glyphs.more,
            )
        )
    return rows


def _goal(state: SessionState, evaluated: Seen[ev.Evaluation], width: int, glyphs: Glyphs) -> list[Line]:
    """Clauses that are not met, from the newest verdict or evaluation, whichever came last."""
    verdict = state.goals[-1] if state.goals else None
    if verdict is None and not evaluated.event.unmet:
        return []
    rows = [_heading("goal", width, glyphs)]
    if verdict is not None and verdict.index >= evaluated.index:
        met, unmet, first = verdict.event.met, verdict.event.unmet, verdict.event.first_failing
    else:
        met, unmet, first = (False if evaluated.event.unmet else None), evaluated.event.unmet, ()
    if met:
        rows.append(line((f" {glyphs.ok} met: every clause holds", "good")))
    elif met is None:
        rows.append(line((" ? not known for the newest evaluation", "warn")))
    for clause in unmet:
        rows += wrap_text(
            one_line(clause), "warn", width, line((f" {glyphs.unmet} ", "warn")), line(("   ", "text"))
        )
    if names := first_failing(unmet, first):
        rows += wrap_text(f"first failing: {names}", "muted", width, line(("   ", "text")))
    return rows


def spend_words(spend: Spend, model: str) -> list[str]:
    """Model, tokens and money as they are known; the last says most."""
    whole = spend.input_tokens + spend.cache_read_tokens + spend.cache_write_tokens
    if not (whole or spend.output_tokens or spend.cost_usd):
        return []
    parts = [one_line(model, 40)] if model else []
    cached = f" ({figures.count(spend.cache_read_tokens)} cached)" if spend.cache_read_tokens else ""
    parts += [f"{figures.count(whole)} tokens in{cached}", f"{figures.count(spend.output_tokens)} out"]
    if spend.cost_usd:
        parts.append(f"${spend.cost_usd:.2f}")
    return parts


def _spend(state: SessionState, width: int, glyphs: Glyphs) -> list[Line]:
    parts = spend_words(state.spend, state.started.model or "" if state.started is not None else "")
    if not parts:
        return []
    row = f" {glyphs.dot} ".join(parts)
    return [_heading("spend", width, glyphs), *wrap_text(row, "muted", width, ((" ", "text"),))]
