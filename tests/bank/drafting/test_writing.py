"""A draft as YAML: it reads back as the same entry, and files keep their bytes."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bank.bank import Bank
from bank.drafting.checking import check_draft
from bank.drafting.defaults import NOT_WRITTEN, PREFIXES, next_id
from bank.drafting.draft import Wanted, draft
from bank.drafting.writing import append, as_yaml
from bank.errors import BankError
from bank.question import Evidence, Group, Question
from tests.bank.builders import entry

DAY = date(2026, 11, 30)
PRINTABLE = st.text(
    st.characters(exclude_categories=("C", "Z")) | st.just(" "), min_size=1, max_size=80
).filter(lambda text: text.strip() == text and "  " not in text and text.isprintable())


def _back(text: str) -> list[Question]:
    return [Question.model_validate(item) for item in yaml.safe_load(text)]


@given(PRINTABLE, st.lists(st.text(max_size=60), max_size=3))
def test_reads_back_whatever_its_texts_hold(text: str, comments: list[str]) -> None:
    made = entry(
        question=text,
        answered_when=text,
        measurement={"method": text, "tools": [text], "number": text, "unit": text},
        outcomes=[{"if": text, "next": "host"}, {"if": text, "verdict": "stand"}],
        lint_ok={"Q07": {"reason": text, "by": text, "text": "1a2b3c4d"}},
    )
    assert _back(as_yaml(made, comments)) == [made]


def test_reads_back_every_shipped_entry_and_evidence() -> None:
    for one in Bank.load().entries:
        assert _back(as_yaml(one)) == [one]
    proof = Evidence(session="s", event="e:1", number=False, change=1.5, matched=1e-7, rehearsed=True)
    made = entry(evidence=[proof.model_dump(mode="json")])
    assert _back(as_yaml(made)) == [made]


@pytest.mark.parametrize(
    "text",
    [
        "x'\n- id: 'y",
        "{a: [b",
        "# no comment",
        "!!python/object:os.system",
        "*a &b",
        "'",
        "\\x00 %",
        "--- ...",
    ],
)
def test_yaml_in_a_text_stays_text(text: str, tmp_path: Path) -> None:
    wanted = Wanted(question="How many?", group=Group.HOST, method=text, answered_when=text, author=text)
    made = draft(wanted, (), DAY)
    file = tmp_path / "x.yaml"
    append(file, as_yaml(made.entry, [text]))
    assert [one.measurement.method for one in Bank.load(file).entries] == [" ".join(text.split())]


@pytest.mark.parametrize(
    "old",
    [
        b"",
        b"# only a remark\n",
        b"\xef\xbb\xbf# a mark\r\n",
        as_yaml(entry()).encode(),
        as_yaml(entry()).encode().rstrip(b"\n"),
        b"---\n" + as_yaml(entry()).replace("\n", "\r\n").encode() + b"\n\n# the end",
    ],
)
def test_appends_and_keeps_every_byte(old: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_bytes(old)
    file.chmod(0o640)
    append(file, as_yaml(entry(id="kq-host-902")))
    assert file.read_bytes().startswith(old)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.id for one in Bank.load(file).entries][-1] == "kq-host-902"
    assert [path.name for path in tmp_path.iterdir()] == ["x.yaml"]


@pytest.mark.parametrize(
    "old",
    [
        b"- |+\n  x\n",
        b"a: 1\n",
        b"[]\n",
        b"- a\n...\n",
        b"  - a\n",
        b"{",
        b"\xff\xfe",
        b"x" * (3 << 20),
        b"- 'a\n",
    ],
)
def test_a_file_that_cannot_be_added_to_is_refused_and_left(old: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_bytes(old)
    with pytest.raises(BankError, match=r"x\.yaml"):
        append(file, as_yaml(entry()))
    assert file.read_bytes() == old


def test_ids_go_on_behind_the_highest_and_end() -> None:
    taken = ["kq-host-001", "kq-host-007", "kq-hosts-009", "kq-routing-050"]
    assert next_id("host", taken) == "kq-host-008"
    assert next_id("data", taken) == "kq-data-001"
    with pytest.raises(BankError, match="no id is left"):
        next_id("host", ["kq-host-999"])


def test_prefixes_are_those_of_the_shipped_bank() -> None:
    core = {(one.group, one.id.split("-")[1]) for one in Bank.load().entries if one.core}
    assert core == set(PREFIXES.items())
    for one in Bank.load().entries:
        word = one.id.split("-")[1]
        made = Wanted(
            question="How many?",
            group=one.group,
            needs_upstream=one.needs_upstream,
            architectures=one.architectures,
        )
        assert draft(made, (), DAY).entry.id.split("-")[1] == word


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": ""}, "question: it is empty"),
        ({"question": "How\nmany?"}, "one line of printable text"),
        ({"question": "How \x1b[31mmany?"}, "one line of printable text"),
        ({"question": "How \udcff many?"}, "one line of printable text"),
        ({"question": "How " * 900}, "longer than 2000"),
        ({"method": "m" * 3000}, "the method is longer"),
        ({"id": "kq-x"}, "an id is kq-"),
        ({"id": "kq-host-001"}, "is taken"),
    ],
)
def test_what_cannot_be_an_entry_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BankError, match=said):
        draft(Wanted(**{"question": "How many?", "group": Group.HOST} | changes), ["kq-host-001"], DAY)


def test_near_duplicates_name_the_other_entry() -> None:
    known = Bank.load().get("kq-host-002")
    again = known.model_copy(update={"id": "kq-host-990"})
    found = check_draft(again, Bank.load().entries)
    assert known in [one.other for one in found]
    assert {one.found.entry for one in found} == {"kq-host-990"}


def test_a_gap_in_place_of_a_question_is_never_admitted() -> None:
    made = draft(Wanted(question=NOT_WRITTEN, group=Group.HOST), (), DAY).entry
    levels = {(one.found.lint, one.found.level) for one in check_draft(made, ())}
    assert ("Q02", "error") in levels
    assert _back(as_yaml(made)) == [made]
