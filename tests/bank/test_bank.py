"""The shipped bank, and how a bank is read and refused."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bank.admission import admit
from bank.bank import ENTRIES, Bank
from bank.errors import BankError
from bank.forms.markdown import address
from bank.params import fill, holds, placeholders, several
from bank.question import Architecture, Group
from bank.ranking import rank
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind, Layer
from tests.bank.builders import Story, entry, entry_data, write_bank

BANK = Bank.load()
LIVE = BANK.select()
COMMON = (
    DecisionKind.SCOPE,
    DecisionKind.PLATEAU,
    DecisionKind.CLAIMED_LIMIT,
    DecisionKind.CLAIMED_COMPLETION,
)


def test_every_entry_is_admitted_without_a_warning() -> None:
    assert admit(BANK.entries) == []


def test_size_and_spread() -> None:
    core = [one for one in LIVE if one.core]
    assert len(core) >= 101
    groups = Counter(one.group for one in core)
    assert set(groups) == set(Group)
    assert all(8 <= number <= 12 for number in groups.values()), groups
    assert len(BANK.select(upstream=True)) >= 5
    assert sum(bool(one.architectures) for one in LIVE) >= 18
    assert all(len(BANK.select(architecture=family)) >= 3 for family in Architecture)
    assert len({one.question.lower() for one in BANK.entries}) == len(BANK.entries)


def test_entries_stand_in_the_file_of_their_group_or_of_what_they_need() -> None:
    for file in ENTRIES.glob("*.yaml"):
        own = [one for one in BANK.entries if BANK.files[one.id] == str(file)]
        assert own
        if file.stem == "needs-upstream":
            assert all(one.needs_upstream and not one.architectures for one in own)
        elif file.stem == "per-architecture":
            assert all(one.architectures for one in own)
        else:
            assert all(one.core for one in own)
            assert {one.group for one in own} == {Group(file.stem)}


def test_where_entries_come_from_is_named() -> None:
    mined = [one for one in LIVE if one.provenance.kind == "mined"]
    assert len(mined) >= 72
    for one in mined:
        assert one.sources
        assert all(address(source.ref).startswith("https://") for source in one.sources)
        assert all(1 <= len(source.lesson.splitlines()) <= 1 for source in one.sources)


@pytest.mark.parametrize("layer", list(Layer))
def test_every_layer_is_led_to(layer: Layer) -> None:
    assert len(BANK.select(layer=layer)) >= 5


@pytest.mark.parametrize("kind", COMMON)
def test_common_moments_have_a_choice_in_every_group(kind: DecisionKind) -> None:
    serving = BANK.select(kind=kind, core=True)
    assert len(serving) >= 20
    assert len({one.group for one in serving}) >= 8


@pytest.mark.parametrize("kind", list(DecisionKind))
def test_no_moment_is_short_of_questions(kind: DecisionKind) -> None:
    serving = BANK.select(kind=kind)
    assert len(serving) >= 10
    assert len({one.group for one in serving}) >= 4


def test_no_layer_owns_more_than_a_third() -> None:
    layers = Counter(entry.moves.to for entry in LIVE)
    assert max(layers.values()) * 3 <= len(LIVE)


def test_metadata_says_where_entries_come_from_and_that_they_are_untested() -> None:
    for one in LIVE:
        assert one.status == "experimental"
        assert one.provenance.kind in {"written", "mined"}
        assert set(one.params) == set(placeholders(one.question))
        assert len(one.question.split()) <= 35


def test_what_was_published_and_dropped_says_what_came_after_it() -> None:
    dropped = [one for one in BANK.entries if one.status == "deprecated"]
    assert dropped
    for one in dropped:
        assert one not in LIVE
        assert all(BANK.get(link.id) in LIVE for link in one.related if link.type == "obsolete")


def test_version_follows_the_content_and_not_the_order() -> None:
    assert BANK.version == Bank(BANK.entries[::-1]).version
    smaller = BANK.without([Group.HOST])
    assert smaller.version != BANK.version
    assert BANK.version.startswith("20")
    assert smaller.select(group=Group.HOST) == ()
    gone = [one for one in BANK.entries if one.group is Group.HOST]
    assert len(smaller.entries) + len(gone) == len(BANK.entries)


def test_select_combines_what_is_asked() -> None:
    plain = entry(id="kq-a-001")
    hopper = entry(id="kq-a-002", architectures=["hopper"])
    both = entry(id="kq-a-003", architectures=["cdna"], needs_upstream=True)
    gone = entry(id="kq-a-004", status="deprecated")
    bank = Bank((plain, hopper, both, gone))
    assert bank.select() == (plain, hopper, both)
    assert bank.select(core=True) == (plain,)
    assert bank.select(core=False) == (hopper, both)
    assert bank.select(upstream=True) == (both,)
    assert bank.select(upstream=False) == (plain, hopper)
    assert bank.select(architecture=Architecture.HOPPER) == (hopper,)
    assert bank.select(architecture=Architecture.CDNA, upstream=False) == ()
    assert bank.select(status="deprecated") == (gone,)
    assert bank.select(layer=Layer.HOST, kind=DecisionKind.PLATEAU) == (plain, hopper, both)
    assert bank.select(layer=Layer.KERNEL) == ()  # where an agent comes from is not where it is led
    assert bank.select(kind=DecisionKind.SCOPE) == ()


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
    assert len(fill("{arch}", {"arch": "x" * 500})) == 120


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


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["x" * 50, "y" * 80], f"the 2 slowest scenarios (first {'x' * 50})"),
        (["x" * 121], ""),
        (["x" * 110, "y" * 20], ""),
    ],
)
def test_the_slowest_are_named_or_counted(names: list[str], text: str) -> None:
    assert several(names) == text
    assert len(text) <= 120


def test_the_slowest_scenarios_are_named() -> None:
    asking = entry(question="How many passes do {scenarios} take?", params=["scenarios"])
    state = Story().evaluate(5.0, 1.0, 1.2).state()
    (first,) = rank(Bank((asking,)), state, DecisionKind.PLATEAU)
    assert first.question == "How many passes do s1 and s2 take?"
    (first,) = rank(Bank((asking,)), SessionState(), DecisionKind.PLATEAU)
    assert first.question == "How many passes do the slowest scenarios take?"


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("How many bytes move?", "Pick: How many bytes move? Answer.", True),
        ("How many bytes move?", "How many bits move?", False),
        ("How fast is {arch}?", "So: How fast is Part 9 (rev. 2)?", True),
        ("How fast is {arch}?", "How fast is ?", False),
        ("How fast is {arch}?", "How fast is\nit?", False),
        ("Do {scenarios} lag (on {arch})?", "Do a, b lag (on this device)?", True),
    ],
)
def test_a_question_is_found_in_a_message_whatever_fills_it(question: str, text: str, held: bool) -> None:
    assert holds(text, question) is held
