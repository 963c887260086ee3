"""Following a file: whole lines, each once, whatever is done to the file."""

import asyncio
import json
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions import events as ev
from sessions import tail as tail_module
from sessions.journal import Journal
from sessions.readers.lines import RawLine, lines_of
from sessions.readers.own import JournalReader
from sessions.tail import Item, Restarted, Tail, follow, follow_async


def texts(items: list[Item]) -> list[str]:
    return [item.data.decode() if isinstance(item, RawLine) else "RESTARTED" for item in items]


def taken(tail: Tail) -> list[str]:
    return texts(list(tail.drain()))


def append(path: Path, data: str) -> None:
    with path.open("a") as file:
        file.write(data)


def test_only_whole_lines_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    tail = Tail(path)
    assert taken(tail) == []
    append(path, "one\ntw")
    assert taken(tail) == ["one"]
    assert taken(tail) == []
    append(path, "o\n")
    assert taken(tail) == ["two"]
    append(path, "three\r\n\nfive\n")
    assert taken(tail) == ["three", "", "five"]


@given(st.lists(st.binary(max_size=30), max_size=8), st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_lines_are_those_of_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], chunk: int
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    tail = Tail(path)
    items: list[Item] = []
    usual = tail_module.CHUNK
    try:
        tail_module.CHUNK = chunk
        for part in parts:
            with path.open("ab") as file:
                file.write(part)
            items += tail.drain()
    finally:
        tail_module.CHUNK = usual
    path.touch()
    with path.open("rb") as file:
        assert items == [line for line in lines_of(file) if line.complete]


def test_a_cut_file_is_told_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    tail = Tail(path)
    append(path, "one\ntwo\n")
    assert taken(tail) == ["one", "two"]
    path.write_text("new\n")
    items = list(tail.drain())
    assert texts(items) == ["RESTARTED", "new"]
    assert isinstance(items[0], Restarted)
    assert "cut shorter" in items[0].why
    assert isinstance(items[1], RawLine)
    assert items[1].number == 0


def test_a_replaced_file_is_told_and_read_again(tmp_path: Path) -> None:
    path, other = tmp_path / "t.jsonl", tmp_path / "o"
    tail = Tail(path)
    append(path, "one\n")
    assert taken(tail) == ["one"]
    other.write_text("other\nlines\n")
    other.replace(path)
    assert taken(tail) == ["RESTARTED", "other", "lines"]


def test_a_file_replaced_by_a_longer_copy_of_itself_goes_on(tmp_path: Path) -> None:
    path, other = tmp_path / "t.jsonl", tmp_path / "o"
    tail = Tail(path)
    append(path, "one\ntwo\npart")
    assert taken(tail) == ["one", "two"]
    other.write_text("one\ntwo\npartly\nfour\n")
    other.replace(path)
    items = list(tail.drain())
    assert texts(items) == ["partly", "four"]
    assert [item.number for item in items if isinstance(item, RawLine)] == [2, 3]


def test_a_file_that_goes_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    tail = Tail(path)
    append(path, "one\n")
    assert taken(tail) == ["one"]
    path.unlink()
    assert taken(tail) == []
    append(path, "one\ntwo\n")
    assert taken(tail) == ["two"]


def test_a_line_beyond_the_limit_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_module, "MAX_LINE", 100)
    path = tmp_path / "t.jsonl"
    tail = Tail(path)
    items: list[Item] = []
    for part in ("x" * 80, "x" * 80, "x" * 80, "x\nnext\n"):
        append(path, part)
        items += tail.drain()
    first, second = items
    assert isinstance(first, RawLine)
    assert isinstance(second, RawLine)
    assert (first.too_long, first.size, first.data) == (True, 242, b"")
    assert (second.number, second.offset, second.data) == (1, 242, b"next")


def test_follow_in_a_thread(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    stop, some = threading.Event(), threading.Event()
    got: list[str] = []

    def run() -> None:
        for item in follow(path, stop, interval=0.02):
            got.extend(texts([item]))
            some.set()

    thread = threading.Thread(target=run)
    thread.start()
    append(path, "one\n")
    assert some.wait(30)
    append(path, "two\n")
    stop.set()
    thread.join(30)
    assert got == ["one", "two"]


def test_follow_without_a_watcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system tells nothing the file is looked at every now and then."""

    class NoWatches:
        def schedule(self, *_: object) -> None:
            raise OSError("inotify watch limit reached")

    monkeypatch.setattr(tail_module, "Observer", NoWatches)
    stop = threading.Event()
    lines = follow(tmp_path / "t.jsonl", stop, interval=0.01)
    append(tmp_path / "t.jsonl", "one\n")
    assert texts([next(lines)]) == ["one"]
    threading.Timer(0.05, append, (tmp_path / "t.jsonl", "two\n")).start()
    assert texts([next(lines)]) == ["two"]
    stop.set()
    assert list(lines) == []


async def test_follow_in_a_loop(tmp_path: Path) -> None:
    """The watcher alone brings the line: the fallback would take an hour."""
    path = tmp_path / "t.jsonl"
    path.write_text("one\n")
    lines = follow_async(path, interval=3600)
    assert texts([await anext(lines)]) == ["one"]
    waiting = asyncio.ensure_future(anext(lines))
    await asyncio.sleep(0.05)
    append(path, "two\n")
    assert texts([await asyncio.wait_for(waiting, 30)]) == ["two"]
    await lines.aclose()  # type: ignore[attr-defined]


def test_a_live_journal_is_followed_event_by_event(tmp_path: Path) -> None:
    reader = JournalReader("events.jsonl")
    with Journal(tmp_path, secrets=()) as journal:
        tail = Tail(journal.path)
        seen: list[ev.AnyEvent] = []
        for n in range(20):
            journal.append(ev.Note(id="", text=str(n)))
            for item in tail.drain():
                assert isinstance(item, RawLine)
                seen += reader.feed(item)
            assert [json.loads(ev.dump_event(event))["text"] for event in seen] == [
                str(k) for k in range(n + 1)
            ]
