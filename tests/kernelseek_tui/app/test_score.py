from kernelseek_tui.app.advice import (
    current,
    last_words,
    moment_rows,
    nothing_here,
    nothing_yet,
    standing,
    suggestion_rows,
)
from kernelseek_tui.app.figures import count, duration, verdict
from kernelseek_tui.app.glyphs import ASCII, UNICODE
from kernelseek_tui.app.lines import text_of, width_of
from kernelseek_tui.app.score import Read, board
from kernelseek_tui.hindsight import Moment
from sessions import events as ev
from sessions.state import SessionState, fold
from tests.kernelseek_tui.app.fakes import decision, evaluation, story, suggestions


def text(state: SessionState, width: int = 64) -> str:
    return "\n".join(text_of(row) for row in board(state, width, UNICODE))


def test_an_empty_board_says_what_to_expect() -> None:
    assert "No evaluation yet." in text(SessionState())
    assert "REHEARSED" in text(fold(story()[:2]))


def test_the_board_of_a_session() -> None:
    shown = text(fold(story()))
    assert "1.15× FASTER [1.12, 1.18]" in shown
    assert "over start · set demo · evaluation 4 · judge" in shown
    assert "best 1.21×" in shown
    assert "history of 4, 1 wrong" in shown
    assert "REHEARSED" in shown
    assert "every scenario's interval above 1.8× over start" in shown
    assert "12.3k tokens in · 4.5k out · $0.31" in shown


def test_scenarios_are_sorted_by_time_lost_with_their_gap() -> None:
    rows = text(fold(story())).splitlines()
    at = next(i for i, row in enumerate(rows) if "by time lost" in row)
    names = [row.split()[1] for row in rows[at + 1 : at + 5]]
    assert names == ["gqa-causal-s2048", "mha-full-s256", "gqa-window-s1024", "mha-causal-s512"]
    assert rows[at + 1].rstrip().endswith("host")


def test_wrong_scenarios_come_first_and_have_no_ratio() -> None:
    rows = text(fold(story()[:10])).splitlines()
    at = next(i for i, row in enumerate(rows) if "by time lost" in row)
    assert "mha-causal-s512" in rows[at + 1]
    assert "WRONG" in rows[at + 1]
    assert "×" not in rows[at + 1]


def test_no_board_row_is_wider_than_the_pane() -> None:
    for width in (20, 38, 60, 100):
        for known in range(len(story()) + 1):
            for glyphs in (UNICODE, ASCII):
                assert all(width_of(row) <= width for row in board(fold(story()[:known]), width, glyphs))


def test_parsed_scores_are_marked() -> None:
    assert "not judged" in text(fold([evaluation(1, (1.2, 1.3), source_kind="parsed")]))


def test_a_goal_is_only_as_new_as_its_verdict() -> None:
    met = ev.GoalVerdict(id="g", met=True)
    after = [evaluation(1, (2.0, 2.0)), met]
    assert "met: every clause holds" in text(fold(after))
    assert "not known for the newest evaluation" in text(fold([*after, evaluation(2, (2.0, 2.0))]))
    assert "not known" in text(
        fold([evaluation(1, (2.0, 2.0)), ev.GoalVerdict(id="g", met=None, reason="broken")])
    )


def test_incomplete_sets_read_n_of_n() -> None:
    shown = text(fold([evaluation(1, (2.0, 2.0), correct=1, status="UNSUPPORTED")]))
    assert "1/2 correct" in shown


def test_verdicts_need_an_interval_and_a_floor() -> None:
    assert verdict(evaluation(1, (1.2,))) == "FASTER"
    assert verdict(evaluation(1, (0.8,))) == "SLOWER"
    assert verdict(evaluation(1, (1.0,))) == "AMBIGUOUS"
    assert verdict(evaluation(1, (1.0,), noise_floor=0.05)) == "SAME"
    assert verdict(evaluation(1, (1.2,), noise_floor=None)) == ""


def test_figures() -> None:
    assert [duration(x) for x in (0.44, 14, 125, 6720, -1)] == ["0.4 s", "14 s", "2 m 05 s", "1 h 52 m", ""]
    assert [count(x) for x in (950, 12_345, 4_100_000)] == ["950", "12.3k", "4.1M"]


MOMENT = Moment(14, decision(1), suggestions())


def test_the_newest_moment_that_is_not_put_aside() -> None:
    later = Moment(20, decision(2), ())
    assert current([MOMENT, later], SessionState(), 30) is later
    assert current([MOMENT, later], SessionState(), 20) is MOMENT
    assert current([MOMENT, later], SessionState(), 14) is None
    state = fold([ev.SuggestionDismissed(id="d", parent="decision-2")])
    assert current([MOMENT, later], state, 30) is None
    assert last_words([MOMENT, later], state, 30) == "PLATEAU at event 21 was dismissed."


def test_nothing_older_than_an_answered_moment_is_offered() -> None:
    later = Moment(20, decision(2), ())
    asked = ev.QuestionAsked(id="q", questioner="bank", text="?", parent="decision-2")
    state = fold([asked])
    assert current([MOMENT, later], state, 30) is None
    assert current([MOMENT, later], state, 30, history=True) is later
    assert last_words([MOMENT, later], state, 30).endswith("was answered by bank: on its way.")
    lost = fold([asked, ev.QuestionReceipt(id="r", parent="q", receipt="failed", detail="It is gone.")])
    assert current([MOMENT, later], lost, 30) is later
    assert "NOT delivered (It is gone)" in text_of(moment_rows(later, [8], lost, 80, UNICODE, False)[0])


def test_a_question_has_one_state() -> None:
    asked = ev.QuestionAsked(id="q", questioner="human", text="?", parent="decision-1")
    queued = ev.QuestionReceipt(id="r1", parent="q", receipt="queued")
    there = ev.QuestionReceipt(id="r2", parent="q", receipt="delivered")
    assert "queued, read when" in last_words([MOMENT], fold([asked, queued]), 30)
    assert last_words([MOMENT], fold([asked, queued, there]), 30).endswith("delivered at the tool boundary.")


def test_a_moment_shows_why_and_where() -> None:
    rows = "\n".join(text_of(row) for row in moment_rows(MOMENT, [8], SessionState(), 60, UNICODE, False))
    assert "⚑ PLATEAU  at event 15" in rows
    assert "3 evaluations without a gain" in rows
    assert "event 9" in rows


def test_answered_and_dismissed_are_known() -> None:
    state = fold(
        [
            ev.QuestionAsked(id="q", questioner="human", text="?", parent="decision-1"),
            ev.SuggestionDismissed(id="d", parent="decision-1", entry="kq-host-001"),
        ]
    )
    assert standing(MOMENT, state).answered
    assert set(standing(MOMENT, state).aside) == {"kq-host-001"}
    rows = suggestion_rows(MOMENT, None, state, 60, UNICODE, "label")
    assert any("dismissed" in text_of(row) for _, row in rows)


def test_the_chosen_suggestion_is_shown_in_full_with_reasons() -> None:
    rows = suggestion_rows(MOMENT, 0, SessionState(), 40, UNICODE, "label")
    mine = " ".join(text_of(row).strip() for place, row in rows if place == 0)
    assert "how many microseconds go by on the host?" in " ".join(mine.split())
    assert "no tool call has touched the host path yet" in " ".join(mine.split())
    assert all(width_of(row) <= 40 for _, row in rows)


def test_an_empty_place_says_what_will_stand_there() -> None:
    assert "worth asking" in nothing_yet("")
    assert "n goes to the next" in nothing_here("", reading=False, later=True)
    assert "n goes" not in nothing_here("", reading=False, later=False)
    assert "None comes after it" in nothing_here("", reading=False, later=False)
    assert "Reading" in nothing_here("", reading=True, later=False)


def test_a_transcript_without_our_judge_says_so_and_shows_what_its_text_says() -> None:
    read = Read(True, ((4, 1.25, "geomean: 1.25"), (9, 1.5, "geomean: 1.5")))
    rows = [text_of(row) for row in board(SessionState(), 64, UNICODE, read)]
    shown = "\n".join(rows)
    assert "holds no evaluation by our judge" in shown
    assert "2 read from the text, not judged" in shown
    assert shown.index("1.5  event 10") < shown.index("1.25  event 5")
    assert "yet" not in shown
    assert "No evaluation up to here." in "\n".join(
        text_of(row) for row in board(SessionState(), 64, UNICODE, Read(False))
    )


def test_names_of_scenarios_use_the_room_there_is() -> None:
    name = "gqa-window-causal-bf16-s131072-h64-kv8-paged-ragged"
    seen = evaluation(1, (1.2,))
    long = seen.model_copy(update={"scenarios": (seen.scenarios[0].model_copy(update={"id": name}),)})
    assert name in text(fold([long]), 100)
    assert "1.20×" in text(fold([long]), 50)


def test_first_failing_says_nothing_twice() -> None:
    clause = "mha-causal-s512: ratio above 1.8× over start"
    events: list[ev.AnyEvent] = [
        evaluation(1, (1.2, 1.2), unmet=(clause,)),
        ev.GoalVerdict(id="g", met=False, unmet=(clause,), first_failing=("mha-causal-s512",)),
    ]
    assert "first failing" not in text(fold(events))
    events[1] = ev.GoalVerdict(id="g", met=False, unmet=(clause,), first_failing=("other-s1",))
    assert "first failing: other-s1" in text(fold(events))


def test_spend_names_the_model() -> None:
    start = ev.SessionStarted(id="s", session="s", agent_name="claude", model="claude-sonnet")
    use = ev.Usage(id="u", input_tokens=10, cache_read_tokens=990, output_tokens=5, cost_usd=0.25)
    assert "claude-sonnet · 1.0k tokens in (990 cached) · 5 out · $0.25" in text(fold([start, use]), 90)
