import gzip
import json
import lzma
from pathlib import Path

import pytest

from sessions.archive import rewriting
from sessions.archive.redactor import Redactor
from sessions.archive.rewriting import rewrite
from sessions.errors import RefusedInput
from sessions.transcript import open_transcript
from tests.sessions.transcripts import reply, text, user, write

FAKE = "a1B2" * 12


def redacted(tmp_path: Path, data: bytes, name: str = "out.jsonl") -> bytes:
    source = tmp_path / "in"
    source.write_bytes(data)
    rewrite(source, tmp_path / name, Redactor())
    assert source.read_bytes() == data
    return (tmp_path / name).read_bytes()


def test_a_transcript_stays_one(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in.jsonl",
        [user(0, f"use sk-{FAKE} in /home/ann/k"), reply(1, text("I look at /home/ann/k.")), "{broken"],
    )
    rewrite(source, tmp_path / "out.jsonl", Redactor())
    before, after = open_transcript(source), open_transcript(tmp_path / "out.jsonl")
    assert after.format is before.format
    assert [event.id for event in after.events] == [event.id for event in before.events]
    assert len(after.problems) == 1
    written = (tmp_path / "out.jsonl").read_text()
    assert "/home/ann" not in written
    assert FAKE not in written
    assert "use [api-key] in ~/k" in written


def test_escapes_hide_nothing(tmp_path: Path) -> None:
    line = b'{"a": "\\u002fhome\\u002fann\\u002fx", "b": "-----BEGIN PRIVATE KEY-----\\nabc\\n"}\n'
    assert json.loads(redacted(tmp_path, line)) == {"a": "~/x", "b": "[private-key]"}


def test_a_document_is_redacted_in_its_strings(tmp_path: Path) -> None:
    document = {"messages": [{"text": "/home/ann/x\n"}, {"text": "/scratch/ann/y"}]}
    data = json.dumps(document, indent=2).encode()
    assert json.loads(redacted(tmp_path, data)) == {
        "messages": [{"text": "~/x\n"}, {"text": "/scratch/user1/y"}]
    }


def test_keys_that_become_the_same_are_all_kept(tmp_path: Path) -> None:
    line = json.dumps({f"sk-{FAKE}": 1, f"sk-{FAKE}2": 2}).encode() + b"\n"
    assert json.loads(redacted(tmp_path, line)) == {"[api-key]": 1, "[api-key]-2": 2}


def test_a_document_too_large_to_parse_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriting, "DOCUMENT_BYTES", 100)
    with pytest.raises(RefusedInput, match="nothing was written"):
        redacted(tmp_path, json.dumps({"a": ["x" * 90, "/home/ann"]}, indent=1).encode())
    assert not (tmp_path / "out.jsonl").exists()


def test_plain_text_and_a_key_over_several_lines(tmp_path: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nMIIdef\n-----END RSA PRIVATE KEY-----\n"
    found = redacted(tmp_path, f"# Notes\n/home/ann/x\n{key}end".encode(), "out.md")
    assert found == b"# Notes\n~/x\n[private-key]\nend"


def test_a_key_without_an_end(tmp_path: Path) -> None:
    found = redacted(tmp_path, b"-----BEGIN PRIVATE KEY-----\nMIIabc\n" + b"x\n" * 500)
    assert b"MIIabc" not in found


def test_utf16_is_redacted_too(tmp_path: Path) -> None:
    found = redacted(tmp_path, '{"a": "/home/ann/x"}\n'.encode("utf-16"))
    assert json.loads(found) == {"a": "~/x"}


def test_bytes_that_are_no_text_hide_nothing(tmp_path: Path) -> None:
    assert b"ann" not in redacted(tmp_path, b"\xff\xfe\xfd \x00/home/ann/x \xc3\n")


@pytest.mark.parametrize("pack", [gzip, lzma])
def test_compressed_in_and_out(tmp_path: Path, pack: object) -> None:
    data = b'{"a": "/home/ann/x"}\n'
    found = redacted(tmp_path, pack.compress(data), f"out.{'gz' if pack is gzip else 'xz'}")  # type: ignore[attr-defined]
    assert pack.decompress(found) == b'{"a":"~/x"}\n'  # type: ignore[attr-defined]


def test_a_line_too_long_is_refused_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.readers.lines.MAX_LINE", 64)
    with pytest.raises(RefusedInput, match="line 1 is"):
        redacted(tmp_path, b'{"a": 1}\n' + b"x" * 100 + b"\n")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["in"]
