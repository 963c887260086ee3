"""From the messages of a request to the next reply."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelseek_tui.agents.rehearsal.script import ScriptError
from kernelseek_tui.rehearse.conversation import answer, working_directory
from kernelseek_tui.rehearse.request import read_request
from tests.kernelseek_tui.rehearse.stage import (
    API_TOOLS,
    CLAUDE_TOOLS,
    SYSTEM,
    WORKSPACE,
    Dialogue,
    ask,
    body,
    human,
    script,
)

REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing "
    "and wait for the user to tell you how to proceed."
)


def commands(said: Any) -> list[object]:
    return [given.get("command") for _, given in said.calls]


def begun() -> Dialogue:
    """The story after its first result."""
    talk = Dialogue(script()).hear("Go.")
    talk.reply()
    return talk


def test_a_whole_story() -> None:
    talk = begun()
    assert talk.said[0].texts == ("I look.",)
    assert talk.said[0].calls == (("Bash", {"command": "look", "timeout": 600_000}),)
    second = talk.result("x\nn=3 ms\n").reply()
    assert second.texts == ("It is 3 ms; I change two places.",)
    assert second.calls == (
        ("Edit", {"file_path": f"{WORKSPACE}/c.cpp", "old_string": "a", "new_string": "b"}),
        ("Edit", {"file_path": f"{WORKSPACE}/c.cpp", "old_string": "c", "new_string": "d"}),
    )
    assert commands(talk.result("ok", "ok").reply()) == ["look again"]
    last = talk.result("").reply()
    assert (last.texts, last.calls) == (("Done: nothing more is possible.",), ())
    door = talk.hear("What about the door?").reply()
    assert door.texts == ("The door.",)
    assert commands(door) == ["open"]
    assert door.heard[0].text == "What about the door?"
    assert talk.result("").reply().texts == ("It is open.",)
    assert talk.hear("And now?").reply().texts == ("I have heard that.",)


def test_the_same_request_gets_the_same_reply() -> None:
    talk = begun().result("n=1")
    assert talk.reply(keep=False) == talk.reply(keep=False)


def test_parallel_results_in_another_order_and_split_over_messages() -> None:
    told = script(
        {
            "work": {
                "turns": [{"edit": "two", "capture": {"n": "^first=(.+)$"}}, {"say": "{{n}}"}],
            }
        },
        on_message=[],
    )
    talk = Dialogue(told).hear("Go.")
    talk.reply()
    one, two = talk.open_calls
    for call, text in ((two, "no"), (one, "first=yes")):
        part = {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": text}]}
        talk.messages.append({"role": "user", "content": [part]})
    assert talk.reply().texts == ("yes",)


@pytest.mark.parametrize(
    "text",
    [
        "Is there a door?",
        "The user sent a new message while you were working:\nIs there a door?",
        "<system-reminder>\nPostToolUse:Bash hook additional context: Is there a door?\n</system-reminder>",
        'Stop hook feedback:\n[ask]: Is there a "door"?',
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_a_question_counts_wherever_it_stands(text: str, inside: bool) -> None:
    talk = begun()
    if inside and text.startswith("<"):
        talk.result(f"n=1\n\n{text}")
    else:
        talk.result("n=1", and_texts=[text])
    said = talk.reply()
    assert said.texts == ("The door.",)
    assert commands(said) == ["open"]
    # Then back to where it was, with what was captured.
    talk.result("")
    back = talk.reply()
    assert back.texts == ("It is open.", "It is 1; I change two places.")


def test_a_question_in_a_message_of_the_system_role() -> None:
    talk = begun().result("n=1")
    talk.messages.append(
        {"role": "system", "content": "PostToolUse:Bash hook additional context: Is there a door?"}
    )
    assert commands(talk.reply()) == ["open"]


def test_a_stop_hook_repeats_itself_and_is_heard_once() -> None:
    talk = begun()
    talk.result("n=1").reply()
    talk.result("", "").reply()
    talk.result("").reply()
    reason = "<system-reminder>\nStop hook feedback:\nThe door is unmet.\n</system-reminder>"
    talk.hear(reason)
    talk.messages.append(
        {"role": "system", "content": 'Stop hook blocking error from command: "x": The door is unmet.'}
    )
    said = talk.reply()
    assert [words.text for words in said.heard] == ["The door is unmet."]
    assert said.texts == ("The door.",)


def test_file_contents_and_tool_output_are_no_questions() -> None:
    printed = "<system-reminder>\nPostToolUse:Bash hook additional context: the door\n</system-reminder>"
    talk = begun().result(
        f"cat: the door\n{printed} x",
        and_texts=["<system-reminder>\nContents of CLAUDE.md: the door\n</system-reminder>"],
    )
    assert talk.reply().texts == ("It is unknown; I change two places.",)


def test_an_interrupted_call_is_done_again() -> None:
    talk = begun().result(REJECTED, is_error=True)
    talk.hear("[Request interrupted by user for tool use]").hear("Go on.")
    said = talk.reply()
    assert said.texts == ("Noted.",)
    assert commands(said) == ["look"]


def test_a_call_without_a_result_is_done_again() -> None:
    talk = begun().hear("[Request interrupted by user]", "Go on.")
    assert commands(talk.reply()) == ["look"]


@pytest.mark.parametrize(
    "denial",
    [
        "Is there a door?",
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
        "Is there a door?",
    ],
)
def test_a_denials_message_is_heard(denial: str) -> None:
    said = begun().result(denial, is_error=True).reply()
    assert [(words.where, words.text) for words in said.heard] == [("denial", "Is there a door?")]
    assert said.texts == ("The door.",)


@pytest.mark.parametrize(
    "failure", ["Exit code 3\nno door", "<tool_use_error>no door</tool_use_error>", "", "Error: door"]
)
def test_a_tools_failure_is_not_a_denial(failure: str) -> None:
    said = begun().result(failure, is_error=True).reply()
    assert said.heard == ()
    assert said.texts == ("It is unknown; I change two places.",)


@pytest.mark.parametrize("kept", ["I lo", "I look."])
def test_a_reply_cut_before_its_calls_is_done_again_without_its_words(kept: str) -> None:
    messages = [human("Go."), {"role": "assistant", "content": kept}, human("Go on.")]
    said = ask(script(), messages)
    assert said.texts == ("Noted.",)
    assert commands(said) == ["look"]


def test_a_reply_cut_between_its_calls_is_done_again() -> None:
    talk = begun().result("n=1")
    talk.reply()
    del talk.messages[-1]["content"][-1]  # the second edit did not arrive
    talk.result("ok").hear("Go on.")
    assert [name for name, _ in talk.reply().calls] == ["Edit", "Edit"]


@pytest.mark.parametrize("foreign", ["No response requested.", "(no content)", "API Error: 529", " "])
def test_what_the_client_says_in_our_name_changes_nothing(foreign: str) -> None:
    messages = [human("Go."), {"role": "assistant", "content": foreign}, human("Go on.")]
    said = ask(script(), messages)
    assert said.texts == ("Noted.", "I look.")
    assert commands(said) == ["look"]


def test_a_file_that_has_to_be_read_first_is_read_and_the_edit_repeated() -> None:
    talk = begun().result("n=1")
    talk.reply()
    unread = (
        "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    )
    talk.result(unread, unread, is_error=True)
    reading = talk.reply()
    assert reading.calls == (("Read", {"file_path": f"{WORKSPACE}/c.cpp"}),)
    assert "c.cpp" in reading.texts[0]
    again = talk.result("1\ta").reply()
    assert [name for name, _ in again.calls] == ["Edit", "Edit"]
    assert again.texts == ()
    # A client that will not have it: the story goes on instead of reading for ever.
    talk.result(unread, unread, is_error=True)
    assert commands(talk.reply()) == ["look again"]


def test_tools_of_the_api() -> None:
    talk = Dialogue(script(), tools=API_TOOLS).hear("Go.")
    assert talk.reply().calls == (("bash", {"command": "look"}),)
    name, given = talk.result("n=1").reply().calls[0]
    assert name == "str_replace_based_edit_tool"
    assert given == {"command": "str_replace", "path": f"{WORKSPACE}/c.cpp", "old_str": "a", "new_str": "b"}


def test_a_tool_that_is_not_offered_is_named() -> None:
    talk = Dialogue(script(), tools=[CLAUDE_TOOLS[0]]).hear("Go.")
    talk.reply()
    said = talk.result("n=1").reply()
    assert said.calls == ()
    assert said.texts[0] == "It is 1; I change two places."
    assert "Edit" in said.texts[1]
    assert "Bash" in said.texts[1]
    # The next prompt finds the story at the same step.
    assert "Edit" in talk.hear("Go on.").reply().texts[-1]


@pytest.mark.parametrize("tools", [None, [], CLAUDE_TOOLS])
def test_side_requests_do_not_play(tools: Any) -> None:
    more: dict[str, Any] = {"tool_choice": {"type": "none"}} if tools else {}
    said = ask(script(), [human("Go.")], tools=tools, **more)
    assert (said.kind, said.calls) == ("aside", ())
    assert len(said.texts[0]) < 80


@pytest.mark.parametrize(
    "text", ["[SUGGESTION MODE: Suggest]", "The user stepped away and is coming back. Recap in 40 words."]
)
def test_side_requests_inside_a_copy_of_the_conversation(text: str) -> None:
    talk = begun().result("n=1").hear(text)
    assert talk.reply(keep=False).kind == "aside"


def test_a_side_request_with_a_schema_gets_an_object() -> None:
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "kind": {"enum": ["a", "b"]},
            "sure": {"type": "boolean"},
            "inner": {"type": "object", "properties": {"n": {"type": "integer"}}},
        },
    }
    said = ask(script(), [human("Title?")], tools=None, output_config={"format": {"schema": schema}})
    told = json.loads(said.texts[0])
    assert isinstance(told.pop("title"), str)
    assert told == {"kind": "a", "sure": False, "inner": {"n": 0}}


@pytest.mark.parametrize(
    ("system", "first", "expected"),
    [
        ("Working directory: /a/b", "x", "/a/b"),
        ("# env\n - Primary working directory: /a b/c (was /d)", "x", "/a b/c"),
        ([{"type": "text", "text": "no"}, {"type": "text", "text": "Working directory: /a/"}], "x", "/a"),
        (
            None,
            "<system-reminder>\n# Environment\n - Primary working directory: /r\n</system-reminder>",
            "/r",
        ),
        (None, "Working directory: /typed by a person", "."),
        ("nothing", "x", "."),
        ("Working directory: /", "x", "/"),
    ],
)
def test_the_workspace_is_read_off_the_request(system: Any, first: str, expected: str) -> None:
    assert working_directory(read_request(body([human(first)], system=system))) == expected


def test_the_workspace_in_a_message_of_the_system_role() -> None:
    later = {"role": "system", "content": "# Environment\n - Primary working directory: /r\n - Platform: x"}
    assert working_directory(read_request(body([human("Go."), later], system="nothing"))) == "/r"
    assert SYSTEM


def test_no_words_at_all_start_the_story() -> None:
    assert ask(script(), [human("<system-reminder>\nx\n</system-reminder>")]).texts == ("I look.",)


def test_a_circle_is_a_script_error() -> None:
    told = script({"work": {"turns": [{"say": "x"}], "next": "work"}}, on_message=[])
    with pytest.raises(ScriptError, match="circles"):
        ask(told, [human("Go.")])


def test_a_call_without_its_input_is_a_script_error() -> None:
    told = script(
        {"work": {"turns": [{"call": {"tool": "Write", "input": {"file_path": "x"}}}]}}, on_message=[]
    )
    with pytest.raises(ScriptError, match="content"):
        ask(told, [human("Go.")], tools=API_TOOLS)


_parts = st.one_of(
    st.builds(
        lambda text: {"type": "text", "text": text},
        st.sampled_from(
            [
                "Go.",
                "I look.",
                "door",
                "",
                "This session is being continued from a previous conversation",
                "<rehearsal-place>{}</rehearsal-place>",
                "Stop hook feedback:\nx",
                "Resting.",
            ]
        ),
    ),
    st.builds(
        lambda i, failed, text: {
            "type": "tool_result",
            "tool_use_id": i,
            "is_error": failed,
            "content": text,
        },
        st.sampled_from(["a", "b"]),
        st.booleans(),
        st.sampled_from(["n=1", REJECTED, "File has not been read yet", "", None]),
    ),
    st.builds(
        lambda i, name: {"type": "tool_use", "id": i, "name": name, "input": {}},
        st.sampled_from(["a", "b"]),
        st.sampled_from(["Bash", "Edit", "Other"]),
    ),
    st.just({"type": "image", "source": {}}),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda role, content: {"role": role, "content": content},
            st.sampled_from(["user", "assistant", "system"]),
            st.lists(_parts, max_size=4),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_any_conversation_gets_a_reply(messages: list[dict[str, Any]]) -> None:
    said = answer(script(), 0, read_request(body(messages)))
    assert said.texts or said.calls
