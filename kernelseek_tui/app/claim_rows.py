"""How the claim ledger is written: two rows a claim, and all there is to say of the one that is selected."""

from collections.abc import Callable

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, Span, clip, line, pad, wrap_text
from kernelseek_tui.plain import one_line
from kernelseek_tui.review.fate import Fate, Tried
from kernelseek_tui.review.ledger import ClaimRow, GoalTruth

QUOTE_ROWS = 3
EVIDENCE = 3

Where = Callable[[str], int | None]
"""The index of an event by its id."""

_FATES = {
    Fate.WITHDRAWN: "muted",
    Fate.CONTRADICTED: "bad",
    Fate.BEATEN: "warn",
    Fate.STANDS: "strong",
}
_GOALS = {GoalTruth.MET: "good", GoalTruth.UNMET: "bad", GoalTruth.UNKNOWN: "muted"}
_TRIED: dict[Tried, Span] = {
    Tried.NO: ("disproof not tried", "warn"),
    Tried.YES: ("disproof tried", "muted"),
    Tried.RECORDED: ("disproof on record", "good"),
}


def claim_rows(row: ClaimRow, width: int, glyphs: Glyphs) -> list[Line]:
    """Where, what and what became of it; below, what stood behind it."""
    claim = row.claim
    head = line(
        (f" {claim.index + 1:>6} ", "faint"),
        (pad(claim.kind, 11), "human"),
        (pad(row.fate.value, 13), _FATES[row.fate]),
        (f"{claim.said}{glyphs.times} " if claim.said > 1 else "", "muted"),
        (_quoted(claim.quote, glyphs), "text"),
    )
    dot: Span = (f" {glyphs.dot} ", "faint")
    below: list[Span] = [(" " * 8, "text"), (f"goal {claim.goal.value}", _GOALS[claim.goal]), dot]
    below += [("bound known" if claim.bound else "no bound", "good" if claim.bound else "warn"), dot]
    below += [_age(row), dot, _TRIED[row.tried]]
    return [clip(head, width, glyphs.more), clip(line(*below), width, glyphs.more)]


def detail_rows(row: ClaimRow, where: Where, width: int, glyphs: Glyphs) -> list[Line]:
    """Everything that is known of a claim, a sentence each."""
    claim = row.claim
    rows = wrap_text(_quoted(claim.quote, glyphs, 600), "text", width - 2, ((" ", "text"),))
    if len(rows) > QUOTE_ROWS:
        rows[QUOTE_ROWS - 1 :] = [(*rows[QUOTE_ROWS - 1], (glyphs.more, "faint"))]
    bound = "none was measured or computed before it"
    if claim.bound is not None:
        bound = f"first spoken of at event {claim.bound.index + 1}"
    age = "nothing was measured before it"
    if claim.measured is not None:
        age = f"measured at event {claim.measured.index + 1}, "
        age += f"{_count(claim.edits_since, 'kernel edit') if claim.edits_since else 'no kernel edit'} since"
    said = (
        ("goal", f"{claim.goal.value}: {one_line(claim.goal_why, 300)}", _GOALS[claim.goal]),
        ("bound", bound, "good" if claim.bound else "warn"),
        ("evidence", age, _age(row)[1]),
        ("disproof", f"{row.tried.value}: {row.tried_why}", _TRIED[row.tried][1]),
        ("became", f"{row.fate.value}: {one_line(row.fate_why, 300)}", _FATES[row.fate]),
    )
    for label, text, role in said:
        rows += wrap_text(
            text, role, width - 1, line((f" {pad(label, 9)}", "heading")), ((" " * 10, "text"),)
        )
    for item in row.evidence[:EVIDENCE]:
        at = where(item.event)
        place = "" if at is None else f" event {at + 1}"
        quote = clip(line((" " * 10, "text"), (_quoted(item.quote, glyphs), "muted")), width - len(place) - 1)
        rows.append((*quote, (place, "faint")) if place else quote)
    return rows


def nothing_claimed(known: int, looked: int) -> str:
    """What stands in an empty ledger."""
    if looked < known:
        return f"Looking for claims: {looked} of {known} events so far."
    return (
        f"No claim of completion or of a limit up to event {known}." if known else "Nothing has happened yet."
    )


def _age(row: ClaimRow) -> Span:
    """How stale the evidence was when it was said."""
    claim = row.claim
    if claim.measured is None:
        return "nothing measured", "warn"
    if claim.edits_since:
        return f"{_count(claim.edits_since, 'edit')} since measuring", "warn"
    return f"measured {_count(claim.events_since + 1, 'event')} before", "muted"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _quoted(text: str, glyphs: Glyphs, limit: int = 300) -> str:
    return f"{glyphs.quote_open}{one_line(text, limit)}{glyphs.quote_close}"
