"""Every lint flags what it must and leaves alone what it must; the samples are told apart."""

from typing import Any

import pytest
import yaml

from bank.admission import LINTS, admit, lint_entry, lint_text, lint_wording
from bank.admission.whole import coverage, duplicates, links
from bank.bank import Bank
from bank.question import text_hash
from bank.words import VOCABULARIES, vocabulary
from tests.bank.builders import HERE, entry

FIXTURES: dict[str, Any] = yaml.safe_load((HERE / "lint_fixtures.yaml").read_text(encoding="utf-8"))
SAMPLES: dict[str, dict[str, str]] = yaml.safe_load((HERE / "samples.yaml").read_text(encoding="utf-8"))
WORDING = [lint.id for lint in LINTS if lint.id <= "Q12"]


def _cases(side: str) -> list[tuple[str, str]]:
    return [(lint, text) for lint in WORDING for text in FIXTURES[lint][side]]


def test_every_wording_lint_has_both_kinds_of_fixture() -> None:
    assert [f"Q{number:02d}" for number in range(2, 13)] == WORDING
    assert all(FIXTURES[lint]["flag"] and FIXTURES[lint]["pass"] for lint in WORDING)


@pytest.mark.parametrize(("lint", "text"), _cases("flag"))
def test_flags(lint: str, text: str) -> None:
    assert lint in {found.lint for found in lint_text(text)}


@pytest.mark.parametrize(("lint", "text"), _cases("pass"))
def test_leaves_alone(lint: str, text: str) -> None:
    assert [found for found in lint_text(text) if found.lint == lint] == []


def test_known_limits_of_the_vocabularies_are_still_what_they_are() -> None:
    assert [text for text in FIXTURES["known_misses"] if lint_text(text)] == []
    for alarm in FIXTURES["known_alarms"]:
        assert alarm["lint"] in {found.lint for found in lint_text(alarm["text"])}


def test_bad_samples_in_a_valid_entry_are_flagged_and_good_ones_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    valid = Bank.load().entries[0]
    assert lint_entry(valid) == []

    def findings(text: str) -> list[Any]:
        return lint_entry(valid.model_copy(update={"question": text}))

    flagged = {name: findings(text) for name, text in SAMPLES["bad"].items()}
    missed = [name for name, found in flagged.items() if not found]
    with capsys.disabled():
        print(f"\nbad samples flagged: {len(flagged) - len(missed)} of {len(flagged)}, missed: {missed}")
    assert len(SAMPLES["bad"]) == len(SAMPLES["good"]) == 30
    assert len(flagged) - len(missed) >= 24
    for found in (one for some in flagged.values() for one in some):
        assert found.entry == valid.id
        assert found.lint in WORDING
        assert found.words
    assert {name: found for name, text in SAMPLES["good"].items() if (found := findings(text))} == {}


def test_a_human_is_warned_of_a_leak_and_never_refused() -> None:
    leaks = lint_wording("Isn't it the fill, so would you cache the buffer?")
    assert {"Q09", "Q11", "Q12"} <= {found.lint for found in leaks}
    assert {found.level for found in leaks} == {"warning"}
    assert lint_wording("Which cuBLAS call is slow in the attention kernel.") == []
    assert lint_wording("") == []


def test_needs_upstream_allows_reference_words() -> None:
    text = "How far is the time from the reference?"
    assert "Q08" in {found.lint for found in lint_entry(entry(question=text))}
    assert lint_entry(entry(question=text, needs_upstream=True)) == []


@pytest.mark.parametrize(
    ("lint", "changes"),
    [
        (
            "Q13",
            {"measurement": {"method": "x", "tools": ["crystal-ball"], "number": "n", "unit": "us"}},
        ),
        ("Q13", {"measurement": {"method": "x", "tools": ["harness"], "number": "n", "unit": ""}}),
        ("Q14", {"outcomes": [{"if": "long", "next": "host"}]}),
        ("Q14", {"outcomes": [{"if": "a", "next": "host"}, {"if": "b", "next": "host"}]}),
        ("Q14", {"outcomes": [{"if": "a"}, {"if": "b", "next": "host"}]}),
        ("Q15", {"moves": {"from": "host", "to": "host"}}),
        ("Q16", {"answered_when": "you feel sure"}),
        ("Q16", {"answered_when": "a table exists"}),
        ("Q18", {"sources": [{"ref": "somewhere", "lesson": "x", "seen": "2026-11-29"}]}),
        (
            "Q18",
            {"provenance": {"kind": "mined", "date": "2026-11-29", "author": "t", "ai_assisted": True}},
        ),
    ],
)
def test_metadata_lints(lint: str, changes: dict[str, Any]) -> None:
    assert lint_entry(entry()) == []
    assert {found.lint for found in lint_entry(entry(**changes))} == {lint}


def test_refusing_closure_may_stay_in_its_layer() -> None:
    assert lint_entry(entry(moves={"from": "host", "to": "host"}, refuses_closure=True)) == []


def test_near_duplicates_and_equal_frames() -> None:
    one = entry(question="How many stalls does the inner loop of the timed binary show?")
    same = entry(id="kq-host-902", question="How many stalls does the timed binary show in its inner loop?")
    other = entry(id="kq-host-903", question="By what percentage do repeated samples drift?")
    found = list(duplicates([one, same]))
    assert [(f.entry, f.lint, f.level, f.words) for f in found] == [
        ("kq-host-902", "Q17", "error", "kq-host-901")
    ]
    assert [f.level for f in duplicates([one, other])] == ["warning"]  # the same number, group and layers
    elsewhere = other.model_copy(update={"group": "numerics-and-correctness"})
    assert list(duplicates([one, elsewhere])) == []


def test_links_lead_somewhere() -> None:
    old = entry(status="deprecated")
    assert [f.lint for f in links([old])] == ["Q21"]
    lost = entry(related=[{"id": "kq-host-999", "type": "similar"}])
    assert [f.words for f in links([lost])] == ["kq-host-999"]
    heir = entry(id="kq-host-902")
    moved = entry(status="deprecated", related=[{"id": "kq-host-902", "type": "obsolete"}])
    assert list(links([moved, heir])) == []


def test_a_thin_bank_is_reported_as_such() -> None:
    found = list(coverage([entry()]))
    assert {f.level for f in found} == {"warning"}
    assert {"numerics-and-correctness", "scope", "layer routing"} <= {f.words for f in found}


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


def test_only_an_entry_for_one_family_of_devices_names_it() -> None:
    text = "How many clusters does Hopper leave idle at the end of a run?"
    assert "Q06" in {found.lint for found in lint_entry(entry(question=text))}
    assert lint_entry(entry(question=text, architectures=["hopper"])) == []


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
