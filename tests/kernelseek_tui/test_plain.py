import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from kernelseek_tui.plain import one_line, plain_lines, visible


def test_escapes_are_shown() -> None:
    assert visible("\x1b[31mred\x1b[0m") == "␛[31mred␛[0m"
    assert visible("a\x00b\x7f\x07") == "a␀b␡␇"


def test_separators_that_are_no_newlines_break_no_line() -> None:
    assert plain_lines("a\u2028b\u2029c\x85d") == ["a‹U+2028›b‹U+2029›c‹U+0085›d"]
    assert plain_lines("a\r\nb\rc") == ["a", "b␍c"]


def test_direction_overrides_are_shown() -> None:
    assert visible("x\u202ey") == "x‹U+202E›y"


def test_tabs_go_to_columns() -> None:
    assert plain_lines("a\tb\nabcd\te") == ["a   b", "abcd    e"]


def test_one_line_is_short() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("x" * 1000, 10) == "x" * 9 + "…"


@given(st.text(alphabet=st.characters(), max_size=200))
def test_nothing_a_terminal_obeys_gets_through(text: str) -> None:
    shown = "\n".join(plain_lines(text))
    shown.encode("utf-8")
    left = {c for c in shown if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs")} - {"\n"}
    assert not left
