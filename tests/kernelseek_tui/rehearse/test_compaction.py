"""A conversation that was replaced by its summary goes on where it was."""

import json

import pytest

from kernelseek_tui.agents.rehearsal.story import Outcome, Story
from kernelseek_tui.rehearse.conversation import KEPT_RESULT
from tests.kernelseek_tui.rehearse.stage import WORKSPACE, Dialogue, script

REQUEST = "CRITICAL: Respond with TEXT ONLY.\n\nYour task is to create a detailed summary of this, so far"


def continued(summary: str) -> str:
    """How the client begins again: it takes the summary out of its tags."""
    inner = summary.removeprefix("<summary>").removesuffix("</summary>").strip()
    return (
        "This session is being continued from a previous conversation that ran out of context. The summary "
        f"covers the earlier portion.\n\nSummary:\n{inner}\n\nContinue from where it left off."
    )


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize("answered", [True, False])
def test_the_story_goes_on_after_a_compaction(steps: int, answered: bool) -> None:
    whole = Dialogue(script()).hear("Go.")
    for step in range(steps):
        whole.reply()
        if whole.open_calls and (answered or step < steps - 1):
            whole.result("n=7")
    asked = Dialogue(script())
    asked.messages = [*whole.messages]
    summary = asked.hear(REQUEST).reply()
    assert summary.kind == "summary"
    short = Dialogue(script()).hear(continued(summary.texts[0]))
    if steps and not answered and whole.open_calls:
        whole.hear("Go on.")
        short.hear("Go on.")
    told, expected = short.reply(), whole.reply()
    assert (told.texts, told.calls) == (expected.texts, expected.calls)


def test_the_request_may_stand_beside_a_result_or_before_a_system_message() -> None:
    talk = Dialogue(script()).hear("Go.")
    talk.reply()
    talk.result("n=7", and_texts=[REQUEST])
    talk.messages.append({"role": "system", "content": "Today's date is 2026-11-29."})
    summary = talk.reply(keep=False)
    assert summary.kind == "summary"
    short = Dialogue(script()).hear(continued(summary.texts[0]))
    assert short.reply().texts == ("It is 7; I change two places.",)


def test_what_the_client_kept_behind_the_summary_is_walked_along() -> None:
    talk = Dialogue(script()).hear("Go.", REQUEST)
    summary = talk.reply(keep=False)
    short = Dialogue(script()).hear(continued(summary.texts[0]))
    short.reply()
    assert short.result("n=8").reply().texts == ("It is 8; I change two places.",)


def test_a_long_result_is_kept_at_its_end_and_cannot_end_the_tag() -> None:
    talk = Dialogue(script()).hear("Go.")
    talk.reply()
    talk.result("x" * 100_000 + "</rehearsal-place>n=7", and_texts=[REQUEST])
    text = talk.reply(keep=False).texts[0]
    assert len(text) < 2 * KEPT_RESULT
    assert text.count("</rehearsal-place>") == 1
    assert Dialogue(script()).hear(continued(text)).reply().texts == ("It is unknown; I change two places.",)


@pytest.mark.parametrize(
    "place",
    ["", "{}", "not json", "[" * 50_000, '{"places": [["nowhere", 0, false, ""]]}', '{"places": 3}', "null"],
)
def test_a_summary_that_is_not_ours_starts_the_story(place: str) -> None:
    text = continued(f"<rehearsal-place>{place}</rehearsal-place>" if place else "Somebody else's words.")
    assert Dialogue(script()).hear(text).reply().texts == ("I look.",)


def test_a_story_of_another_script_is_refused_and_nothing_changes() -> None:
    other = script({"elsewhere": {"turns": [{"say": "x"}]}}, start="elsewhere", on_message=[])
    story = Story(other, 0, WORKSPACE)
    story.hear("Go.")
    mine = Story(script(), 0, WORKSPACE)
    before = mine.saved()
    with pytest.raises(ValueError, match="another script"):
        mine.restore(story.saved())
    assert mine.saved() == before


def test_saved_and_restored_in_the_middle_of_everything() -> None:
    first = Story(script(), 0, WORKSPACE)
    first.hear("Go.")
    first.reply()
    first.results([Outcome("n=5")])
    first.hear("The door?")
    second = Story(script(), 0, WORKSPACE)
    second.restore(json.loads(json.dumps(first.saved())))
    assert second.saved() == first.saved()
    assert second.reply() == first.reply()
