"""Every lint flags what it must and leaves alone what it must; the samples are told apart."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bank.admission import LINTS, TABLE, WHOLE, Context, admit, lint_entry, lint_text, lint_wording
from bank.admission.copied import copied, read_passages
from bank.admission.coverage import count, coverage
from bank.admission.folder import admit_path, read_ids, record_ids
from bank.admission.places import beside
from bank.admission.whole import IN_ALL, PER_ENTRY, closest, duplicates
from bank.bank import ENTRIES, Bank
from bank.errors import BankError
from bank.likeness import NEAR, content_likeness
from bank.question import Question, text_hash
from bank.sources import load_banks
from bank.words import VOCABULARIES, vocabulary
from kernelseek_tui.cli.bank.group import bank
from sessions.vocabulary import Layer
from tests.bank.builders import entry, entry_data, write_bank
from tests.bank.lint_cases import BASE, FIXTURES, SAMPLES, cases, findings, full_bank
from tests.bank.lints_table import PAGE, render

WORDING = [lint.id for lint in LINTS if lint.id <= "Q12"]


def test_the_table_holds_every_lint_and_none_is_without_fixtures() -> None:
    ids = [lint.id for lint in TABLE]
    assert ids == [f"Q{number:02d}" for number in range(1, 22)]
    assert [lint.id for lint in TABLE if not (lint.check or lint.over_all)] == ["Q01"]  # applied on reading
    assert {lint.id for lint in (*LINTS, *WHOLE)} == set(ids[1:])
    assert all(FIXTURES[lint]["flag"] and FIXTURES[lint]["pass"] for lint in ids)
    assert all(lint.what and lint.why for lint in TABLE)


def test_the_base_of_all_fixtures_breaks_nothing(tmp_path: Path) -> None:
    write_bank(tmp_path, BASE)
    assert admit_path(tmp_path).findings == ()


@pytest.mark.parametrize(("lint", "case"), cases("flag"))
def test_flags(lint: str, case: Any, tmp_path: Path) -> None:
    found = findings(lint, case, tmp_path)
    assert found
    if lint == "Q20":
        assert case["words"] in {one.words for one in found}
    assert all(one.words and one.message for one in found)


@pytest.mark.parametrize(("lint", "case"), cases("pass"))
def test_leaves_alone(lint: str, case: Any, tmp_path: Path) -> None:
    assert findings(lint, case, tmp_path) == []


def test_known_limits_of_the_vocabularies_are_still_what_they_are() -> None:
    assert [text for text in FIXTURES["known_misses"] if lint_text(text)] == []
    for alarm in FIXTURES["known_alarms"]:
        assert alarm["lint"] in {found.lint for found in lint_text(alarm["text"])}
    for copy in FIXTURES["known_copies"]:
        source = {"ref": "a/b#1", "lesson": copy["lesson"], "seen": "2026-11-29"}
        assert admit([entry(question=copy["question"], sources=[source])]) == []
    for first, later in FIXTURES["known_twins"]:
        other = {"id": "kq-num-902", "group": "numerics-and-correctness"}
        assert list(duplicates([entry(question=first), entry(question=later, **other)])) == []


def test_bad_samples_in_a_valid_entry_are_flagged_and_good_ones_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    valid = entry()
    assert lint_entry(valid) == []

    def said(text: str) -> list[Any]:
        return lint_entry(valid.model_copy(update={"question": text}))

    flagged = {name: said(text) for name, text in SAMPLES["bad"].items()}
    missed = [name for name, found in flagged.items() if not found]
    with capsys.disabled():
        print(f"\nbad samples flagged: {len(flagged) - len(missed)} of {len(flagged)}, missed: {missed}")
    assert len(SAMPLES["bad"]) == len(SAMPLES["good"]) == 30
    assert len(flagged) - len(missed) >= 24
    for found in (one for some in flagged.values() for one in some):
        assert found.entry == valid.id
        assert found.lint in WORDING
        assert found.words
    assert {name: found for name, text in SAMPLES["good"].items() if (found := said(text))} == {}


def test_no_entry_of_the_shipped_bank_is_a_sample_of_form() -> None:
    samples = {text.lower() for side in SAMPLES.values() for text in side.values()}
    assert [entry.id for entry in Bank.load().entries if entry.question.lower() in samples] == []


def test_a_human_is_warned_of_a_leak_and_never_refused() -> None:
    leaks = lint_wording("Isn't it the fill, so would you cache the buffer?")
    assert {"Q09", "Q11", "Q12"} <= {found.lint for found in leaks}
    assert {found.level for found in leaks} == {"warning"}
    assert lint_wording("Which cuBLAS call is slow in the attention kernel.") == []
    assert lint_wording("") == []


def test_a_flag_for_an_upstream_changes_only_what_is_said_of_comparisons() -> None:
    text = "How far is the time from what cuBLAS, the reference, needs?"
    assert {found.lint for found in lint_entry(entry(question=text))} == {"Q05", "Q08"}
    assert {found.lint for found in lint_entry(entry(question=text, needs_upstream=True))} == {"Q05"}


@pytest.mark.parametrize(
    ("lint", "changes"),
    [
        (
            "Q13",
            {"measurement": {"method": "x", "tools": ["crystal-ball"], "number": "n", "unit": "us"}},
        ),
        ("Q14", {"outcomes": [{"if": "long", "next": "host"}]}),
        ("Q15", {"moves": {"from": "host", "to": "host"}}),
        ("Q16", {"answered_when": "you feel sure"}),
        ("Q18", {"sources": [{"ref": "somewhere", "lesson": "x", "seen": "2026-11-29"}]}),
    ],
)
def test_a_metadata_fault_is_named_by_its_lint_alone(lint: str, changes: dict[str, Any]) -> None:
    assert {found.lint for found in lint_entry(entry(**changes))} == {lint}


def test_levels_of_likeness() -> None:
    one = entry(question="How many stalls does the inner loop of the timed binary show?")
    same = entry(id="kq-host-902", question="How many stalls does the timed binary show in its inner loop?")
    near = entry(
        id="kq-host-903",
        question="How many stalls of the inner loop come from one address?",
        measurement={"method": "m", "tools": ["harness"], "number": "another", "unit": "count"},
    )
    found = list(duplicates([one, same]))
    assert [(f.entry, f.level, f.words) for f in found] == [("kq-host-902", "error", "kq-host-901")]
    assert [f.level for f in duplicates([one, near])] == ["warning"]
    pair = closest([one, near, same])
    assert pair is not None
    assert (pair.first.id, pair.second.id) == ("kq-host-901", "kq-host-902")
    assert closest([one]) is None


def test_a_question_of_few_words_is_not_each_one_that_has_them() -> None:
    shipped = list(Bank.load().entries)
    for text in (
        "How many kernels are there?",
        "How long does the kernel take?",
        "How long is one launch?",
        "How much memory does it use?",
        "Where does the time go that is not inside the kernel?",
    ):
        last = entry(id="kq-x-001", question=text)
        assert [f.message for f in duplicates([*shipped, last]) if f.entry == last.id] == [], text
    twin = entry(id="kq-x-001", question="How many microseconds of a call pass outside the kernel?")
    found = [f for f in duplicates([*shipped, twin]) if f.entry == twin.id]
    assert [(f.level, f.words) for f in found] == [("error", "kq-host-002")]


def test_likeness_of_few_words_is_the_same_both_ways_and_whole() -> None:
    assert content_likeness("kernels", "kernels run call") == content_likeness("kernels run call", "kernels")
    assert content_likeness("kernel take", "empty kernel longer wrapper take barest launch") < NEAR
    assert content_likeness("kernel take", "take kernel") == 100
    assert content_likeness("pages worker touch", "first pages worker touch input call") == 100
    assert content_likeness("", "kernel") == 0


def test_copied_words_are_named_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(
        "# Notes\n\nNobody saw how long the queue\nstays dry after the last call of a batch, he said.\n\n"
        "| a cell about the first | step of a run on the host |\n",
        encoding="utf-8",
    )
    folder = tmp_path / "mine"
    folder.mkdir()
    copying = entry_data(question="How long the queue stays dry after the last call, in microseconds?")
    across = entry_data(id="kq-host-902", question="How long is the first step of a run on the host?")
    write_bank(folder, copying, across)
    assert not any(f.lint == "Q19" for f in admit_path(folder).findings)
    found = [f for f in admit_path(folder, sources=[tmp_path / "notes.md"]).findings if f.lint == "Q19"]
    assert [(f.entry, f.words) for f in found] == [
        ("kq-host-901", "how long the queue stays dry after the last call")
    ]
    assert f"10 words in a row with line 3 of {tmp_path / 'notes.md'}" in found[0].message


def test_every_text_of_an_entry_is_compared_with_a_source(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    words = "one two three four five six seven eight"
    notes.write_text(words, encoding="utf-8")
    asked = entry_data()["measurement"]
    places: dict[str, dict[str, Any]] = {
        "question": {"question": f"How many {words}?"},
        "measurement.method": {"measurement": asked | {"method": words}},
        "measurement.number": {"measurement": asked | {"number": words}},
        "answered_when": {"answered_when": f"a table, {words}, and a date"},
        "sources.0.lesson": {"sources": [{"ref": "a/b#1", "lesson": words, "seen": "2026-11-29"}]},
    }
    for place, changes in places.items():
        found = admit([entry(**changes)], Context(passages=read_passages(notes)))
        assert [(f.lint, f.message.split()[0]) for f in found if f.lint == "Q19"] == [("Q19", place)]


def test_a_source_that_cannot_be_read_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BankError, match=r"nothing\.md: cannot be read .*name a text file"):
        read_passages(tmp_path / "nothing.md")
    (tmp_path / "x.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BankError, match="not UTF-8 text"):
        read_passages(tmp_path / "x.bin")


def test_only_a_bank_that_claims_to_be_complete_is_held_to_its_figures(tmp_path: Path) -> None:
    write_bank(tmp_path, BASE)
    assert admit_path(tmp_path).findings == ()
    found = admit_path(tmp_path, complete=True).findings
    assert {f.level for f in found} == {"warning"}
    assert {"core", "numerics-and-correctness", "scope", "layer routing"} <= {f.words for f in found}
    assert not any(f.lint == "Q20" for f in admit_path(ENTRIES / "scope-and-triage.yaml").findings)


def test_what_is_counted() -> None:
    counts = count(full_bank())
    assert (counts.entries, counts.core, counts.needs_upstream, counts.per_architecture) == (126, 101, 5, 20)
    assert set(counts.families.values()) == {4}
    one = count([entry()])
    about = [layer for layer, number in one.layers.items() if number]
    assert about == ["host"]  # `from: kernel` does not count
    leading = entry(outcomes=[{"if": "a", "next": "kernel"}, {"if": "b", "next": "build"}])
    assert [layer for layer, number in count([leading]).layers.items() if number] == [
        "kernel",
        "build",
        "host",
    ]
    assert list(coverage(full_bank(), Context(complete=True))) == []


def test_an_id_once_published_stays(tmp_path: Path) -> None:
    write_bank(tmp_path, entry_data(), entry_data(id="kq-host-902", question="How large is a page?"))
    file, new = record_ids(tmp_path)
    assert (file, new) == (tmp_path / "ids.txt", 2)
    assert record_ids(tmp_path) == (file, 0)
    path = write_bank(tmp_path, entry_data())
    gone = [f for f in admit_path(tmp_path).findings if f.lint == "Q21"]
    assert [(f.level, f.words) for f in gone] == [("error", "kq-host-902")]
    assert admit_path(path).findings == ()  # one file is not the bank
    record_ids(tmp_path)
    assert read_ids(file) == ("kq-host-901", "kq-host-902")  # nothing leaves the list


def test_a_damaged_entry_is_not_a_vanished_one(tmp_path: Path) -> None:
    write_bank(tmp_path, entry_data(), entry_data(id="kq-host-902", question="How large is a page?"))
    record_ids(tmp_path)
    write_bank(tmp_path, entry_data(), entry_data(id="kq-host-902", splendid=True))
    assert [f.lint for f in admit_path(tmp_path).findings] == ["Q01"]
    (tmp_path / "other.yaml").write_text("- {", encoding="utf-8")
    assert {f.lint for f in admit_path(tmp_path).findings} == {"Q01"}


def test_what_stands_beside_a_bank_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "entries").mkdir()
    assert beside(tmp_path / "entries", "ids.txt") == tmp_path / "ids.txt"
    assert beside(tmp_path, "ids.txt") == tmp_path / "ids.txt"
    path = write_bank(tmp_path / "entries", entry_data())
    assert beside(path, "ids.txt") == tmp_path / "ids.txt"
    assert beside(ENTRIES, "ids.txt") == ENTRIES.parent / "ids.txt"


def test_lint_ok_explains_warnings_only_and_only_those_that_fire() -> None:
    def own(**changes: Any) -> list[tuple[str, str]]:
        return [(f.lint, f.level) for f in admit([entry(**changes)]) if f.entry]

    def excuse(text: str) -> dict[str, str]:
        return {"reason": "repeats are the point", "by": "tests", "text": text_hash(text)}

    text = "How long do one hundred starts take on the host?"
    assert own(question=text) == [("Q07", "warning")]
    assert own(question=text, lint_ok={"Q07": excuse(text)}) == []
    stale = own(question=text, lint_ok={"Q07": excuse("How long do one hundred starts take?")})
    assert stale == [("Q07", "warning"), ("lint_ok", "error")]
    assert own(lint_ok={"Q07": excuse(entry().question)}) == [("lint_ok", "error")]  # it does not fire
    leaking = "How long do starts take because the host waits?"
    leak = own(question=leaking, lint_ok={"Q11": excuse(leaking)})
    assert leak == [("Q11", "error"), ("lint_ok", "error")]


def test_every_vocabulary_names_its_owner_and_compiles() -> None:
    for path in VOCABULARIES.glob("*.yaml"):
        assert path.read_text(encoding="utf-8").startswith("# Owner: "), path.name
        assert vocabulary(path.stem)


@pytest.mark.parametrize(
    ("question", "lint"),
    [
        ("How much faster would it be if the launch went through a captured graph?", "Q12"),
        ("How many scenarios speed up when the tile is doubled to fit the wide instruction?", "Q12"),
        ("How many microseconds are saved by caching the plan?", "Q12"),
        ("How much time does the redundant copy in the wrapper take?", "Q11"),
        ("How long does a needless barrier take?", "Q11"),
    ],
)
def test_a_cure_that_leaves_no_doubt_is_an_error(question: str, lint: str) -> None:
    assert (lint, "error") in {(found.lint, found.level) for found in lint_text(question)}


@pytest.mark.parametrize(
    "question",
    [
        "How many microseconds pass when the kernel is asked to do nothing?",
        "How does the time change when the size is halved?",
    ],
)
def test_a_size_or_a_task_is_no_cure(question: str) -> None:
    assert not any(found.lint in ("Q11", "Q12") for found in lint_text(question))


def test_a_bank_of_the_shipped_size_is_linted_within_a_second() -> None:
    entries: list[Question] = full_bank()
    admit(entries, Context(complete=True))  # the vocabularies are compiled once
    start = time.perf_counter()
    admit(entries, Context(complete=True))
    assert time.perf_counter() - start < 1


def _crowd(question: str, **changes: Any) -> list[Question]:
    return [
        entry(id=f"kq-{'abcdefghij'[at // 100]}-{at:03d}", question=question.format(at), **changes)
        for at in range(990)
    ]


def test_a_thousand_entries_that_are_all_alike_are_linted_in_seconds() -> None:
    entries = _crowd("How many pages of the input does worker number {} touch first?")
    start = time.perf_counter()
    found = list(duplicates(entries))
    pair = closest(entries)
    assert time.perf_counter() - start < 10  # some 3 s of one core; it was a minute
    assert pair is not None
    assert pair.likeness > 80
    # Every entry but the first has its error, and what is not told one by one is counted.
    assert {one.entry for one in found if one.level == "error"} == {one.id for one in entries[1:]}
    assert len(found) < IN_ALL + PER_ENTRY + len(entries)
    of_last = [one for one in found if one.entry == entries[-1].id]
    assert len(of_last) == 1
    assert of_last[0].message.endswith(", and it is like 988 more")
    assert len([one for one in found if one.entry == entries[20].id]) == 20


def test_an_error_is_told_before_what_is_only_near() -> None:
    near = _crowd("How many stalls of the inner loop come from one address, {}?")[:80]
    last = entry(id="kq-z-001", question="How many stalls of the inner loop does the timed binary show?")
    twin = entry(id="kq-y-001", question="How many stalls does the timed binary show in its inner loop?")
    found = [one for one in duplicates([*near, twin, last]) if one.entry == last.id]
    assert [one.words for one in found if one.level == "error"] == [twin.id]
    assert len(found) == 1  # the others have used up what is told of a bank
    assert found[0].message.endswith(", and it is like 80 more")


def test_a_lesson_in_every_entry_is_found_in_seconds() -> None:
    lesson = "one two three four five six seven eight nine ten eleven twelve"
    source = {"ref": "a/b#1", "lesson": lesson, "seen": "2026-11-29"}
    entries = _crowd("How long does start {} take on the host?", sources=[source] * 4)
    start = time.perf_counter()
    found = [one for one in copied(entries, Context()) if one.lint == "Q19"]
    assert time.perf_counter() - start < 10
    assert {one.entry for one in found} == {one.id for one in entries[1:]}


def _lint(*arguments: str) -> Result:
    return CliRunner().invoke(bank, ["lint", *arguments])


def test_the_command_prints_a_folders_counts_and_its_closest_pair(tmp_path: Path) -> None:
    path = write_bank(tmp_path, *(one.model_dump(mode="json", by_alias=True) for one in full_bank()))
    plain = _lint(str(tmp_path), "--strict", "--coverage")
    assert plain.exit_code == 0, plain.output + str(plain.exception)
    rows = [line.split() for line in plain.stdout.splitlines()]
    assert ["all", "101", "5", "20"] in rows
    assert ["scope-and-triage", "11", "1", "2"] in rows
    assert ["agent_loop", "30", "10"] in rows
    assert ["cdna", "4"] in rows
    assert plain.stdout.splitlines()[-1].startswith("closest pair: kq-x-")
    data = json.loads(_lint(str(tmp_path), "--json").stdout)
    counts = data["counts"]
    assert (data["entries"], data["findings"], counts["core"], counts["mined"]) == (126, [], 101, 126)
    assert counts["groups"]["scope-and-triage"] == {"core": 11, "needs_upstream": 1, "per_architecture": 2}
    assert set(counts["layers"]) == {layer.value for layer in Layer}
    assert len(data["closest"]["entries"]) == 2
    assert 0 < data["closest"]["similarity"] < 58
    assert _lint(str(path)).stdout == ""  # one file is not a bank


def test_a_small_bank_is_told_only_what_it_has(tmp_path: Path) -> None:
    write_bank(tmp_path, BASE)
    shown = [line.split() for line in _lint(str(tmp_path)).stdout.splitlines() if line]
    assert ["host-and-launch-path", "1", "0", "0"] in shown
    assert ["plateau", "1", "1"] in shown
    assert not any(row[0] in ("numerics-and-correctness", "agent_loop", "family", "cdna") for row in shown)
    assert len(shown) < 12
    whole = [line.split() for line in _lint(str(tmp_path), "--coverage").stdout.splitlines() if line]
    assert ["numerics-and-correctness", "0", "0", "0"] in whole
    assert ["cdna", "0"] in whole


@pytest.mark.parametrize("value", ["stand", "splendid"])
def test_a_wrong_next_is_told_both_ways_on(value: str, tmp_path: Path) -> None:
    path = write_bank(tmp_path, entry_data(outcomes=[{"if": "long", "next": value}]))
    (found,) = admit_path(path).findings
    assert found.lint == "Q01"
    assert "outcomes.0.next" in found.message
    assert "one of kernel, " in found.message
    assert "`verdict: stand` or `verdict: reopen`" in found.message


def test_the_sample_of_the_page_is_an_entry_without_a_fault(tmp_path: Path) -> None:
    page = (PAGE.parent / "bank.md").read_text(encoding="utf-8")
    (tmp_path / "my-bank.yaml").write_text(page.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    assert admit_path(tmp_path / "my-bank.yaml").findings == ()
    assert len(load_banks(["default", tmp_path / "my-bank.yaml"]).entries) == len(Bank.load().entries) + 1


def test_the_command_takes_sources_and_records_ids(tmp_path: Path) -> None:
    write_bank(tmp_path, BASE)
    assert getattr(_lint(str(tmp_path), "--coverage", "--strict").exception, "exit_code", None) == 3
    assert _lint(str(tmp_path), "--record-ids").exit_code == 0
    assert read_ids(tmp_path / "ids.txt") == (BASE["id"],)
    notes = tmp_path / "notes.md"
    notes.write_text(f"He asked: {BASE['question'].upper()}", encoding="utf-8")
    copied = _lint(str(tmp_path), "--sources", str(notes), "--json")
    assert getattr(copied.exception, "exit_code", None) == 3
    assert [f["lint"] for f in json.loads(copied.stdout)["findings"]] == ["Q19"]
    missing = _lint(str(tmp_path), "--sources", str(tmp_path / "none.md")).exception
    assert getattr(missing, "exit_code", None) == 3


def test_the_page_is_what_the_table_and_the_fixtures_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run `python -m tests.bank.lints_table`"
