"""The labelling screen with a pilot: keys, mouse, sizes, blindness, resuming."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from kernelseek_tui.annotate.desk import Desk
from kernelseek_tui.annotate.label_file import LabelFile
from kernelseek_tui.app.annotate import AnnotateApp, annotate_app
from kernelseek_tui.app.annotate_screen import AnnotateScreen
from kernelseek_tui.app.form_keys import FORM_KEYS
from kernelseek_tui.app.form_pane import FormPane
from kernelseek_tui.app.glyphs import ASCII, UNICODE, Glyphs
from kernelseek_tui.app.transcript import Transcript
from sessions import events as ev
from sessions.errors import StorageError
from sessions.labels import read_labels
from tests.kernelseek_tui.app.fakes import story
from tests.kernelseek_tui.app.screens import SMALL, journal, screen_text

DOCS = Path(__file__).resolve().parents[3] / "docs" / "labels.md"
NOTHING = "0123"
"""A message that is no moment: no moment, a directive, imperative, sure."""
HOSTILE = "[b]x[/] \x1b[2J [@click=app.exit]q[/] \u202e"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two messages and one flag: candidates at 1, 11 (what raised it) and the last."""
    hostile = HOSTILE.encode("utf-8", "replace").decode()
    return journal(tmp_path, [*story()[:-1], ev.HumanMessage(id="again", text=f"go on {hostile}")])


class Opened:
    """An application over the transcript, and its desk."""

    def __init__(self, path: Path, labels: Path, blind: bool = False, glyphs: Glyphs = UNICODE) -> None:
        self.file = LabelFile(labels, "ada")
        self.app, self.desk = annotate_app(path, self.file, blind=blind, glyphs=glyphs)

    def close(self) -> None:
        self.file.close()


@pytest.fixture
def opened(path: Path, tmp_path: Path) -> Iterator[tuple[AnnotateApp, Desk]]:
    made = Opened(path, tmp_path / "ada.jsonl")
    yield made.app, made.desk
    made.close()


async def ready(pilot: Pilot[Any]) -> AnnotateScreen:
    screen = pilot.app.screen
    assert isinstance(screen, AnnotateScreen)
    for _ in range(1000):
        if screen.read:
            break
        await asyncio.sleep(0.01)
    assert screen.read
    await pilot.pause()
    return screen


async def until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    for _ in range(500):
        await pilot.pause()
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(screen_text(pilot.app))  # type: ignore[arg-type]


async def test_labels_are_on_the_disk_one_by_one(opened: tuple[AnnotateApp, Desk], tmp_path: Path) -> None:
    app, desk = opened
    saved = tmp_path / "ada.jsonl"
    async with app.run_test(size=SMALL) as pilot:
        screen = await ready(pilot)
        messages = [1, len(screen.shown) - 1]
        assert set(messages) < set(desk.candidates)
        assert screen.transcript.cursor == 1
        await pilot.press(*NOTHING[:-1])
        assert not saved.exists()
        await pilot.press(NOTHING[-1])
        await pilot.pause()
        (label,) = read_labels(saved)
        assert (label.kind, label.certainty, label.where.entry, label.where.event) == ("none", 3, 1, "task")
        assert screen.transcript.cursor == desk.candidates[1]
        shown = screen_text(app)
        assert f"{len(desk.candidates) - 1} of {len(desk.candidates)} left" in shown
        await pilot.press("4", "t", "1", "enter")
        await pilot.pause()
        assert [item.truth for item in read_labels(saved)] == ["NOT_A_MOMENT", "WRONG"]
        await pilot.press("u")
        await pilot.pause()
        assert len(read_labels(saved)) == 1
        assert screen.transcript.cursor == desk.candidates[1]
        await pilot.press("u")
        assert read_labels(saved) == []
        await pilot.press("u")
        await pilot.pause()
        assert "Nothing to take back." in screen_text(app)


async def test_labelling_goes_on_where_it_was_left(path: Path, tmp_path: Path) -> None:
    first = Opened(path, tmp_path / "ada.jsonl")
    async with first.app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press(*NOTHING)
    first.close()
    second = Opened(path, tmp_path / "ada.jsonl")
    async with second.app.run_test(size=SMALL) as pilot:
        screen = await ready(pilot)
        assert list(second.desk.labels) == [1]
        assert screen.transcript.cursor == second.desk.candidates[1]
        await pilot.press("p")
        await pilot.pause()
        shown = screen_text(second.app)
        assert "✓ labelled" in shown
        assert "✓ none: no moment" in shown
    second.close()


async def test_evidence_note_and_search(opened: tuple[AnnotateApp, Desk], tmp_path: Path) -> None:
    app, _ = opened
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("2", "down", "down", "e", "w", *"why [b]", "enter")
        await pilot.pause()
        shown = screen_text(app)
        assert "entry 1: human message" in shown
        assert "e: the entry at the cursor is evidence" in shown
        assert "why [b]" in shown
        await pilot.press("slash", *"memory-bound", "enter", "escape")
        await pilot.pause()
        assert screen.shown[screen.transcript.cursor].id == "limit"
        assert screen.transcript.pattern == ""
        await pilot.press("enter")
        (label,) = read_labels(tmp_path / "ada.jsonl")
        assert (label.where.entry, label.evidence, label.note) == (1, (3,), "why [b]")


async def test_nothing_is_kept_without_a_kind_and_moving_on_keeps_what_has_one(
    opened: tuple[AnnotateApp, Desk],
) -> None:
    app, desk = opened
    async with app.run_test(size=SMALL) as pilot:
        screen = await ready(pilot)
        await pilot.press("l", "1", "n")
        await pilot.pause()
        assert "no kind yet" in screen_text(app)
        assert screen.transcript.cursor == 1
        await pilot.press("escape")
        assert not desk.unsaved
        await pilot.press("2", "n")
        await pilot.pause()
        assert list(desk.labels) == [1]
        assert screen.transcript.cursor == desk.candidates[1]


async def test_blind_nothing_of_the_detectors_is_shown(path: Path, tmp_path: Path) -> None:
    made = Opened(path, tmp_path / "ada.jsonl", blind=True)
    async with made.app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        for key in ("g", "G"):
            await pilot.press(key)
            await pilot.pause()
            shown = screen_text(made.app)
            assert "BLIND" in shown
            assert "⚑" not in shown
            assert "PLATEAU" not in shown
            assert "kq-" not in shown
        assert [screen.shown[index].kind for index in made.desk.candidates] == ["human_message"] * 2
        assert screen.feed.today == []
        await pilot.press(*NOTHING)
        await pilot.pause()
        (label,) = read_labels(tmp_path / "ada.jsonl")
        assert (label.where.entry, label.where.event) == (
            16,
            "again",
        )  # the line in the file, not on the screen
    made.close()


async def test_everything_works_by_mouse(opened: tuple[AnnotateApp, Desk], tmp_path: Path) -> None:
    app, _ = opened
    async with app.run_test(size=SMALL) as pilot:
        screen = await ready(pilot)
        form = screen.query_one(FormPane)
        for action in ("answer(0)", "field('truth')", "answer(4)", "answer(2)"):
            row = form._actions.index(action)
            await pilot.click(form, offset=(6, row + 1 - form.scroll_offset.y))
            await pilot.pause()
        (label,) = read_labels(tmp_path / "ada.jsonl")
        assert (label.kind, label.truth, label.certainty) == ("none", "RIGHT", 2)
        await pilot.click(screen.query_one(Transcript), offset=(5, 3))
        await pilot.pause()
        assert screen.transcript.pinned is not None


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 10)])
async def test_hostile_text_stays_text_at_every_size(
    path: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    made = Opened(path, tmp_path / "ada.jsonl", glyphs=ASCII)
    async with made.app.run_test(size=size) as pilot:
        screen = await ready(pilot)
        await pilot.press("G", "w")
        await pilot.pause()
        screen.desk.change(screen.draft().write(HOSTILE))
        await pilot.press("escape", "2", "enter")
        await pilot.pause()
        shown = screen_text(made.app)
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert shown.replace("\n", "").isascii()
        assert made.app.is_running
        assert read_labels(tmp_path / "ada.jsonl")[0].note == HOSTILE.strip()
    made.close()


async def test_a_tiny_terminal_labels_nothing_and_recovers(opened: tuple[AnnotateApp, Desk]) -> None:
    app, desk = opened
    async with app.run_test(size=(20, 5)) as pilot:
        await ready(pilot)
        assert " ".join(screen_text(app).split()).startswith("This terminal is smaller than 40×10.")
        await pilot.press(*NOTHING, "enter")
        assert desk.labels == {}
        await pilot.resize_terminal(*SMALL)
        await pilot.pause()
        await pilot.press(*NOTHING)
        await pilot.pause()
        assert len(desk.labels) == 1


async def test_a_disk_that_is_full_keeps_the_label_on_the_screen(
    opened: tuple[AnnotateApp, Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, desk = opened

    def full(*_: object) -> None:
        raise StorageError("The labels could not be written (No space left on device); make room.")

    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        with monkeypatch.context() as patch:
            patch.setattr(desk, "_save", full)
            await pilot.press(*NOTHING)
            await pilot.pause()
            assert "No space left on device" in screen_text(app)
            assert desk.unsaved
        await pilot.press("enter")
        assert len(desk.labels) == 1


def test_every_key_has_its_action_and_stands_in_the_documentation() -> None:
    text = DOCS.read_text(encoding="utf-8")
    names = [name for key in FORM_KEYS for name in key.keys.split(",")]
    assert len(names) == len(set(names))
    for key in FORM_KEYS:
        assert hasattr(AnnotateScreen, f"action_{key.action.partition('(')[0]}"), key
        assert f"| `{key.shown}` | {key.text} |" in text, key


async def test_help_and_palette_have_the_keys(opened: tuple[AnnotateApp, Desk]) -> None:
    app, _ = opened
    async with app.run_test(size=(120, 50)) as pilot:
        await ready(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert "Take back the last answer, then the last label" in screen_text(app)
        await pilot.press("escape", "colon", *"go to certainty")
        await until(pilot, lambda: "key y" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AnnotateScreen))
        screen = app.screen
        assert isinstance(screen, AnnotateScreen)
        await until(pilot, lambda: screen.draft().active == "certainty")
