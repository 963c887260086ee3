"""How `kernelseek bank effects` is written: a table of three lines a row, and JSON."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from bank.effects.intervals import Middle, Share, share_difference
from bank.effects.summary import Row
from kernelseek_tui.cli.bank.shared import count
from kernelseek_tui.effects.report import Report
from kernelseek_tui.plain import one_line

REHEARSED = "rehearsed agent"
_COLUMNS = ("", "asked", "a number came back", "a layer measured first", "best score in the window")
_LISTED = 4  # values that are listed rather than given an interval

Cells = tuple[str, ...]


def as_lines(told: Report) -> Iterator[str]:
    """Plain text, sentences before and after the tables."""
    yield from _opening(told)
    for title, rows in (("by group and kind of moment", told.groups), ("by entry", told.entries)):
        if rows:
            yield ""
            yield title
            yield from _table(rows, frozenset(told.not_here))
    if told.entries:
        yield ""
        yield _untested(told)
        yield from _legend(told)
    yield from _apart(told)


def as_object(told: Report) -> dict[str, Any]:
    """The object that `--json` prints: changes are natural logarithms, shares have their intervals."""
    data = asdict(told)
    for name, rows in (("entries", told.entries), ("groups", told.groups)):
        data[name] = [_row_object(row) for row in rows]
    return data


def _opening(told: Report) -> Iterator[str]:
    where = f"{count(told.sessions, 'session')} read"
    if told.gone:
        where += f", and the records of {told.gone} that are no longer here"
    if told.askings:
        yield f"{count(told.askings, 'question')} of the bank reached an agent ({where})."
    elif told.elsewhere:
        yield f"No question of the bank reached an agent ({where})."
    elif told.rehearsed_shown and told.rehearsed_askings:
        reached = f"{count(told.rehearsed_askings, 'question')} reached the rehearsed one"
        yield f"No question of the bank reached a real agent; {reached} ({where})."
    else:
        yield f"Nothing to tell yet: no question of the bank reached an agent ({where})."
    if told.elsewhere:
        yield f"{count(told.elsewhere, 'question')} of other banks reached an agent."
    if not told.entries:
        yield _untested(told)


def _untested(told: Report) -> str:
    if told.deprecated:
        return f"{told.deprecated} is deprecated: it is no longer asked, and is neither tested nor untested."
    if not told.of:
        return "No entry of the bank is for what is chosen here."
    if not told.untested:
        return (
            "The entry was asked." if told.of == 1 else f"Each of {told.of} entries was asked at least once."
        )
    scripted = told.rehearsed_shown and told.rehearsed_askings
    who = "no real agent was asked" if scripted else "nobody has asked"
    if len(told.untested) == told.of:
        what = "The entry is" if told.of == 1 else f"All {told.of} entries are"
        return f"{what} untested: {who} {'it' if told.of == 1 else 'them'}."
    return f"{len(told.untested)} of {told.of} entries are untested: {who} them."


def _legend(told: Report) -> Iterator[str]:
    absent = frozenset(told.not_here)
    known = [row for row in told.entries if row.name not in absent]
    joint = sum(row.together for row in known)
    other = sum(row.other_wording for row in known)
    if joint:
        yield (
            f"{joint} of the askings by entry came in a message with others. Nothing tells which one was "
            "taken up: they count for their group only."
        )
    if other:
        yield f"{other} had another wording than the bank has now, and count for their group only."
    if absent:
        number = count(sum(row.asked for row in told.entries if row.name in absent), "asking")
        yield f"not here: {number} of entries that this bank does not have, for their group only."
    if any(row.change.compared and row.change.low is None for row in known):
        yield "A difference of scores has an interval from five sessions on, on either side."


def _apart(told: Report) -> Iterator[str]:
    yield ""
    if told.matched:
        kinds = ", ".join(f"{one_line(kind, 40)} {number}" for kind, number in told.matched.items())
        yield f"moments where nothing was asked: {kinds}"
    else:
        yield "no matched moments: nothing can be said of what would have happened without the questions"
    if told.own_words:
        asking = f"{told.asking} of them a question"
        yield f"own words: {count(told.own_words, 'message')} that people typed, {asking}; not the bank's"
    if told.program:
        yield f"the program itself: {count(told.program, 'message')}, such as the unmet clauses"
    if told.rehearsed_askings:
        rest = "in rows of their own" if told.rehearsed_shown else "left out; --rehearsed shows them"
        sessions = count(told.rehearsed_sessions, "session")
        yield f"{REHEARSED}: {count(told.rehearsed_askings, 'question')} in {sessions}, {rest}"


def _table(rows: Sequence[Row], absent: frozenset[str]) -> Iterator[str]:
    cells: list[Cells] = [_COLUMNS]
    for row in rows:
        cells += _cells(row, row.name in absent)
    # a note runs on under the other columns
    widths = [max(len(row[at]) for row in cells if any(row[1:])) for at in range(len(_COLUMNS))]
    for cell in cells:
        yield "  ".join(f"{text:<{width}}" for text, width in zip(cell, widths, strict=True)).rstrip()


def _cells(row: Row, absent: bool) -> Iterator[Cells]:
    name = one_line(row.name, 60) + (" (not here)" if absent else "")
    name += f" ({REHEARSED})" if row.rehearsed else ""
    asked = str(row.asked) if row.asked == row.counted else f"{row.asked}, {row.counted} count"
    yield name, asked, _share(row.answered), _share(row.new_layer), _factors(row.change.asked)
    if not row.matched:
        yield "  nothing asked", "no matched moments", "", "", ""
    else:
        yield (
            "  nothing asked",
            str(row.matched),
            _share(row.matched_answered),
            _share(row.matched_new_layer),
            _factors(row.change.beside),
        )
        yield (
            "  difference",
            "",
            _difference(row.answered, row.matched_answered),
            _difference(row.new_layer, row.matched_new_layer),
            _between(row),
        )
    notes = _notes(row)
    if notes:
        yield f"  {notes}", "", "", "", ""


def _notes(row: Row) -> str:
    notes = []
    if row.calls.median is not None:
        calls = "call" if row.calls.median == 1 else "calls"
        notes.append(f"a number after {row.calls.median:g} {calls} (median)")
    if row.claims:
        claims = ", ".join(
            f"{number} {name.replace('_', ' ')}" for name, number in sorted(row.claims.items())
        )
        notes.append(f"claims: {claims}")
    if row.regressions.total:
        notes.append(f"wrong or slower after {row.regressions.hits} of {row.regressions.total}")
    if row.would_be:
        notes.append(f"would be: {row.would_be}")
    return "; ".join(notes)


def _share(share: Share) -> str:
    if share.interval is None:
        return "-"
    low, high = share.interval
    return f"{share.hits} of {share.total} [{low:.2f}, {high:.2f}]"


def _difference(one: Share, other: Share) -> str:
    found = share_difference(one, other)
    return "-" if found is None else f"{found[0]:+.2f} [{found[1]:+.2f}, {found[2]:+.2f}]"


def _factors(values: Middle) -> str:
    """Changes as factors: a few listed, more as their median with its interval."""
    if values.median is None:
        return "-"
    if len(values.values) <= _LISTED:
        return " ".join(_factor(value) for value in values.values)
    low, high = values.low, values.high
    if low is None or high is None:
        return _factor(values.median)
    sure = f" at {100 * (values.coverage or 0):.0f} %" if (values.coverage or 0) < 0.95 else ""
    return f"{_factor(values.median)} [{_factor(low)}, {_factor(high)}]{sure}"


def _between(row: Row) -> str:
    change = row.change
    if change.difference is None:
        return "-"
    text = f"times {math.exp(change.difference):.2f}"
    if change.low is not None and change.high is not None:
        text += f" [{math.exp(change.low):.2f}, {math.exp(change.high):.2f}]"
    return text


def _factor(value: float) -> str:
    return f"{math.exp(value):.2f}x"


def _row_object(row: Row) -> dict[str, Any]:
    data = asdict(row)
    for name in ("answered", "new_layer", "matched_answered", "matched_new_layer", "regressions"):
        data[name]["interval"] = getattr(row, name).interval
    data["matched_regressions"]["interval"] = row.matched_regressions.interval
    data["answered_difference"] = row.answered_difference
    data["new_layer_difference"] = row.new_layer_difference
    if not row.matched:
        data["remark"] = "no matched moments"
    return data
