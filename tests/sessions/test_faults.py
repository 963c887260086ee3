"""Faults that real files have: every line is accounted for, nothing raises, ids stay unique.

What each costs in detail is tested beside its reader: lines in `test_lines.py`, documents (a cut array, odd
encodings) in `test_documents.py`, forks in `test_codex_rollout.py`, following a file in `test_tail.py`.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.readers import documents
from sessions.readers.detect import LOOKED_AT
from sessions.readers.documents import CUT
from sessions.transcript import TranscriptStream
from tests.sessions import codex_samples, samples
from tests.sessions.test_other_agents import swe_file
from tests.sessions.transcripts import call, reply, result, text, user, write

CLAUDE: list[dict[str, Any]] = [
    user(0, "make it fast"),
    reply(1, text("one\u2028two"), call("c1", command="make")),
    user(2, [result("c1", "built\r\nin\u20291 s")]),
    *(reply(at, text(f"step {at}")) for at in range(3, 12)),
]
FILES = {"claude": CLAUDE, "codex": codex_samples.ROLLOUT}


def accounted(stream: TranscriptStream, events: Iterable[ev.AnyEvent] | None = None) -> list[ev.AnyEvent]:
    """All events of a stream, once it is sure that nothing is lost, twice or beyond a journal."""
    found = list(stream if events is None else events)
    assert len({event.id for event in found}) == len(found)
    for account in stream.accounts:
        assert account.balanced
    problems = [event for event in found if isinstance(event, ev.ReaderProblem)]
    assert len(problems) == sum(account.problems for account in stream.accounts)
    return found


def words(events: list[ev.AnyEvent]) -> list[str]:
    return [event.model_dump_json(exclude={"source", "id"}) for event in events]


def lines_of(rows: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(row, ensure_ascii=False).encode() for row in rows]


def utf16(name: str) -> Callable[[list[bytes]], bytes]:
    return lambda lines: (b"\n".join(lines) + b"\n").decode().encode(name)


HARMLESS: dict[str, Callable[[list[bytes]], bytes]] = {
    "BOM": lambda lines: b"\xef\xbb\xbf" + b"\n".join(lines),
    "CRLF": lambda lines: b"\r\n".join(lines) + b"\r\n",
    "BOM and CRLF": lambda lines: b"\xef\xbb\xbf" + b"\r\n".join(lines),
    "UTF-16": utf16("utf-16"),
    "UTF-16, big end first": utf16("utf-16-be"),
    "NUL bytes around every line": lambda lines: b"\n".join(b"\0\0" + line + b"\0" for line in lines),
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("fault", HARMLESS)
def test_what_only_looks_odd_costs_nothing(fault: str, file: str, tmp_path: Path) -> None:
    lines = lines_of(FILES[file])
    plain = accounted(TranscriptStream(write(tmp_path / "plain.jsonl", lines)))
    path = tmp_path / "odd.jsonl"
    path.write_bytes(HARMLESS[fault](lines))
    stream = TranscriptStream(path)
    assert words(accounted(stream)) == words(plain)
    assert stream.reader.account.problems == 0


@pytest.mark.parametrize("file", FILES)
def test_nul_bytes_within_a_line_cost_it_and_no_other(file: str, tmp_path: Path) -> None:
    lines = lines_of(FILES[file])
    for place in range(1, len(lines)):
        middle = len(lines[place]) // 2
        broken = lines[place][:middle] + b"\0" * 9 + lines[place][middle:]
        stream = TranscriptStream(write(tmp_path / "x.jsonl", [*lines[:place], broken, *lines[place + 1 :]]))
        accounted(stream)
        assert stream.reader.account.problems == 1
        assert stream.reader.account.entries == len(lines)


def test_a_line_of_50_mb_is_read_whole(tmp_path: Path) -> None:
    long = reply(2, text("x" * 50_000_000))
    stream = TranscriptStream(write(tmp_path / "x.jsonl", [CLAUDE[0], long, reply(3, text("after"))]))
    lengths = [len(event.text) for event in accounted(stream) if isinstance(event, ev.AgentText)]
    assert lengths == [50_000_000, 5]


def test_two_million_tiny_lines_are_all_accounted_for(tmp_path: Path) -> None:
    # Mostly blank, as padding is; `{}` is unknown, `-` is damage.
    part = b"\n" * 17 + b"{}\n{}\n-\n"
    blank = b"\n" * LOOKED_AT  # so that the format is known by what stands before
    path = tmp_path / "x.jsonl"
    with path.open("wb") as file:
        for row in CLAUDE:
            file.write(json.dumps(row).encode() + b"\n")
        file.write(blank + part * 100_000)
    stream = TranscriptStream(path)
    made = problems = 0
    seen: set[str] = set()
    for event in stream:  # one by one: nobody needs them all at once
        made += 1
        seen.add(event.id)
        problems += isinstance(event, ev.ReaderProblem)
    account = stream.reader.account
    assert account.entries == len(CLAUDE) + len(blank) + 2_000_000
    assert (account.read, account.blanks) == (len(CLAUDE), len(blank) + 1_700_000)
    assert account.unknown.total() == 200_000
    assert account.balanced
    assert account.problems == problems == 100_000
    assert len(seen) == made > problems


@pytest.mark.parametrize("pretty", [None, 1])
def test_an_array_cut_anywhere_keeps_what_stands_before_the_cut(pretty: int | None, tmp_path: Path) -> None:
    rows = json.dumps(samples.HOSTED_EXPORT if pretty is None else samples.SWE_AGENT, indent=pretty)
    assert rows.startswith("[")
    for size in range(len(rows) // 3, len(rows), 301):
        found = list(documents.elements("item")(_file(tmp_path, rows[:size])))
        assert found[-1].damage == CUT
        assert [item.number for item in found] == list(range(len(found)))
        assert [item.value for item in found[:-1]] == json.loads(rows)[: len(found) - 1]


def _file(folder: Path, content: str) -> Path:
    path = folder / "x.json"
    path.write_text(content)
    return path


def test_a_cut_document_is_accounted_for(tmp_path: Path) -> None:
    path = swe_file(tmp_path)
    path.write_bytes(path.read_bytes()[:-60])
    events = accounted(TranscriptStream(path))
    assert [event.what for event in events if isinstance(event, ev.ReaderProblem)] == [CUT]


def test_a_forked_rollout_with_a_replayed_prefix_has_unique_ids(tmp_path: Path) -> None:
    replayed = [dict(row, timestamp="2026-01-01T01:00:00.000Z") for row in codex_samples.ROLLOUT]
    fork = codex_samples.head(codex_samples.FORK, forked_from_id=codex_samples.THREAD)
    rows = [fork, *replayed, *codex_samples.turn(codex_samples.NEW_TURN), *codex_samples.said("new")]
    stream = TranscriptStream(write(tmp_path / "rollout.jsonl", rows))
    texts = [event.text for event in accounted(stream) if isinstance(event, ev.AgentText)]
    assert texts[-1] == "new"
    assert stream.reader.account.entries == len(rows)


def read_while(
    path: Path, change: Callable[[], object], after: int
) -> tuple[TranscriptStream, list[ev.AnyEvent]]:
    """Read a file; once `after` events are there, `change` happens to it."""
    stream = TranscriptStream(path)

    def events() -> Iterator[ev.AnyEvent]:
        for place, event in enumerate(stream):
            if place == after:
                change()
            yield event

    return stream, accounted(stream, events())


def test_a_file_that_grows_while_it_is_read_gives_its_new_lines_too(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [CLAUDE[0], *_long(0)])
    more = lines_of([reply(at + 1000, text("late")) for at in range(3)])

    def grow() -> None:
        with path.open("ab") as file:
            file.write(b"\n".join(more) + b"\n" + more[0][:50])

    stream, events = read_while(path, grow, after=5)
    assert [event.text for event in events if isinstance(event, ev.AgentText)][-3:] == ["late"] * 3
    assert [event.what for event in events if isinstance(event, ev.ReaderProblem)] == [
        "cut off: the file ends inside this line"
    ]
    assert stream.reader.account.entries == 1 + 400 + 4


def test_a_file_replaced_while_it_is_read_is_read_as_it_was(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [CLAUDE[0], *_long(0)])
    other = write(tmp_path / "other.jsonl", [user(0, "other"), *_long(500)])
    stream, events = read_while(path, lambda: other.replace(path), after=5)
    assert stream.reader.account.entries == 401
    assert [event.text for event in events if isinstance(event, ev.HumanMessage)] == ["make it fast"]


def test_a_file_overwritten_while_it_is_read_costs_a_line_at_the_seam(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [CLAUDE[0], *_long(0)])
    with path.open("rb") as file:
        shifted = b" " * 7 + b"\n" + file.read()[:-8]
    stream, _ = read_while(path, lambda: path.write_bytes(shifted), after=5)
    assert stream.reader.account.problems <= 2


def test_a_file_cut_while_it_is_read_ends_there(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [CLAUDE[0], *_long(0)])

    def cut() -> None:
        with path.open("r+b") as file:
            file.truncate(10)

    stream, events = read_while(path, cut, after=5)
    assert 5 < stream.reader.account.entries < 401
    assert len(events) > 5


def test_a_file_that_goes_away_between_two_looks_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", CLAUDE)
    stream = TranscriptStream(path)
    path.unlink()
    with pytest.raises(RefusedInput, match="cannot be read"):
        list(stream)


def _long(first: int) -> list[dict[str, Any]]:
    """Rows of more bytes than a reader takes at once."""
    return [reply(first + at + 1, text(f"{at} " + "x" * 2_000)) for at in range(400)]
