import re
from pathlib import Path

from kernelseek_tui.app.prompt import Prompt
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.app.suggestions import Suggestions
from kernelseek_tui.app.transcript import Transcript
from sessions import events as ev
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.app.fakes import START, story
from tests.kernelseek_tui.app.screens import (
    SMALL,
    WIDE,
    journal,
    ready,
    replay_app,
    screen_text,
    title,
    type_into,
)


def numbered(count: int) -> list[ev.AnyEvent]:
    """Every kind of place that could let a later event through carries its own number."""
    made: list[ev.AnyEvent] = [ev.SessionStarted(id="start", session="s", agent_name="agent")]
    for index in range(1, count):
        match index % 6:
            case 1:
                made.append(
                    ev.ToolCall(
                        id=f"e{index}", call=f"c{index}", tool="Bash", input={"command": f"#{index}#"}
                    )
                )
            case 2:
                made.append(ev.ToolResult(id=f"e{index}", call=f"c{index - 1}", output=f"#{index}#"))
            case 3:
                made.append(
                    ev.Evaluation(
                        id=f"e{index}",
                        evaluation="e",
                        status="CORRECT",
                        exit_code=0,
                        geomean=1 + index / 100,
                        baseline=f"#{index}#",
                        scenarios=(ev.ScenarioResult(id=f"#{index}#", status="CORRECT", ratio=1.0),),
                        correct=1,
                        total=1,
                        unmet=(f"#{index}#",),
                    )
                )
            case 4:
                made.append(
                    ev.DecisionPoint(
                        id=f"e{index}",
                        decision="plateau",
                        evidence=(ev.Evidence(event=f"e{index - 1}", quote=f"#{index}#"),),
                        confidence=0.5,
                        reason=f"#{index}#",
                    )
                )
            case 5:
                made.append(
                    ev.SuggestionsShown(
                        id=f"e{index}",
                        parent=f"e{index - 1}",
                        bank_version="t",
                        suggestions=(
                            ev.Suggestion(
                                entry="kq-x-001", group="g", question=f"#{index}#?", score=1, reasons=()
                            ),
                        ),
                    )
                )
            case _:
                made.append(ev.AgentText(id=f"e{index}", text=f"#{index}# " * 8))
    return made


async def test_nothing_is_shown_that_was_not_known_at_the_cursor(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, numbered(40)))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        for clock in (0, 5, 39, 17, 16, 22, 23, 24, 3):
            screen.go(clock)
            await pilot.pause()
            shown = [int(number) for number in re.findall(r"#(\d+)#", screen_text(app))]
            assert max(shown, default=0) <= clock
            assert clock < 5 or shown
            assert f"event {clock + 1}/40" in title(app)


async def test_the_keys_of_a_replay(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=0)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        assert screen.clock == 0
        await pilot.press("right", "right")
        assert screen.clock == 2
        await pilot.press("left")
        assert screen.clock == 1
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert screen.clock == 12
        await pilot.press("left_square_bracket")
        assert screen.clock == 2
        await pilot.press("n")
        assert screen.clock == 15
        shown = screen_text(app)
        assert "⚑ PLATEAU" in shown
        assert "was suggested then" in shown
        await pilot.press("n")
        await pilot.pause()
        assert "No later decision point." in screen_text(app)
        await pilot.press("end")
        assert screen.clock == len(story()) - 1
        await pilot.press("N")
        assert screen.clock == 15
        await pilot.press("home")
        assert screen.clock == 0
        await type_into(pilot, "t", "turn 2")
        await pilot.pause()
        assert screen.clock == 12
        await type_into(pilot, "t", "100%")
        await pilot.pause()
        assert screen.clock == len(story()) - 1
        await type_into(pilot, "t", "nowhere")
        await pilot.pause()
        assert "Type an event number" in screen_text(app)
        prompt = screen.query_one(Prompt)
        assert prompt.has_focus
        assert prompt.value == "nowhere"
        prompt.value = "3"
        await pilot.press("enter")
        await pilot.pause()
        assert screen.clock == 2
        assert not prompt.display
        await pilot.press("comma")
        assert screen.speed == 8
        await pilot.press("full_stop", "full_stop")
        assert screen.speed == 32
        assert "REPLAY ×32" in title(app)


async def test_up_reads_back_and_down_at_the_end_steps_on(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=8)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        transcript = screen.query_one(Transcript)
        await pilot.press("up")
        assert (screen.clock, transcript.cursor) == (8, 7)
        await pilot.press("down", "down")
        await pilot.pause()
        assert screen.clock == 9


async def test_playing_goes_on_by_itself_and_stops_at_the_end(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=13)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        screen.speed = 1024
        await pilot.press("p")
        for _ in range(100):
            await pilot.pause(0.02)
            if not screen.playing:
                break
        assert screen.clock == len(story()) - 1
        assert not screen.playing


async def test_a_session_opens_as_a_full_page(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, numbered(200)))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        assert 0 < screen.clock < 60
        assert screen.query_one(Transcript).window.top == 0


async def test_sending_and_editing_do_nothing_in_a_replay(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=16)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        await pilot.press("1", "enter", "e", "x", "i")
        await pilot.pause()
        assert len(feed.events) == len(story())
        assert app.screen.query_one(Suggestions).place == 0


async def test_today_beside_the_recorded(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=16)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        moment = feed.moments[0]
        feed.today[:] = [moment]
        await pilot.press("v")
        await pilot.pause()
        assert "today's version would say" in screen_text(app)
        feed.today[:] = [type(moment)(16, moment.decision, moment.suggestions)]
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        screen.go(15)
        await pilot.pause()
        assert "today's version would say" not in screen_text(app)


async def test_search_finds_what_is_known_only(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, numbered(40)), at=20)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await type_into(pilot, "slash", "#12#")
        await pilot.pause()
        assert screen.clock == 12
        await pilot.press("escape")
        await type_into(pilot, "slash", "#30#")
        await pilot.pause()
        assert "Nothing holds" in screen_text(app)
        assert screen.clock == 12


async def test_resizing_at_every_step_loses_nothing(tmp_path: Path) -> None:
    app, feed = replay_app(journal(tmp_path, story()), at=0)
    sizes = ((160, 48), (80, 24), (121, 30), (50, 12), (100, 40))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        for step in range(len(story()) - 1):
            await pilot.resize_terminal(*sizes[step % len(sizes)])
            screen.action_step(1)
            await pilot.pause()
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        transcript = screen.query_one(Transcript)
        seen = len(story()) - 1  # the last event only counts tokens and is stepped over
        assert transcript.known == seen
        rows = sum(len(transcript.window.rows(entry)) for entry in range(seen))
        assert transcript.window.total == rows
        assert "⚑ PLATEAU" in screen_text(app)


async def test_ten_thousand_events_open_and_step(tmp_path: Path) -> None:
    many: list[ev.AnyEvent] = [
        ev.AgentText(id=f"e{index}", text=f"entry {index} " + "word " * (index % 60), time=START)
        for index in range(10_000)
    ]
    app, feed = replay_app(journal(tmp_path, many))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot, feed)
        await pilot.press("end", "pageup", "g", "G")
        await pilot.pause()
        assert "entry 9999" in screen_text(app)
        await type_into(pilot, "t", "5000")
        await pilot.pause()
        assert "entry 4999" in screen_text(app)
        assert "entry 5000" not in screen_text(app)


@needs_cases
async def test_a_recorded_foreign_session(tmp_path: Path) -> None:
    assert CASES is not None
    app, feed = replay_app(CASES / "study" / "case1_gap_triage.jsonl")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await ready(pilot, feed)
        assert feed.moments
        await pilot.press("n")
        await pilot.pause()
        shown = screen_text(app)
        assert "would have been asked" in shown
        assert "kq-" in shown
        assert "not judged" in shown
        assert "set evaluate" in shown
        assert f"/{len(feed.events)}" in title(app)
