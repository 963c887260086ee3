"""Builders of small Codex sessions, so that a test shows only the field that it is about."""

import json
from typing import Any

THREAD = "019b0000-0000-7000-8000-00000000000a"  # minted at 2025-12-10, as the time in it says
FORK = "019b0001-0000-7000-8000-00000000000b"  # 65 s later
OLD_TURN = "019b0000-1000-7000-8000-00000000000c"
NEW_TURN = "019b0001-1000-7000-8000-00000000000d"

PATCH = """*** Begin Patch
*** Update File: src/k.cu
@@ void f()
 int a;
-int b = 1;
+int b = 2;
*** Add File: notes.md
+hello
*** Delete File: old.py
*** End Patch"""


def row(type_: str, second: int = 0, **payload: Any) -> dict[str, Any]:
    """A row of a rollout."""
    return {"timestamp": f"2026-01-01T00:00:{second % 60:02d}.000Z", "type": type_, "payload": payload}


def head(id_: str = THREAD, **fields: Any) -> dict[str, Any]:
    return row("session_meta", id=id_, cwd="/w", cli_version="0.171.0", **fields)


def event(type_: str, **fields: Any) -> dict[str, Any]:
    return row("event_msg", type=type_, **fields)


def item(type_: str, **fields: Any) -> dict[str, Any]:
    return row("response_item", type=type_, **fields)


def message(role: str, *texts: str, **fields: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts], **fields)


def asked(text: str) -> list[dict[str, Any]]:
    """What a person wrote, as the client writes it: the model's item, and an event."""
    return [message("user", text), event("user_message", message=text)]


def said(text: str) -> list[dict[str, Any]]:
    return [event("agent_message", message=text), message("assistant", text)]


def call(id_: str, command: str = "make", name: str = "exec_command") -> dict[str, Any]:
    return item("function_call", name=name, arguments=json.dumps({"cmd": command}), call_id=id_)


def output(id_: str, text: str, code: int = 0) -> dict[str, Any]:
    written = f"Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{text}"
    return item("function_call_output", call_id=id_, output=written)


def tokens(given: int, made: int, cached: int = 0) -> dict[str, Any]:
    total = {"input_tokens": given, "output_tokens": made, "cached_input_tokens": cached}
    return event("token_count", info={"total_token_usage": total, "last_token_usage": total})


def turn(id_: str = OLD_TURN) -> list[dict[str, Any]]:
    return [event("task_started", turn_id=id_), row("turn_context", turn_id=id_, model="gpt-x")]


ROLLOUT: list[dict[str, Any]] = [
    head(source={"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}, forked_from_id="p"),
    *turn(),
    message("developer", "rules"),
    message("user", "<environment_context>x</environment_context>", "go"),
    event(
        "item_completed", item={"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": "go"}]}
    ),
    event("item_completed", item={"type": "Reasoning", "id": "r", "summary_text": ["a"], "raw_content": []}),
    item("reasoning", id="r", summary=[{"type": "summary_text", "text": "a"}], content=None),
    *said("hi"),
    call("c1"),
    item("local_shell_call", call_id="c2", action={"type": "exec", "command": ["bash", "-lc", "ls"]}),
    item("custom_tool_call", call_id="c3", name="apply_patch", input=PATCH),
    event(
        "patch_apply_end", call_id="c3", changes={"k.cu": {"type": "update", "unified_diff": "@@ -1 +1 @@"}}
    ),
    output("c1", "ok"),
    item(
        "custom_tool_call_output", call_id="c3", output='{"output": "Success", "metadata": {"exit_code": 0}}'
    ),
    item("function_call_output", call_id="c9", output=[{"type": "input_text", "text": "x"}]),
    event("item_completed", item={"type": "CommandExecution", "id": "c4", "command": ["ls"], "exit_code": 1}),
    event(
        "item_completed", item={"type": "FileChange", "id": "c5", "changes": {"a": {"add": {"content": "x"}}}}
    ),
    event(
        "item_completed", item={"type": "McpToolCall", "id": "c6", "server": "s", "tool": "t", "result": {}}
    ),
    item("web_search_call", id="w", action={"query": "q"}),
    tokens(10, 2, 4),
    row("token_usage_record", thread_token_usage={"input_tokens": 11, "output_tokens": 3}),
    row("compacted", message="sum", replacement_history=[]),
    event("context_compacted"),
    event("turn_aborted", reason="interrupted"),
    event("thread_rolled_back", num_turns=1),
    event("task_complete", last_agent_message="hi"),
]

EXEC: list[dict[str, Any]] = [
    {"type": "thread.started", "thread_id": THREAD},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "hm"}},
    {"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": "First."}},
    {
        "type": "item.started",
        "item": {"id": "item_2", "type": "command_execution", "command": "bash -lc 'make x'"},
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_2",
            "type": "command_execution",
            "command": "bash -lc 'make x'",
            "aggregated_output": "made",
            "exit_code": 2,
            "status": "failed",
        },
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_3",
            "type": "file_change",
            "changes": [{"path": "/w/k.cu", "kind": "update"}],
            "status": "completed",
        },
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_4",
            "type": "mcp_tool_call",
            "server": "s",
            "tool": "t",
            "error": {"message": "no"},
        },
    },
    {"type": "item.started", "item": {"id": "item_5", "type": "todo_list", "items": [{"text": "a"}]}},
    {"type": "item.completed", "item": {"id": "item_5", "type": "todo_list", "items": [{"text": "a"}]}},
    {"type": "item.completed", "item": {"id": "item_6", "type": "error", "message": "careful"}},
    {"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 7}},
    {"type": "turn.failed", "error": {"message": "quota"}},
    {"type": "error", "message": "quota"},
]


def rpc(way: str, **message: Any) -> dict[str, Any]:
    """A line of a recorder that wrote down both sides of a JSON-RPC connection."""
    return {"t": 1.0, "dir": way, "msg": message}


def notice(method: str, **params: Any) -> dict[str, Any]:
    return rpc("out", method=method, params={"threadId": THREAD, **params}, emittedAtMs=1_767_225_600_000)


SERVER: list[dict[str, Any]] = [
    rpc("in", method="initialize", id=1, params={"clientInfo": {"name": "x"}}),
    rpc("out", id=1, result={"userAgent": "x/0.171.0 (Linux)", "codexHome": "/c"}),
    rpc("in", method="thread/start", id=2, params={"cwd": "/w"}),
    rpc("out", id=2, result={"thread": {"id": THREAD, "cwd": "/w"}, "model": "gpt-x"}),
    notice("thread/started", thread={"id": THREAD, "cwd": "/w"}),
    rpc(
        "in",
        method="turn/start",
        id=3,
        params={"threadId": THREAD, "input": [{"type": "text", "text": "go"}]},
    ),
    notice("turn/started", turn={"id": "t"}),
    notice(
        "item/completed", item={"type": "userMessage", "id": "u", "content": [{"type": "text", "text": "go"}]}
    ),
    notice("item/started", item={"type": "commandExecution", "id": "c1", "command": "bash -lc 'make'"}),
    rpc(
        "out",
        method="item/commandExecution/requestApproval",
        id=1,
        params={"threadId": THREAD, "itemId": "c1", "command": "bash -lc 'make'"},
    ),
    rpc("in", id=1, result={"decision": "acceptForSession"}),
    notice("item/commandExecution/outputDelta", itemId="c1", delta="half"),
    notice(
        "item/completed",
        item={
            "type": "fileChange",
            "id": "c2",
            "status": "completed",
            "changes": [{"path": "/w/k.cu", "kind": {"type": "update"}, "diff": "@@ -1 +1 @@\n-a\n+b\n"}],
        },
    ),
    notice("item/agentMessage/delta", itemId="m1", delta="I was "),
    notice("item/agentMessage/delta", itemId="m1", delta="saying"),
    notice(
        "thread/tokenUsage/updated",
        tokenUsage={"total": {"inputTokens": 10, "cachedInputTokens": 4, "outputTokens": 2}},
    ),
    notice("turn/plan/updated", plan=[{"step": "a", "status": "pending"}]),
    notice("thread/status/changed", status={"type": "idle"}),
    notice("warning", message="careful"),
    notice("turn/completed", turn={"id": "t", "status": "interrupted", "error": None}),
    rpc("in", method="turn/steer", id=4, params={"threadId": THREAD, "input": []}),
    rpc("out", id=4, error={"code": -1, "message": "no turn"}),
]


def update(which: str, **fields: Any) -> dict[str, Any]:
    """A line of a recorder that wrote down a session's updates only."""
    return {"t": 1.0, "update": {"sessionUpdate": which, **fields}}


def chunk(text: str, message: str | None = None, kind: str = "agent_message_chunk") -> dict[str, Any]:
    named = {} if message is None else {"messageId": message}
    return update(kind, content={"type": "text", "text": text}, **named)


def wrapped(line: dict[str, Any]) -> dict[str, Any]:
    """An update as the message that carried it."""
    params = {"sessionId": "s1", "update": line["update"]}
    return rpc("out", jsonrpc="2.0", method="session/update", params=params)


PROMPT = {"sessionId": "s1", "prompt": [{"type": "text", "text": "go"}]}
DIFF_ITEM = {"type": "diff", "path": "/w/k.cu", "oldText": "a", "newText": "b"}

ACP: list[dict[str, Any]] = [
    rpc("in", jsonrpc="2.0", id=0, method="initialize", params={"protocolVersion": 1}),
    rpc(
        "out",
        id=0,
        result={"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "acme", "version": "1"}},
    ),
    rpc("in", id=1, method="session/new", params={"cwd": "/w", "mcpServers": []}),
    rpc("out", id=1, result={"sessionId": "s1"}),
    rpc("in", id=2, method="session/prompt", params=PROMPT),
    wrapped(chunk("hm", "m1", "agent_thought_chunk")),
    wrapped(chunk("Let me ", "m1")),
    wrapped(chunk("look.", "m1")),
    wrapped(
        update("tool_call", toolCallId="c1", title="make", kind="execute", status="pending", rawInput={})
    ),
    wrapped(update("tool_call_update", toolCallId="c1", rawInput={"command": ["bash", "-lc", "make"]})),
    rpc(
        "out",
        id=0,
        method="session/request_permission",
        params={
            "sessionId": "s1",
            "toolCall": {"toolCallId": "c1"},
            "options": [{"optionId": "o1", "kind": "allow_once"}, {"optionId": "o2", "kind": "reject_once"}],
        },
    ),
    rpc("in", id=0, result={"outcome": {"outcome": "selected", "optionId": "o1"}}),
    wrapped(
        update(
            "tool_call_update", toolCallId="c1", status="failed", rawOutput={"output": "no", "exit_code": 2}
        )
    ),
    wrapped(update("tool_call", toolCallId="c2", kind="edit", status="in_progress", content=[DIFF_ITEM])),
    wrapped(update("tool_call_update", toolCallId="c2", status="completed")),
    wrapped(update("plan", entries=[{"content": "a", "status": "pending"}])),
    wrapped(update("usage_update", used=5, size=9, cost={"amount": 0.5, "currency": "USD"})),
    wrapped(update("current_mode_update", currentModeId="x")),
    rpc("out", id=2, result={"stopReason": "end_turn", "usage": {"inputTokens": 5, "outputTokens": 2}}),
    rpc("in", method="session/cancel", params={"sessionId": "s1"}),
]
