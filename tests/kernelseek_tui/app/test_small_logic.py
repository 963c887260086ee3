"""Turns, places, pace, clipboard, chart, track: each a page of pure logic."""

import base64
import os
import shlex
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelseek_tui.app.acting import leaks
from kernelseek_tui.app.chart import curve
from kernelseek_tui.app.clipboard import LIMIT, osc9, osc52
from kernelseek_tui.app.glyphs import ASCII, UNICODE, pick_glyphs
from kernelseek_tui.app.lines import text_of, width_of
from kernelseek_tui.app.pace import LONGEST, SPEEDS, faster, wait
from kernelseek_tui.app.places import place
from kernelseek_tui.app.search import find
from kernelseek_tui.app.track import FAILED, QUIET, TOOL, Track
from kernelseek_tui.app.turns import Turns
from sessions import events as ev
from sessions.state import fold
from tests.kernelseek_tui.app.fakes import story


def turns_of(events: list[ev.AnyEvent]) -> Turns:
    turns = Turns()
    for event in events:
        turns.take(event)
    return turns


def test_turns_are_counted_as_the_state_counts_them() -> None:
    events = story()
    turns = turns_of(events)
    state = fold(events)
    for index in range(len(events)):
        assert turns.number(index) == state.as_of(index).turns


def test_turn_stops_hold_messages_too() -> None:
    turns = turns_of(story())
    assert turns.after(0) == 1
    assert turns.after(1) == 2
    assert turns.before(2) == 1
    assert turns.before(0) is None
    assert turns.after(len(story())) is None


@pytest.mark.parametrize(
    ("text", "entry"),
    [("1", 0), (" 17 ", 16), ("turn 1", 2), ("t2", 12), ("0%", 0), ("100 %", 16), ("50%", 8)],
)
def test_places(text: str, entry: int) -> None:
    assert place(text, 17, turns_of(story())) == entry


@pytest.mark.parametrize("text", ["0", "18", "turn 3", "101%", "somewhere", "", "-1", "9" * 400])
def test_places_that_are_none_get_a_sentence(text: str) -> None:
    answer = place(text, 17, turns_of(story()))
    assert isinstance(answer, str)
    assert answer.endswith(".")


def test_pace() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert wait(now, now + timedelta(seconds=8), 16) == pytest.approx(0.5)
    assert wait(now, now + timedelta(hours=5), 1) == LONGEST
    assert wait(now, now - timedelta(seconds=5), 1) == 0
    assert wait(None, now, 2) == pytest.approx(1)
    assert faster(16, 1) == 32
    assert faster(SPEEDS[0], -1) == SPEEDS[0]
    assert faster(SPEEDS[-1], 1) == SPEEDS[-1]
    assert faster(10, -1) == 8


@given(st.text(max_size=300))
def test_the_clipboard_sequence_carries_the_text(text: str) -> None:
    sequence = osc52(text, {})
    assert sequence.startswith("\x1b]52;c;")
    payload = sequence.removeprefix("\x1b]52;c;").removesuffix("\a")
    assert base64.b64decode(payload).decode() == text.encode("utf-8", "replace").decode()


def test_tmux_gets_the_plain_sequence_and_its_envelope() -> None:
    inner = osc52("hi", {})
    assert (
        osc52("hi", {"TMUX": "/tmp/tmux-0/default,1,0"})
        == inner + "\x1bPtmux;" + inner.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    )
    assert osc9("hi", {"TMUX": "1"}).startswith("\x1bPtmux;")


@pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux")
def test_a_real_tmux_takes_a_copy_where_its_clipboard_is_on(tmp_path: Path) -> None:
    (tmp_path / "sequence").write_text(osc52("hi ü", {"TMUX": "1"}), encoding="utf-8")
    # A socket by its path: names would be shared with other runs.
    tmux = ["tmux", "-S", str(tmp_path / "s"), "-f", "/dev/null"]
    environment = {name: value for name, value in os.environ.items() if name != "TMUX"}

    def ask(*words: str) -> str:
        done = subprocess.run([*tmux, *words], capture_output=True, text=True, env=environment, timeout=20)
        return done.stdout

    ask("new-session", "-d", "-x", "80", "-y", "24", "cat")
    try:
        ask("set", "-s", "set-clipboard", "on")
        ask("new-window", f"cat {shlex.quote(str(tmp_path / 'sequence'))}; sleep 20")
        deadline = time.monotonic() + 10
        while ask("show-buffer") != "hi ü" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert ask("show-buffer") == "hi ü"
    finally:
        ask("kill-server")


def test_screen_gets_short_pieces() -> None:
    sequence = osc52("x" * 1000, {"STY": "1.pts"})
    pieces = sequence.split("\x1b\\")[:-1]
    assert all(piece.startswith("\x1bP") and len(piece) <= 242 for piece in pieces)
    assert "".join(piece[2:] for piece in pieces) == osc52("x" * 1000, {})


def test_a_huge_copy_is_cut_to_what_terminals_take() -> None:
    assert len(osc52("x" * 10 * LIMIT, {})) < 100_100


@given(
    st.lists(st.floats(0.01, 50), min_size=1, max_size=200),
    st.integers(1, 60),
    st.integers(1, 6),
    st.booleans(),
)
def test_curves_fill_their_box(values: list[float], width: int, rows: int, braille: bool) -> None:
    drawn = curve(values, width, rows, braille)
    assert len(drawn) == rows
    assert all(len(row) == width for row in drawn)
    columns = list(zip(*drawn, strict=True))
    assert all(any(cell != " " for cell in column) for column in columns)


def test_a_rising_curve_rises() -> None:
    drawn = curve([1.0, 2.0], 8, 4, braille=False)
    assert drawn[0] == "    ****"
    assert drawn[-1] == "*****   "


@given(st.integers(1, 400), st.integers(1, 120), st.data())
def test_a_track_never_shows_what_is_not_known(count: int, width: int, data: st.DataObject) -> None:
    track = Track()
    for index in range(count):
        track.take(ev.DecisionPoint.model_construct(id=str(index), kind="decision_point"))
    track.flag(range(count))
    known = data.draw(st.integers(1, count))
    row = track.row(width, known, known - 1, UNICODE)
    assert width_of(row) == width
    last = track.cell(known - 1, width)
    assert UNICODE.flag not in text_of(row)[last + 1 :]


@given(st.integers(1, 300), st.integers(1, 120))
def test_cells_and_events_agree(count: int, width: int) -> None:
    track = Track()
    track.marks.extend(bytes(count))
    for column in range(width):
        entry = track.event_at(column, width)
        assert 0 <= entry < count
        if count >= width:
            assert track.cell(entry, width) == column


def test_track_marks_score_steps() -> None:
    track = Track()
    for event in story():
        track.take(event)
    track.flag([15])
    text = text_of(track.row(len(story()), len(story()), 0, UNICODE))
    assert text.count(UNICODE.up) == 2
    assert text.count(UNICODE.bad) == 1
    assert text.count(UNICODE.even) == 1
    assert text.count(UNICODE.flag) == 1


def test_search_goes_round_and_has_smart_case() -> None:
    events = story()
    assert find(events, "memory-bound", 0, 1, len(events)) == 12
    assert find(events, "Memory-bound", 0, 1, len(events)) is None
    assert find(events, "memory-bound", 13, 1, len(events)) == 12
    assert find(events, "memory-bound", 0, 1, 12) is None
    assert find(events, "", 0, 1, 12) is None


def test_ascii_glyphs_are_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ASCII.__dataclass_fields__:
        assert str(getattr(ASCII, name)).isascii()
    monkeypatch.setattr("locale.nl_langinfo", lambda _: "ANSI_X3.4-1968")
    assert pick_glyphs() is ASCII
    monkeypatch.setattr("locale.nl_langinfo", lambda _: "UTF-8")
    assert pick_glyphs() is UNICODE
    monkeypatch.setenv("KERNELSEEK_ASCII", "1")
    assert pick_glyphs() is ASCII


@pytest.mark.parametrize(("locale", "braille"), [("C", "False"), ("C.UTF-8", "True")])
def test_the_locale_decides_also_in_pythons_utf8_mode(locale: str, braille: str) -> None:
    code = "from kernelseek_tui.app.glyphs import pick_glyphs; print(pick_glyphs().braille)"
    environment = {**os.environ, "LC_ALL": locale}
    environment.pop("KERNELSEEK_ASCII", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == braille


def test_an_unmet_goal_is_no_failed_call_on_the_track() -> None:
    track = Track()
    for number, command in enumerate(("kernelseek evaluate", "make")):
        track.take(ev.ToolCall(id=f"c{number}", call=f"c{number}", tool="Bash", input={"command": command}))
        track.take(ev.ToolResult(id=f"r{number}", call=f"c{number}", output="Exit code 10\nx", is_error=True))
    assert list(track.marks) == [TOOL, QUIET, TOOL, FAILED]


def test_a_notification_holds_no_sequence_of_its_own() -> None:
    sequence = osc9("rm \x1b]0;x\a\n-r", {})
    assert sequence == "\x1b]9;rm ␛]0;x␇ -r\a"
    assert osc9("x", {"TMUX": "1"}).startswith("\x1bPtmux;\x1b\x1b]9;x")


def test_a_leak_warning_says_the_words_once() -> None:
    for warning in leaks("Should you cache the plan for cuda?"):
        words = warning.partition("(")[0].lower()
        assert words.count("cache") <= 1
        assert words.count("cuda") <= 1
        assert words.count("should") <= 1
