import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelseek_tui.app.book import Book
from kernelseek_tui.app.glyphs import ASCII, UNICODE
from kernelseek_tui.app.lines import ROLES, text_of, width_of
from kernelseek_tui.app.render import Scene, draw
from kernelseek_tui.hindsight import Moment
from kernelseek_tui.plain import ascii_only
from sessions import events as ev
from tests.kernelseek_tui.app.fakes import decision, evaluation, story, suggestions


def book_of(events: list[ev.AnyEvent], width: int = 80) -> Book:
    book = Book(UNICODE)
    book.width = width
    book.take(events)
    return book


def page(event: ev.AnyEvent, width: int = 80, expanded: bool = False) -> str:
    return "\n".join(text_of(row) for row in draw(event, Scene(width, expanded=expanded)))


@pytest.mark.parametrize("width", [12, 40, 80, 160])
@pytest.mark.parametrize("expanded", [False, True])
def test_every_row_of_every_kind_fits_and_has_a_known_role(width: int, expanded: bool) -> None:
    book = book_of(story(), width)
    book.all_expanded = expanded
    for entry in range(len(book)):
        for row in book.rows(entry):
            assert width_of(row) <= width
            assert all(role in ROLES for _, role in row)


def test_every_event_kind_has_rows_or_is_meant_to_have_none() -> None:
    from kernelseek_tui.app.render.registry import _RENDERERS

    kinds = {str(model.model_fields["kind"].default) for model in ev.KNOWN}
    assert kinds <= _RENDERERS.keys()


def test_a_call_is_one_row_and_its_result_is_cut() -> None:
    book = book_of(story())
    rows = [text_of(row) for row in book.rows(4) if row]
    assert rows == ["● Bash  kernelseek evaluate"]
    result = [text_of(row) for row in book.rows(5)]
    assert len(result) == 7
    assert result[0].startswith("  └ ✓ row 0")
    assert result[0].endswith("7.0 s")
    assert result[-1].strip() == "… +34 rows Space"
    book.toggle(5)
    whole = [text_of(row) for row in book.rows(5)]
    assert len(whole) == 40
    assert "row 39" in whole[-1]


def test_a_result_far_from_its_call_names_it() -> None:
    events: list[ev.AnyEvent] = [
        ev.ToolCall(id="a", call="c1", tool="Bash", input={"command": "make"}),
        ev.ToolCall(id="b", call="c2", tool="Bash", input={"command": "nvcc"}),
        ev.ToolResult(id="c", call="c1", output="built", is_error=True),
        ev.ToolResult(id="d", call="lost", output="?"),
    ]
    book = book_of(events)
    text = "\n".join(text_of(row) for row in book.rows(2))
    assert "failed Bash make" in text
    assert "not in this session" in text_of(book.rows(3)[0])


def test_a_question_shows_exactly_what_was_sent_and_its_receipt() -> None:
    text = "What does [bold]the bound[/bold] say?\nIn µs, " + "please " * 200
    shown = page(
        ev.QuestionAsked(id="q", questioner="human", text=text, entry="kq-host-001", edited=True), 60
    )
    joined = shown.replace("▌", "").replace("\n", " ")
    assert " ".join(joined.split()).endswith(" ".join(text.split()))
    assert "kq-host-001, edited" in shown
    assert "NOT delivered" in page(ev.QuestionReceipt(id="r", receipt="failed", detail="agent gone"))


def test_an_edit_is_a_diff() -> None:
    book = book_of(story())
    roles = {text_of(row).strip(): row[-1][1] for row in book.rows(7) if row}
    assert roles["+#pragma omp simd"] == "add"
    assert roles["-for (int k = 0; k < n; ++k)"] == "remove"
    assert any("attention.cpp" in text and "+2 −1" in text for text in roles)


def test_a_wrong_evaluation_scores_nothing_and_says_why() -> None:
    text = page(evaluation(1, (1.2, 1.2), status="WRONG"))
    assert "WRONG" in text
    assert "scores 0" in text
    assert "mha-causal-s512 WRONG head 3 of 8" in text
    assert "1.20" not in text


def test_a_score_names_its_baseline_verdict_and_who_measured() -> None:
    text = page(evaluation(1, (1.2, 1.2)), 120)
    assert "1.20× FASTER [1.17, 1.23]" in text
    assert "over start" in text
    assert "judge" in text
    assert "not judged" in page(evaluation(1, (1.2, 1.2), source_kind="parsed"), 120)


def test_decision_points_quote_their_evidence() -> None:
    text = page(decision(1))
    assert "⚑ PLATEAU" in text
    assert "“geometric mean 1.21× after 1.20×, three evaluations”" in text


def test_moments_seen_in_hindsight_stand_at_their_entry() -> None:
    events = story()[:14]
    book = book_of(events)
    changed = book.mark([Moment(12, decision(1), suggestions())])
    assert changed == [12]
    text = "\n".join(text_of(row) for row in book.rows(12))
    assert "would have been flagged here" in text
    recorded = book_of(story())
    assert recorded.mark([Moment(14, decision(1), suggestions())]) == []


HOSTILE = [
    "[",
    "[/]",
    "[b +",
    "[bold]x[/bold]",
    "[link=file:///]",
    "\x1b[2J\x1b]52;c;eA==\a",
    "\u202e",
    "\x00",
    "```",
    "**",
    "`",
]
texts = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30)), max_size=12).map("".join)


@settings(max_examples=80)
@given(texts, st.integers(8, 100), st.booleans())
def test_hostile_text_is_shown_and_never_obeyed(text: str, width: int, expanded: bool) -> None:
    events: list[ev.AnyEvent] = [
        ev.AgentText(id="a", text=text),
        ev.HumanMessage(id="h", text=text),
        ev.Thinking(id="t", text=text),
        ev.ToolCall(id="c", call="c", tool=text or "x", input={"command": text, text: [text]}),
        ev.ToolResult(id="r", call="c", output=text),
        ev.Edit(id="e", path=text, diff=f"+{text}"),
        ev.Note(id="n", text=text),
        ev.QuestionAsked(id="q", questioner="human", text=text),
        ev.Claim(id="l", claim="limit", quote=text),
        ev.ReaderProblem(id="p", line=3, what=text),
        ev.SessionEnded(id="z", reason=text),
        ev.UnknownEvent(kind="future", id="u"),
    ]
    book = book_of(events, width)
    book.all_expanded = expanded
    for entry in range(len(book)):
        for row in book.rows(entry):
            assert width_of(row) <= width
            assert not any(c < " " or "\x7f" <= c <= "\x9f" for c in text_of(row))
    if "[bold]" in text and "`" not in text and "*" not in text and width > 60:
        assert "[bold]" in "".join(text_of(row) for row in book.rows(0))


def test_what_is_shown_of_an_entry_does_not_depend_on_what_comes_later() -> None:
    events = story()
    whole = book_of(events)
    for known in range(1, len(events) + 1):
        part = book_of(events[:known])
        assert part.rows(known - 1) == whole.rows(known - 1)


def test_a_megabyte_of_text_is_laid_out_only_as_far_as_it_is_shown() -> None:
    rows = draw(ev.HumanMessage(id="h", text="z" * 1_000_000), Scene(100))
    assert len(rows) < 40
    assert "rows" in text_of(rows[-1])


def test_markdown_keeps_every_word() -> None:
    text = page(ev.AgentText(id="a", text="# Head\n**bold** and `code`\n\n- item\n```py\nx = 1\n```"))
    assert "Head" in text
    assert "bold and code" in text
    assert "x = 1" in text


def test_estimates_are_close_enough_to_scroll_by() -> None:
    book = book_of(story())
    real = sum(len(book.rows(entry)) for entry in range(len(book)))
    guess = sum(book.estimate(entry) for entry in range(len(book)))
    assert real / 2 < guess < real * 2


def test_without_utf8_everything_is_ascii() -> None:
    book = Book(ASCII)
    book.take(story())
    for entry in range(len(book)):
        for row in book.rows(entry):
            shown = ascii_only(text_of(row))
            assert shown.isascii()
            assert len(shown) == width_of(row)


def test_an_unmet_goal_is_a_verdict_and_no_failure() -> None:
    events: list[ev.AnyEvent] = [
        ev.ToolCall(id="c", call="c", tool="Bash", input={"command": "cd x && kernelseek evaluate"}),
        ev.ToolResult(id="r", call="c", output="Exit code 10\n1.20x over start", is_error=True),
    ]
    text = "\n".join(text_of(row) for row in book_of(events).rows(1))
    assert "◆ measured: all correct, the goal is not met" in text
    assert "1.20x over start" in text
    assert "failed" not in text
    assert "✗" not in text
    assert "Exit code" not in text
    for output, command in (("Exit code 20\nx", "kernelseek evaluate"), ("Exit code 10\nx", "make")):
        wrong: list[ev.AnyEvent] = [
            ev.ToolCall(id="c", call="c", tool="Bash", input={"command": command}),
            ev.ToolResult(id="r", call="c", output=output, is_error=True),
        ]
        assert "✗ failed" in text_of(book_of(wrong).rows(1)[0])


def test_no_marks_of_markdown_are_left() -> None:
    source = "**bold `code` more** and **a*b**\n```cpp\nx **= 2;\n```\n2 ** 3 ** 4"
    rows = [text_of(row).strip() for row in draw(ev.AgentText(id="a", text=source), Scene(80))]
    assert rows == ["bold code more and a*b", "cpp", "x **= 2;", "2 ** 3 ** 4"]
    assert draw(ev.AgentText(id="a", text="```"), Scene(80))


def test_a_queued_question_is_not_there_yet() -> None:
    queued = page(ev.QuestionReceipt(id="r", receipt="queued"))
    assert "✓" not in queued
    assert "✓ delivered at the tool boundary" in page(ev.QuestionReceipt(id="r", receipt="delivered"))
    assert "✗ NOT delivered (gone)" in page(ev.QuestionReceipt(id="r", receipt="failed", detail="gone."))


def test_a_permission_request_shows_all_of_its_input() -> None:
    text = page(
        ev.PermissionRequested(
            id="p", request="r", tool="Bash", input={"command": "true && " * 60 + "rm -r build", "timeout": 5}
        )
    )
    assert "rm -r build" in " ".join(text.split())
    assert "timeout: 5" in text


def test_unfinished_text_stands_under_the_last_entry() -> None:
    book = book_of(story())
    last = len(book) - 1
    assert book.write("half a sen") == [last]
    assert "half a sen" in "\n".join(text_of(row) for row in book.rows(last))
    assert "half a sen" not in "\n".join(text_of(row) for row in book.rows(last - 1))
    assert book.write("half a sen") == []
    assert book.write("") == [last]


def test_the_first_failing_is_said_once_and_whole() -> None:
    wrong = evaluation(1, (1.2, 1.2), status="WRONG")
    assert "allowed 1e-5" in " ".join(page(wrong, 60).split())
    first = wrong.scenarios[0]
    told = wrong.model_copy(update={"detail": f"{first.id}: {first.detail}"})
    assert page(told).count("head 3 of 8") == 1
