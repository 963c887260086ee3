"""Damage costs the damaged line and is told by its number; odd but whole lines cost nothing."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions import events as ev
from sessions.readers import lines as lines_module
from sessions.readers.formats import Item, by_lines
from sessions.readers.lines import Damaged, RawLine, lines_of, parse
from sessions.transcript import Transcript, open_transcript
from tests.sessions.transcripts import reply, text, user, write

GOOD = [user(0, "make it fast"), reply(1, text("one")), reply(2, text("two")), reply(3, text("three"))]


def texts(transcript: Transcript) -> list[str]:
    return [event.text for event in transcript.events if isinstance(event, ev.AgentText)]


def problems(transcript: Transcript) -> list[tuple[int, str]]:
    assert all(account.balanced for account in transcript.accounts)
    return [(problem.line, problem.what) for problem in transcript.problems]


def test_a_file_that_shrinks_while_it_is_read_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", [user(n, "x" * 4_000) for n in range(200)])
    size = path.stat().st_size
    entries = by_lines(path)
    first = next(entries)
    assert isinstance(first, RawLine)
    with path.open("r+b") as file:
        file.truncate(first.size)
    *_, last = entries
    assert isinstance(last, Item)
    assert last.damage.endswith("bytes shorter while it was read")
    assert int(last.damage.split()[3]) < size


def test_damage_in_the_middle_costs_one_line(tmp_path: Path) -> None:
    broken = json.dumps(GOOD[2])[:-30]
    transcript = open_transcript(write(tmp_path / "t.jsonl", [*GOOD[:2], broken, *GOOD[3:]]))
    assert texts(transcript) == ["one", "three"]
    ((line, what),) = problems(transcript)
    assert line == 2
    assert "not JSON" in what


def test_a_cut_last_line_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", GOOD)
    path.write_bytes(path.read_bytes()[:-40])
    transcript = open_transcript(path)
    assert texts(transcript) == ["one", "two"]
    assert problems(transcript) == [(3, "cut off: the file ends inside this line")]


def test_a_whole_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", GOOD)
    path.write_bytes(path.read_bytes()[:-1])
    assert texts(open_transcript(path)) == ["one", "two", "three"]


def test_a_nul_tail_is_one_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", GOOD)
    path.write_bytes(path.read_bytes() + b"\0" * 5000)
    transcript = open_transcript(path)
    assert texts(transcript) == ["one", "two", "three"]
    ((line, what),) = problems(transcript)
    assert line == 4
    assert "5000 NUL bytes" in what


def test_nul_padding_before_a_line_does_not_cost_it(tmp_path: Path) -> None:
    padded = b"\0" * 100 + json.dumps(GOOD[2]).encode()
    transcript = open_transcript(write(tmp_path / "t.jsonl", [*GOOD[:2], padded, GOOD[3]]))
    assert texts(transcript) == ["one", "two", "three"]
    assert problems(transcript) == []


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
def test_only_a_newline_ends_a_line(tmp_path: Path, odd: str) -> None:
    words = f"one{odd}two"
    entry = json.dumps(reply(1, text(words)), ensure_ascii=odd < " ")
    transcript = open_transcript(write(tmp_path / "t.jsonl", [GOOD[0], entry]))
    assert texts(transcript) == [words]
    assert transcript.entries == 2


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", GOOD, end=b"\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    transcript = open_transcript(path)
    assert texts(transcript) == ["one", "two", "three"]
    assert problems(transcript) == []


def test_blank_lines_are_counted(tmp_path: Path) -> None:
    transcript = open_transcript(write(tmp_path / "t.jsonl", [GOOD[0], "", "  ", *GOOD[1:], b"\r"]))
    assert transcript.blanks == 3
    assert problems(transcript) == []


def test_bytes_that_are_no_utf8_cost_one_line(tmp_path: Path) -> None:
    bad = json.dumps(GOOD[2]).encode().replace(b"two", b"t\xff\xfeo")
    transcript = open_transcript(write(tmp_path / "t.jsonl", [*GOOD[:2], bad, GOOD[3]]))
    assert texts(transcript) == ["one", "three"]
    assert "is not UTF-8" in problems(transcript)[0][1]


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    entry = json.dumps(
        reply(1, text("a\ud83db"), {"type": "tool_use", "id": "c", "name": "X", "input": {"k": "\udc00"}})
    )
    transcript = open_transcript(write(tmp_path / "t.jsonl", [GOOD[0], entry]))
    assert texts(transcript) == ["a\ufffdb"]
    assert all(ev.dump_event(event) for event in transcript.events)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "number too long"),
        (b"[1]", "not a JSON object but a list"),
        (b'"x"', "not a JSON object but a string"),
        (b"null", "not a JSON object but null"),
        (b'{"a": 1} {"b": 2}', "not JSON"),
    ],
)
def test_what_is_wrong_is_said(line: bytes, what: str) -> None:
    with pytest.raises(Damaged, match=what):
        parse(RawLine(0, 0, line))


def test_a_line_beyond_the_limit_is_dropped_and_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lines_module, "MAX_LINE", 2000)
    long = reply(2, text("x" * 9000))
    transcript = open_transcript(write(tmp_path / "t.jsonl", [*GOOD[:2], long, GOOD[3]]))
    assert texts(transcript) == ["one", "three"]
    assert "more than 2000" in problems(transcript)[0][1]


@given(st.lists(st.binary(max_size=40).filter(lambda data: b"\n" not in data), max_size=12), st.booleans())
def test_positions_and_bytes_are_the_files(parts: list[bytes], ends: bool) -> None:
    data = b"\n".join(parts) + (b"\n" if ends else b"")
    read = list(lines_of(io.BytesIO(data)))
    assert [line.number for line in read] == list(range(len(read)))
    assert sum(line.size for line in read) == len(data)
    for line in read:
        raw = data[line.offset : line.offset + line.size]
        assert line.complete == raw.endswith(b"\n")
        assert raw.count(b"\n") == line.complete
        assert line.data in raw
