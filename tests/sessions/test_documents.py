"""A JSON document is read element by element: damage costs what stands behind it, odd encodings nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions import events as ev
from sessions.readers import documents
from sessions.readers.detect import detect
from sessions.readers.documents import CUT, elements, is_document, plain_top, top_of
from sessions.readers.formats import Item
from sessions.readers.lines import DEEP
from sessions.readers.opening import open_utf8, utf16
from sessions.transcript import Transcript, open_transcript
from tests.sessions import samples
from tests.sessions.test_other_agents import MAKERS, gemini_file, swe_file
from tests.sessions.transcripts import write


def test_an_element_nested_too_deeply_ends_the_reading_in_bounded_time(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text('[\n{"a": 1},\n' + "[" * 50_000 + "]" * 50_000 + ',\n{"b": 1}]')
    assert list(elements("item")(path)) == [Item(0, {"a": 1}), Item(1, damage=DEEP)]
    path.write_text('[\n{"a": 1},\n' + "[" * 500 + "]" * 500 + ',\n{"b": 1}]')
    assert list(elements("item")(path)) == [Item(0, {"a": 1}), Item(1, damage=DEEP), Item(2, {"b": 1})]


WHOLE = ["gemini", "swe-agent", "openhands", "openhands result"]
LINES = [
    "gemini rows",
    "openhands rows",
    "openhands sdk",
    "pi",
    "cursor",
    "hosted",
    "hosted export",
    "cursor export",
]


def told(transcript: Transcript) -> list[str]:
    return [event.model_dump_json(exclude={"source"}) for event in transcript.events]


def crlf(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "a BOM": lambda text: text.encode("utf-8-sig"),
    "CRLF": crlf,
    "a BOM and CRLF": lambda text: b"\xef\xbb\xbf" + crlf(text),
    "UTF-16 with a BOM": lambda text: text.encode("utf-16"),
    "UTF-16, big end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 without a BOM": lambda text: text.encode("utf-16-le"),
    "UTF-16, big end first, without a BOM": lambda text: text.encode("utf-16-be"),
}


@pytest.mark.parametrize("name", WHOLE + LINES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_odd_encoding_costs_nothing(name: str, encoding: str, tmp_path: Path) -> None:
    path = MAKERS[name][1](tmp_path)
    plain = open_transcript(path)
    path.write_bytes(ENCODINGS[encoding](path.read_text(encoding="utf-8")))
    odd = open_transcript(path)
    assert odd.format is plain.format
    assert told(odd) == told(plain)
    assert odd.problems == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_cut_document_gives_all_before_the_cut_and_one_problem(encoding: str, tmp_path: Path) -> None:
    messages = [samples.gemini_reply(f"g{at}", f"text {at}") for at in range(50)]
    path = gemini_file(tmp_path, messages)
    data = path.read_text()
    path.write_bytes(data[: data.index("text 30") + 4].encode(encoding))
    transcript = open_transcript(path)
    texts = [event.text for event in transcript.events if isinstance(event, ev.AgentText)]
    assert texts == [f"text {at}" for at in range(30)]
    assert [(problem.line, problem.what) for problem in transcript.problems] == [(30, CUT)]
    assert transcript.accounts[0].balanced


@pytest.mark.parametrize("name", WHOLE)
def test_a_document_may_be_cut_anywhere(name: str, tmp_path: Path) -> None:
    path = MAKERS[name][1](tmp_path)
    whole, data = told(open_transcript(path)), path.read_bytes()
    start = data.index(b"k.cu")  # enough to be known by
    for size in range(start + 600, len(data), 97):
        path.write_bytes(data[:size].rstrip())
        transcript = open_transcript(path)
        assert len(transcript.problems) == 1
        assert transcript.accounts[0].balanced
        kept = [
            line for line in told(transcript) if json.loads(line)["kind"] not in ("reader_problem", "usage")
        ]
        if name != "swe-agent":  # its prompts stand behind its steps
            assert set(kept) <= set(whole)


def test_a_swe_agent_file_cut_in_its_history_keeps_its_steps(tmp_path: Path) -> None:
    path = swe_file(tmp_path)
    data = path.read_text()
    path.write_text(data[: data.index("make it fast")])
    transcript = open_transcript(path)
    assert [problem.what for problem in transcript.problems] == [CUT]
    assert len([event for event in transcript.events if isinstance(event, ev.ToolCall)]) == 2


def test_a_deep_element_costs_itself(tmp_path: Path) -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    messages = [samples.GEMINI[0], {**samples.GEMINI[1], "content": deep}, samples.GEMINI[2]]
    transcript = open_transcript(gemini_file(tmp_path, messages))
    assert [(problem.line, problem.what) for problem in transcript.problems] == [
        (1, "JSON nested too deeply")
    ]
    assert transcript.entries == 3


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    path = gemini_file(tmp_path, [samples.gemini_reply("g1", "a\ud83db")])
    for event in open_transcript(path).events:
        assert ev.parse_event(ev.dump_event(event)) == event


def test_an_element_that_is_no_object_costs_itself(tmp_path: Path) -> None:
    transcript = open_transcript(gemini_file(tmp_path, [samples.GEMINI[0], 7, None, samples.GEMINI[2]]))
    assert [problem.what for problem in transcript.problems] == [
        "not a JSON object but a number",
        "not a JSON object but null",
    ]


@pytest.mark.parametrize("name", WHOLE)
def test_a_document_on_one_line_is_one_all_the_same(name: str, tmp_path: Path) -> None:
    path = MAKERS[name][1](tmp_path)
    path.write_text("\n" + json.dumps(json.loads(path.read_text())) + "\n\n")
    assert detect(path) is MAKERS[name][0]
    assert open_transcript(path).problems == []


def test_the_top_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        '{"b": {"c": 1}, "a": [{"x": 1}, {"x": 2}, {"x": 3}], "n": null, "t": "words", "empty": []}'
    )
    top = top_of(path)
    assert top == {"b": {}, "a": [{"x": 1}, {"x": 2}], "n": None, "t": "words", "empty": []}
    assert list(top) == ["b", "a", "n", "t", "empty"]
    path.write_text('[{"x": 1}, 2, {"x": 3}]')
    assert top_of(path) == [{"x": 1}, 2]
    path.write_text("words")
    assert top_of(path) is None
    assert plain_top(tmp_path / "none.json") == {}


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("{\n}\n", True),
        ('[{"a": 1}]', True),
        ('{"a": 1}\n', True),
        ('{"a": 1}\n\n{"a": 2}\n', False),
        ("[1, 2]\n[3]\n", False),
        ("words", False),
        ("", False),
    ],
)
def test_one_value_or_a_value_a_line(text: str, is_one: bool, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(text)
    assert is_document(path) is is_one


def test_what_is_behind_the_document_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[{"a": 1}]\n{"b": 2}')
    assert list(elements("item")(path)) == [Item(0, {"a": 1}), Item(1, damage=CUT)]


@pytest.mark.parametrize(
    ("start", "codec"),
    [
        (b"\xff\xfe{\0", "utf-16-le"),
        (b"\xfe\xff\0{", "utf-16-be"),
        (b'{\0"\0', "utf-16-le"),
        (b'\0{\0"', "utf-16-be"),
        (b'{"a"', None),
        (b"\0\0\0\0", None),
        (b"{\0", None),
        (b"", None),
    ],
)
def test_utf16_is_known_by_its_mark_or_its_nuls(start: bytes, codec: str | None) -> None:
    assert utf16(start) == codec


def test_transcoding_holds_a_little_at_a_time(tmp_path: Path) -> None:
    words = "line \U0001f600 \u2028\n" * 40_000
    path = tmp_path / "x"
    path.write_bytes(words.encode("utf-16") + b"\0")  # half a character at the end
    with open_utf8(path) as file:
        read = b""
        while part := file.read(1000):
            assert len(part) <= 1000
            read += part
    assert read.decode() == "\ufeff" + words + "\ufffd"


def test_lines_of_a_utf16_file_keep_their_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [*samples.PI[:3], "{broken", *samples.PI[3:]])
    path.write_bytes(path.read_text().encode("utf-16"))
    transcript = open_transcript(path)
    assert [problem.line for problem in transcript.problems] == [3]
    assert transcript.entries == len(samples.PI) + 1


def test_only_the_start_of_a_long_document_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = [samples.gemini_reply(f"g{at}", "x" * 200) for at in range(200)]
    path = gemini_file(tmp_path, messages, summary="behind")
    monkeypatch.setattr(documents, "TOP_BYTES", 4000)
    assert set(top_of(path)) == {"sessionId", "projectHash", "startTime", "messages"}
    assert open_transcript(path).entries == 200
