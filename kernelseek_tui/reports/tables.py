"""The tables of a report: which columns, in which words. All rows: a format that cuts some says so."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kernelseek_tui.reports import figures as fig
from kernelseek_tui.reports.model import MomentRow, SessionReport
from kernelseek_tui.review.readded import FILTER
from kernelseek_tui.review.tally import IDLE_GAP


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under a title. `numbers` are columns of figures, `long` tables may be folded."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    long: bool = False


def score_table(one: SessionReport) -> Table:
    """Measurements that moved something and decision points, in order: the curve in words."""
    rows: list[tuple[int, tuple[str, ...]]] = []
    for point in one.score.points:
        if point.best or point.mark != "right":
            interval = (
                f"{point.low:.3g} to {point.high:.3g}"
                if point.low is not None and point.high is not None
                else ""
            )
            what = ", ".join((["new best"] if point.best else []) + [point.mark] * (point.mark != "right"))
            value = fig.UNKNOWN if point.mark == "wrong" else fig.ratio(point.value, one.score.ratio)
            rows.append((point.entry, (str(point.entry), what, value, interval, point.status)))
    for number, flag in enumerate(one.flags, 1):
        rows.append(
            (flag.entry, (str(flag.entry), f"decision point {number}", "", "", flag.kind.replace("_", " ")))
        )
    rows.sort(key=lambda row: row[0])
    columns = ("entry", "what", "score", "interval", "status or kind")
    title = "New bests, wrong and ambiguous measurements, and decision points"
    return Table(title, columns, tuple(row for _, row in rows), frozenset({0, 2}), long=True)


def moments_table(title: str, moments: Sequence[MomentRow], asked: bool = False) -> Table:
    """Decision points with their reasons and the questions for them."""
    rows = []
    for number, moment in enumerate(moments, 1):
        questions = [
            f"{place}. {one.question} [{one.entry}; {'; '.join(one.reasons)}]"
            for place, one in enumerate(moment.suggestions, 1)
        ]
        row = (
            str(number),
            str(moment.entry),
            moment.kind.replace("_", " "),
            f"{moment.confidence:.2f}",
            "\n".join((moment.reason, *(f"“{quote}”" for quote in moment.evidence))),
            "\n".join(questions),
        )
        rows.append((*row, "\n".join(moment.asked)) if asked else row)
    columns: tuple[str, ...] = ("no.", "entry", "kind", "confidence", "why", "questions, best first")
    columns = (*columns, "asked") if asked else columns
    return Table(title, columns, tuple(rows), frozenset({0, 1, 3}), long=True)


def claims_table(one: SessionReport) -> Table:
    """The ledger."""
    rows = tuple(
        (
            str(claim.entry),
            claim.kind + (f" (said {claim.said} times)" if claim.said > 1 else ""),
            f"“{claim.quote}”",
            f"{claim.goal}: {claim.goal_why}",
            f"at {claim.bound_entry}" if claim.bound_entry is not None else "none before it",
            _staleness(claim.measured_entry, claim.events_since, claim.edits_since),
            f"{claim.tried}: {claim.tried_why}",
            "\n".join((f"{claim.fate}: {claim.fate_why}", *claim.evidence)),
        )
        for claim in one.claims
    )
    columns = ("entry", "claim", "words", "goal then", "bound", "evidence", "disproof", "became of it")
    return Table("Claim ledger", columns, rows, frozenset({0}), long=True)


def _staleness(measured: int | None, events: int, edits: int) -> str:
    if measured is None:
        return "nothing was measured before it"
    return f"measured at {measured}, {fig.count(events, 'event')} and {fig.count(edits, 'kernel edit')} ago"


_TASK = {True: ", the task", False: ""}


def jumps_table(one: SessionReport) -> Table:
    """Attribution."""
    rows = tuple(
        (
            str(jump.entry),
            f"{fig.ratio(jump.before, one.score.ratio)} to {fig.ratio(jump.after, one.score.ratio)}",
            f"{jump.factor:.2f}",
            "no message before it"
            if jump.message_entry is None
            else f"entry {jump.message_entry}, {jump.by}{_TASK[jump.opening]}: “{jump.message}”",
            ", ".join(part for part in (jump.act or "unclear", jump.category) if part)
            if jump.message_entry is not None
            else fig.UNKNOWN,
            f"{jump.layer_before or fig.UNKNOWN} to {jump.layer_after or fig.UNKNOWN}",
            ", ".join(jump.moved_to) or "none",
            f"{fig.count(jump.events, 'event')}, {fig.count(jump.measurements, 'measurement')}",
        )
        for jump in one.jumps
    )
    columns = (
        "entry",
        "gain",
        "times",
        "message before",
        "act, category",
        "layer",
        "new layers",
        "in between",
    )
    return Table("Large gains", columns, rows, frozenset({0, 2}))


def messages_table(one: SessionReport) -> Table:
    """Every message."""
    rows = tuple(
        (
            str(message.entry),
            message.by + (f" ({message.bank_entry})" if message.bank_entry else ""),
            message.act or "unclear",
            message.category or ("unclear" if message.asks else ""),
            message.text,
            "; ".join(message.rules),
        )
        for message in one.messages
    )
    columns = ("entry", "by", "act", "category", "text", "rules")
    return Table("Messages to the agent", columns, rows, frozenset({0}), long=True)


def layers_table(one: SessionReport) -> Table:
    """The map."""
    rows = tuple(
        (row.layer, row.how, str(row.measured), str(row.touched), fig.entry(row.first), fig.entry(row.last))
        for row in one.layers
    )
    columns = ("layer", "how", "visits that measured", "other visits", "first entry", "last entry")
    return Table("Layer map", columns, rows, frozenset({2, 3, 4, 5}))


def counts_table(one: SessionReport) -> Table:
    """Everything counted, a line each."""
    return Table("Counted", ("what", "how much"), tuple(_counted(one)))


def _counted(one: SessionReport) -> Iterator[tuple[str, str]]:
    counts, human, spent = one.counts, one.human, one.spent
    yield "turns of the main agent", f"{counts.turns:,}"
    yield "tool calls", f"{counts.tool_calls:,}"
    yield "tool calls by kind", _listed({kind.replace("_", " "): n for kind, n in counts.by_kind.items()})
    yield "tool calls by tool", _listed(counts.by_tool)
    yield "builds", f"{counts.builds:,}"
    yield "benchmark runs", f"{counts.benchmark_runs:,}"
    yield "profiler runs", f"{counts.profiler_runs:,}"
    yield "disassemblies", f"{counts.disassemblies:,}"
    yield "host traces", f"{counts.host_traces:,}"
    yield "subagents", f"{counts.subagents:,}"
    yield "evaluations", f"{counts.evaluations:,}, {counts.judged:,} by the judge"
    yield "read by the agent", f"{counts.bytes_read:,} bytes of tool results"
    yield "of that its own source", fig.share(counts.reading_share)
    yield "added lines", f"{counts.lines_added:,} in {counts.edits_with_diff:,} of {counts.edits:,} edits"
    yield "re-added lines, raw", fig.share(counts.readded_raw)
    yield f"re-added lines, filtered ({FILTER})", fig.share(counts.readded_filtered)
    yield "wall clock", fig.duration(counts.wall_seconds)
    idle = f"gaps over {IDLE_GAP / 60:.0f} minutes with nothing running left out"
    yield "active time", f"{fig.duration(counts.active_seconds)} ({idle})"
    yield "messages of a person, the task aside", f"{human.messages:,} of {human.words:,} words"
    yield (
        "from a flag to a person's message, median",
        (f"{fig.duration(human.median_wait)} over {fig.count(len(human.waits), 'message')}"),
    )
    yield "decision points with no message after them", f"{human.unanswered_flags:,}"
    yield "tokens in, out", f"{spent.input_tokens:,}, {spent.output_tokens:,}"
    yield (
        "tokens read from and written to cache",
        f"{spent.cache_read_tokens:,}, {spent.cache_write_tokens:,}",
    )
    yield "cost as the source names it", fig.money(spent.cost_usd)


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in Counter(counts).most_common()) or "none"
