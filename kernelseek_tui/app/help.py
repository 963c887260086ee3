"""All keys, words and signs on one page."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.keys import BANK_KEYS, CLAIM_KEYS, PERMIT_KEYS, keys_for
from kernelseek_tui.app.lines import Line, line, pad, wrap_text
from kernelseek_tui.app.painted import PAINT, Panel


class Page(Panel, can_focus=True):
    """The tables; longer than a small screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("up,k", "scroll_up", "up"),
        ("down,j", "scroll_down", "down"),
        ("pageup", "page_up", "a page up"),
        ("pagedown,space", "page_down", "a page down"),
        ("home,g", "scroll_home", "top"),
        ("end,G,shift+g", "scroll_end", "end"),
    ]

    def __init__(self, glyphs: Glyphs, live: bool) -> None:
        super().__init__()
        self.set_reactive(Page.glyphs, glyphs)
        self._live = live

    def rows(self, width: int) -> list[Line]:
        """One row a key, then the words and signs of the panes."""
        keys = [(key.shown, key.text, "key") for key in keys_for(self._live)]
        rows = table_rows(keys, width)
        if self._live:
            asked = [(key.shown, key.text, "key") for key in PERMIT_KEYS]
            rows += [(), line((" while the agent asks to be allowed something", "heading"))]
            rows += table_rows(asked, width)
        claims = [(key.shown, key.text, "key") for key in CLAIM_KEYS]
        rows += [(), line((" in the claim ledger", "heading")), *table_rows(claims, width)]
        bank = [(key.shown, key.text, "key") for key in BANK_KEYS]
        rows += [(), line((" in the bank", "heading")), *table_rows(bank, width)]
        for heading, table in signs(self.glyphs):
            rows += [(), line((f" {heading}", "heading")), *table_rows(table, width)]
        return rows


Row = tuple[str, str, str]


def table_rows(table: Sequence[Row], width: int) -> list[Line]:
    """A sign and what it means, a row or more each."""
    rows: list[Line] = []
    for sign, text, role in table:
        rows += wrap_text(text, "text", width - 1, line((f" {pad(sign, 10, right=True)}  ", role)))
    return rows


def signs(glyphs: Glyphs) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """What words and signs on the panes mean."""
    score: tuple[Row, ...] = (
        (f"1.83{glyphs.times}", "the baseline's time over the candidate's: above 1 is faster", "strong"),
        ("[1.7, 1.9]", "interval of that ratio", "muted"),
        ("floor", "what the same code differs by when it is measured twice: no smaller gain counts", "muted"),
        (glyphs.up, "FASTER: the whole interval is above 1 + floor", "good"),
        (glyphs.down, "SLOWER: the whole interval is below 1 - floor", "bad"),
        (glyphs.same, "SAME: the whole interval is within 1 ± floor", "muted"),
        (glyphs.question, "AMBIGUOUS: none of these; or not run, or unsupported, as it says", "warn"),
        (glyphs.bad, "wrong: scores nothing", "bad"),
        (glyphs.unmet, "a clause of the goal that is not met", "warn"),
        ("time lost", "the candidate's time above its bound, where most can be won first", "muted"),
    )
    claims: tuple[Row, ...] = (
        ("reads", "how much of what the agent reads is its own source, by bytes of tool results", "text"),
        ("goal", "met, unmet or unknown, as it was known when the claim was made", "text"),
        ("no bound", "nothing in the session had spoken of a measured or computed bound by then", "warn"),
        ("stands", "nothing up to the cursor speaks against the claim; not that it is true", "strong"),
    )
    ask: tuple[Row, ...] = (
        ("event 86", "the entry that a quote stands in", "faint"),
        ("(Q12)", "the bank's rule that a wording breaks: it may hand over the answer", "warn"),
        (glyphs.ok, "delivered or answered", "good"),
    )
    timeline: tuple[Row, ...] = (
        (glyphs.flag, "decision point", "flag"),
        (glyphs.up, "a new best score", "good"),
        (glyphs.even, "a score, no better", "accent"),
        (glyphs.bad, "a wrong candidate", "bad"),
        (glyphs.human, "a human message or a question", "human"),
        (glyphs.levels[5], "an edit", "code"),
        (glyphs.levels[3], "a tool call (red: it failed)", "tool"),
        (glyphs.dot, "not known yet at the cursor", "faint"),
    )
    return ("score", score), ("claims", claims), ("ask", ask), ("timeline", timeline)


class Help(ModalScreen[None]):
    """Any of Esc, q, ? closes it."""

    CSS_PATH = "help.tcss"
    COMPONENT_CLASSES = PAINT
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,question_mark", "dismiss", "close")]

    def __init__(self, glyphs: Glyphs, live: bool) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._live = live

    def compose(self) -> ComposeResult:
        """A box with the page in it."""
        with Vertical(id="help") as box:
            box.border_title = Content("KEYS AND SIGNS")
            box.set_class(not self._glyphs.braille, "-ascii")
            box.border_subtitle = Content("up and down scroll, Esc closes")
            yield self.page()

    def page(self) -> Page:
        """What stands in the box."""
        return Page(self._glyphs, self._live)
