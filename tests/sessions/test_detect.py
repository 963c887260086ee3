"""What is no transcript is refused in one sentence that says what was seen."""

import json
from pathlib import Path
from typing import Any

import ijson
import pytest

from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.journal import Journal
from sessions.readers import claude_code, own
from sessions.readers.detect import detect
from sessions.transcript import open_transcript
from tests.sessions.transcripts import reply, text, user, write


def refusal(path: Path) -> str:
    with pytest.raises(RefusedInput) as no:
        detect(path)
    assert no.value.exit_code == 3
    words = str(no.value)
    assert words.endswith(".")
    assert "\n" not in words
    return words


def test_missing_empty_and_blank(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "none.jsonl")
    assert "is empty" in refusal(write(tmp_path / "empty.jsonl", []))
    assert "only blank lines" in refusal(write(tmp_path / "blank.jsonl", ["", " "]))


def test_text_and_binary(tmp_path: Path) -> None:
    assert "no line that is a JSON object" in refusal(write(tmp_path / "a.txt", ["hello", "world"]))
    assert "no line that is a JSON object" in refusal(write(tmp_path / "b.bin", [bytes(range(128, 256)) * 9]))


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_read_and_refused_for_what_it_says(tmp_path: Path, code: str) -> None:
    wide = tmp_path / "wide.jsonl"
    wide.write_bytes('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n'.encode(code))
    assert "objects with keys a, b" in refusal(wide)
    lines = "".join(json.dumps(entry) + "\n" for entry in (user(0, "hi"), reply(1, text("yes"))))
    wide.write_bytes(lines.encode(code))
    assert detect(wide) is claude_code.FORMAT


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            '{\n  "messages": [],\n  "b": {"c": 1}\n}\n',
            "one JSON document, an object with keys messages, b, not",
        ),
        ('[\n  {"a": 1},\n  {"b": 1}\n]', "one JSON document, a list of objects with keys a, not"),
        (
            '[\n  {"a": 1},\n  {"b"',
            "one JSON document that is cut off or damaged, a list of objects with keys a,",
        ),
        (
            '{\n  "messages": [{"role": "us',
            "one JSON document that is cut off or damaged, an object with keys mess",
        ),
        ("[\n  1\n]", "one JSON document, a list, not"),
        ("{\n}", "one JSON document, not"),
    ],
)
def test_a_json_document_is_refused_with_its_top(tmp_path: Path, content: str, words: str) -> None:
    document = tmp_path / "d.json"
    document.write_text(content)
    assert words in refusal(document)


@pytest.mark.parametrize(
    "row",
    [
        {"role": "user", "content": "hi"},
        {"role": "user", "message": "hi"},
        {"role": "user", "message": {"content": "hi"}, "timestamp": "2026-01-01"},
        {"type": "user", "content": "hi"},
        {"type": "message", "id": "a", "message": {"role": "user"}},
        {"type": "session", "id": "a"},
        {"type": "agent.message", "content": "hi"},
        {"role": "agent", "kind": "message", "raw": {"type": "agent.message"}},
        {"kind": "ActionEvent", "id": "a"},
        {"source": "agent", "action": "run"},
        {"source": "db", "action": "run", "args": {}},
        {"$set": {"a": 1}},
        {"sessionId": "s", "messages": []},
        {"trajectory": [{"action": "x"}], "info": {}},
        {"events": [{"action": "run", "args": {}}]},
    ],
)
def test_what_only_resembles_a_format_is_refused(tmp_path: Path, row: dict[str, Any]) -> None:
    assert "not a transcript" in refusal(write(tmp_path / "x.jsonl", [row]))
    assert "not a transcript" in refusal(write(tmp_path / "y.jsonl", [row] * 3))
    (tmp_path / "z.json").write_text(json.dumps(row, indent=1))
    assert "not a transcript" in refusal(tmp_path / "z.json")


@pytest.mark.parametrize(
    "content",
    ["# Title\n\n**User**\n\nhi\n", "_Exported on 1/1/2026 from Cursor (1.0)_\n\nno speakers\n", "# Title\n"],
)
def test_markdown_that_is_no_export_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.md").write_text(content)
    assert "not a transcript" in refusal(tmp_path / "x.md")


def test_what_only_looks_like_a_document_is_named_for_what_it_is(tmp_path: Path) -> None:
    lists = write(tmp_path / "lists.jsonl", ["[1,2]", "[3]"])
    assert "not a JSON object but a list" in refusal(lists)
    mac = tmp_path / "mac.jsonl"
    mac.write_bytes(b'{"type":"user"}\r{"type":"user"}\r')
    assert "CR alone" in refusal(mac)
    cut = write(tmp_path / "cut.jsonl", ['{"type": "us'])
    assert "one JSON document" not in refusal(cut)


def test_other_objects_are_named_by_their_keys(tmp_path: Path) -> None:
    assert "objects with keys a, b" in refusal(write(tmp_path / "o.jsonl", [{"a": 1, "b": 2}] * 3))


def test_folders(tmp_path: Path) -> None:
    assert "is a folder without" in refusal(tmp_path)
    write(tmp_path / "one.jsonl", [user(0, "hi"), reply(1, text("yes"))])
    assert detect(tmp_path) is claude_code.FORMAT
    write(tmp_path / "two.jsonl", [user(0, "hi")])
    assert "holds 2 transcripts (one.jsonl, two.jsonl)" in refusal(tmp_path)


def test_our_own_session_folder(tmp_path: Path) -> None:
    with Journal(tmp_path / "s", secrets=()) as journal:
        journal.append(ev.HumanMessage(id="", text="hi"))
    assert detect(tmp_path / "s") is own.FORMAT


def test_one_odd_line_does_not_change_the_verdict(tmp_path: Path) -> None:
    entries: list[dict[str, Any] | str] = [
        {"silly": 1},
        user(0, "hi"),
        reply(1, text("yes")),
        "not json",
        reply(2, text("no")),
    ]
    assert detect(write(tmp_path / "t.jsonl", entries)) is claude_code.FORMAT


def test_one_fitting_line_among_many_others_is_no_evidence(tmp_path: Path) -> None:
    assert "not a transcript" in refusal(write(tmp_path / "t.jsonl", [user(0, "hi"), *[{"a": 1}] * 9]))


@pytest.mark.parametrize(("own_rows", "foreign"), [(11, [{}] * 150), (33, [{"a": 1}] * 300)])
def test_rows_that_speak_for_no_format_outvote_nobody(
    tmp_path: Path, own_rows: int, foreign: list[dict[str, Any]]
) -> None:
    path = write(tmp_path / "t.jsonl", [*(user(n, "hi") for n in range(own_rows)), *foreign])
    found = open_transcript(path)
    assert found.format is claude_code.FORMAT
    assert (found.read, sum(found.unknown.values())) == (own_rows, len(foreign))


def test_a_few_fitting_rows_among_very_many_are_no_evidence(tmp_path: Path) -> None:
    entries: list[dict[str, Any] | str] = [*(user(n, "hi") for n in range(3)), *[{"a": 1}] * 150]
    assert "not a transcript" in refusal(write(tmp_path / "t.jsonl", entries))


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_a_first_line_of_brackets_costs_itself(
    tmp_path: Path, opening: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "t.jsonl", [opening * 40_000, *(user(n, "hi") for n in range(5))])
    deepest = 0

    def seen(events: Any) -> Any:
        nonlocal deepest
        for prefix, event, value in parse(events):
            deepest = max(deepest, prefix.count("."))
            yield prefix, event, value

    parse = ijson.parse
    monkeypatch.setattr(ijson, "parse", seen)
    found = open_transcript(path)
    assert (found.format, found.read, found.damaged) == (claude_code.FORMAT, 5, 1)
    assert 0 < deepest <= 1_000  # the path to where it stands is what makes depth dear


def test_a_table_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,ms\na,1\n")
    assert "--mapping" in refusal(tmp_path / "a.csv")
    assert "';'" not in refusal(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("name;ms\na;1\n")
    words = refusal(tmp_path / "b.csv")
    assert "--mapping" in words
    assert "whose fields ';' separates" in words


def test_names_that_the_system_refuses(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / ("x" * 5000))
    assert "not a regular file" in refusal(Path("/dev/null"))


def test_a_refusal_prints_no_control_characters(tmp_path: Path) -> None:
    words = refusal(write(tmp_path / "o.jsonl", [{"a\x1b[31mb\nc": 1}] * 3))
    assert "keys a?[31mb?c" in words
