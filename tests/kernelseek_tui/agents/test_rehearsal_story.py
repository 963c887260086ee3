"""The story engine alone: no process, no file but the script."""

from typing import Any

import pytest

from kernelseek_tui.agents.rehearsal.script import DEFAULT, Script, ScriptError, load_script
from kernelseek_tui.agents.rehearsal.story import Outcome, Reply, Story


def script(states: dict[str, Any], **more: Any) -> Script:
    base: dict[str, Any] = {
        "version": 1,
        "name": "t",
        "operator": "o",
        "candidate": "c.cpp",
        "variants": [{"found": "a", "blind": "b"}, {"found": "b", "blind": "a"}],
        "variables": {"n": "unknown"},
        "rest": "Resting.",
        "start": "one",
    }
    return Script.model_validate({**base, "states": states, **more})


def bash(command: str, **more: Any) -> dict[str, Any]:
    return {"call": {"tool": "Bash", "input": {"command": command}}, **more}


def commands(reply: Reply) -> list[object]:
    return [call.input["command"] for call in reply.calls]


def walk(story: Story, *answers: str) -> list[Reply]:
    """Replies until the turn ends, answering calls with `answers` and then with nothing."""
    replies, left = [story.reply()], list(answers)
    while replies[-1].calls:
        story.results([Outcome(left.pop(0) if left else "") for _ in replies[-1].calls])
        replies.append(story.reply())
    return replies


def test_texts_before_a_call_are_one_reply_and_a_reply_without_calls_ends_the_turn():
    story = Story(script({"one": {"turns": [{"say": "A."}, bash("x", say="B."), {"say": "C."}]}}), 0, "/w")
    story.hear("anything")
    first, last = walk(story)
    assert first.texts == ("A.", "B.")
    assert (last.texts, last.calls) == (("C.",), ())
    assert not story.working


def test_a_number_is_read_off_the_result_and_forgotten_when_the_next_result_has_none():
    turns = [bash("m", capture={"n": r"^t=(\d+)$"}), {"say": "It is {{n}}."}]
    states = {"one": {"turns": turns, "next": "two"}, "two": {"turns": turns}}
    story = Story(script(states), 0, "/w")
    story.hear("go")
    replies = walk(story, "a\nt=42\nb", "no number")
    assert replies[1].texts == ("It is 42.",)
    assert replies[2].texts == ("It is unknown.",)


def test_branches_look_at_the_last_results():
    states = {
        "one": {"turns": [bash("m")], "next": [{"seen": "^met", "go": "yes"}, {"go": "no"}]},
        "yes": {"turns": [{"say": "Y"}]},
        "no": {"turns": [{"say": "N"}]},
    }
    for output, said in (("met", "Y"), ("unmet", "N")):
        story = Story(script(states), 0, "/w")
        story.hear("go")
        assert walk(story, output)[-1].texts == (said,)


def test_enter_comes_back_to_the_place_it_left_and_the_seed_chooses_the_state():
    states = {
        "one": {"turns": [bash("1"), bash("2")]},
        "look_a": {"turns": [bash("look a")], "next": "back"},
        "look_b": {"turns": [bash("look b")], "next": "back"},
    }
    rules = [{"limit": 1, "enter": "look_{{blind}}", "say": "Good point."}, {"say": "Noted."}]
    for seed, blind in ((0, "b"), (1, "a"), (2, "b")):
        story = Story(script(states, on_message=rules), seed, "/w")
        story.hear("task")
        assert commands(story.reply()) == ["1"]
        story.results([Outcome("")])
        story.hear("question")
        reply = story.reply()
        assert (reply.texts, commands(reply)) == (("Good point.",), [f"look {blind}"])
        story.results([Outcome("")])
        story.hear("again")
        reply = story.reply()
        assert (reply.texts, commands(reply)) == (("Noted.",), ["2"])


def test_a_state_that_holds_reacts_when_it_is_over():
    states = {
        "one": {"hold": True, "turns": [bash("1"), bash("2")], "next": "two"},
        "two": {"turns": [bash("3")]},
        "aside": {"turns": [bash("aside")], "next": "back"},
    }
    story = Story(script(states, on_message=[{"enter": "aside", "limit": 1}]), 0, "/w")
    story.hear("task")
    story.reply()
    story.results([Outcome("")])
    story.hear("question")
    assert [commands(reply) for reply in walk(story)] == [["2"], ["aside"], ["3"], []]


def test_an_interrupted_step_is_done_again_without_being_announced_again():
    story = Story(script({"one": {"turns": [bash("1", say="First."), {"say": "End."}]}}), 0, "/w")
    story.hear("task")
    assert story.reply().texts == ("First.",)
    story.results([Outcome("", is_error=True, interrupted=True)])
    assert story.working
    story.hear("go on")
    reply = story.reply()
    assert (reply.texts, commands(reply)) == ((), ["1"])


def test_a_turn_never_ends_without_a_word():
    story = Story(script({"one": {"turns": [bash("1")]}}), 0, "/w")
    story.hear("task")
    assert walk(story)[-1].texts == ("Resting.",)
    story.hear("and?")
    assert story.reply().texts == ("Resting.",)


def test_a_circle_without_a_call_is_refused():
    states = {
        "one": {"turns": [{"say": "."}], "next": "two"},
        "two": {"turns": [{"say": "."}], "next": "one"},
    }
    story = Story(script(states), 0, "/w")
    story.hear("task")
    with pytest.raises(ScriptError, match="circles"):
        story.reply()


def test_the_same_conversation_gives_the_same_replies():
    def play() -> list[Reply]:
        story = Story(load_script(DEFAULT), 1, "/w")
        story.hear("task")
        replies = walk(story, *["set demo: geomean 1.5x\nVERDICT goal unmet (exit 10): x"] * 20)
        story.hear("where does the time go outside the kernel?")
        return replies + walk(story)

    assert play() == play()
