"""Logs of the Agent Client Protocol, whole ones and ones that hold a session's updates only."""

from pathlib import Path
from typing import Any

import pytest

from sessions.errors import RefusedInput
from sessions.readers import acp
from sessions.state import SessionState, fold
from sessions.transcript import Transcript, open_transcript
from tests.sessions.codex_samples import ACP, DIFF_ITEM, PROMPT, chunk, rpc, update, wrapped
from tests.sessions.transcripts import write


def read(tmp_path: Path, *rows: dict[str, Any]) -> Transcript:
    transcript = open_transcript(write(tmp_path / "log.jsonl", rows), "k.cu")
    assert transcript.format is acp.FORMAT
    assert transcript.accounts[0].balanced
    assert transcript.damaged == 0
    ids = [event.id for event in transcript.events]
    assert len(set(ids)) == len(ids)
    return transcript


def state(tmp_path: Path, *rows: dict[str, Any]) -> SessionState:
    return fold(read(tmp_path, *rows).events)


@pytest.mark.parametrize("bare", [False, True])
def test_a_whole_log(tmp_path: Path, bare: bool) -> None:
    folded = state(tmp_path, *(line["msg"] if bare else line for line in ACP))
    assert folded.started is not None
    started = folded.started
    assert (started.session, started.agent_name, started.cwd) == ("s1", "acme", "/w")
    assert started.versions == {"acme": "1"}
    assert [seen.event.text for seen in folded.human] == ["go"]
    assert [seen.event.text for seen in folded.texts] == ["Let me look."]
    shell, edit, plan = folded.tools
    assert (shell.call.tool, shell.call.input) == ("Bash", {"command": "make"})
    assert shell.result is not None
    assert (shell.result.output, shell.result.is_error) == ("Exit code 2\nno", True)
    assert (edit.call.tool, edit.call.input) == ("Edit", {"file_path": "/w/k.cu"})
    assert plan.call.tool == "update_plan"
    assert [(seen.event.path, seen.event.candidate) for seen in folded.edits] == [("/w/k.cu", True)]
    assert folded.edits[0].event.diff.endswith("@@ -1 +1 @@\n-a\n+b\n")
    (asked,), (answer,) = folded.permissions, folded.answers
    assert asked.event.input == {"command": "make"}
    assert asked.event.parent == shell.call.id
    assert (answer.event.answer, answer.event.parent) == ("allow", asked.event.id)
    assert (folded.spend.input_tokens, folded.spend.cost_usd) == (5, 0.5)
    assert [seen.event.reason for seen in folded.turn_ends] == ["completed"]
    assert not folded.busy


def test_pieces_of_a_text_are_joined_at_the_line_of_the_first(tmp_path: Path) -> None:
    rows = [
        update("available_commands_update", availableCommands=[]),
        chunk("one ", "a"),
        update("usage_update", used=1, size=2),
        chunk("text", "a"),
        chunk("another", "b"),
        update("session_info_update", title="x"),
    ]
    transcript = read(tmp_path, *rows)
    folded = fold(transcript.events)
    assert [(seen.event.text, seen.event.message) for seen in folded.texts] == [
        ("one text", "a"),
        ("another", "b"),
    ]
    assert [seen.event.source.line for seen in folded.texts if seen.event.source] == [1, 4]
    assert folded.turns == 2
    assert transcript.unknown == {"available_commands_update": 1, "session_info_update": 1}


def test_without_ids_another_update_ends_a_text(tmp_path: Path) -> None:
    rows = [chunk("one "), chunk("text"), update("session_info_update"), chunk("another"), chunk(" one")]
    assert [seen.event.text for seen in state(tmp_path, *rows).texts] == ["one text", "another one"]


def test_thoughts_and_words_of_one_message_are_apart(tmp_path: Path) -> None:
    thought = chunk("hm", "a", "agent_thought_chunk")
    kinds = [event.kind for event in read(tmp_path, thought, chunk("yes", "a")).events]
    assert kinds == ["session_started", "thinking", "agent_text"]


def test_a_log_without_a_session_is_named_by_its_file(tmp_path: Path) -> None:
    rows = [
        update("usage_update", used=1, size=2, _meta={"_claude/model": "m"}),
        chunk("hi", "a"),
    ]
    started = state(tmp_path, *rows).started
    assert started is not None
    assert (started.session, started.agent_name, started.model) == ("log", "claude-code", "m")


def test_the_bridges_warnings_are_not_the_agents_words(tmp_path: Path) -> None:
    folded = state(tmp_path, chunk("Warning: no metadata.\n\n"), chunk("hi", "a"))
    assert [seen.event.text for seen in folded.texts] == ["hi"]
    assert [(seen.event.author, seen.event.text) for seen in folded.notes] == [
        ("client", "Warning: no metadata.")
    ]


def test_a_call_is_told_when_its_input_is_whole(tmp_path: Path) -> None:
    meta = {"claudeCode": {"toolName": "Edit"}}
    given = {"file_path": "/w/k.cu", "old_string": "a"}
    patch = {
        "structuredPatch": [
            {"oldStart": 7, "oldLines": 1, "newStart": 7, "newLines": 1, "lines": ["-a", "+b"]}
        ]
    }
    rows = [
        update("tool_call", toolCallId="1", kind="edit", status="pending", rawInput={}, _meta=meta),
        update("tool_call_update", toolCallId="1", rawInput=given, _meta=meta),
        update("tool_call", toolCallId="2", kind="read", status="pending", rawInput={"path": "x"}),
        update(
            "tool_call_update",
            toolCallId="1",
            rawInput={**given, "new_string": "b"},
            content=[DIFF_ITEM],
        ),
        update("tool_call_update", toolCallId="1", _meta={"claudeCode": {"toolResponse": patch}}),
        update("tool_call_update", toolCallId="1", status="completed", rawOutput="updated"),
        update("tool_call_update", toolCallId="1", status="completed", rawOutput="updated"),
    ]
    transcript = read(tmp_path, *rows)
    folded = fold(transcript.events)
    assert [event.kind for event in transcript.events] == [
        "session_started",
        "tool_call",
        "tool_result",
        "edit",
        "tool_call",
    ]
    first, second = folded.tools
    assert first.call.input == {**given, "new_string": "b"}
    assert (second.call.tool, second.running) == ("Read", True)
    assert "@@ -7,1 +7,1 @@" in folded.edits[0].event.diff


def test_output_of_a_terminal(tmp_path: Path) -> None:
    rows = [
        update(
            "tool_call", toolCallId="1", kind="execute", status="in_progress", rawInput={"command": "make"}
        ),
        update("tool_call_update", toolCallId="1", _meta={"terminal_output_delta": {"data": "half "}}),
        update("tool_call_update", toolCallId="1", _meta={"terminal_output_delta": {"data": "whole"}}),
        update(
            "tool_call_update", toolCallId="1", status="completed", _meta={"terminal_exit": {"exit_code": 1}}
        ),
    ]
    (run,) = state(tmp_path, *rows).tools
    assert run.result is not None
    assert (run.result.output, run.result.is_error) == ("Exit code 1\nhalf whole", True)


def test_output_that_is_only_shown(tmp_path: Path) -> None:
    shown = [{"type": "content", "content": {"type": "text", "text": "```console\n1.2x\n```"}}]
    rows = [
        update("tool_call", toolCallId="1", kind="execute", title="make", status="in_progress"),
        update("tool_call_update", toolCallId="1", status="completed", content=shown),
    ]
    (run,) = state(tmp_path, *rows).tools
    assert run.call.input == {"command": "make"}
    assert run.result is not None
    assert run.result.output == "1.2x"


def test_a_prompt_while_another_is_answered(tmp_path: Path) -> None:
    second = {"sessionId": "s1", "prompt": [{"type": "text", "text": "and now?"}]}
    rows = [
        *ACP[:5],
        rpc("in", id=3, method="session/prompt", params=second),
        rpc("out", id=2, result={"stopReason": "end_turn"}),
        wrapped(chunk("yes", "m9")),
        rpc("out", id=3, result={"stopReason": "cancelled"}),
    ]
    folded = state(tmp_path, *rows)
    assert [(seen.event.text, seen.event.mid_turn) for seen in folded.human] == [
        ("go", False),
        ("and now?", True),
    ]
    assert [seen.event.reason for seen in folded.turn_ends] == ["interrupted"]


def test_a_loaded_session_tells_its_history_once(tmp_path: Path) -> None:
    history = [
        wrapped(chunk("go", "u1", "user_message_chunk")),
        wrapped(chunk("yes", "m1")),
        wrapped(update("tool_call", toolCallId="1", kind="read", status="completed", rawInput={"path": "x"})),
    ]
    load = rpc("in", id=7, method="session/load", params={"sessionId": "s1", "cwd": "/w"})
    rows = [load, *history, rpc("out", id=7, result={}), load, *history]
    folded = state(tmp_path, *rows)
    assert ([seen.event.text for seen in folded.human], len(folded.texts), len(folded.tools)) == (
        ["go"],
        1,
        1,
    )


def test_words_of_the_client_are_notes(tmp_path: Path) -> None:
    injected = chunk("<task-notification>x</task-notification>", "u1", "user_message_chunk")
    folded = state(tmp_path, injected, chunk("ok", "m"))
    assert folded.human == []
    assert [seen.event.author for seen in folded.notes] == ["task"]


def test_a_denied_permission(tmp_path: Path) -> None:
    rows = [*ACP[:11], rpc("in", id=0, result={"outcome": {"outcome": "cancelled"}})]
    assert [seen.event.answer for seen in state(tmp_path, *rows).answers] == ["deny"]


@pytest.mark.parametrize(
    "rows",
    [
        [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}],
        [{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}],
        [{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}],
        [{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": PROMPT}],
        [{"update": {"status": "x"}}],
    ],
)
def test_other_protocols_are_refused(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    with pytest.raises(RefusedInput, match="not a transcript"):
        open_transcript(write(tmp_path / "x.jsonl", rows * 3))
