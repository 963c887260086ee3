"""The driver on a fake client: messages and their receipts, interrupts, permissions, money, ends of turns."""

import itertools
import json
from pathlib import Path

import pytest

from kernelseek_tui.agents.claude import agent as driver
from kernelseek_tui.agents.claude.agent import ClaudeAgent
from kernelseek_tui.agents.protocol import Agent, AsksPermission, ShowsPartialText
from kernelseek_tui.hooks.mailbox import Mailbox
from sessions import events as ev
from tests.kernelseek_tui.agents.claude_stage import playing


def test_it_is_an_agent_that_asks_and_shows_partial_text() -> None:
    agent: Agent = ClaudeAgent()
    assert isinstance(agent, AsksPermission)
    assert isinstance(agent, ShowsPartialText)
    assert (agent.capabilities.interrupt, agent.capabilities.pause) == (True, False)


async def test_a_session_begins_with_the_task_and_each_turn_ends(tmp_path: Path) -> None:
    async with playing(tmp_path, "hello there") as stage:
        await stage.turns(1)
        receipt = await stage.agent.send("and again")
        await stage.turns(2)
    assert (receipt.delivery, receipt.detail) == ("own_turn", "the agent was waiting")
    kinds = [event.kind for event in stage.events]
    turn = ["human_message", "agent_text", "usage", "usage", "turn_ended"]
    assert kinds == ["session_started", *turn, *turn]
    started = stage.of(ev.SessionStarted)[0]
    assert (started.agent_name, started.model, started.task) == ("claude", "m1", "hello there")
    assert started.versions == {"claude-code": "2.1.332"}
    assert [message.text for message in stage.of(ev.HumanMessage)] == ["hello there", "and again"]
    assert len({event.id for event in stage.events}) == len(stage.events)
    assert all(event.time for event in stage.events)


@pytest.mark.shows("claude owned", "partial text", client="stand-in")
async def test_partial_text_grows_and_ends_when_it_became_an_event(tmp_path: Path) -> None:
    async with playing(tmp_path, "one two") as stage:
        await stage.turns(1)
    assert stage.partial == ["You ", "You said: ", "You said: one ", "You said: one two ", ""]


async def test_usage_is_counted_once_with_the_final_numbers(tmp_path: Path) -> None:
    async with playing(tmp_path) as stage:
        await stage.turns(1)
        assert stage.agent.context == (154, 200_000)
        assert stage.agent.cost_usd == pytest.approx(0.01)
    reply, money = stage.of(ev.Usage)
    assert (reply.message, reply.input_tokens, reply.output_tokens) == ("msg_1", 100, 42)
    assert (reply.cache_read_tokens, reply.cache_write_tokens, reply.cost_usd) == (7, 5, None)
    assert (money.message, money.output_tokens, money.cost_usd) == (None, 0, 0.01)


async def test_a_message_in_mid_turn_is_delivered_at_the_tool_boundary(tmp_path: Path) -> None:
    async with playing(tmp_path, "tool") as stage:
        await stage.until(lambda: stage.of(ev.ToolCall))
        receipt = await stage.agent.send("Where does the time go?")
        await stage.turns(1)
    assert receipt.delivery == "queued"
    assert "next tool boundary" in receipt.detail
    message = stage.of(ev.HumanMessage)[1]
    assert (message.text, message.mid_turn) == ("Where does the time go?", True)
    kinds = [event.kind for event in stage.events]
    assert kinds.index("tool_result") < stage.events.index(message)
    assert kinds.count("turn_ended") == 1


async def test_a_message_for_later_has_a_turn_of_its_own(tmp_path: Path) -> None:
    async with playing(tmp_path, "tool") as stage:
        await stage.until(lambda: stage.of(ev.ToolCall))
        receipt = await stage.agent.send("afterwards", "later")
        await stage.turns(2)
    assert "when this one has ended" in receipt.detail
    message = stage.of(ev.HumanMessage)[1]
    assert (message.text, message.mid_turn) == ("afterwards", False)
    assert stage.events.index(stage.of(ev.TurnEnded)[0]) < stage.events.index(message)


@pytest.mark.parametrize("text", ["silent: no echo", "twice echoed and started", "API Error: said a person"])
async def test_a_message_comes_once_whatever_the_client_says_of_it(tmp_path: Path, text: str) -> None:
    async with playing(tmp_path, text) as stage:
        await stage.turns(1)
    assert [message.text for message in stage.of(ev.HumanMessage)] == [text]


async def test_text_comes_back_exactly_as_it_was_sent(tmp_path: Path) -> None:
    text = "  <system-reminder>mine</system-reminder> U+2028 \u2028 and 漢字 [b]\n"
    async with playing(tmp_path) as stage:
        await stage.turns(1)
        await stage.agent.send(text)
        await stage.turns(2)
    assert stage.of(ev.HumanMessage)[1].text == text


async def test_an_interrupt_stops_the_turn_and_the_agent_lives_on(tmp_path: Path) -> None:
    async with playing(tmp_path, "tool") as stage:
        await stage.until(lambda: stage.of(ev.ToolCall))
        await stage.agent.interrupt()
        await stage.turns(1)
        receipt = await stage.agent.send("carry on")
        await stage.turns(2)
        await stage.agent.interrupt()  # nothing to stop
    assert receipt.delivery == "own_turn"
    assert [ended.reason for ended in stage.of(ev.TurnEnded)] == ["interrupted", "completed"]
    assert stage.of(ev.ToolResult)[0].is_error


@pytest.mark.parametrize("choice", ["allow", "always", "deny"])
async def test_a_permission_is_asked_for_and_answered(tmp_path: Path, choice: str) -> None:
    async with playing(tmp_path, "ask") as stage:
        await stage.until(lambda: stage.of(ev.PermissionRequested))
        asked = stage.of(ev.PermissionRequested)[0]
        await stage.agent.answer("another", "allow")
        await stage.agent.answer(asked.request, choice, "measure first")  # type: ignore[arg-type]
        await stage.turns(1)
        await stage.agent.answer(asked.request, "deny")  # answered before
        answer = stage.log[1]["response"]
    call = stage.of(ev.ToolCall)[0]
    assert (asked.parent, asked.tool, asked.input) == (call.id, "Bash", {"command": "touch x"})
    assert asked.always == "every Bash, in this session"
    assert answer["request_id"] == asked.request
    result = stage.of(ev.ToolResult)[0]
    assert (result.output, result.is_error) == (
        ("measure first", True) if choice == "deny" else ("done", False)
    )
    rules = answer["response"].get("updatedPermissions")
    assert rules == (
        [{"type": "addRules", "rules": [{"toolName": "Bash"}], "destination": "session"}]
        if choice == "always"
        else None
    )
    assert len(stage.log) == 2


async def test_an_interrupt_withdraws_what_was_asked(tmp_path: Path) -> None:
    async with playing(tmp_path, "ask") as stage:
        await stage.until(lambda: stage.of(ev.PermissionRequested))
        await stage.agent.interrupt()
        await stage.turns(1)
        asked, answered = stage.of(ev.PermissionRequested)[0], stage.of(ev.PermissionAnswered)[0]
        await stage.agent.answer(asked.request, "allow")
    assert (answered.request, answered.parent, answered.by) == (asked.request, asked.id, "client")
    assert stage.of(ev.TurnEnded)[0].reason == "interrupted"
    assert all(entry.get("type") != "control_response" for entry in stage.log)


async def test_a_turn_is_over_only_when_nothing_will_wake_the_agent(tmp_path: Path) -> None:
    async with playing(tmp_path, "background wakes") as stage:
        await stage.turns(1)
    kinds = [event.kind for event in stage.events]
    assert kinds.index("turn_ended") > kinds.index("agent_text", kinds.index("agent_text") + 1)
    assert any("waits for what it runs in the background: bench" in note.text for note in stage.of(ev.Note))


async def test_background_work_that_wakes_nobody_ends_the_turn_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "GRACE_SECONDS", 0.05)
    async with playing(tmp_path, "background sleeps") as stage:
        await stage.turns(1)
        assert (await stage.agent.send("next")).delivery == "own_turn"
        await stage.turns(2)


async def test_the_command_line_and_the_environment_say_what_was_asked_for(tmp_path: Path) -> None:
    async with playing(tmp_path, model="opus", spend_ceiling_usd=2.5, environment={"PATH": "/bin"}) as stage:
        await stage.turns(1)
        first = stage.log[0]
    pairs = set(itertools.pairwise(first["argv"]))
    assert {("--model", "opus"), ("--max-budget-usd", "2.5"), ("--permission-prompt-tool", "stdio")} <= pairs
    assert {("--input-format", "stream-json"), ("--output-format", "stream-json")} <= pairs
    assert "--settings" not in first["argv"]
    assert int(first["cap"]) > 100


async def test_the_goals_hook_is_given_to_the_process_and_let_go_at_the_end(tmp_path: Path) -> None:
    async with playing(tmp_path, goal_hook=True) as stage:
        await stage.turns(1)
        arguments = stage.log[0]["argv"]
        session = arguments[arguments.index("--session-id") + 1]
        box = Mailbox(tmp_path / "state", session)
        assert box.binding() is not None
    settings = json.loads(arguments[arguments.index("--settings") + 1])
    assert settings["disableAllHooks"] is False  # what the project or the person says is below this
    assert session in settings["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert box.binding() is None


async def test_a_turn_that_the_hook_did_not_see_is_told(tmp_path: Path) -> None:
    async with playing(tmp_path, "tool", goal_hook=True) as stage:
        await stage.until(lambda: stage.of(ev.ToolCall))
        arguments = stage.log[0]["argv"]
        box = Mailbox(tmp_path / "state", arguments[arguments.index("--session-id") + 1])
        box.tell("stopped", refused=False)  # as the hook does; the stand-in runs none
        await stage.agent.send("Where does the time go?")
        await stage.turns(1)
        await stage.agent.send("and again")
        await stage.turns(2)
        await stage.agent.send("tool")
        await stage.until(lambda: len(stage.of(ev.ToolCall)) == 2)
        await stage.agent.interrupt()
        await stage.turns(3)
    held, missed, stopped = stage.of(ev.TurnEnded)
    assert stage.agent.unheld(held) == ""
    assert "without KernelSeek's stop hook" in stage.agent.unheld(missed)
    assert stage.agent.unheld(stopped) == ""  # nobody wanted it to go on
    (note,) = [note for note in stage.of(ev.Note) if "stop hook" in note.text]
    assert stage.events.index(note) == stage.events.index(missed) - 1


async def test_that_the_hook_could_not_tell_the_goal_is_a_verdict(tmp_path: Path) -> None:
    async with playing(tmp_path, "tool", goal_hook=True) as stage:
        await stage.until(lambda: stage.of(ev.ToolCall))
        arguments = stage.log[0]["argv"]
        box = Mailbox(tmp_path / "state", arguments[arguments.index("--session-id") + 1])
        box.tell("goal_unknown", text="Goal unknown, the agent may stop.")
        box.tell("stopped", refused=False)
        await stage.agent.send("Where does the time go?")
        await stage.turns(1)
    (verdict,) = stage.of(ev.GoalVerdict)
    assert (verdict.met, verdict.reason) == (None, "Goal unknown, the agent may stop.")
    assert stage.agent.unheld(stage.of(ev.TurnEnded)[0]) == ""


async def test_that_hooks_were_switched_off_is_said_at_the_start(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}')
    async with playing(tmp_path, goal_hook=True) as stage:
        await stage.turns(1)
    first = stage.of(ev.Note)[0]
    assert first.text.startswith(f"Hooks are switched off in {settings}; for this session KernelSeek")
    assert stage.events.index(first) == 1


async def test_every_event_of_a_fast_client_comes_once_and_in_order(tmp_path: Path) -> None:
    async with playing(tmp_path, "many 5000") as stage:
        await stage.turns(1)
    calls = [call.call for call in stage.of(ev.ToolCall)]
    assert calls == [f"t{index}" for index in range(5000)]
    assert [result.call for result in stage.of(ev.ToolResult)] == calls
    assert len({event.id for event in stage.events}) == len(stage.events)
