from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kernelseek_tui.app.lines import clip, line, pad, spread, text_of, width_of, wrap, wrap_text
from kernelseek_tui.plain import plain_lines, visible

words = st.text(alphabet="ab漢e\u0301👩\u200d-_ 0", max_size=120).map(visible)


@given(st.lists(st.tuples(words, st.sampled_from(["text", "code"])), max_size=5), st.integers(4, 60))
def test_wrapping_stays_in_width_and_loses_only_spaces(spans: list[tuple[str, str]], width: int) -> None:
    rows = wrap(spans, width)
    assert all(width_of(row) <= width for row in rows)
    joined = "".join(text_of(row) for row in rows).replace(" ", "")
    assert joined == "".join(text for text, _ in spans).replace(" ", "")


@given(words, st.integers(12, 60))
def test_hanging_rows_stay_in_width(text: str, width: int) -> None:
    rows = wrap_text(text, "text", width, (("12 ", "key"),))
    assert all(width_of(row) <= width for row in rows)
    assert all(text_of(row).startswith("   ") for row in rows[1:])


def test_breaks_at_spaces() -> None:
    assert [text_of(row) for row in wrap_text("one two three", "text", 8)] == ["one two", "three"]


def test_long_words_are_cut_into_rows() -> None:
    assert [text_of(row) for row in wrap_text("x" * 20, "text", 8)] == ["x" * 8, "x" * 8, "x" * 4]


def test_roles_survive_a_break() -> None:
    rows = wrap((("plain ", "text"), ("strong words here", "strong")), 12)
    assert ("strong", "strong") in rows[0]
    assert all(role == "strong" for _, role in rows[1])


@given(words, st.integers(1, 40))
def test_clip_and_pad_are_exact(text: str, width: int) -> None:
    assert width_of(clip(line((text, "text")), width)) <= width
    assert cell_len(pad(text, width)) == width


def test_spread_keeps_the_right_end() -> None:
    row = spread(line(("left" * 20, "text")), line(("right", "faint")), 30)
    assert width_of(row) == 30
    assert text_of(row).endswith("right")


def test_a_megabyte_on_one_line_wraps() -> None:
    rows = wrap_text(plain_lines("y" * 1_000_000)[0], "text", 100)
    assert len(rows) == 10_000
