"""Decision points, suggestions, and what was asked: word for word what was sent, and what it led to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.lines import Line, clip, line, width_of, wrap_text
from kernelseek_tui.app.render.registry import Scene, block, lead, renders
from kernelseek_tui.plain import one_line
from sessions import events as ev

if TYPE_CHECKING:  # what is measured need not be loaded before the first screen
    from bank.effects.record import Outcome

_RECEIPTS = {
    "queued": "queued, read when the current step ends",
    "delivered": "delivered at the tool boundary",
    "own_turn": "delivered in a turn of its own",
    "failed": "NOT delivered",
}


def receipt_words(event: ev.QuestionReceipt) -> str:
    """What became of a question, with the reason where there is one."""
    detail = one_line(event.detail).removesuffix(".")
    if event.receipt == "queued" and detail:
        return f"queued: {detail}"  # the driver knows better when it will be read
    return _RECEIPTS[event.receipt] + (f" ({detail})" if detail else "")


def kind_words(kind: str) -> str:
    """`claimed_limit` as people read it: CLAIMED LIMIT."""
    return kind.replace("_", " ").upper()


@renders("decision_point")
def decision_point(event: ev.DecisionPoint, scene: Scene) -> list[Line]:
    """A flag with its kind, why, and the words that raised it."""
    return flag(event, scene, "")


def flag(event: ev.DecisionPoint, scene: Scene, remark: str) -> list[Line]:
    """The rows of a decision point, recorded or seen in hindsight (`remark` says which)."""
    glyphs = scene.glyphs
    head = line(
        (f"{glyphs.flag} ", "flag"),
        (kind_words(event.decision), "flag"),
        (f"  {remark}" if remark else "", "faint"),
    )
    rows = [head, *block(event.reason, "text", scene, (("  ", "text"),), 3)]
    shown = event.evidence if scene.expanded else event.evidence[:2]
    for item in shown:
        text = f"{glyphs.quote_open}{one_line(item.quote, 300)}{glyphs.quote_close}"
        rows.append(clip(line(("    ", "text"), (text, "muted")), scene.width, glyphs.more))
    if len(shown) < len(event.evidence):
        rows.append(
            line(
                (f"    {glyphs.more} +{len(event.evidence) - len(shown)} quotes ", "faint"), ("Space", "key")
            )
        )
    return rows


@renders("suggestions_shown")
def suggestions(event: ev.SuggestionsShown, scene: Scene) -> list[Line]:
    """How many were offered and the first; expanded, all."""
    glyphs = scene.glyphs
    if not event.suggestions:
        return [line((f"  {glyphs.branch} no suggestion in the bank fits", "faint"))]
    rows: list[Line] = []
    shown = event.suggestions if scene.expanded else event.suggestions[:1]
    for place, item in enumerate(shown, 1):
        head = line((f"  {glyphs.branch} suggested {place}  ", "faint"))
        hang = line((" " * width_of(head), "text"))
        if scene.expanded:
            rows += wrap_text(one_line(item.question, 2000), "question", scene.width, head, hang)
            reasons = f" {glyphs.dot} ".join((item.entry, *map(one_line, item.reasons)))
            rows += wrap_text(reasons, "faint", scene.width, hang, hang)
        else:
            rows.append(
                clip(line(*head, (one_line(item.question, 2000), "muted")), scene.width - 8, glyphs.more)
            )
    rest = len(event.suggestions) - len(shown)
    if rest:
        rows[-1] = (*rows[-1], (f" +{rest}", "faint"))
    return rows


@renders("suggestion_dismissed")
def dismissed(event: ev.SuggestionDismissed, scene: Scene) -> list[Line]:
    """What a person put aside."""
    what = f"suggestion {one_line(event.entry, 40)}" if event.entry else "decision point"
    why = f": {one_line(event.reason)}" if event.reason else ""
    return [clip(line((f"  {scene.glyphs.branch} {what} dismissed{why}", "faint")), scene.width)]


@renders("question_asked")
def question(event: ev.QuestionAsked, scene: Scene) -> list[Line]:
    """Who asked, from which entry, and the exact text that was sent, never shortened."""
    made = {"human": "typed", "goal": "the unmet clauses"}.get(event.questioner, "a group to choose from")
    origin = made if event.entry is None else one_line(event.entry, 40)
    head = line(
        (f"{scene.glyphs.bar} ", "question"),
        (f"ASKED by {one_line(event.questioner, 40)}", "question"),
        (f"  {origin}{', edited' if event.edited else ''} {scene.glyphs.dot} sent exactly:", "faint"),
    )
    whole = Scene(scene.width, scene.glyphs, expanded=True)
    return [
        clip(head, scene.width),
        *block(event.text, "strong", whole, lead(scene.glyphs.bar, "question"), 1),
    ]


@renders("question_receipt")
def receipt(event: ev.QuestionReceipt, scene: Scene) -> list[Line]:
    """What became of the question; a queued one is not there yet."""
    glyphs = scene.glyphs
    sign, role = {"failed": (glyphs.bad, "bad"), "queued": (glyphs.dot, "muted")}.get(
        event.receipt, (glyphs.ok, "good")
    )
    words = "bad" if event.receipt == "failed" else "faint"
    return wrap_text(receipt_words(event), words, scene.width, line((f"  {sign} ", role)))


def outcome_line(found: Outcome, glyphs: Glyphs) -> Line:
    """What a question led to so far, for the row under it."""
    from kernelseek_tui.effects.words import outcome_words

    role = "good" if found.answered else "muted" if found.ended == "end" else "warn"
    return line((f"  {glyphs.branch} ", "faint"), (outcome_words(found, glyphs.times, glyphs.arrow), role))
