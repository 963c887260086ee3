import pytest

from kernelseek_tui.annotate.form import BY_NAME, FIELDS, NAMES, Draft
from sessions.vocabulary import Act, Category, DecisionKind, Form, Layer, Truth
from tests.sessions.test_labels import FULL


def typed(draft: Draft, keys: str) -> Draft:
    for key in keys:
        after = draft.choose(key)
        assert after is not None, key
        draft = after
    return draft


def test_every_word_of_the_format_has_a_key_and_no_key_means_two() -> None:
    words: dict[str, set[str]] = {
        "kind": {*DecisionKind, "none"},
        "layer": {*Layer},
        "act": {*Act},
        "form": {*Form},
        "category": {*Category},
        "truth": {*Truth},
        "certainty": {"1", "2", "3"},
    }
    assert {item.name: {choice.value for choice in item.choices} for item in FIELDS} == words
    for item in FIELDS:
        keys = [choice.key for choice in item.choices]
        assert len(keys) == len(set(keys))
        assert all(len(key) == 1 and key.isdigit() for key in keys)
    assert len({item.key for item in FIELDS}) == len(FIELDS)


def test_a_moment_of_the_agent_takes_five_keys() -> None:
    draft = typed(Draft(said=False), "34613")
    assert dict(draft.values) == {
        "kind": "claimed_limit",
        "layer": "host",
        "category": "challenge-a-limit",
        "truth": "WRONG",
        "certainty": "3",
    }
    assert draft.finished
    assert draft.ready


def test_a_message_is_asked_for_its_act_and_form_too() -> None:
    draft = Draft(said=True)
    seen = []
    while not draft.finished:
        seen.append(draft.active)
        draft = typed(draft, "1")
    assert tuple(seen) == NAMES


def test_a_message_that_asks_nothing_has_no_category() -> None:
    draft = typed(Draft(said=True), "0123")
    assert dict(draft.values) == {
        "kind": "none",
        "truth": "NOT_A_MOMENT",
        "act": "directive",
        "form": "imperative",
        "certainty": "3",
    }
    assert typed(Draft(said=True), "022").active == "category"
    assert typed(Draft(said=True), "011").active == "category"


def test_no_moment_takes_two_keys_and_settles_the_truth() -> None:
    draft = typed(Draft(said=False), "02")
    assert dict(draft.values) == {"kind": "none", "truth": "NOT_A_MOMENT", "certainty": "2"}
    assert draft.finished


def test_a_kind_in_the_place_of_none_takes_the_truth_back() -> None:
    draft = typed(Draft(said=False), "0").open("kind")
    assert "truth" not in typed(draft, "2").values
    own = typed(typed(Draft(said=False), "0").open("truth"), "4").open("kind")
    assert typed(own, "2").values["truth"] == "RIGHT"


def test_a_key_that_is_no_choice_answers_nothing() -> None:
    draft = Draft(said=False).open("form")
    for key in ("4", "0", "x", ""):
        assert draft.choose(key) is None


def test_fields_are_reached_in_any_order_and_round() -> None:
    draft = Draft(said=False).step(-1)
    assert draft.active == "certainty"
    assert draft.step(1).active == "kind"
    assert draft.open("act").choose("2") is not None
    assert not draft.open("layer").ready
    assert typed(Draft(said=False).open("layer"), "1").active == "category"


def test_going_back_after_the_last_answer_goes_on() -> None:
    draft = typed(Draft(said=False), "02").open("kind")
    assert not draft.finished


def test_an_answer_can_be_taken_back() -> None:
    draft = typed(Draft(said=False), "2").open("kind").clear()
    assert dict(draft.values) == {}
    assert draft.empty


def test_evidence_is_kept_in_order_and_each_once() -> None:
    draft = Draft(said=False).mark(9).mark(4).mark(12).mark(9)
    assert draft.evidence == (4, 12)
    assert draft.write("  a note ").note == "a note"


def test_a_label_comes_back_as_it_was() -> None:
    draft = Draft.of(FULL, said=True)
    assert draft.values == {
        "kind": "claimed_limit",
        "layer": "host",
        "act": "question",
        "form": "interrogative",
        "category": "challenge-a-limit",
        "truth": "WRONG_ACROSS_RUNS",
        "certainty": "3",
    }
    assert (draft.evidence, draft.note) == (FULL.evidence, FULL.note)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_asked_can_still_be_answered(name: str) -> None:
    draft = typed(Draft(said=False), "0").open(name)
    answered = draft.choose(BY_NAME[name].choices[0].key)
    assert answered is not None
    assert name in answered.values
