"""A foreign writer may put anything anywhere: a line costs at most itself, and no reader raises."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.errors import RefusedInput
from sessions.events import ReaderProblem
from sessions.readers import (
    acp,
    claude_code,
    codex_app_server,
    codex_exec,
    codex_rollout,
    cursor,
    cursor_export,
    gemini,
    hosted,
    openhands,
    own,
    pi,
    recording,
    stream_json,
    swe_agent,
)
from sessions.readers.formats import Format, Item
from sessions.readers.lines import RawLine
from sessions.state import SessionState
from sessions.transcript import open_transcript
from tests.sessions import codex_samples, samples
from tests.sessions.transcripts import SESSION, call, on_disk, reply, result, text, user, write

STREAM = {"session_id": "s", "uuid": "u"}
DISK: list[dict[str, Any]] = [
    user(0, "hi"),
    reply(1, text("a"), {"type": "thinking", "thinking": "b"}, call("c1"), usage={"input_tokens": 1}),
    user(
        2,
        [result("c1", [text("x")])],
        toolUseResult={"structuredPatch": [{"oldStart": 1, "lines": ["+a"]}], "agentId": "a", "isAsync": 1},
    ),
    reply(3, call("c2", "Edit", file_path="k.cu", old_string="a", new_string="b", edits=[{"old": "a"}])),
    user(4, [result("c2")], toolUseResult={"structuredPatch": [{"oldStart": 1, "lines": ["+a"]}]}),
    on_disk(
        5, "attachment", attachment={"type": "queued_command", "prompt": [text("x")], "commandMode": "p"}
    ),
    on_disk(
        6, "attachment", attachment={"type": "hook_blocking_error", "blockingError": {"blockingError": "x"}}
    ),
    {"type": "queue-operation", "operation": "enqueue", "content": "x", "sessionId": SESSION},
    on_disk(7, "system", subtype="api_error", error={"status": 1, "message": "m"}, retryAttempt=1),
    on_disk(8, "system", subtype="compact_boundary", compactMetadata={"preTokens": 1, "trigger": "auto"}),
    on_disk(9, "cost-state", totalCostUSD=1.5),
    user(10, "x", origin={"kind": "task"}, isSidechain=True, agentId="a"),
    {"schema_version": 1, "id": "e1", "kind": "note", "text": "x"},
]
LIVE: list[dict[str, Any]] = [
    {"type": "system", "subtype": "init", "cwd": "/", "model": "m", "claude_code_version": "1", **STREAM},
    {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 2, "error_status": 5, **STREAM},
    {"type": "system", "subtype": "hook_response", "stdout": '{"hookSpecificOutput": {}}', **STREAM},
    {"type": "system", "subtype": "task_started", "tool_use_id": "c1", "task_id": "t", **STREAM},
    {"type": "system", "subtype": "task_notification", "tool_use_id": "c1", "task_id": "t", **STREAM},
    {"type": "result", "total_cost_usd": 1, "usage": {"output_tokens": 1}, "is_error": True, **STREAM},
    {
        "type": "assistant",
        "message": {"id": "m", "content": [text("x")]},
        "parent_tool_use_id": "p",
        **STREAM,
    },
]
RECORDED = [
    {"t": 1, "dir": way, "msg": message} for way, message in zip(["out"] * 6 + ["in"], LIVE, strict=True)
]
RECORDED.append({"t": 1, "dir": "exit", "msg": {"rc": 0}})

ODD = st.sampled_from(
    [
        {},
        [],
        None,
        True,
        -1,
        0,
        1.5,
        "",
        "text",
        [[]],
        [{}],
        {"type": {}},
        [1],
        {"a": []},
        10**400,
        float("inf"),
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return ([path] if path else []) + [found for key, item in inner for found in places(item, (*path, key))]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Format, list[dict[str, Any]]]:
    """Entries of one format, with odd values somewhere in them."""
    format_, good = draw(
        st.sampled_from(
            [
                (claude_code.FORMAT, DISK),
                (stream_json.FORMAT, LIVE),
                (recording.FORMAT, RECORDED),
                (own.FORMAT, DISK),
                (codex_rollout.FORMAT, codex_samples.ROLLOUT),
                (codex_exec.FORMAT, codex_samples.EXEC),
                (codex_app_server.FORMAT, codex_samples.SERVER),
                (acp.FORMAT, codex_samples.ACP),
                (gemini.FORMAT, samples.GEMINI),
                (gemini.LINES, samples.GEMINI_ROWS),
                (swe_agent.FORMAT, samples.SWE_AGENT),
                (openhands.FORMAT, samples.OPENHANDS),
                (openhands.LINES, samples.OPENHANDS_SDK),
                (pi.FORMAT, samples.PI),
                (cursor.FORMAT, samples.CURSOR),
                (cursor_export.FORMAT, [{"speaker": "User", "text": "hi"}, {"speaker": "", "text": "# x"}]),
                (hosted.FORMAT, samples.HOSTED),
                (hosted.FORMAT, samples.HOSTED_EXPORT),
            ]
        )
    )
    entries = copy.deepcopy(good)
    for _ in range(draw(st.integers(1, 6))):
        entry = draw(st.sampled_from(entries))
        path = draw(st.sampled_from(places(entry) or [("type",)]))
        holder: Any = entry
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = copy.deepcopy(draw(ODD))
    return format_, entries


@given(damaged())
@settings(max_examples=1000, deadline=None)
def test_no_line_of_any_shape_raises(given_: tuple[Format, list[dict[str, Any]]]) -> None:
    format_, entries = given_
    reader, state = format_.reader(Path("x.jsonl"), None), SessionState()
    events = []
    for number, entry in enumerate(entries):
        if format_.whole is not None:
            events += reader.take(Item(number, entry))
        else:
            events += reader.feed(RawLine(number, 0, json.dumps(entry).encode()))
    for event in events + reader.finish():
        state.apply(event)
        if isinstance(event, ReaderProblem):
            assert not any(leak in event.what for leak in ("unhashable", "object", "Error", "<class"))
    assert reader.account.entries == len(entries)
    assert reader.account.balanced


@pytest.mark.parametrize(
    "line",
    [
        '{"t":1,"dir":"out","msg":{"type":{}}}',
        '{"type":{},"session_id":"s"}',
        '{"kind":{},"id":"a","schema_version":1}',
    ],
)
def test_a_type_that_is_no_word_is_refused_in_a_sentence(tmp_path: Path, line: str) -> None:
    with pytest.raises(RefusedInput):
        open_transcript(write(tmp_path / "x.jsonl", [line]))


def test_money_with_too_many_digits_is_none(tmp_path: Path) -> None:
    line = '{"type":"result","session_id":"s","total_cost_usd":' + "9" * 400 + "}"
    assert open_transcript(write(tmp_path / "x.jsonl", [line])).damaged == 0


def test_nesting_costs_the_line(tmp_path: Path) -> None:
    deep = "[" * 300 + "]" * 300
    lines = [
        user(0, "hi"),
        json.dumps(reply(1, call("c", x=1))).replace('"x": 1', f'"x": {deep}'),
        user(2, "b"),
    ]
    transcript = open_transcript(write(tmp_path / "x.jsonl", lines))
    assert [problem.what for problem in transcript.problems] == ["JSON nested too deeply"]


def test_a_shell_command_nested_in_itself_is_only_text() -> None:
    from sessions import events as ev

    state = SessionState()
    state.apply(ev.ToolCall(id="1", call="c", tool="Shell", input={"raw": '{"command":' * 5_000}))
    assert len(state.tools) == 1
