"""A stand-in for Claude Code: prints what the real one prints (shapes as recorded), and does as it is told.

What it does is the first word of a message; every other message makes a turn that says the text again.
Answers to permission requests and control requests are appended to the file named by FAKE_CLAUDE_LOG.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

SESSION = "5e551017-0000-4000-8000-000000000001"
VERSION = os.environ.get("FAKE_CLAUDE_VERSION", "2.1.332")

lines: "queue.Queue[dict[str, Any] | None]" = queue.Queue()
waiting: list[dict[str, Any]] = []
turns = 0


def out(**entry: Any) -> None:
    sys.stdout.write(json.dumps({"session_id": SESSION, **entry}) + "\n")
    sys.stdout.flush()


def lifecycle(message: dict[str, Any], state: str) -> None:
    out(type="command_lifecycle", command_uuid=message["uuid"], state=state)


def echo(message: dict[str, Any]) -> None:
    out(type="user", message=message["message"], uuid=message["uuid"], isReplay=True, parent_tool_use_id=None)


def text_of(message: dict[str, Any]) -> str:
    return str(message["message"]["content"])


def log(entry: dict[str, Any]) -> None:
    if path := os.environ.get("FAKE_CLAUDE_LOG"):
        with open(path, "a") as file:  # noqa: PTH123 - the script stands alone
            file.write(json.dumps(entry) + "\n")


def stream(**event: Any) -> None:
    out(type="stream_event", event=event, parent_tool_use_id=None)


def reply(*blocks: dict[str, Any], cut: bool = False) -> str:
    """A reply with its partial events; the id."""
    global turns
    turns += 1
    name = f"msg_{turns}"
    usage = {"input_tokens": 100, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 5}
    stream(type="message_start", message={"id": name, "usage": {**usage, "output_tokens": 1}})
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            for word in block["text"].split(" "):
                delta = {"type": "text_delta", "text": word + " "}
                stream(type="content_block_delta", index=index, delta=delta)
        if cut:
            return name
        message = {
            "id": name,
            "role": "assistant",
            "content": [block],
            "usage": {**usage, "output_tokens": 1},
        }
        out(type="assistant", message=message, parent_tool_use_id=None, uuid=f"{name}-{index}")
    stream(type="message_delta", delta={}, usage={"output_tokens": 42})
    stream(type="message_stop")
    return name


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def call(name: str, command: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}


def tool_result(name: str, content: str, failed: bool = False) -> None:
    block = {"type": "tool_result", "tool_use_id": name, "content": content, "is_error": failed}
    out(type="user", message={"role": "user", "content": [block]}, parent_tool_use_id=None)


def result(cost: float = 0.01, **fields: Any) -> None:
    used = {"inputTokens": 0, "outputTokens": 0, "costUSD": cost, "contextWindow": 200_000}
    done = {"subtype": "success", "is_error": False, "terminal_reason": "completed", "result": "", **fields}
    out(type="result", modelUsage={"m1": used}, model_usage_since_last_result={"m1": used}, **done)


def interrupted(name: str, message: dict[str, Any]) -> None:
    tool_result(name, "The user doesn't want to proceed.", failed=True)
    words = [said("[Request interrupted by user for tool use]")]
    out(type="user", message={"role": "user", "content": words}, parent_tool_use_id=None)
    result(subtype="error_during_execution", is_error=True, terminal_reason="aborted_tools")
    lifecycle(message, "cancelled")


def answered(request: dict[str, Any]) -> None:
    response = {"subtype": "success", "request_id": request["request_id"], "response": {"still_queued": []}}
    out(type="control_response", response=response)


def tool(message: dict[str, Any]) -> bool:
    """A tool that runs until something comes in."""
    name = f"toolu_{turns}"
    reply(said("Running it."), call(name, "sleep 60"))
    entry = lines.get()
    if entry is None or entry["type"] == "control_request":
        if entry is not None:
            answered(entry)
        interrupted(name, message)
        return True
    lifecycle(entry, "queued")
    tool_result(name, "ran")
    if entry.get("priority") == "later":
        waiting.append(entry)
        return False
    echo(entry)
    lifecycle(entry, "started")
    reply(said(f"Heard: {text_of(entry)}"))
    lifecycle(entry, "completed")
    return False


def ask(message: dict[str, Any]) -> bool:
    name = f"toolu_{turns}"
    reply(call(name, "touch x"))
    rule = {"type": "addRules", "rules": [{"toolName": "Bash"}], "destination": "localSettings"}
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "touch x"}}
    request |= {"permission_suggestions": [rule], "tool_use_id": name}
    out(type="control_request", request_id=f"ask_{turns}", request=request)
    entry = lines.get()
    if entry is None:
        return True
    log(entry)
    if entry["type"] == "control_request":
        out(type="control_cancel_request", request_id=f"ask_{turns}")
        answered(entry)
        interrupted(name, message)
        return True
    decision = entry["response"]["response"]
    denied = decision["behavior"] == "deny"
    tool_result(name, decision["message"] if denied else "done", failed=denied)
    reply(said("So be it."))
    return False


def die(message: dict[str, Any]) -> None:
    reply(said("I am about to"), cut=True)
    os.kill(os.getpid(), signal.SIGKILL)


def orphan(message: dict[str, Any]) -> None:
    """Start a tool in a session of its own that holds our output open, then die."""
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)  # its line is garbage
    log({"pid": child.pid})
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGKILL)


def garbage(message: dict[str, Any]) -> None:
    for line in (
        "Warning: something",
        "",
        "[1, 2]",
        '{"type": "of the future", "x": 1}',
        '{"no": "type"}',
        "\udcff",
    ):
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape") + b"\n")
    sys.stdout.flush()
    out(type="system", subtype="brand_new")
    out(type="control_request", request_id="what_1", request={"subtype": "sing_a_song"})
    log(lines.get() or {})
    reply(said("Still here."))


def long(message: dict[str, Any]) -> None:
    block = "x" * (1 << 20)
    sys.stdout.write('{"type": "assistant", "text": "')
    for _ in range(50):
        sys.stdout.write(block)
    sys.stdout.write('"}\n')
    reply(said("After a long line."))


def refused(message: dict[str, Any]) -> bool:
    retry = {"attempt": 2, "max_retries": 10, "retry_delay_ms": 4000}
    out(type="system", subtype="api_retry", error_status=529, error="overloaded", **retry)
    words = "Invalid API key · Fix external API key"
    error = {"model": "<synthetic>", "id": "x", "content": [said(words)]}
    out(type="assistant", message=error, error="authentication_failed", is_api_error_message=True)
    result(cost=0, is_error=True, terminal_reason="api_error", api_error_status=401, result=words)
    return True


def background(message: dict[str, Any]) -> bool:
    """A turn that ends while a command runs, which later wakes the agent."""
    out(type="system", subtype="background_tasks_changed", tasks=[{"task_id": "b1", "description": "bench"}])
    reply(said("Waiting."))
    result()
    lifecycle(message, "completed")
    time.sleep(0.2)
    done = {"task_id": "b1", "status": "completed", "summary": "Background command completed"}
    out(type="system", subtype="task_notification", **done)
    out(type="system", subtype="background_tasks_changed", tasks=[])
    if text_of(message).endswith("wakes"):
        init()
        reply(said("Woken."))
        result()
    return True


def many(message: dict[str, Any]) -> None:
    for index in range(int(text_of(message).split()[1])):
        name = f"t{index}"
        out(
            type="assistant", message={"id": f"m{index}", "content": [call(name, f"echo {index}")]}, uuid=name
        )
        tool_result(name, f"output {index}")


def init() -> None:
    out(type="system", subtype="init", cwd=os.getcwd(), model="m1", claude_code_version=VERSION)  # noqa: PTH109


# A play that has printed the end of its turn itself returns True.
PLAYS: dict[str, Callable[[dict[str, Any]], bool | None]] = {
    play.__name__: play for play in (tool, ask, die, orphan, garbage, long, refused, background, many)
}


def turn(message: dict[str, Any]) -> None:
    word = text_of(message).split(" ")[0]
    lifecycle(message, "started")
    init()
    if word != "silent":
        echo(message)
    if word == "twice":
        lifecycle(message, "started")
        echo(message)
    if word in PLAYS:
        if PLAYS[word](message):
            return
    else:
        reply(said(f"You said: {text_of(message)}"))
    result(cost=5.0 if word == "dear" else 0.01)
    lifecycle(message, "completed")


def read() -> None:
    for line in sys.stdin:
        entry = json.loads(line)
        if entry["type"] == "user" and text_of(entry) == "deaf":
            os.close(0)
            lines.put(entry)
            return
        lines.put(entry)
    lines.put(None)


def main() -> None:
    if "--version" in sys.argv:
        print(f"{VERSION} (Claude Code)")
        return
    log({"argv": sys.argv[1:], "cap": os.environ.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")})
    if "--resume" in sys.argv:
        sys.exit("No conversation found with session ID: x")
    threading.Thread(target=read, daemon=True).start()
    while True:
        if waiting:
            turn(waiting.pop(0))
            continue
        entry = lines.get()
        if entry is None:
            return
        if entry["type"] == "user":
            lifecycle(entry, "queued")
            turn(entry)
        elif entry["type"] == "control_request":
            answered(entry)


main()
