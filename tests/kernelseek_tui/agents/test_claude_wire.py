"""What is written to Claude Code, and what is read out of its requests: pure lines."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelseek_tui.agents.claude import wire as wire
from kernelseek_tui.agents.protocol import AgentSpec
from tests.cases import CASES, needs_cases

SPEC = AgentSpec(Path("/w"), "go", {})


def read(line: bytes) -> Any:
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line)


@given(st.text())
def test_a_message_is_one_line_and_keeps_its_text(text: str) -> None:
    entry = read(wire.message(text, "u1", "later"))
    assert entry["message"]["content"] == text
    assert (entry["type"], entry["uuid"], entry["priority"]) == ("user", "u1", "later")


def test_resuming_and_forking_are_asked_for() -> None:
    assert "--resume" not in wire.arguments(SPEC)
    resumed = wire.arguments(AgentSpec(Path("/w"), "go", {}, resume="abc"))
    assert resumed[-2:] == ["--resume", "abc"]
    forked = wire.arguments(AgentSpec(Path("/w"), "go", {}, resume="abc", fork=True))
    assert forked[-1] == "--fork-session"


def test_a_new_session_gets_its_id_and_a_resumed_one_keeps_it() -> None:
    assert wire.arguments(SPEC, session="id")[-2:] == ["--session-id", "id"]
    assert "--session-id" not in wire.arguments(AgentSpec(Path("/w"), "go", {}, resume="abc"), session="abc")
    forked = AgentSpec(Path("/w"), "go", {}, resume="abc", fork=True)
    assert wire.arguments(forked, session="id")[-2:] == ["--session-id", "id"]


def test_an_agent_that_need_not_ask_is_not_asked() -> None:
    unasked = wire.arguments(AgentSpec(Path("/w"), "go", {}, ask_permission=False))
    assert "--permission-prompt-tool" not in unasked
    assert "--dangerously-skip-permissions" in unasked
    assert "--dangerously-skip-permissions" not in wire.arguments(SPEC)


def test_an_interrupt_is_a_control_request() -> None:
    assert read(wire.interrupt("i1")) == {
        "type": "control_request",
        "request_id": "i1",
        "request": {"subtype": "interrupt"},
    }


def test_always_takes_the_suggested_rule_for_this_session() -> None:
    mode = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    rule = {"type": "addRules", "rules": [{"toolName": "Bash"}], "destination": "localSettings"}
    assert wire.lasting([mode, rule]) == {**rule, "destination": "session"}
    assert wire.lasting([mode]) == mode
    assert wire.lasting([]) is None


@pytest.mark.parametrize(
    ("suggestion", "words"),
    [
        (
            {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch b *"}]},
            "Bash(touch b *)",
        ),
        (
            {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "a"}, {"toolName": "Read"}]},
            "Bash(a), every Read",
        ),
        (
            {"type": "setMode", "mode": "acceptEdits"},
            "edits and common file commands (rm, mv, cp, sed, ...) in the folders it works in",
        ),
        ({"type": "setMode", "mode": "bypassPermissions"}, "the client's mode bypassPermissions"),
        ({"type": "addDirectories", "directories": ["/tmp/x"]}, "work in /tmp/x"),
        ({"type": "new", "destination": "session"}, '{"type": "new"}'),
    ],
)
def test_what_always_grants_is_said_in_words(suggestion: dict[str, Any], words: str) -> None:
    assert wire.granted([suggestion]) == f"{words}, in this session"


def test_what_always_grants_is_the_rule_that_is_sent() -> None:
    mode = {"type": "setMode", "mode": "acceptEdits"}
    rule = {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "make *"}]}
    assert wire.granted([mode, rule]) == "Bash(make *), in this session"
    assert "this once only" in wire.granted([])


def test_a_denial_without_words_says_that_it_is_one() -> None:
    asked = wire.Asked("r1", "Bash", {"command": "ls"})
    assert read(wire.answer(asked, "deny"))["response"]["response"] == {
        "behavior": "deny",
        "message": wire.DENIED,
    }
    assert read(wire.answer(asked, "always"))["response"]["response"] == {
        "behavior": "allow",
        "updatedInput": {"command": "ls"},
    }


@pytest.mark.parametrize(
    "entry",
    [
        {"request_id": "r", "request": {"subtype": "hook_callback"}},
        {"request_id": 3, "request": {"subtype": "can_use_tool"}},
        {"request_id": "r", "request": "can_use_tool"},
        {},
    ],
)
def test_other_requests_are_no_permission_requests(entry: dict[str, Any]) -> None:
    assert wire.asked(entry, "e1") is None


def test_a_permission_request_may_hold_anything() -> None:
    entry = {"request_id": "r", "request": {"subtype": "can_use_tool", "input": [1], "tool_use_id": 7}}
    asked = wire.asked(entry, "e1")
    assert asked is not None
    assert (asked.input, asked.suggestions, asked.call) == ({"input": [1]}, (), None)


@needs_cases
def test_the_answers_are_those_that_the_client_took() -> None:
    assert CASES
    lines = (CASES / "agents" / "cc-canusetool.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    asked = {
        found.request: found
        for entry in entries
        if entry["dir"] == "out" and (found := wire.asked(entry["msg"], ""))
    }
    answers = [
        entry["msg"]
        for entry in entries
        if entry["dir"] == "in" and entry["msg"]["type"] == "control_response"
    ]
    assert len(answers) == len(asked) == 2
    for recorded in answers:
        decision = recorded["response"]["response"]
        request = asked[recorded["response"]["request_id"]]
        choice = "allow" if decision["behavior"] == "allow" else "deny"
        assert read(wire.answer(request, choice, decision.get("message", ""))) == recorded  # type: ignore[arg-type]
