"""What is shown of a decision point and its suggestions, as rows; no widget, no feed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, clip, line, width_of, wrap_text
from kernelseek_tui.app.render.asked import kind_words
from kernelseek_tui.plain import one_line
from sessions.state import SessionState

if TYPE_CHECKING:  # the bank need not be loaded before the first screen
    from kernelseek_tui.hindsight import Moment

SHOWN = 9
"""Suggestions that have a number key."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A moment as it stands: answered, put aside, or open; and which suggestions were put aside."""

    answered: bool
    dismissed: bool
    aside: frozenset[str]


def standing(moment: Moment, state: SessionState) -> Standing:
    """What was done about a moment, as far as `state` knows."""
    decision = moment.decision.id
    aside = [seen.event for seen in state.dismissed if seen.event.parent == decision]
    return Standing(
        answered=any(seen.event.parent == decision for seen in state.asked),
        dismissed=any(event.entry is None for event in aside),
        aside=frozenset(event.entry for event in aside if event.entry is not None),
    )


def known_moments(moments: Sequence[Moment], known: int) -> list[Moment]:
    """Those seen at an event below `known`."""
    return [moment for moment in moments if moment.index < known]


def current(moments: Sequence[Moment], state: SessionState, known: int) -> Moment | None:
    """The newest moment that was seen and not put aside."""
    for moment in reversed(known_moments(moments, known)):
        if not standing(moment, state).dismissed:
            return moment
    return None


def moment_rows(
    moment: Moment, where: Sequence[int | None], state: SessionState, width: int, glyphs: Glyphs, replay: bool
) -> list[Line]:
    """Kind, why and evidence. `where` gives the entry of each evidence."""
    decision = moment.decision
    stand = standing(moment, state)
    done = f"{glyphs.ok} answered" if stand.answered else ""
    head = line(
        (f" {glyphs.flag} ", "flag"),
        (kind_words(decision.decision), "flag"),
        (f"  at event {moment.index + 1}", "muted"),
        (f"  {done}" if done else "", "good"),
    )
    rows = [clip(head, width)]
    rows += wrap_text(one_line(decision.reason, 600), "text", width - 1, line(("   ", "text")))[:3]
    for item, entry in list(zip(decision.evidence, where, strict=True))[:2]:
        at = f" @{entry + 1}" if entry is not None else ""
        quote = f"{glyphs.quote_open}{one_line(item.quote, 300)}{glyphs.quote_close}"
        room = width - len(at) - 1
        rows.append((*clip(line(("   ", "text"), (quote, "muted")), room, glyphs.more), (at, "faint")))
    return rows


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
            rows.append((place, clip(line(*lead, (f"dismissed  {one_line(item.question)}", "faint")), width)))
            continue
        if place == chosen:
            rows += [(place, row) for row in question]
            rows += [(place, row) for row in wrap_text(reasons, "muted", width - 1, hang)]
        else:
            shown = question[:2]
            if len(question) > 2:
                shown[1] = (*clip(shown[1], width - 3), (glyphs.more, "faint"))
            rows += [(place, row) for row in shown]
            rows.append((place, clip(line(*hang, (reasons, "faint")), width - 1, glyphs.more)))
    return rows


def nothing_yet(replay: bool, reading: bool, width: int) -> list[Line]:
    """What stands here before the first moment."""
    if reading:
        text = "Reading: decision points appear as they are found."
    elif replay:
        text = "No decision point up to here. n goes to the next one."
    else:
        text = "Nothing to decide. When a question is worth asking it stands here, with its reasons."
    return wrap_text(
        text, "muted", max(10, width_of(((text, ""),)) if width < 10 else width - 2), line((" ", "text"))
    )
