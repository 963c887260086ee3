"""Files of others: what grows, never ends or cannot be read is refused at once, in one sentence."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from bank.admission.copied import read_passages
from bank.admission.folder import admit_path, read_ids
from bank.bank import Bank
from bank.errors import BankError
from bank.files import place_of, read_bytes
from bank.reading import MAX_BYTES, load_yaml, read_entries
from bank.wrong_value import shown
from tests.bank.builders import entry_data, write_bank


def refused(path: Path, text: str) -> str:
    """What reading a bank of this text says, of which nothing may take long."""
    (path / "x.yaml").write_text(text, encoding="utf-8")
    start = time.perf_counter()
    with pytest.raises(BankError) as caught:
        Bank.load(path)
    assert time.perf_counter() - start < 5
    said = str(caught.value)
    assert caught.value.exit_code == 3
    assert len(said) < 500
    assert "\n" not in said
    assert not any(jargon in said for jargon in ("Error", "pydantic", "<class", "instance of", "Input"))
    return said


_BOMB = "- &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"- &a{level} [{','.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 12)
)


@pytest.mark.parametrize("last", ["- {id: *a11}\n", "- *a11\n", "- {question: *a11}\n", "- {<<: [*a0]}\n"])
def test_aliases_are_refused_before_they_grow(tmp_path: Path, last: str) -> None:
    assert "an alias of line" in refused(tmp_path, _BOMB + last)


def test_an_alias_as_a_key_and_one_to_itself_are_refused(tmp_path: Path) -> None:
    assert "line" in refused(tmp_path, _BOMB + "- ? *a11\n  : 1\n")
    assert "an alias of line 1" in refused(tmp_path, "- &a [*a]\n")
    assert "an alias of line 1" in refused(tmp_path, "- &w 'word'\n- *w\n")


def test_an_anchor_without_an_alias_is_only_a_mark(tmp_path: Path) -> None:
    path = write_bank(tmp_path, entry_data())
    path.write_text(path.read_text("utf-8").replace("question: ", "question: &asked "), "utf-8")
    assert Bank.load(tmp_path).get("kq-host-901").question == entry_data()["question"]


def test_a_list_as_a_key_is_refused(tmp_path: Path) -> None:
    assert "a list or a mapping as a key in line 2" in refused(tmp_path, "- id: 'a'\n  [b, c]: 1\n")


@pytest.mark.parametrize(
    "value",
    [
        "!!bool q",
        "!!timestamp x",
        '!!int ""',
        "!!set [1]",
        "!!float q",
        "!!binary '!'",
        "!!omap [1]",
        "!mine x",
    ],
)
def test_tags_are_refused_whatever_they_would_make(tmp_path: Path, value: str) -> None:
    assert "a tag in line 2, leave it out" in refused(tmp_path, f"- 'a'\n- {value}\n")


@pytest.mark.parametrize(
    "value", ["0x" + "f" * 100_000, "1:" * 5_000 + "1", "2026-02-31", "2026-11-30 25:00:00", "=", "<<"]
)
def test_values_that_are_none_are_one_sentence(tmp_path: Path, value: str) -> None:
    refused(tmp_path, f"- {{id: {value}}}\n")
    refused(tmp_path, f"- {{{value}: 1}}\n")
    refused(tmp_path, f"- {value}\n")


def test_what_is_named_in_a_sentence_is_short(tmp_path: Path) -> None:
    assert "…" in refused(tmp_path, f"- {{id: {'a' * 100_000}}}\n")
    assert "…" in refused(tmp_path, yaml.safe_dump([entry_data() | {"k" * 100_000: 1}], width=300_000))
    assert shown(16**9_000) == "a huge number"
    assert shown([["x"]]) == "a list"
    assert shown({"x": 1}) == "a mapping"
    assert shown(None) == "null"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"question": ""}, "'question' is wrong: it is empty"),
        ({"question": 5}, "it is no text, put it in quotes"),
        ({"question": "x" * 1_000_000}, "it is longer than 600 characters"),
        ({"id": "kq-host-١٢٣"}, "an id is kq-, small letters, a hyphen and three digits"),
        ({"id": f"kq-{'a' * 40}-001"}, "it is longer than 40 characters"),
        ({"status": "splendid"}, "it is not one of 'experimental', "),
        ({"decision_kinds": ["x"]}, "'decision_kinds.0' is wrong: it is not one of 'scope', "),
        ({"decision_kinds": []}, "it has less than 1 in its list"),
        ({"category": "gap-triage"}, "it is not a list"),
        ({"moves": 3}, "it is not a mapping of keys to values"),
        ({"refuses_closure": "perhaps"}, "it is neither true nor false"),
        ({"provenance": entry_data()["provenance"] | {"date": "soon"}}, "it is no date such as 2026-11-30"),
        ({"lint_ok": {"Q07": {"reason": "r", "by": "b", "text": "z"}}}, "it is not eight hex digits"),
        ({"lint_ok": {7: {}}}, "'lint_ok.7' is wrong: it is no text, put it in quotes"),
        ({"evidence": [{"session": "a", "event": "e", "number": True, "change": -1}]}, "it is not above 0"),
        ({"evidence": [{"session": "a/b", "event": "e", "number": True}]}, "that an id may not have"),
        ({5: 1}, "a key is no text"),
    ],
)
def test_what_is_wrong_is_said_in_words_of_the_file(
    tmp_path: Path, changes: dict[Any, Any], sentence: str
) -> None:
    said = refused(tmp_path, yaml.safe_dump([entry_data() | changes], width=2_000_000, allow_unicode=True))
    assert sentence in said


_EVIL = ("\x1b[2J", "\x9b", "\u202e", "\u2066", "\u2028", "\n", "\u200b")


@pytest.mark.parametrize("sign", _EVIL)
def test_no_text_of_an_entry_holds_what_a_terminal_obeys(tmp_path: Path, sign: str) -> None:
    data = entry_data()
    text = f"a{sign}b"
    source = {"ref": "a/b#1", "lesson": "l", "seen": "2026-11-29"}
    excuse = {"reason": "r", "by": "b", "text": "0" * 8}
    for changes in (
        *({"measurement": data["measurement"] | {key: text}} for key in ("method", "number", "unit")),
        {"measurement": data["measurement"] | {"tools": [text]}},
        {"outcomes": [{"if": text, "next": "host"}]},
        {"answered_when": text},
        {"question": text},
        {"provenance": data["provenance"] | {"author": text}},
        {"related": [{"id": text, "type": "similar"}]},
        *({"sources": [source | {key: text}]} for key in ("ref", "lesson")),
        *({"lint_ok": {"Q07": excuse | {key: text}}} for key in ("reason", "by")),
        {"lint_ok": {text: excuse}},
    ):
        said = refused(tmp_path, yaml.safe_dump([data | changes]))
        assert "it is not one line of printable text" in said, changes


def test_every_text_has_an_end(tmp_path: Path) -> None:
    data = entry_data()
    for changes in (
        {"answered_when": "x" * 301},
        {"measurement": data["measurement"] | {"method": "x" * 601}},
        {"measurement": data["measurement"] | {"unit": "x" * 101}},
        {"sources": [{"ref": "a/b#1", "lesson": "x" * 301, "seen": "2026-11-29"}]},
    ):
        assert "it is longer than" in refused(tmp_path, yaml.safe_dump([data | changes], width=2_000))


def test_a_pipe_and_a_device_are_refused_and_waited_for_by_nobody(tmp_path: Path) -> None:
    for name in ("bank", "ids", "notes"):
        (tmp_path / name).mkdir()
        write_bank(tmp_path / name, entry_data())
    os.mkfifo(tmp_path / "bank" / "a.yaml")
    (tmp_path / "bank" / "b.yaml").symlink_to("/dev/zero")
    reading = read_entries(tmp_path / "bank")
    assert ["no regular file" in str(problem) for problem in reading.problems] == [True, True]
    assert [one.id for one in reading.entries] == ["kq-host-901"]
    os.mkfifo(tmp_path / "ids" / "ids.txt")
    with pytest.raises(BankError, match="no regular file"):
        admit_path(tmp_path / "ids")
    with pytest.raises(BankError, match="no regular file"):
        read_passages(Path("/dev/zero"))
    with pytest.raises(BankError, match="neither a file nor a folder"):
        read_entries(Path("/dev/zero"))
    assert read_ids(tmp_path / "ids" / "none.txt") is None


def test_never_more_is_read_than_one_byte_over(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"#" * (MAX_BYTES + 10))
    assert len(read_bytes(tmp_path / "x.yaml")) == MAX_BYTES + 1
    with pytest.raises(BankError, match="is larger than 2 MiB"):
        load_yaml(tmp_path / "x.yaml")
    (tmp_path / "x.yaml").write_bytes(b"#" * (MAX_BYTES - 1) + b"\n")
    assert load_yaml(tmp_path / "x.yaml") is None


def test_a_path_that_can_be_none_is_a_short_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / ("x" * 5_000), Path("a/" * 2_500), Path("a\0b")):
        with pytest.raises(BankError, match="cannot be read") as caught:
            read_entries(path)
        assert len(str(caught.value)) < 300
    assert place_of(tmp_path / "nothing") == "nothing"
    assert place_of(Path("/dev/null")) == "other"
