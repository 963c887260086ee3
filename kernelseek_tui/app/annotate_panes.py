"""The panes of the labelling screen: how a desk is drawn over a transcript that is being read."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static
from textual.worker import get_current_worker

from bank.errors import BankError
from kernelseek_tui.annotate.desk import Desk
from kernelseek_tui.annotate.form import BY_NAME, Draft
from kernelseek_tui.annotate.places import blinded, said
from kernelseek_tui.app.bindings import bindings_of
from kernelseek_tui.app.form_bar import FormBar, FormCommands
from kernelseek_tui.app.form_keys import FORM_KEYS
from kernelseek_tui.app.form_pane import FormPane, Sheet
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.header import SessionHeader, Standing
from kernelseek_tui.app.lines import Line, Span, line
from kernelseek_tui.app.notice import Notice, NoticeScreen
from kernelseek_tui.app.painted import PAINT
from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.small import MIN_COLUMNS, MIN_ROWS, too_small
from kernelseek_tui.app.transcript import Transcript
from kernelseek_tui.plain import one_line
from kernelseek_tui.replay import ReplayFeed
from sessions import events as ev
from sessions.errors import SessionError
from sessions.labels import Label


class AnnotatePanes(NoticeScreen):
    """Draws a desk over a transcript that is being read.

    `blind`: no detector is run, and what detectors said in a journal is not shown.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-middle"), (110, "-wide")]  # noqa: RUF012 - as Textual declares it
    AUTO_FOCUS = "#transcript"
    COMPONENT_CLASSES = PAINT
    COMMANDS = {FormCommands}  # noqa: RUF012 - as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(FORM_KEYS)]

    def __init__(
        self,
        feed: ReplayFeed,
        glyphs: Glyphs,
        desk: Desk,
        *,
        blind: bool = False,
    ) -> None:
        super().__init__()
        self.feed = feed
        self.glyphs = glyphs
        self.blind = blind
        self.desk = desk
        self.places = desk.places
        self.shown: list[ev.AnyEvent] = []
        self.read = False
        self._counted = 0
        self._flags = -1
        self.moved = False

    # what is drawn

    def compose(self) -> ComposeResult:
        """Header, transcript and form, prompt, keys."""
        yield SessionHeader(self.glyphs, id="header")
        with Container(id="main"):
            yield Transcript(self.glyphs, id="transcript")
            yield FormPane(self.glyphs, id="form")
        yield Prompt(id="prompt")
        yield FormBar(self.glyphs, False, id="keys")
        yield Notice(self.glyphs, id="notice")
        yield Static(too_small(self.glyphs), id="too-small", markup=False)

    @property
    def transcript(self) -> Transcript:
        """The transcript."""
        return self.query_one(Transcript)

    def on_mount(self) -> None:
        """The screen first, then the file."""
        self.set_class(not self.glyphs.braille, "-ascii")
        self.transcript.tells_news = False  # nothing comes that was not there
        self.query_one(FormPane).border_title = Content("LABEL, BLIND" if self.blind else "LABEL")
        self.absorb()
        self.call_after_refresh(self._load)

    def on_resize(self, event: events.Resize) -> None:
        """Say which size is needed where there is too little room."""
        self.set_class(event.size.width < MIN_COLUMNS or event.size.height < MIN_ROWS, "-tiny")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is labelled that cannot be seen."""
        return action == "leave" or not self.has_class("-tiny")

    @on(Transcript.Moved)
    def _cursor_moved(self) -> None:
        self.sync()

    @work(thread=True, group="reading")
    def _load(self) -> None:
        worker, app = get_current_worker(), self.app
        stages = [self.feed.read()]
        if not self.blind:
            stages.append(self.feed.look())
        try:
            for stage in stages:
                for _ in stage:
                    if worker.is_cancelled:
                        return
                    app.call_from_thread(self.absorb)
        except (SessionError, BankError) as error:
            app.call_from_thread(self.tell, str(error), "error")
        app.call_from_thread(self._loaded)

    def absorb(self) -> None:
        """Take in what was read, and the flags that were found in it."""
        source = self.feed.events
        first = not self.shown
        for index in range(self._counted, len(source)):
            event = blinded(source[index]) if self.blind else source[index]
            if event is not None:
                self.places.take(event, index)
                self.shown.append(event)
        grown = len(source) > self._counted
        self._counted = len(source)
        self.transcript.take(self.shown)
        moments = () if self.blind else tuple(self.feed.moments)
        if grown or len(moments) != self._flags:
            self._flags = len(moments)
            self.desk.candidates = self.places.candidates(moments)
            if not self.blind:
                self.transcript.mark(moments)
            if self.desk.place():
                self.remark()
        if first and self.shown:
            self.transcript.select(0)
        self.sync()

    def _loaded(self) -> None:
        """All is read: where labelling was left, unless the reader has gone somewhere by now."""
        self.read = True
        to = self.desk.resume()
        if not self.moved and to is not None:
            self.transcript.select(to)
        self.sync()

    def sync(self) -> None:
        """Draw form, header and keys for where the cursor is."""
        desk, cursor = self.desk, self.transcript.cursor
        at = desk.at if desk.unsaved and desk.at is not None else cursor
        if self.shown:
            self.query_one(FormPane).show(
                Sheet(
                    draft=self.draft(),
                    place=self._place_words(at),
                    kept=at in desk.labels,
                    unsaved=desk.unsaved,
                    away=at != cursor,
                )
            )
        facts: list[Span] = [(f"{len(desk.left())} of {len(desk.candidates)} left", "text")]
        facts.append((f"{len(desk.labels)} labelled", "text"))
        if not self.read:
            facts.append(("reading", "muted"))
        facts.append((one_line(desk.about.annotator, 30), "muted"))
        self.query_one(SessionHeader).show(
            Standing(
                title=self.feed.title,
                badge="BLIND" if self.blind else "LABEL",
                badge_role="warn" if self.blind else "good",
                rehearsed=self.feed.rehearsed,
                facts=tuple(facts),
            )
        )
        bar, prompt = self.query_one(FormBar), self.query_one(Prompt)
        bar.purpose = prompt.purpose if prompt.display else ""
        bar.redraw()

    def draft(self) -> Draft:
        """The draft under way, else that of the cursor's entry."""
        if self.desk.unsaved and self.desk.draft is not None:
            return self.desk.draft
        cursor = self.transcript.cursor
        return self.desk.begin(cursor, said(self.shown[cursor]))

    def _place_words(self, index: int) -> str:
        where = self.places.where(index)
        part = f" of {where.part}" if where.part else ""
        return f"entry {where.entry}{part}: {self.shown[index].kind.replace('_', ' ')}"

    def remark(self) -> None:
        """Draw every label under its entry."""
        self.transcript.remark({index: self._words(label) for index, label in self.desk.labels.items()})

    def _words(self, label: Label) -> Line:
        draft = Draft.of(label, said=True)
        words = [
            choice.words
            for name, item in BY_NAME.items()
            for choice in item.choices
            if choice.value == draft.values.get(name)
        ]
        dot = f" {self.glyphs.dot} "
        return line((f"  {self.glyphs.ok} ", "good"), (dot.join(words), "accent"))
