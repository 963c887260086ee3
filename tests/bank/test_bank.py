"""The shipped bank, and how a bank is read and refused."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bank.admission import admit
from bank.bank import ENTRIES, Bank
from bank.errors import BankError
from bank.params import fill, placeholders
from bank.question import Group
from sessions.vocabulary import DecisionKind
from tests.bank.builders import entry_data, write_bank

BANK = Bank.load()
COMMON = (
    DecisionKind.SCOPE,
    DecisionKind.PLATEAU,
    DecisionKind.CLAIMED_LIMIT,
    DecisionKind.CLAIMED_COMPLETION,
)


def test_every_entry_is_admitted_without_a_warning() -> None:
    assert admit(BANK.entries) == []


def test_size_and_spread() -> None:
    assert 36 <= len(BANK.entries) <= 44
    groups = Counter(entry.group for entry in BANK.entries)
    assert set(groups) == set(Group)
    assert min(groups.values()) >= 3
    assert len({entry.question.lower() for entry in BANK.entries}) == len(BANK.entries)
    for file in ENTRIES.glob("*.yaml"):
        assert {e.group for e in BANK.entries if BANK.files[e.id] == str(file)} == {Group(file.stem)}


@pytest.mark.parametrize("kind", COMMON)
def test_common_moments_have_a_choice(kind: DecisionKind) -> None:
    serving = BANK.select(kind=kind)
    assert len(serving) >= 8
    assert len({entry.group for entry in serving}) >= 4


@pytest.mark.parametrize("kind", list(DecisionKind))
def test_no_moment_is_without_a_question(kind: DecisionKind) -> None:
    assert BANK.select(kind=kind)


def test_no_layer_owns_more_than_a_third() -> None:
    layers = Counter(entry.moves.to for entry in BANK.entries)
    assert max(layers.values()) * 3 <= len(BANK.entries)


def test_metadata_says_where_entries_come_from_and_that_they_are_untested() -> None:
    for entry in BANK.entries:
        assert entry.status == "experimental"
        assert entry.provenance.kind in {"written", "mined"}
        assert set(entry.params) == set(placeholders(entry.question))
        assert len(entry.question.split()) <= 29


def test_version_follows_the_content_and_not_the_order() -> None:
    assert BANK.version == Bank(BANK.entries[::-1]).version
    smaller = BANK.without([Group.HOST])
    assert smaller.version != BANK.version
    assert BANK.version.startswith("20")
    assert smaller.select(group=Group.HOST) == ()
    assert len(smaller.entries) + len(BANK.select(group=Group.HOST)) == len(BANK.entries)


def test_an_unknown_id_is_answered_with_the_nearest() -> None:
    with pytest.raises(BankError, match=r"no entry .kq-hots-001.*kq-host-001"):
        BANK.get("kq-hots-001")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"answerd_when": "x"}, "unknown key 'answerd_when', did you mean 'answered_when'?"),
        ({"question": "How many\x1b[2J lines?"}, "one line of printable text"),
        ({"question": "How many\nlines?"}, "one line of printable text"),
        ({"zzzz": 1}, "unknown key 'zzzz', remove it"),
        ({"moves": {"from": "kernel", "to": "moon"}}, "the key 'moves.to' is wrong"),
        ({"moves": {"from": "kernel"}}, "the key 'moves.to' is missing"),
        ({"id": "host-1"}, "the key 'id' is wrong"),
        ({"params": ["device"]}, "the key 'params.0' is wrong"),
        (
            {"measurement": {"metod": "x", "tools": ["harness"], "number": "n", "unit": "u", "method": "y"}},
            "unknown key 'measurement.metod', did you mean 'method'?",
        ),
    ],
)
def test_what_is_no_entry_is_refused_in_one_sentence(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    path = write_bank(tmp_path, entry_data(id="kq-host-900"), entry_data() | change)
    with pytest.raises(BankError) as refused:
        Bank.load(tmp_path)
    text = str(refused.value)
    assert refused.value.exit_code == 3
    assert text.startswith(f"{path}, entry {change.get('id', 'kq-host-901')}: ")
    assert sentence in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("- id: 'a'\n  id: 'b'\n", "not valid YAML in line 2 .*'id' is given twice"),
        ("- {id: 'a'\n", "not valid YAML in line"),
        ("id: 'a'\n", "not a list of entries"),
        ("", "not a list of entries"),
        ("- 'just text'\n", "entry 1: is not a mapping"),
        ("- !!python/object/apply:os.getcwd []\n", "not valid YAML"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "x.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(BankError, match=sentence):
        Bank.load(tmp_path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BankError, match="not UTF-8 text"):
        Bank.load(tmp_path)


def test_no_bank_at_all(tmp_path: Path) -> None:
    with pytest.raises(BankError, match=r"holds no \*.yaml file"):
        Bank.load(tmp_path)
    with pytest.raises(BankError, match="neither a file nor a folder"):
        Bank.load(tmp_path / "nothing")


def test_an_id_is_used_once(tmp_path: Path) -> None:
    write_bank(tmp_path, entry_data(), entry_data())
    with pytest.raises(BankError, match="the id is taken") as refused:
        Bank.load(tmp_path)
    assert refused.value.lint == "Q21"


def test_parameters_are_data() -> None:
    text = "How many units does {arch} have, and {other}?"
    assert fill(text, {}) == "How many units does this device have, and {other}?"
    assert fill(text, {"arch": "a\n{arch}\tpart"}) == "How many units does a {arch} part have, and {other}?"
    assert fill("{arch}", {"arch": "a\x1b[2Jb"}) == "a[2Jb"
    assert len(fill("{arch}", {"arch": "x" * 500})) == 60


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- {date: 2026-13-45}", "holds a value that cannot be read (month must be in 1..12)"),
        ("- {number: " + "9" * 6_000 + "}", "holds a value that cannot be read"),
        ("- " + "[" * 20_000, "YAML|nested too deeply"),
        ("# " + "x" * (3 << 20), "is larger than 2 MiB"),
        ("- a\n" * 1_100, "holds more than 1000 entries, divide it into folders"),
    ],
)
def test_a_file_that_cannot_be_a_bank_is_refused_in_one_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "entries.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BankError) as refused:
        Bank.load(tmp_path)
    words = str(refused.value)
    assert any(part in words for part in sentence.split("|"))
    assert len(words) < 400
    assert "\n" not in words
    assert not any(leak in words for leak in ("sys.", "Error", "<class"))
