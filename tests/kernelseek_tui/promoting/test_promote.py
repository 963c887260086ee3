"""A person's question becomes a draft: its words without the session, and what it led to."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bank.bank import Bank
from bank.drafting.checking import check_draft
from bank.drafting.defaults import NO_OUTCOME, NOT_WRITTEN
from bank.drafting.draft import draft
from bank.drafting.writing import as_yaml
from bank.errors import BankError
from kernelseek_tui.promoting.promote import Promotion, promote
from kernelseek_tui.promoting.session import find_asked, read_session
from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.vocabulary import DecisionKind, Layer
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.effects.stories import TRACE, Story

ASKED = "How many microseconds of a call pass outside the kernel?"


def _write(story: Story, folder: Path, damage: bytes = b"") -> Path:
    path = folder / "events.jsonl"
    lines = [ev.dump_event(event).encode() for event in story.events]
    path.write_bytes(b"\n".join([*lines[:2], *([damage] if damage else []), *lines[2:]]) + b"\n")
    return path


def _promoted(story: Story, event: str, folder: Path, damage: bytes = b"") -> Promotion:
    read = read_session(_write(story, folder, damage))
    return promote(read, find_asked(read, event))


def _worked(text: str = ASKED, answer: str = "7.5 us pass before it.", **more: Any) -> tuple[Story, str]:
    story = Story(**more)
    story.scores(1.0, 1.0)
    story.kernel()
    flagged = story.flag()
    asked = story.ask(text, None, flagged, by="human")
    story.run(TRACE, "host call 7.5 us")
    story.says(answer)
    story.kernel()
    story.scores(1.5)
    return story, asked


def test_what_a_question_led_to_is_its_evidence(tmp_path: Path) -> None:
    story, asked = _worked()
    found = _promoted(story, asked, tmp_path)
    (proof,) = found.wanted.evidence
    assert (proof.session, proof.event, proof.before) == ("s1", asked, Layer.KERNEL)
    assert proof.after == (Layer.HOST,)
    assert (proof.number, proof.change, proof.rehearsed) == (True, 1.5, False)
    assert found.wanted.moves is not None
    assert (found.wanted.moves.from_, found.wanted.moves.to) == (Layer.KERNEL, Layer.HOST)
    assert found.wanted.kinds == (DecisionKind.PLATEAU,)
    assert found.wanted.tools == ("timeline-profiler",)
    assert (found.wanted.number, found.wanted.unit) == ("time", "us")
    assert not any("Nothing followed" in text for text in found.said)


def test_moments_where_nothing_was_asked_are_the_control(tmp_path: Path) -> None:
    story = Story()
    story.scores(1.0)
    story.silent(story.flag())
    story.scores(1.1, 1.1, 1.1, 1.1, 1.1)
    asked = story.ask(ASKED, None, story.flag(), by="human")
    story.scores(1.65)
    (proof,) = _promoted(story, asked, tmp_path).wanted.evidence
    assert (proof.change, proof.matched) == (1.5, 1.1)


def test_nothing_followed_is_said_plainly(tmp_path: Path) -> None:
    story = Story()
    story.scores(1.0)
    asked = story.ask(ASKED, None, story.flag(), by="human")
    story.says("I do not know.")
    found = _promoted(story, asked, tmp_path)
    assert any(text.startswith("Nothing followed: ") for text in found.said)
    (proof,) = found.wanted.evidence
    assert (proof.number, proof.change, proof.after) == (False, None, ())
    assert draft(found.wanted, (), date(2026, 11, 30)).entry.measurement.tools == ("",)


def test_without_another_layer_the_outcome_is_a_gap_that_the_rules_name(tmp_path: Path) -> None:
    story = Story()
    story.scores(1.0)
    story.kernel()
    asked = story.ask(ASKED, None, story.flag(), by="human")
    story.scores(1.5)
    found = _promoted(story, asked, tmp_path)
    assert any("no tool call shows routing" in text for text in found.said)
    made = draft(found.wanted, (), date(2026, 11, 30))
    assert [(one.if_, one.next, one.verdict) for one in made.entry.outcomes] == [(NO_OUTCOME, None, None)]
    rules = {one.found.lint for one in check_draft(made.entry, []) if one.found.level == "error"}
    assert {"Q14", "Q15"} <= rules


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Why is the start slow?", ""),
        ("Is the start slow on the host?", ""),
        ("How slow is the start?", "count"),
    ],
)
def test_a_question_for_reasons_or_yes_gets_no_number(text: str, number: str, tmp_path: Path) -> None:
    story, asked = _worked(text, "It was slow in 3 of 4 runs.")
    wanted = _promoted(story, asked, tmp_path).wanted
    assert (wanted.number, wanted.unit) == (number, number)


def test_a_rehearsed_agent_is_said(tmp_path: Path) -> None:
    story, asked = _worked(rehearsed=True)
    found = _promoted(story, asked, tmp_path)
    assert found.wanted.evidence[0].rehearsed
    assert any("rehearsed" in text for text in found.said)


@pytest.mark.parametrize(
    "text",
    [
        "Isn't it the launch that costs 5 us?",
        "Would it help to fuse the two kernels?",
        "How " + "far " * 80 + "is it?",
    ],
)
def test_words_that_carry_an_answer_stay_on_the_screen(text: str, tmp_path: Path) -> None:
    story, asked = _worked(text)
    found = _promoted(story, asked, tmp_path)
    assert found.wanted.question == NOT_WRITTEN
    made = draft(found.wanted, (), date(2026, 11, 30))
    written = as_yaml(made.entry, found.said)
    for word in ("the launch", "fuse", "far far"):
        assert word not in written
    assert any(text[:20] in told for told in found.told)


def test_of_several_questions_the_best_without_an_answer_is_taken(tmp_path: Path) -> None:
    text = "Ok. Isn't it the launch? How many microseconds pass outside the kernel? Is it slow?"
    story, asked = _worked(text)
    found = _promoted(story, asked, tmp_path)
    assert found.wanted.question == "How many microseconds pass outside the kernel?"
    assert any("one of 3 questions" in text for text in found.said)


def test_secrets_people_and_files_do_not_reach_the_file(tmp_path: Path) -> None:
    key, mail = "sk-" + "a1B2" * 8, "ada@kernels.dev"
    text = f"How many us does {key} cost {mail} in /home/ada/attn.cu with softmax_kernel on an H100?"
    story, asked = _worked(text)
    found = _promoted(story, asked, tmp_path)
    written = as_yaml(draft(found.wanted, (), date(2026, 11, 30)).entry, found.said)
    for word in (key, mail, "/home/ada", "kernels.dev"):
        assert word not in written
        assert not any(word in told for told in found.told)
    assert (
        found.wanted.question
        == "How many us does the value cost the author in the file with the part on {arch}?"
    )
    for word in ("[api-key]", "softmax_kernel", "H100"):
        assert any(word in text for text in found.told)
        assert not any(word in text for text in found.said)
    assert any(text.startswith("Taken out: 1 secret, 1 address of a person, ") for text in found.said)
    assert found.told[-1].startswith("Read the draft for names of people")


@pytest.mark.parametrize(
    ("secret", "parts"),
    [
        ("AKIA\u200bIOSFODNN7EXAMPLE", ["AKIA", "IOSFODNN7"]),
        ("gh\u00adp_" + "a1B2" * 9, ["a1B2a1B2"]),
        ("sk-\x1b[1m" + "ant-" + "a1B2" * 8 + "\x1b[0m", ["a1B2a1B2"]),
        ("sk-\nant-api03-" + "Z" * 32, ["ZZZZ"]),
        ("\uff53\uff4b-ant-api03-" + "Abcd" * 8, ["AbcdAbcd"]),
        ("ada\u200b@corp.dev", ["ada", "corp"]),
        ("aws_secret_access_key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ["wJalr", "bPxR"]),
        ("password=hunter2", ["hunter2"]),
        ("../../home/ada3/y", ["ada3"]),
        ("sk-\ufe0fant-" + "a1B2" * 8, ["a1B2a1B2"]),
    ],
)
def test_what_breaks_a_secret_up_does_not_keep_it(secret: str, parts: list[str], tmp_path: Path) -> None:
    story, asked = _worked(f"How many us does {secret} take?")
    found = _promoted(story, asked, tmp_path)
    written = as_yaml(draft(found.wanted, (), date(2026, 11, 30)).entry, found.said)
    assert "How many us" in found.wanted.question
    for part in parts:
        assert part not in written
        assert not any(part in told for told in found.told)


@pytest.mark.parametrize(
    "text",
    [
        'How many \x1b[31mmicroseconds\x1b[0m \'\n- id: "x"\n{arch} {evil} \u202e pass?',
        "How many microseconds pass? " + "x" * 3_000_000,
        "'}]\n- !!python/object/apply:os.system ['x'] how many?",
        "How \udcff many?",
    ],
)
def test_hostile_messages_give_a_draft(text: str, tmp_path: Path) -> None:
    story = Story()
    story.scores(1.0)
    flagged = story.flag()
    asked = story.ask("place", None, flagged, by="human")
    clean = text.encode("utf-8", "replace").decode()
    story.events = [
        event.model_copy(update={"text": clean}) if event.id == asked else event for event in story.events
    ]
    found = _promoted(story, asked, tmp_path)
    made = draft(found.wanted, (), date(2026, 11, 30))
    file = tmp_path / "draft.yaml"
    file.write_text(as_yaml(made.entry, found.said), encoding="utf-8")
    assert Bank.load(file).entries == (made.entry,)
    assert "\x1b" not in file.read_text(encoding="utf-8")


def test_a_damaged_session_costs_its_damaged_lines(tmp_path: Path) -> None:
    story, asked = _worked()
    read = read_session(_write(story, tmp_path, b'{"kind": "human_message", \xff\xfe'))
    assert read.problems == 1
    assert promote(read, find_asked(read, asked)).wanted.question == ASKED
    (tmp_path / "no.jsonl").write_bytes(b"\x00\xff" * 100)
    with pytest.raises(RefusedInput):
        read_session(tmp_path / "no.jsonl")


@pytest.mark.parametrize("session", ["/home/ada/secret run", "", "sk-" + "a1B2" * 8, "x" * 200, "a:b"])
def test_ids_that_are_paths_or_secrets_become_hashes(session: str, tmp_path: Path) -> None:
    story, asked = _worked(session=session)
    (proof,) = _promoted(story, asked, tmp_path).wanted.evidence
    assert proof.session.startswith("file-")
    assert len(proof.session) == len("file-") + 12


def _refused(story: Story, event: str, folder: Path) -> str:
    with pytest.raises(BankError) as refused:
        _promoted(story, event, folder)
    return str(refused.value)


def test_what_is_no_question_of_a_person_is_refused(tmp_path: Path) -> None:
    story, asked = _worked()
    bank = story.ask()
    program = story.ask(ASKED, None, by="random")
    edited = story.ask(ASKED + " Now?", "kq-host-901", by="human", edited=True)
    lost = story.ask("How many bytes cross the bus?", None, by="human", receipt="failed")
    order = story.human("Please run the benchmark again.")
    assert "there is no event e9999" in _refused(story, "e9999", tmp_path)
    assert "there is no event -1" in _refused(story, "-1", tmp_path)
    assert "is of the kind session_started" in _refused(story, "e0", tmp_path)
    assert "is the entry kq-host-901" in _refused(story, bank, tmp_path)
    assert "is the entry kq-host-901" in _refused(story, edited, tmp_path)
    assert "asked by the program" in _refused(story, program, tmp_path)
    assert "never reached the agent" in _refused(story, lost, tmp_path)
    forbids = story.human("Do not touch the benchmark")
    assert "asks no question" in _refused(story, order, tmp_path)
    assert "asks no question" in _refused(story, forbids, tmp_path)
    assert _promoted(story, str(int(asked[1:])), tmp_path).wanted.question == ASKED


def test_the_echo_of_a_typed_question_is_that_question(tmp_path: Path) -> None:
    story, asked = _worked()
    story.events.insert(int(asked[1:]) + 2, ev.HumanMessage(id="echo", text=ASKED))
    found = _promoted(story, "echo", tmp_path)
    assert found.wanted.evidence[0].event == asked
    assert found.wanted.evidence[0].number


@needs_cases
@pytest.mark.parametrize(
    ("file", "line", "kind", "group", "to"),
    [
        ("case1_gap_triage", "47", "plateau", "scope-and-triage", "kernel"),
        ("case2_claimed_limit", "43", "claimed_limit", "host-and-launch-path", "host"),
        ("case3_scenario_coverage", "32", "claimed_completion", "benchmark-validity", "kernel"),
        ("case4_false_completion", "30", "claimed_completion", "limits-hypotheses-and-process", "memory"),
    ],
)
def test_the_four_published_cases(file: str, line: str, kind: str, group: str, to: str) -> None:
    assert CASES is not None
    read = read_session(CASES / "study" / f"{file}.jsonl")
    found = promote(read, find_asked(read, line))
    bank = Bank.load()
    made = draft(found.wanted, [entry.id for entry in bank.entries], date(2026, 11, 30))
    assert [one.value for one in made.entry.decision_kinds] == [kind]
    assert made.entry.group == group
    assert made.entry.moves.to == to  # no tool call shows routing, and none looked at the benchmark
    assert any("is a gap" in text for text in found.said) == (to == "kernel")
    asks = "Do these" in made.entry.question or "Why" in made.entry.question
    assert (made.entry.measurement.number == "") == asks
    assert made.entry.evidence[0].number
    errors = {one.found.lint for one in check_draft(made.entry, bank.entries) if one.found.level == "error"}
    # Only what a person must still write: the method, where it leads, and when it is answered already.
    assert {"Q13", "Q16"} <= errors <= {"Q13", "Q14", "Q15", "Q16"}
