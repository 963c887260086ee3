"""Measurements: evaluations as a score card of one row, goals, gap classes."""

from collections.abc import Sequence

from rich.cells import cell_len

from kernelseek_tui.app import figures
from kernelseek_tui.app.lines import Line, clip, line, pad, wrap_text
from kernelseek_tui.app.render.registry import Scene, block, renders
from kernelseek_tui.plain import one_line
from sessions import events as ev


def headline(event: ev.Evaluation, times: str = "×") -> Line:
    """Geometric mean, verdict, interval and n/N; a wrong evaluation scores 0 and says so first."""
    if figures.bad_status(event.status):
        return line(
            (f"{event.status.replace('_', ' ')}  ", "bad"),
            ("scores 0  " if event.source_kind == "judge" else "", "bad"),
            (f"{event.correct}/{event.total} correct" if event.total else "", "muted"),
        )
    word = figures.verdict(event)
    complete = event.correct == event.total
    return line(
        (figures.ratio(event.geomean, times), "strong"),
        (f" {word}" if word else "", figures.VERDICT_ROLES.get(word, "text")),
        (f" {figures.interval(event.low, event.high)}".rstrip(), "muted"),
        (f"  {event.correct}/{event.total} correct" if event.total else "", "muted" if complete else "warn"),
    )


@renders("evaluation")
def evaluation(event: ev.Evaluation, scene: Scene) -> list[Line]:
    """One row; under it what failed first; expanded, every scenario."""
    glyphs = scene.glyphs
    bad = figures.bad_status(event.status)
    over = f"over {one_line(event.baseline, 40)}" if event.baseline else "no baseline named"
    tags = [over, *([f"set {one_line(event.scenario_set, 30)}"] if event.scenario_set else [])]
    if event.source_kind == "judge" and not event.counts:
        tags.append("does not count")
    head = line(
        (f"{glyphs.bad if bad else glyphs.even} ", "bad" if bad else "accent"),
        ("SCORE  ", "bad" if bad else "accent"),
        *headline(event, glyphs.times),
        (f"  {f' {glyphs.dot} '.join(tags)}", "faint"),
        (f" {glyphs.dot} {figures.judged(event)}", "faint" if event.source_kind == "judge" else "warn"),
    )
    rows = [clip(head, scene.width, glyphs.more)]
    failing = [item for item in event.scenarios if figures.bad_status(item.status)]
    if event.detail and (bad or scene.expanded):
        rows += block(event.detail, "muted", scene, (("    ", "text"),), 6)
    if scene.expanded:
        rows += [scenario_row(item, scene) for item in event.scenarios]
    elif failing:
        first = failing[0]
        if first.id in event.detail and (first.detail or first.status) in event.detail:
            return rows  # the detail above says it already
        text = f"first failing: {one_line(first.id, 80)} {first.status} {one_line(first.detail, 300)}"
        rows += wrap_text(text.rstrip(), "bad", scene.width, line(("    ", "text")))
    return rows


def first_failing(unmet: Sequence[str], names: Sequence[str]) -> str:
    """The first failing scenarios, but those that a clause above names already."""
    return ", ".join(one_line(name, 60) for name in names if not any(name in clause for clause in unmet))


def scenario_row(item: ev.ScenarioResult, scene: Scene) -> Line:
    """One scenario of an expanded score card."""
    name = max(12, min(cell_len(one_line(item.id, 80)), scene.width - 42))
    bad = figures.bad_status(item.status)
    state = item.status if bad or item.status == "UNSUPPORTED" else item.verdict or item.status
    return clip(
        line(
            (f"    {pad(one_line(item.id, 80), name)} ", "text"),
            (pad(figures.ratio(item.ratio, scene.glyphs.times), 7, right=True), "strong"),
            (f" {pad(figures.interval(item.low, item.high), 14)} ", "muted"),
            (f"{state} ", "bad" if bad else figures.VERDICT_ROLES.get(item.verdict or "", "muted")),
            (one_line(item.detail, 120), "faint"),
        ),
        scene.width,
    )


@renders("goal_verdict")
def goal(event: ev.GoalVerdict, scene: Scene) -> list[Line]:
    """Met, unmet or unknown, with the clauses that are not met."""
    glyphs = scene.glyphs
    if event.met:
        rows = [line((f"{glyphs.ok} GOAL MET", "good"))]
    elif event.met is None:
        rows = [line(("? GOAL UNKNOWN", "warn"))]
    else:
        rows = [line((f"{glyphs.unmet} GOAL NOT MET", "warn"))]
    if event.reason:
        rows += block(event.reason, "muted", scene, (("    ", "text"),), 4)
    rows += [
        clip(line((f"    {glyphs.unmet} {one_line(clause)}", "warn")), scene.width) for clause in event.unmet
    ]
    if names := first_failing(event.unmet, event.first_failing):
        rows.append(clip(line((f"    first failing: {names}", "muted")), scene.width))
    return rows


@renders("gap_class")
def gap(event: ev.GapClassified, scene: Scene) -> list[Line]:
    """What holds scenarios back, and the measurement that says so."""
    names = ", ".join(one_line(item, 60) for item in event.scenarios)
    head = line((f"{scene.glyphs.even} GAP {event.gap.value}  ", "accent"), (names, "text"))
    return [clip(head, scene.width), *block(event.measured, "muted", scene, (("    ", "text"),), 3)]
