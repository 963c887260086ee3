"""Codex's session files: who spoke, what was called and changed, what a fork repeats, in small rollouts."""

import json
from pathlib import Path
from typing import Any

import pytest

from sessions import events as ev
from sessions.readers import codex_rollout
from sessions.state import SessionState, fold
from sessions.transcript import Transcript, open_transcript
from tests.sessions.codex_samples import (
    FORK,
    NEW_TURN,
    OLD_TURN,
    PATCH,
    ROLLOUT,
    THREAD,
    asked,
    call,
    event,
    head,
    item,
    message,
    output,
    row,
    said,
    tokens,
    turn,
)
from tests.sessions.transcripts import write


def read(tmp_path: Path, *rows: dict[str, Any] | str, candidate: str | None = None) -> Transcript:
    transcript = open_transcript(write(tmp_path / "rollout.jsonl", rows), candidate)
    assert transcript.format is codex_rollout.FORMAT
    assert transcript.accounts[0].balanced
    ids = [event.id for event in transcript.events]
    assert len(set(ids)) == len(ids)
    return transcript


def state(tmp_path: Path, *rows: dict[str, Any] | str, candidate: str | None = None) -> SessionState:
    return fold(read(tmp_path, *rows, candidate=candidate).events)


def human(folded: SessionState) -> list[str]:
    return [seen.event.text for seen in folded.human]


def texts(folded: SessionState) -> list[str]:
    return [seen.event.text for seen in folded.texts]


def test_what_is_written_twice_is_read_once(tmp_path: Path) -> None:
    folded = state(tmp_path, head(), *turn(), *asked("go"), *said("one"), *asked("go"), *said("one"))
    assert human(folded) == ["go", "go"]
    assert texts(folded) == ["one", "one"]


@pytest.mark.parametrize("kept", [0, 1])
def test_either_writing_alone_is_enough(tmp_path: Path, kept: int) -> None:
    thoughts = [
        event("agent_reasoning", text="hm"),
        item("reasoning", summary=[{"type": "summary_text", "text": "hm"}]),
    ]
    pairs = [asked("go"), thoughts, said("one")]
    transcript = read(tmp_path, head(), *turn(), *[pair[kept] for pair in pairs])
    kinds = [type(event) for event in transcript.events]
    assert kinds == [ev.SessionStarted, ev.HumanMessage, ev.Thinking, ev.AgentText]


def test_a_start_knows_the_model_that_a_later_row_names(tmp_path: Path) -> None:
    transcript = read(tmp_path, head(), message("developer", "rules"), *turn(), *asked("go"))
    started = transcript.events[0]
    assert isinstance(started, ev.SessionStarted)
    assert (started.session, started.agent_name, started.model) == (THREAD, "codex", "gpt-x")
    assert started.versions == {"codex": "0.171.0"}
    changed = state(tmp_path, head(), *turn(), *asked("go"), row("turn_context", model="gpt-y"))
    assert [seen.event.text for seen in changed.notes] == ["The model is gpt-y from here on."]
    nameless = read(tmp_path, head(), message("developer", "rules"))
    assert [event.kind for event in nameless.events] == ["session_started", "note"]


HARNESS = {"content_item_metadata": [{"provenance": {"type": "harness"}}]}
HOOK = {"content_item_metadata": [{"provenance": {"type": "harness", "hook": True}}]}


@pytest.mark.parametrize(
    ("text", "passed", "author"),
    [
        ("<environment_context>\n<cwd>/w</cwd>\n</environment_context>", {}, "client"),
        ("<user_instructions>\nbe brief\n</user_instructions>", {}, "client"),
        ("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>", {}, "client"),
        ("<turn_aborted>\nby the user\n</turn_aborted>", {}, "client"),
        ("<user_shell_command>ls</user_shell_command>", {}, "client"),
        ("<subagent_notification>done</subagent_notification>", {}, "task"),
        ("whatever a newer client adds", HARNESS, "client"),
        ("whatever a hook adds", HOOK, "hook"),
        ('<hook_prompt hook_run_id="1">go on</hook_prompt>', {}, "hook"),
    ],
)
def test_words_in_the_users_place_that_no_person_wrote(
    tmp_path: Path, text: str, passed: dict[str, Any], author: str
) -> None:
    added = message("user", text, internal_chat_message_metadata_passthrough=passed)
    folded = state(tmp_path, head(), *turn(), *asked("real"), added)
    assert human(folded) == ["real"]
    assert [seen.event.author for seen in folded.notes] == [author]


def test_a_persons_words_stand_beside_what_the_client_adds(tmp_path: Path) -> None:
    mixed = message("user", "<environment_context>x</environment_context>", "why is it slow?")
    told = event("user_message", message="why is it slow?")
    folded = state(tmp_path, head(), *turn(), mixed, told)
    assert human(folded) == ["why is it slow?"]
    assert len(folded.notes) == 1
    ide = (
        "# Context from my IDE setup:\n\n## Open tabs:\n- k.cu\n\n## My request for Codex:\nwhy is it slow?\n"
    )
    assert human(state(tmp_path, head(), *turn(), *asked(ide))) == ["why is it slow?"]


def test_a_picture_is_told_once(tmp_path: Path) -> None:
    content = [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": "data:"}]
    shown = item("message", role="user", content=content)
    assert human(state(tmp_path, head(), *turn(), shown, event("user_message", message="look"))) == [
        "look\n[image]"
    ]


def test_a_message_typed_while_the_agent_works(tmp_path: Path) -> None:
    folded = state(
        tmp_path, head(), *turn(), *asked("go"), call("c1"), output("c1", ""), *asked("stop"), *said("ok")
    )
    assert [(seen.event.text, seen.event.mid_turn) for seen in folded.human] == [
        ("go", False),
        ("stop", True),
    ]


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        ({"name": "exec_command", "arguments": '{"cmd": "make -j"}'}, "make -j"),
        ({"name": "shell_command", "arguments": '{"command": "make -j"}'}, "make -j"),
        ({"name": "shell", "arguments": '{"command": ["bash", "-lc", "make -j"]}'}, "make -j"),
        ({"name": "shell", "arguments": '{"command": ["ls", "a b"]}'}, "ls 'a b'"),
        ({"name": "container.exec", "arguments": '{"cmd": "/bin/zsh -lc \\"make -j\\""}'}, "make -j"),
    ],
)
def test_shell_calls_are_commands(tmp_path: Path, fields: dict[str, Any], command: str) -> None:
    folded = state(tmp_path, head(), *turn(), item("function_call", call_id="c", **fields))
    (run,) = folded.tools
    assert (run.call.tool, run.call.input["command"]) == ("Bash", command)


def test_other_tools_keep_their_names(tmp_path: Path) -> None:
    calls = [
        item("function_call", name="update_plan", arguments='{"plan": []}', call_id="1"),
        item("function_call", name="search", namespace="mcp__docs", arguments="not json", call_id="2"),
        item("local_shell_call", call_id="3", action={"type": "exec", "command": ["bash", "-c", "ls"]}),
        item("web_search_call", action={"query": "q"}),
    ]
    runs = state(tmp_path, head(), *turn(), *calls).tools
    assert [run.call.tool for run in runs] == ["update_plan", "mcp__docs__search", "Bash", "web_search"]
    assert runs[1].call.input == {"arguments": "not json"}
    assert [run.running for run in runs] == [True, True, True, False]


@pytest.mark.parametrize(
    ("written", "text", "failed"),
    [
        ("Wall time: 1 seconds\nProcess exited with code 0\nOutput:\n1.2x", "1.2x", False),
        ("Exit code: 3\nWall time: 1 seconds\nOutput:\noops", "Exit code 3\noops", True),
        ('{"output": "oops", "metadata": {"exit_code": 3}}', "Exit code 3\noops", True),
        (
            "Process running with session ID 7\nOutput:\nhalf",
            "Process running with session ID 7\nhalf",
            False,
        ),
        ("the words\nOutput:\nare the program's own", "the words\nOutput:\nare the program's own", False),
        ("unsupported call: shell", "unsupported call: shell", True),
        ({"content": "no", "success": False}, "no", True),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image"}], "a\n[image]", False),
    ],
)
def test_results(tmp_path: Path, written: Any, text: str, failed: bool) -> None:
    rows = [head(), *turn(), call("c1"), item("function_call_output", call_id="c1", output=written)]
    (run,) = state(tmp_path, *rows).tools
    assert run.result is not None
    assert (run.result.output, run.result.is_error) == (text, failed)


def test_a_result_may_stand_before_its_call(tmp_path: Path) -> None:
    patch = item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c1")
    result = item("custom_tool_call_output", call_id="c1", output="Success. Updated the following files:")
    folded = state(tmp_path, head(), *turn(), result, patch, result)
    (run,) = folded.tools
    assert run.result is not None
    assert len(folded.edits) == 3


@pytest.mark.parametrize("how", ["custom", "function", "words", "heredoc"])
def test_a_patch_is_an_edit_of_each_file(tmp_path: Path, how: str) -> None:
    heredoc = f"cd /w && apply_patch <<'EOF'\n{PATCH}\nEOF"
    made = {
        "custom": item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c1"),
        "function": item(
            "function_call", name="apply_patch", arguments=json.dumps({"input": PATCH}), call_id="c1"
        ),
        "words": item(
            "function_call",
            name="shell",
            arguments=json.dumps({"command": ["apply_patch", PATCH]}),
            call_id="c1",
        ),
        "heredoc": item(
            "function_call",
            name="shell",
            arguments=json.dumps({"command": ["bash", "-lc", heredoc]}),
            call_id="c1",
        ),
    }[how]
    folded = state(tmp_path, head(), *turn(), made, output("c1", "Success."), candidate="/w/src/k.cu")
    assert [run.call.tool for run in folded.tools] == ["apply_patch"]
    assert [seen.event.path for seen in folded.edits] == ["src/k.cu", "notes.md", "old.py"]
    first = folded.edits[0].event
    assert first.candidate
    assert first.diff.endswith("@@ -1,2 +1,2 @@\n int a;\n-int b = 1;\n+int b = 2;\n")
    assert [seen.event.candidate for seen in folded.edits] == [True, False, False]
    failed = state(tmp_path, head(), *turn(), made, output("c1", "no such context", code=1))
    assert failed.edits == []


def test_the_clients_own_diff_goes_first(tmp_path: Path) -> None:
    exact = "@@ -40,2 +40,2 @@\n int a;\n-int b = 1;\n+int b = 2;\n"
    changes = {"/w/src/k.cu": {"type": "update", "unified_diff": exact, "move_path": None}}
    patch = item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c1")
    told = event("item_completed", item={"type": "FileChange", "id": "c1", "changes": changes})
    folded = state(tmp_path, head(), *turn(), patch, told, output("c1", "Success."))
    (edit,) = [seen.event for seen in folded.edits]
    assert edit.diff == f"--- /w/src/k.cu\n+++ /w/src/k.cu\n{exact}"


def test_tokens_are_what_was_added(tmp_path: Path) -> None:
    counts = [tokens(100, 10, 40), tokens(100, 10, 40), tokens(300, 30, 200), event("token_count", info=None)]
    spend = state(tmp_path, head(), *turn(), *counts).spend
    assert (spend.input_tokens, spend.output_tokens, spend.cache_read_tokens) == (100, 30, 200)
    again = state(tmp_path, head(), *turn(), *counts, tokens(50, 5)).spend  # a resumed client counted anew
    assert (again.input_tokens, again.output_tokens) == (150, 35)
    untold = [*counts, row("token_usage_record"), event("token_count", info={"x": 1}), tokens(310, 30, 200)]
    assert state(tmp_path, head(), *turn(), *untold).spend.input_tokens == 100
    record = row("token_usage_record", thread_token_usage={"input_tokens": 100, "output_tokens": 10})
    assert state(tmp_path, head(), *turn(), record, tokens(100, 10)).spend.input_tokens == 100


def test_replies_end_where_results_come(tmp_path: Path) -> None:
    rows = [*asked("go"), *said("a"), call("1"), call("2"), output("1", ""), output("2", ""), *said("b")]
    assert state(tmp_path, head(), *turn(), *rows).turns == 2


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (event("task_complete", last_agent_message="a"), "completed"),
        (event("turn_aborted", reason="interrupted"), "interrupted"),
    ],
)
def test_turns_end(tmp_path: Path, end: dict[str, Any], reason: str) -> None:
    folded = state(tmp_path, head(), *turn(), *asked("go"), *said("a"), end)
    assert [seen.event.reason for seen in folded.turn_ends] == [reason]


def test_calls_of_an_interrupted_turn_do_not_run_on(tmp_path: Path) -> None:
    aborted = [
        head(),
        *turn(),
        *asked("go"),
        call("1"),
        call("2"),
        event("turn_aborted", reason="interrupted"),
    ]
    folded = state(tmp_path, *aborted)
    assert not folded.busy
    assert [run.result.output for run in folded.tools if run.result] == ["(interrupted with its turn)"] * 2
    late = state(tmp_path, *aborted, output("1", "half", code=130), *turn(NEW_TURN), *asked("go on"))
    assert [run.result.output for run in late.tools if run.result] == [
        "Exit code 130\nhalf",
        "(interrupted with its turn)",
    ]


def test_a_plan_is_told_once(tmp_path: Path) -> None:
    items = [
        {"type": "AgentMessage", "id": "m", "content": [{"type": "Text", "text": "Here it is."}]},
        {"type": "Plan", "id": "p", "text": "1. measure"},
    ]
    whole = message("assistant", "Here it is.\n<proposed_plan>\n1. measure\n</proposed_plan>", id="m")
    rows = [event("item_completed", item=item_) for item_ in items]
    assert texts(state(tmp_path, head(), *turn(), *rows, whole)) == ["Here it is.", "1. measure"]


def test_a_compaction_is_told_once_and_its_history_not_again(tmp_path: Path) -> None:
    history = [message("user", "go")["payload"], message("user", "a summary")["payload"]]
    compacted = row("compacted", message="the summary", replacement_history=history)
    told = [
        event("context_compacted"),
        event("item_completed", item={"type": "ContextCompaction", "id": "x"}),
    ]
    for order in ([compacted, *told], [*told, compacted]):
        folded = state(tmp_path, head(), *turn(), *asked("go"), *said("a"), *order, *said("b"))
        assert human(folded) == ["go"]
        notes = [seen.event.text for seen in folded.notes]
        assert "Conversation compacted: the summary" in notes
        assert len(notes) == (1 if order[0] is compacted else 2)


HISTORY = [
    *turn(OLD_TURN),
    *asked("make it fast"),
    *said("I will."),
    call("c1"),
    tokens(100, 10),
    output("c1", "1.2x"),
    event("task_complete"),
]
OWN = [*turn(NEW_TURN), *asked("and now?"), *said("Faster."), tokens(150, 15), event("task_complete")]


def forked(*history: dict[str, Any]) -> list[dict[str, Any]]:
    """A fork's file: its own head line, its parent's, the parent's rows with the time of the fork."""
    return [head(FORK, forked_from_id=THREAD), head(), *history, *OWN]


def test_a_forked_rollout_with_a_replayed_prefix(tmp_path: Path) -> None:
    folded = state(tmp_path, *forked(*HISTORY))
    assert folded.started is not None
    assert folded.started.session == FORK
    assert human(folded) == ["make it fast", "and now?"]
    assert texts(folded) == ["I will.", "Faster."]
    assert len(folded.tools) == 1
    assert (folded.spend.input_tokens, folded.spend.output_tokens) == (50, 5)  # the rest is the parent's
    assert [seen.event.text for seen in folded.notes] == [
        f"Forked from the session {THREAD}, whose history comes first."
    ]


def test_a_fork_of_a_fork(tmp_path: Path) -> None:
    rows = [head("x" + FORK, forked_from_id=FORK), head(FORK, forked_from_id=THREAD), head(), *HISTORY, *OWN]
    folded = state(tmp_path, *rows)
    assert folded.started is not None
    assert folded.started.session == "x" + FORK
    assert human(folded) == ["make it fast", "and now?"]


@pytest.mark.parametrize("lost", [None, 3, 4])
def test_a_prefix_that_stands_in_the_file_already_makes_no_second_event(
    tmp_path: Path, lost: int | None
) -> None:
    copy = [row for place, row in enumerate(HISTORY) if place != lost]
    rows = [head(), *HISTORY, head(FORK, forked_from_id=THREAD), head(), *copy, *OWN]
    folded = state(tmp_path, *rows)
    assert folded.started is not None
    assert folded.started.session == FORK
    assert human(folded) == ["make it fast", "and now?"]
    assert texts(folded) == ["I will.", "Faster."]
    assert len(folded.tools) == 1
    assert folded.spend.input_tokens == 150


def test_a_start_that_waits_is_not_lost_to_the_next(tmp_path: Path) -> None:
    transcript = read(tmp_path, head(), message("developer", "a"), head(FORK, forked_from_id=THREAD), *OWN)
    kinds = [event.kind for event in transcript.events]
    assert kinds[:4] == ["session_started", "note", "session_started", "note"]


def test_rows_with_ids_that_were_read_make_no_second_event(tmp_path: Path) -> None:
    row_ = message("user", "go", id="msg_1")
    answer = message("assistant", "yes", id="msg_2")
    folded = state(tmp_path, head(), *turn(), row_, answer, call("c1"), row_, answer, call("c1"))
    assert (human(folded), texts(folded), len(folded.tools)) == (["go"], ["yes"], 1)


def test_a_resumed_session_goes_on_in_its_file(tmp_path: Path) -> None:
    again = [head(), *turn(NEW_TURN), *asked("make it fast"), *said("Again."), tokens(150, 15)]
    folded = state(tmp_path, head(), *HISTORY, *again)
    assert human(folded) == ["make it fast", "make it fast"]
    assert texts(folded) == ["I will.", "Again."]
    assert folded.spend.input_tokens == 150


def test_a_subagents_file_has_no_human(tmp_path: Path) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": THREAD, "depth": 1}}}
    folded = state(tmp_path, head(FORK, source=spawned), *turn(NEW_TURN), *asked("look into it"), *said("ok"))
    assert human(folded) == []
    assert [(seen.event.author, seen.event.text) for seen in folded.notes] == [("agent", "look into it")]
    kept = state(tmp_path, head(FORK, source=spawned), head(), *HISTORY, *turn(NEW_TURN), *asked("look"))
    assert human(kept) == ["make it fast"]


def test_what_is_not_known_is_counted_by_name(tmp_path: Path) -> None:
    rows: list[dict[str, Any] | str] = [
        head(),
        *turn(),
        row("world_state", full=True),
        item("ghost_snapshot"),
        event("brand_new"),
        event("item_completed", item={"type": "BrandNew", "id": "x"}),
        {"type": "session_meta"},
        "broken",
    ]
    transcript = read(tmp_path, *rows)
    assert transcript.unknown == {
        "world_state": 1,
        "response_item/ghost_snapshot": 1,
        "event_msg/brand_new": 1,
        "item/brand_new": 1,
        "session_meta": 1,
    }
    assert transcript.damaged == 1


def test_a_whole_session_ends_with_nothing_running(tmp_path: Path) -> None:
    folded = state(tmp_path, *ROLLOUT)
    assert not folded.busy
    assert human(folded) == []
