"""What is no transcript is refused in one sentence that says what was seen."""

from pathlib import Path
from typing import Any

import pytest

from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.journal import Journal
from sessions.readers import claude_code, own
from sessions.readers.detect import detect
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


def test_text_binary_and_utf16(tmp_path: Path) -> None:
    assert "no line that is a JSON object" in refusal(write(tmp_path / "a.txt", ["hello", "world"]))
    assert "no line that is a JSON object" in refusal(write(tmp_path / "b.bin", [bytes(range(128, 256)) * 9]))
    utf16 = tmp_path / "c.jsonl"
    utf16.write_text('{"type": "user"}\n', encoding="utf-16")
    assert "UTF-16" in refusal(utf16)


def test_a_json_document(tmp_path: Path) -> None:
    document = tmp_path / "d.json"
    document.write_text('{\n  "messages": []\n}\n')
    assert "one JSON document" in refusal(document)


def test_what_only_looks_like_a_document_is_named_for_what_it_is(tmp_path: Path) -> None:
    lists = write(tmp_path / "lists.jsonl", ["[1,2]", "[3]"])
    assert "not a JSON object but a list" in refusal(lists)
    mac = tmp_path / "mac.jsonl"
    mac.write_bytes(b'{"type":"user"}\r{"type":"user"}\r')
    assert "CR alone" in refusal(mac)
    for code in ("utf-16-le", "utf-16-be"):
        wide = tmp_path / f"{code}.jsonl"
        wide.write_bytes('{"type": "user"}\n'.encode(code))
        assert "UTF-16" in refusal(wide)
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


def test_names_that_the_system_refuses(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / ("x" * 5000))
    assert "not a regular file" in refusal(Path("/dev/null"))


def test_a_refusal_prints_no_control_characters(tmp_path: Path) -> None:
    words = refusal(write(tmp_path / "o.jsonl", [{"a\x1b[31mb\nc": 1}] * 3))
    assert "keys a?[31mb?c" in words
