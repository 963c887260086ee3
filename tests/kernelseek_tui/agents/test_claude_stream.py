"""Lines of Claude Code to events: every recorded stream, and what no recording holds."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelseek_tui.agents.claude.signals import Lifecycle, Partial, Responded, TurnOver
from kernelseek_tui.agents.claude.stream import OwnedStream
from sessions import events as ev
from sessions.readers.lines import RawLine
from tests.cases import CASES, needs_cases

STREAMS = (
    sorted(
        path
        for path in (CASES / "agents").glob("cc-*.jsonl")
        if '"dir": "out"' in path.read_text() and "hook-inputs" not in path.name
    )
    if CASES
    else []
)


@dataclass
class Played:
    stream: OwnedStream
    events: list[ev.AnyEvent]
    entries: list[dict[str, Any]]

    def of(self, kind: type[ev.Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def play(entries: list[dict[str, Any]], **options: Any) -> Played:
    """Feed the lines; messages of ours are told to the stream when they were written."""
    stream, events, number = OwnedStream(task="task", **options), [], 0
    for entry in entries:
        message = entry["msg"]
        if entry["dir"] == "in" and message["type"] == "user" and "uuid" in message:
            stream.mail.sending(message["uuid"], message["message"]["content"])
        if entry["dir"] == "out":
            events += stream.feed(RawLine(number, number, json.dumps(message).encode()))
            number += 1
    return Played(stream, events, [entry["msg"] for entry in entries if entry["dir"] == "out"])


def recorded(path: Path) -> Played:
    return play(
        [json.loads(line) for line in path.read_text().splitlines()],
        resumed=path.stem in ("cc-resume", "cc-fork", "cc-compact"),
    )


def out(**message: Any) -> dict[str, Any]:
    return {"dir": "out", "msg": {"session_id": "s1", **message}}


@needs_cases
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_recorded_stream_is_told_whole(path: Path) -> None:
    played = recorded(path)
    stream, entries = played.stream, played.entries
    assert stream.account.balanced
    assert stream.account.problems == 0
    assert len({event.id for event in played.events}) == len(played.events)
    ids: set[str] = set()
    for event in played.events:
        assert event.parent is None or event.parent in ids
        ids.add(event.id)
    assert isinstance(played.events[0], ev.SessionStarted)
    assert len(played.of(ev.SessionStarted)) == 1

    results = [entry for entry in entries if entry["type"] == "result"]
    assert len(played.of(ev.TurnEnded)) == len(results)
    assert isinstance(played.events[-1], ev.TurnEnded | ev.Note)
    blocks = Counter(
        block["type"]
        for entry in entries
        if entry["type"] in ("assistant", "user") and isinstance(entry["message"]["content"], list)
        for block in entry["message"]["content"]
        if not entry.get("is_api_error_message")
    )
    assert len(played.of(ev.ToolCall)) == blocks["tool_use"]
    assert len(played.of(ev.ToolResult)) == blocks["tool_result"]
    assert len(played.of(ev.Thinking)) == blocks["thinking"]
    echoes = [
        entry
        for entry in entries
        if entry.get("isReplay") and not str(entry["message"]["content"]).startswith("<")
    ]
    assert len(played.of(ev.HumanMessage)) == len(echoes)


@needs_cases
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_the_tokens_and_the_money_of_a_recorded_stream_add_up(path: Path) -> None:
    played = recorded(path)
    since: Counter[str] = Counter()
    for entry in played.entries:
        if entry["type"] == "result":
            for used in entry["model_usage_since_last_result"].values():
                since.update({name: used[name] for name in ("inputTokens", "outputTokens", "costUSD")})
    usage: list[ev.Usage] = played.of(ev.Usage)
    assert sum(event.input_tokens for event in usage) == since["inputTokens"]
    assert sum(event.output_tokens for event in usage) == since["outputTokens"]
    assert sum(event.cost_usd or 0 for event in usage) == pytest.approx(since["costUSD"])
    assert played.stream.meter.cost_usd == pytest.approx(since["costUSD"])
    replies = [event.message for event in usage if event.message]
    assert len(replies) == len(set(replies))


@needs_cases
@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("cc-interrupt", ["interrupted", "completed", "interrupted", "completed"]),
        ("cc-priority-now", ["interrupted", "completed"]),
        ("cc-priority-next", ["completed"]),
        ("cc-priority-later", ["completed", "completed"]),
        ("cc-midturn", ["completed", "completed"]),
        ("cc-err-400", ["failed"]),
        ("cc-err-401", ["completed"]),
        ("cc-err-404model", ["failed"]),
        ("cc-err-500retry", ["completed"]),
        ("cc-err-maxturns", ["failed"]),
        ("cc-err-nokey", ["failed"]),
        ("cc-err-refused", ["failed"]),
    ],
)
def test_how_the_recorded_turns_ended(name: str, reasons: list[str]) -> None:
    assert CASES
    played = recorded(CASES / "agents" / f"{name}.jsonl")
    assert [event.reason for event in played.of(ev.TurnEnded)] == reasons
    halts = [signal.halt for signal in played.stream.signals if isinstance(signal, TurnOver)]
    assert bool(halts[-1]) == (name in ("cc-err-404model", "cc-err-nokey", "cc-err-refused"))


@needs_cases
def test_the_recorded_message_in_mid_turn_is_marked() -> None:
    assert CASES
    played = recorded(CASES / "agents" / "cc-midturn.jsonl")
    first, second, third = played.of(ev.HumanMessage)
    assert (first.text, first.mid_turn) == ("start A", False)
    assert (second.text, second.mid_turn) == ("HUMAN-Q1 during tool", True)
    assert third.text == "HUMAN-Q2 during streaming"
    lives = [signal.state for signal in played.stream.signals if isinstance(signal, Lifecycle)]
    assert lives == ["queued", "started", "completed"]
    partial = [signal.text for signal in played.stream.signals if isinstance(signal, Partial)]
    assert partial[:4] == ["Running ", "Running slow ", "Running slow bench. ", ""]


@needs_cases
def test_the_recorded_subagent_has_its_own_events_and_a_crashed_hook_is_told() -> None:
    assert CASES
    played = recorded(CASES / "agents" / "cc-stream-full.jsonl")
    started, ended = played.of(ev.Subagent)
    assert (started.phase, ended.phase) == ("started", "ended")
    own = [event for event in played.events if event.agent == started.subagent]
    assert {event.kind for event in own} == {"agent_text", "tool_call", "tool_result", "usage"}
    crashed = recorded(CASES / "agents" / "cc-hook-stopcrash.jsonl")
    assert "The hook Stop ended with exit code 1: RuntimeError: boom" in [
        note.text for note in crashed.of(ev.Note)
    ]


@needs_cases
def test_the_recorded_answers_to_requests_of_ours_are_signals() -> None:
    assert CASES
    played = recorded(CASES / "agents" / "cc-interrupt.jsonl")
    answers = {
        signal.request: signal.error for signal in played.stream.signals if isinstance(signal, Responded)
    }
    assert answers["int1"] == answers["int2"] == ""
    assert answers["bad"].startswith("Unsupported")


def test_a_message_withdrawn_before_it_was_taken_is_told() -> None:
    sent = {"dir": "in", "msg": {"type": "user", "uuid": "u1", "message": {"content": "never\nread"}}}
    played = play(
        [
            out(type="system", subtype="init", model="m"),
            sent,
            out(type="command_lifecycle", command_uuid="u1", state="queued"),
            out(type="command_lifecycle", command_uuid="u1", state="cancelled"),
        ]
    )
    assert played.of(ev.HumanMessage) == []
    assert played.of(ev.Note)[0].text == "Withdrawn before the agent took it: never read"
    assert not played.stream.mail.waiting


def test_a_client_that_ends_before_it_said_who_it_is_loses_no_message() -> None:
    sent = {"dir": "in", "msg": {"type": "user", "uuid": "u1", "message": {"content": "hello"}}}
    played = play([sent, out(type="command_lifecycle", command_uuid="u1", state="started")])
    assert played.events == []
    last = played.stream.finish()
    assert [event.kind for event in last] == ["session_started", "human_message"]


def test_a_reply_that_broke_off_is_paid_for_once() -> None:
    start = {"type": "message_start", "message": {"id": "m1", "usage": {"input_tokens": 10}}}
    delta = {"type": "message_delta", "usage": {"output_tokens": 5}}
    message = {"id": "m1", "content": [{"type": "text", "text": "so far"}], "usage": {"input_tokens": 10}}
    used = {"m": {"inputTokens": 10, "outputTokens": 7, "costUSD": 0.5}}
    played = play(
        [
            out(type="system", subtype="init", model="m"),
            out(type="stream_event", event=start),
            out(type="stream_event", event=delta),
            out(type="assistant", message=message),
            out(type="result", is_error=False, model_usage_since_last_result=used),
            out(type="assistant", message=message),
        ]
    )
    usage: list[ev.Usage] = played.of(ev.Usage)
    assert [(event.input_tokens, event.output_tokens, event.cost_usd) for event in usage] == [
        *((10, 5, None), (0, 2, 0.5))
    ]


def test_a_resumed_session_does_not_pay_for_its_past() -> None:
    init, done = out(type="system", subtype="init", model="m"), {"type": "result", "is_error": False}
    lines = [init, out(**done, total_cost_usd=2.5), init, out(**done, total_cost_usd=2.75)]
    assert play(lines, resumed=True).stream.meter.cost_usd == 0.25
    assert play(lines).stream.meter.cost_usd == 2.75


def test_what_is_remembered_of_a_long_session_is_bounded() -> None:
    stream = OwnedStream()
    for index in range(3_000):
        entry = {"type": "user", "uuid": f"u{index}", "session_id": "s", "message": {"content": "x"}}
        stream.feed(RawLine(index, index, json.dumps(entry).encode()))
    assert len(stream.seen) == 1_000


@pytest.mark.parametrize("event", [None, 3, {"type": "message_start"}, {"type": "content_block_delta"}, {}])
def test_partial_events_may_hold_anything(event: object) -> None:
    played = play([out(type="stream_event", event=event), out(type="result", usage=[], modelUsage=3)])
    assert [found.kind for found in played.events] == ["session_started", "turn_ended"]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
PLAIN: list[dict[str, Any]] = [
    {"type": "system", "subtype": "init", "model": "m", "cwd": "/", "claude_code_version": "2"},
    {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 2, "retry_delay_ms": 5},
    {"type": "system", "subtype": "hook_response", "outcome": "error", "stderr": "x", "exit_code": 1},
    {"type": "system", "subtype": "background_tasks_changed", "tasks": [{"task_id": "b"}]},
    {"type": "system", "subtype": "task_notification", "task_id": "b", "summary": "s", "tool_use_id": "t"},
    {"type": "command_lifecycle", "command_uuid": "u", "state": "started"},
    {"type": "control_request", "request_id": "r", "request": {"subtype": "can_use_tool", "input": {}}},
    {"type": "control_cancel_request", "request_id": "r"},
    {"type": "control_response", "response": {"subtype": "error", "request_id": "r", "error": "e"}},
    {"type": "stream_event", "event": {"type": "message_start", "message": {"id": "m", "usage": {}}}},
    {"type": "stream_event", "event": {"type": "message_delta", "usage": {"output_tokens": 1}}},
    {"type": "stream_event", "event": {"type": "message_stop"}, "parent_tool_use_id": None},
    {"type": "user", "uuid": "u", "message": {"content": [{"type": "tool_result", "tool_use_id": "t"}]}},
    {"type": "assistant", "uuid": "a", "message": {"id": "m", "content": [{"type": "text", "text": "x"}]}},
    {"type": "result", "is_error": True, "terminal_reason": "x", "errors": [], "api_error_status": 500},
    {"type": "result", "modelUsage": {"m": {}}, "model_usage_since_last_result": {"m": {"costUSD": 1.0}}},
]


@given(st.data())
def test_no_field_of_any_line_can_stop_the_reading(data: st.DataObject) -> None:
    stream = OwnedStream()
    for number in range(4):
        entry = json.loads(json.dumps({**data.draw(st.sampled_from(PLAIN)), "session_id": "s"}))
        place = entry
        while True:
            key = data.draw(st.sampled_from(sorted(place)))
            if isinstance(place[key], dict) and place[key] and data.draw(st.booleans()):
                place = place[key]
                continue
            place[key] = data.draw(JUNK)
            break
        stream.feed(RawLine(number, number, json.dumps(entry).encode()))
    stream.finish()
    assert stream.account.balanced


def asks(request: str) -> dict[str, Any]:
    wanted = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "true"}}
    return out(type="control_request", request_id=request, request=wanted)


INIT = out(type="system", subtype="init", model="m")
DONE = out(type="result", subtype="success", terminal_reason="completed")


def test_what_was_asked_is_closed_before_its_turn_ends() -> None:
    played = play([INIT, asks("one"), asks("two"), DONE])
    closed = played.of(ev.PermissionAnswered)
    assert [(answer.request, answer.answer, answer.by) for answer in closed] == [
        ("one", "deny", "client"),
        ("two", "deny", "client"),
    ]
    assert isinstance(played.events[-1], ev.TurnEnded)
    assert played.stream.permissions == {}
    assert list(played.stream.finish()) == []


def test_what_runs_in_the_background_may_go_on_asking() -> None:
    tasks = [{"task_id": "b1", "description": "bench"}]
    background = out(type="system", subtype="background_tasks_changed", tasks=tasks)
    quiet = out(type="system", subtype="background_tasks_changed", tasks=[])
    played = play([INIT, background, asks("one"), DONE])
    assert played.of(ev.PermissionAnswered) == []
    assert list(played.stream.permissions) == ["one"]
    played = play([INIT, background, asks("one"), DONE, quiet])
    assert [event.kind for event in played.stream.release()] == ["permission_answered", "turn_ended"]
