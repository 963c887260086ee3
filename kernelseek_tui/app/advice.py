"""What is shown of a decision point and its suggestions, as rows; no widget, no feed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, clip, line, wrap_text
from kernelseek_tui.app.render.asked import kind_words, outcome_line, receipt_words
from kernelseek_tui.plain import one_line
from sessions import events as ev
from sessions.state import SessionState

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment

SHOWN = 9
"""Suggestions that have a number key."""
THEN = "was suggested then"
"""Over suggestions of a recorded moment: what was found out later has no place there."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A moment as it stands: answered, put aside (`why`) or open; and suggestions put aside, each with why.

    A question that could not be delivered has answered nothing.
    """

    answered: bool
    dismissed: bool
    aside: Mapping[str, str]
    why: str = ""


def standing(moment: Moment, state: SessionState) -> Standing:
    """What was done about a moment, as far as `state` knows."""
    decision = moment.decision.id
    aside = [seen.event for seen in state.dismissed if seen.event.parent == decision]
    asked = [seen.event.id for seen in state.asked if seen.event.parent == decision]
    lost = {seen.event.parent for seen in state.receipts if seen.event.receipt == "failed"}
    return Standing(
        answered=any(question not in lost for question in asked),
        dismissed=any(event.entry is None for event in aside),
        aside={event.entry: event.reason for event in aside if event.entry is not None},
        why=next((event.reason for event in reversed(aside) if event.entry is None), ""),
    )


def known_moments(moments: Sequence[Moment], known: int) -> list[Moment]:
    """Those seen at an event below `known`."""
    return [moment for moment in moments if moment.index < known]


def current(
    moments: Sequence[Moment], state: SessionState, known: int, *, history: bool = False
) -> Moment | None:
    """The newest moment, while it is open: neither put aside nor answered. Older ones are over with it.

    `history`: an answered one is shown, too, as what was suggested then.
    """
    seen = known_moments(moments, known)
    if not seen:
        return None
    stand = standing(seen[-1], state)
    return None if stand.dismissed or (stand.answered and not history) else seen[-1]


def last_words(moments: Sequence[Moment], state: SessionState, known: int) -> str:
    """What became of the newest moment when it is over: `PLATEAU at event 15 was dismissed.`"""
    before = known_moments(moments, known)
    if not before:
        return ""
    moment, stand = before[-1], standing(before[-1], state)
    what = f"{kind_words(moment.decision.decision)} at event {moment.index + 1}"
    if stand.answered:
        asked = [seen.event for seen in state.asked if seen.event.parent == moment.decision.id][-1]
        receipt = receipt_of(state, asked.id)
        became = receipt_words(receipt) if receipt is not None else "on its way"
        return f"{what} was answered by {one_line(asked.questioner, 40)}: {became}."
    return f"{what} was dismissed{_because(stand.why)}." if stand.dismissed else ""


def _because(why: str) -> str:
    words = one_line(why, 200).rstrip(".")
    return f": {words}" if words else ""


def receipt_of(state: SessionState, question: str) -> ev.QuestionReceipt | None:
    """What became of a question: the newest receipt is its state."""
    found = [seen.event for seen in state.receipts if seen.event.parent == question]
    return found[-1] if found else None


def moment_rows(
    moment: Moment, where: Sequence[int | None], state: SessionState, width: int, glyphs: Glyphs, replay: bool
) -> list[Line]:
    """Kind, why and evidence. `where` gives the entry of each evidence."""
    decision = moment.decision
    stand = standing(moment, state)
    done = f"{glyphs.ok} answered" if stand.answered else ""
    receipt = _receipt(moment, state)
    if receipt is not None and receipt.receipt == "failed":
        done = f"{glyphs.bad} {receipt_words(receipt)}"
    elif receipt is not None:
        done = f"{done}: {receipt_words(receipt)}"
    head = line(
        (f" {glyphs.flag} ", "flag"),
        (kind_words(decision.decision), "flag"),
        (f"  at event {moment.index + 1}", "muted"),
        (f"  {done}" if done else "", "good"),
    )
    rows = [clip(head, width)]
    rows += _outcome(moment, state, width, glyphs)
    rows += wrap_text(one_line(decision.reason, 600), "text", width - 1, line(("   ", "text")))[:3]
    for item, entry in list(zip(decision.evidence, where, strict=True))[:2]:
        at = f" event {entry + 1}" if entry is not None else ""
        quote = f"{glyphs.quote_open}{one_line(item.quote, 300)}{glyphs.quote_close}"
        room = width - len(at) - 1
        rows.append((*clip(line(("   ", "text"), (quote, "muted")), room, glyphs.more), (at, "faint")))
    return rows


def _receipt(moment: Moment, state: SessionState) -> ev.QuestionReceipt | None:
    asked = [seen.event.id for seen in state.asked if seen.event.parent == moment.decision.id]
    return receipt_of(state, asked[-1]) if asked else None


def _outcome(moment: Moment, state: SessionState, width: int, glyphs: Glyphs) -> list[Line]:
    """What the last question that answered a moment led to, as far as `state` knows; one row or none."""
    asked = [seen.event.id for seen in state.asked if seen.event.parent == moment.decision.id]
    if not asked:
        return []
    from kernelseek_tui.effects.developing import outcome_of

    found = outcome_of(state, asked[-1])
    return [clip(outcome_line(found, glyphs), width - 1, glyphs.more)] if found is not None else []


def suggestion_rows(
    moment: Moment, chosen: int | None, state: SessionState, width: int, glyphs: Glyphs, label: str
) -> list[tuple[int | None, Line]]:
    """Ranked suggestions, each row with the place (from 0) it belongs to; the chosen one in full."""
    aside = standing(moment, state).aside
    rows: list[tuple[int | None, Line]] = [(None, clip(line((f" {label}", "heading")), width))]
    if not moment.suggestions:
        rows.append((None, clip(line(("   The bank has no question for this moment.", "muted")), width)))
    for place, item in enumerate(moment.suggestions[:SHOWN]):
        put_aside = item.entry in aside
        lead = line((f" {place + 1} ", "chosen" if place == chosen else "key"))
        hang = line(("   ", "text"))
        role = "faint" if put_aside else "question" if place == chosen else "text"
        question = wrap_text(one_line(item.question, 2000), role, width - 1, lead, hang)
        reasons = f" {glyphs.dot} ".join((item.entry, *(one_line(reason, 200) for reason in item.reasons)))
        if put_aside:
            words = f"dismissed{_because(aside[item.entry])}  {one_line(item.question)}"
            rows.append((place, clip(line(*lead, (words, "faint")), width)))
            continue
        if place == chosen:
            rows += [(place, row) for row in question]
            rows += [(place, row) for row in wrap_text(reasons, "muted", width - 1, hang)]
            if label != THEN:
                rows += [(place, row) for row in wrap_text(_past(item.entry), "muted", width - 1, hang)]
        else:
            shown = question[:2]
            if len(question) > 2:
                shown[1] = (*clip(shown[1], width - 3), (glyphs.more, "faint"))
            rows += [(place, row) for row in shown]
            rows.append((place, clip(line(*hang, (reasons, "faint")), width - 1, glyphs.more)))
    return rows


def _past(entry: str) -> str:
    """What became of a question when it was asked before, in the sessions kept here."""
    from kernelseek_tui.effects.past import past_of

    return past_of(entry)


def nothing_yet(last: str) -> str:
    """What stands in a live session while no moment is open."""
    return f"Nothing to decide. {last or 'A question worth asking stands here, with its reasons.'}"


def nothing_here(last: str, *, reading: bool, later: bool) -> str:
    """What stands in a replay where no moment is open. `later`: n would find one."""
    if reading:
        return "Reading: decision points appear as they are found."
    before = f"Nothing open here: {last}" if last else "No decision point up to here."
    return f"{before} n goes to the next one." if later else f"{before} None comes after it."
