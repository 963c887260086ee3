"""A few rows of each format that is not Claude Code's, with every kind of thing its reader looks at."""

from typing import Any

AT = "2026-01-01T00:00:00.000Z"


def gemini_reply(id_: str, text: Any = "", **fields: Any) -> dict[str, Any]:
    return {"id": id_, "timestamp": AT, "type": "gemini", "content": text, "model": "m", **fields}


def gemini_call(
    id_: str, name: str, args: dict[str, Any], output: str = "ok", **fields: Any
) -> dict[str, Any]:
    response = {"functionResponse": {"id": id_, "name": name, "response": {"output": output}}}
    return {"id": id_, "name": name, "args": args, "result": [response], "status": "success", **fields}


GEMINI: list[dict[str, Any]] = [
    {"id": "u1", "timestamp": AT, "type": "user", "content": [{"text": "make it fast"}]},
    gemini_reply(
        "g1",
        "Looking.",
        thoughts=[{"subject": "Plan", "description": "read first", "timestamp": AT}],
        tokens={"input": 100, "output": 5, "cached": 60, "thoughts": 7, "tool": 1, "total": 113},
        toolCalls=[
            gemini_call("c1", "run_shell_command", {"command": "nvcc k.cu"}, "Output: x\nExit Code: 2"),
            gemini_call(
                "c2",
                "replace",
                {"file_path": "k.cu", "old_string": "a", "new_string": "b"},
                resultDisplay={"fileDiff": "--- k.cu\n+++ k.cu\n@@ -1 +1 @@\n-a\n+b\n"},
            ),
        ],
    ),
    {"id": "i1", "timestamp": AT, "type": "error", "content": "quota"},
    {
        "id": "u2",
        "timestamp": AT,
        "type": "user",
        "content": [{"functionResponse": {"id": "c3", "name": "x", "response": {"error": "no"}}}],
    },
    gemini_reply(
        "g2", [{"functionCall": {"id": "c3", "name": "x", "args": {}}}, {"text": "t", "thought": True}]
    ),
]
GEMINI_ROWS: list[dict[str, Any]] = [
    {"sessionId": "s1", "projectHash": "h", "startTime": AT, "lastUpdated": AT, "kind": "main"},
    *GEMINI,
    {"$set": {"lastUpdated": AT}},
    {"$set": {"messages": GEMINI}},
    {"$rewindTo": "u1"},
]

SWE_AGENT: list[dict[str, Any]] = [
    {"prompt": {"role": "system", "content": "You are an agent."}},
    {"prompt": {"role": "user", "content": "Here is a demonstration", "is_demo": True}},
    {"prompt": {"role": "user", "content": [{"type": "text", "text": "make it fast"}]}},
    {
        "step": {
            "action": "nvcc k.cu\n",
            "observation": "done",
            "thought": "Build it.",
            "response": "Build it.\n```\nnvcc k.cu\n```",
            "state": '{"open_file": "/r/k.cu", "working_dir": "/r"}',
        }
    },
    {
        "step": {
            "action": "str_replace_editor str_replace /r/k.cu --old_str 'a' --new_str 'b'",
            "observation": "",
        }
    },
    {"step": {"action": "exit_cost", "observation": None, "thought": "out of money"}},
    {"info": {"exit_status": "submitted", "model_stats": {"tokens_sent": 9, "instance_cost": 0.5}}},
]

OPENHANDS: list[dict[str, Any]] = [
    {
        "id": 0,
        "timestamp": AT,
        "source": "agent",
        "action": "system",
        "args": {"content": "You are an agent."},
    },
    {"id": 1, "timestamp": AT, "source": "user", "action": "message", "args": {"content": "make it fast"}},
    {
        "id": 2,
        "timestamp": AT,
        "source": "agent",
        "action": "run",
        "args": {"command": "nvcc k.cu", "thought": "Build it.", "confirmation_state": "confirmed"},
        "tool_call_metadata": {
            "tool_call_id": "t",
            "model_response": {"id": "r1", "usage": {"prompt_tokens": 10, "completion_tokens": 2}},
        },
    },
    {
        "id": 3,
        "timestamp": AT,
        "source": "agent",
        "cause": 2,
        "observation": "run",
        "content": "error",
        "extras": {"metadata": {"exit_code": 1}},
    },
    {
        "id": 4,
        "source": "agent",
        "action": "edit",
        "args": {"command": "str_replace", "path": "k.cu", "old_str": "a", "new_str": "b"},
        "llm_metrics": {"accumulated_cost": 0.25, "accumulated_token_usage": {"prompt_tokens": 30}},
    },
    {"id": 5, "source": "agent", "observation": "edit", "content": "ok", "extras": {"path": "k.cu"}},
    {
        "id": 6,
        "source": "agent",
        "action": "call_tool_mcp",
        "args": {"name": "search", "arguments": {"q": "x"}},
    },
    {"id": 7, "source": "agent", "action": "think", "args": {"thought": "hm"}},
    {"id": 8, "source": "agent", "action": "finish", "args": {"final_thought": "Done."}},
    {
        "id": 9,
        "source": "environment",
        "observation": "agent_state_changed",
        "content": "",
        "extras": {"agent_state": "finished"},
    },
]
OPENHANDS_SDK: list[dict[str, Any]] = [
    {
        "id": "a",
        "kind": "SystemPromptEvent",
        "source": "agent",
        "system_prompt": {"text": "You are an agent."},
    },
    {
        "id": "b",
        "kind": "MessageEvent",
        "source": "user",
        "timestamp": "2026-01-01T00:00:00.5",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": "make it fast"}]},
        "extended_content": [{"type": "text", "text": "skill"}],
    },
    {
        "id": "c",
        "kind": "ActionEvent",
        "source": "agent",
        "thought": [{"type": "text", "text": "Build it."}],
        "reasoning_content": "hm",
        "action": {"kind": "TerminalAction", "command": "nvcc k.cu"},
        "tool_name": "terminal",
        "tool_call_id": "t1",
        "llm_response_id": "r1",
    },
    {
        "id": "d",
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_name": "terminal",
        "tool_call_id": "t1",
        "observation": {"content": [{"type": "text", "text": "built"}], "exit_code": 0},
    },
    {
        "id": "e",
        "kind": "ActionEvent",
        "source": "agent",
        "tool_name": "file_editor",
        "tool_call_id": "t2",
        "action": None,
        "tool_call": {"arguments": '{"command": "create", "path": "k.cu", "file_text": "b"}'},
    },
    {"id": "f", "kind": "AgentErrorEvent", "source": "agent", "tool_call_id": "t2", "error": "no"},
    {"id": "g", "kind": "Condensation", "source": "environment", "summary": "so far"},
    {
        "id": "h",
        "kind": "ActionEvent",
        "source": "agent",
        "tool_name": "finish",
        "action": {"message": "Done."},
    },
    {"id": "i", "kind": "ConversationStateUpdateEvent", "source": "environment", "key": "k"},
]

_PI: list[dict[str, Any]] = [
    {"type": "model_change", "model": "m"},
    {"type": "custom_message", "customType": "tree", "content": "<system-reminder>x</system-reminder>"},
    {"type": "custom", "customType": "mark", "data": {}},
    {
        "type": "message",
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": "make it fast"}],
            "attribution": "user",
        },
    },
    {
        "type": "message",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "Editing."},
                {
                    "type": "toolCall",
                    "id": "c1",
                    "name": "edit",
                    "arguments": {"path": "k.cu", "oldText": "a", "newText": "b"},
                },
                {"type": "toolCall", "id": "c2", "name": "bash", "arguments": {"command": "nvcc k.cu"}},
            ],
            "usage": {"input": 3, "output": 4, "cacheRead": 5, "cacheWrite": 6, "cost": {"total": 0.5}},
            "stopReason": "toolUse",
        },
    },
    {
        "type": "message",
        "message": {
            "role": "toolResult",
            "toolCallId": "c1",
            "content": [{"type": "text", "text": "ok"}],
            "details": {"diff": " 1|top\n-2|a\n+2|b\n 9|..."},
            "isError": False,
        },
    },
    {"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": "k.cu"}},
    {"type": "compaction", "summary": "so far", "tokensBefore": 9},
    {"type": "branch_summary", "summary": "left"},
    {"type": "message", "message": {"role": "assistant", "content": "Done.", "stopReason": "stop"}},
]
PI: list[dict[str, Any]] = [
    {"type": "session", "version": 3, "id": "s1", "timestamp": AT, "cwd": "/r"},
    *(
        {**row, "id": f"e{at}", "parentId": f"e{at - 1}" if at else None, "timestamp": AT}
        for at, row in enumerate(_PI)
    ),
]


def cursor_row(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "message": {"content": list(blocks)}}


CURSOR: list[dict[str, Any]] = [
    cursor_row(
        "user",
        {
            "type": "text",
            "text": "<timestamp>now</timestamp>\n<attached_files>\nk.cu\n</attached_files>\n"
            "<user_query>\nmake it fast\n</user_query>",
        },
    ),
    cursor_row(
        "assistant",
        {"type": "text", "text": "Building.\n\n[REDACTED]"},
        {"type": "tool_use", "name": "Shell", "input": {"command": "nvcc k.cu"}},
        {
            "type": "tool_use",
            "name": "StrReplace",
            "input": {"path": "k.cu", "old_string": "a", "new_string": "b"},
        },
    ),
    cursor_row("user", {"type": "tool_result", "content": [{"type": "text", "text": "built"}]}),
    cursor_row("assistant", {"type": "text", "text": "Done."}),
    {"type": "turn_ended", "status": "success"},
]


def hosted(at: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": f"e{at}", "type": kind, "processed_at": AT, **fields}


HOSTED: list[dict[str, Any]] = [
    hosted(0, "session.status_running"),
    hosted(1, "session.thread_status_running", agent_name="tuner", session_thread_id="t1"),
    hosted(2, "user.define_outcome", description="make it fast", rubric={"type": "text", "text": "2x"}),
    hosted(3, "span.model_request_start"),
    hosted(4, "agent.thinking"),
    hosted(5, "agent.message", content=[{"type": "text", "text": "Building."}]),
    hosted(6, "agent.tool_use", name="bash", input={"command": "nvcc k.cu"}),
    hosted(
        7,
        "span.model_request_end",
        model_request_start_id="e3",
        model_usage={"input_tokens": 2, "output_tokens": 3, "cache_read_input_tokens": 4},
    ),
    hosted(8, "agent.tool_result", tool_use_id="e6", content=[{"type": "text", "text": "no"}], is_error=True),
    hosted(9, "agent.message", content=[{"type": "text", "text": "aside"}], session_thread_id="t2"),
    hosted(10, "session.error", error={"type": "overloaded", "message": "later"}),
    hosted(11, "span.outcome_evaluation_end", result="satisfied", explanation="all met"),
    hosted(12, "session.status_idle", stop_reason={"type": "end_turn"}),
    hosted(13, "user.interrupt"),
]
HOSTED_EXPORT: list[dict[str, Any]] = [
    {"role": raw["type"].split(".")[0], "kind": raw["type"].split(".")[1], "time": AT, "raw": raw}
    for raw in HOSTED
]

CURSOR_EXPORT = """# Make it fast
_Exported on 1/2/2026 at 03:04:05 PST from Cursor (2.3.4)_

---

**User**

make it fast

---

**Cursor**

Building.

---

**Not a speaker**

```
**User**
```

---

**User**

and now?

---

**Cursor**

Done.
"""
