"""What a question led to, on the screen: beside the moment it answered, and beside a suggestion."""

from pathlib import Path

import pytest

from bank.effects.pooled import Pooled
from bank.effects.store import Block, Source, cache_path, merge_into
from kernelseek_tui.app.advice import THEN, moment_rows, suggestion_rows
from kernelseek_tui.app.book import Book
from kernelseek_tui.app.glyphs import ASCII, UNICODE, Glyphs
from kernelseek_tui.app.lines import ROLES, text_of, width_of
from kernelseek_tui.app.render.asked import outcome_line
from kernelseek_tui.effects.developing import Developing
from kernelseek_tui.hindsight import Moment
from sessions import events as ev
from sessions.state import SessionState
from tests.bank.effects.made import record
from tests.kernelseek_tui.app.fakes import decision, suggestions
from tests.kernelseek_tui.app.screens import SMALL, WIDE, journal, ready, replay_app, screen_text
from tests.kernelseek_tui.effects.stories import TRACE, Story


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))


def told() -> tuple[Story, Moment, int]:
    """A story, its moment, and the index of the question."""
    story = Story()
    story.kernel()
    story.scores(1.2, 1.41)
    name = story.flag()
    flagged = story.events[-1]
    assert isinstance(flagged, ev.DecisionPoint)
    at = len(story.events)
    story.ask(decision=name)
    story.run(TRACE, "41.7 us")
    story.says("It is 41.7 us.")
    story.scores(1.52)
    return story, Moment(at - 1, flagged, ()), at


def rows_at(story: Story, moment: Moment, known: int, width: int = 78, glyphs: Glyphs = UNICODE) -> str:
    state = story.state.as_of(known - 1)
    return "\n".join(text_of(row) for row in moment_rows(moment, [None], state, width, glyphs, True))


def test_the_moment_shows_what_its_question_led_to_as_it_develops() -> None:
    story, moment, at = told()
    assert "number" not in rows_at(story, moment, at)
    assert "└ no number so far" in rows_at(story, moment, at + 2)
    assert "└ no number so far, host measured for the first time" in rows_at(story, moment, at + 4)
    whole = rows_at(story, moment, len(story.events), 120)
    assert (
        "└ a number after 1 call, host measured for the first time, best 1.41× → 1.52× in 1 evaluation"
        in whole
    )
    assert "1.41x -> 1.52x" in rows_at(story, moment, len(story.events), 120, ASCII)


@pytest.mark.parametrize("width", [20, 40, 78, 140])
def test_its_rows_fit(width: int) -> None:
    story, moment, _ = told()
    for row in moment_rows(moment, [None], story.state, width, UNICODE, True):
        assert width_of(row) <= width
        assert all(role in ROLES for _, role in row)


def test_it_stands_under_the_question_in_the_transcript() -> None:
    story, _, at = told()
    book = Book(UNICODE)
    book.width = 120
    book.take(story.events)
    found = Developing().at(story.state)
    assert book.remark({entry: outcome_line(one, UNICODE) for entry, one in found.items()}) == [at]
    rows = [text_of(row) for row in book.rows(at)]
    assert rows[1].startswith("▌ ASKED by bank")
    assert rows[-1].startswith("  └ a number after 1 call, host measured for the first time, best 1.41×")


def test_a_chosen_suggestion_says_what_became_of_it_before() -> None:
    moment = Moment(1, decision(1), suggestions())

    def chosen(label: str = "label") -> list[str]:
        rows = suggestion_rows(moment, 0, SessionState(), 78, UNICODE, label)
        return [text_of(row) for place, row in rows if place == 0]

    assert chosen()[-1] == "   untested"
    assert "untested" not in "\n".join(chosen(THEN))
    others = suggestion_rows(moment, 1, SessionState(), 78, UNICODE, "label")
    assert not any("untested" in text_of(row) for place, row in others if place == 0)


def test_it_is_read_from_the_records_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernelseek_tui.effects import past

    monkeypatch.setattr(past, "FRESH", 0.0)
    records = tuple(
        record(f"e{at}", entry="kq-host-001", outcome={"calls": 2 if at else None}) for at in range(4)
    )
    assert past.past_of("kq-host-001") == "untested"
    merge_into(cache_path(), [Block(Source("/kept", 1, 1, "t", kept=True), records)])
    assert Pooled.load(cache_path()).asked("kq-host-001") == 4
    moment = Moment(1, decision(1), suggestions())
    rows = suggestion_rows(moment, 0, SessionState(), 78, UNICODE, "label")
    assert "   asked 4 times: 3 answered with a number" in [text_of(row) for _, row in rows]
    cache_path().unlink()
    assert past.past_of("kq-host-001") == "untested"


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_replay_shows_it_as_of_its_clock(tmp_path: Path, size: tuple[int, int]) -> None:
    story, _, at = told()
    app, feed = replay_app(journal(tmp_path, story.events), at=at + 1)
    async with app.run_test(size=size) as pilot:
        await ready(pilot, feed)
        await pilot.press("3" if size == SMALL else "escape")
        await pilot.pause()
        app.screen.go(at + 1)  # type: ignore[attr-defined]
        await pilot.pause()
        if size == SMALL:
            await pilot.press("tab", "tab")
            await pilot.pause()
        early = screen_text(app)
        app.screen.go(len(story.events) - 1)  # type: ignore[attr-defined]
        await pilot.pause()
        late = screen_text(app)
    assert "no number so far" in early
    assert "a number after" not in early
    assert "a number after 1 call" in late


async def test_a_replay_shows_it_under_the_question(tmp_path: Path) -> None:
    story, _, at = told()
    app, feed = replay_app(journal(tmp_path, story.events))
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, feed)
        shown = []
        for known in (at + 1, len(story.events) - 1):
            app.screen.go(known)  # type: ignore[attr-defined]
            for _ in range(100):
                await pilot.pause()
                if at in app.screen.transcript.book.remarks:  # type: ignore[attr-defined]
                    break
            rows = [text_of(row) for row in app.screen.transcript.book.rows(at)]  # type: ignore[attr-defined]
            shown.append(rows[-1])
    assert shown[0] == "  └ no number so far"
    assert shown[1].startswith("  └ a number after 1 call, host measured for the first time, best 1.41×")
