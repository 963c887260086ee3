"""The built-in agent over a scripted server: the tool loop, permissions, messages, interrupts."""

import json
import os
import signal

import pytest

from kernelseek_tui.agents.builtin.agent import BuiltinAgent
from kernelseek_tui.agents.lines.tools import MAX_OUTPUT
from kernelseek_tui.agents.protocol import AgentError, AgentSpec, AsksPermission, ShowsPartialText
from sessions import events as ev
from tests.kernelseek_tui.agents.built import KEY, Built, of
from tests.kernelseek_tui.agents.messages_server import Fail, Say, bash, edit, text


async def test_the_whole_loop_reads_edits_runs_and_answers(spawned):
    spawned.server.script += [
        Say([text("I look first."), edit("a", command="view", path="notes.txt")]),
        Say([edit("b", command="str_replace", path="candidate.cpp", old_str="slow", new_str="fast")]),
        Say([bash("cat candidate.cpp; echo done", "c"), bash("exit 3", "d")]),
        Say([text("It is fast now.")]),
    ]
    await spawned.start(allow_all=True)
    await spawned.until_turns(1)
    assert isinstance(spawned.agent, AsksPermission)
    assert isinstance(spawned.agent, ShowsPartialText)
    started = spawned.events[0]
    assert isinstance(started, ev.SessionStarted)
    assert (started.agent_name, started.model, started.rehearsed) == ("builtin", "claude-opus-5-5", False)
    kinds = [event.kind for event in spawned.events if not isinstance(event, ev.Usage)]
    assert kinds == [
        *("session_started", "human_message", "agent_text", "tool_call", "tool_result"),
        *("tool_call", "edit", "tool_result"),
        *("tool_call", "tool_result", "tool_call", "tool_result", "agent_text", "turn_ended"),
    ]
    view, _, shown, failed = of(spawned, ev.ToolResult)
    assert view.output == "     1\tone\n     2\ttwo"
    assert shown.output == "a fast kernel\ndone"
    assert failed.is_error
    (changed,) = of(spawned, ev.Edit)
    assert changed.candidate
    assert "+a fast kernel" in changed.diff
    assert spawned.texts == ["I look first.", "It is fast now."]
    # Both results of one reply go back in one message, in order.
    assert [result["tool_use_id"] for result in spawned.server.results()] == ["c", "d"]
    assert spawned.server.results()[1]["is_error"] is True


async def test_requests_carry_tools_cache_marks_and_context_editing(built):
    built.server.script += [Say([bash("true")]), Say([text("Done.")])]
    await built.start(allow_all=True)
    await built.until_turns(1)
    first, second = built.server.requests
    assert [tool["type"] for tool in first["tools"]] == ["bash_20250124", "text_editor_20250728"]
    assert first["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert first["tools"][-1]["cache_control"] == {"type": "ephemeral"}
    assert str(built.folder) in first["system"][0]["text"]
    assert first["context_management"]["edits"][0]["type"] == "clear_tool_uses_20250919"
    assert "context-management-2025-06-27" in built.server.headers[0]["anthropic-beta"]
    marks = [b for m in second["messages"] for b in m["content"] if "cache_control" in b]
    assert marks == [second["messages"][-1]["content"][-1]]
    assert first["stream"] is True


@pytest.mark.shows("builtin", "usage")
async def test_usage_and_money_are_counted_once_a_reply(built):
    usage = {
        "input_tokens": 1000,
        "output_tokens": 500,
        "cache_read_input_tokens": 20_000,
        "cache_creation_input_tokens": 4000,
    }
    built.server.script += [Say([bash("true")], usage=usage), Say([text("Done.")], usage=usage)]
    await built.start(allow_all=True)
    await built.until_turns(1)
    first, second = of(built, ev.Usage)
    assert (first.input_tokens, first.output_tokens) == (1000, 500)
    assert (first.cache_read_tokens, first.cache_write_tokens) == (20_000, 4000)
    assert first.cost_usd == pytest.approx((1000 * 4 + 500 * 20 + 20_000 * 0.2 + 4000 * 5) / 1e6)
    assert (first.message, second.message) == ("msg_1", "msg_2")


async def test_reads_need_no_permission_edits_and_commands_do(built):
    built.server.script += [
        Say([edit("a", command="view", path=".")]),
        Say([edit("b", command="create", path="probe.py", file_text="print(1)\n")]),
        Say([bash("touch made", "c")]),
    ]
    await built.start()
    request = await built.until_asked(1)
    assert (request.tool, request.input["command"]) == ("str_replace_based_edit_tool", "create")
    assert not (built.folder / "probe.py").exists()
    call = next(event for event in of(built, ev.ToolCall) if event.id == request.parent)
    assert call.call == "b"
    await built.agent.answer(request.request, "allow")
    request = await built.until_asked(2)
    assert (built.folder / "probe.py").read_text() == "print(1)\n"
    assert (request.tool, request.input) == ("bash", {"command": "touch made"})
    await built.agent.answer("p99", "allow")  # an id that nobody waits for
    await built.agent.answer(request.request, "allow")
    await built.until_turns(1)
    assert (built.folder / "made").exists()


@pytest.mark.shows("builtin", "permissions")
async def test_a_denial_is_what_the_model_reads_as_the_result(spawned):
    spawned.server.script += [Say([bash("touch made")]), Say([text("I see.")])]
    await spawned.start()
    request = await spawned.until_asked(1)
    await spawned.agent.answer(request.request, "deny", "Measure first: what does it cost?")
    await spawned.until_turns(1)
    assert not (spawned.folder / "made").exists()
    (result,) = spawned.server.results()
    assert result["is_error"] is True
    assert result["content"] == "Not allowed. Measure first: what does it cost?"
    assert of(spawned, ev.ToolResult)[0].output == result["content"]


async def test_always_covers_that_command_and_that_file_and_is_said(built):
    built.server.script += [
        Say([bash("touch made", "a")]),
        Say([bash("touch made", "b"), edit("c", command="create", path="x/../n.txt", file_text="1")]),
        Say([edit("d", command="create", path="n.txt", file_text="2"), bash("touch made; rm made", "e")]),
    ]
    await built.start()
    await built.agent.answer((await built.until_asked(1)).request, "always")
    await built.agent.answer((await built.until_asked(2)).request, "always")
    third = await built.until_asked(3)
    assert third.input["command"] == "touch made; rm made"
    await built.agent.answer(third.request, "deny")
    await built.until_turns(1)
    assert (built.folder / "n.txt").read_text() == "2"
    notes = [note.text for note in of(built, ev.Note)]
    assert notes == [
        "Allowed from now on: exactly the command 'touch made'.",
        "Allowed from now on: edits of n.txt.",
    ]


@pytest.mark.shows("builtin", "interrupt")
async def test_an_interrupt_stops_a_running_command_and_the_agent_lives_on(spawned):
    spawned.server.script += [Say([bash("echo up > up; sleep 60", "a"), bash("touch never", "b")])]
    await spawned.start(allow_all=True)
    await spawned.until_file("up")
    await spawned.agent.interrupt()
    await spawned.until_turns(1)
    ended = spawned.events[-1]
    assert ended.reason == "interrupted"
    assert [result.is_error for result in of(spawned, ev.ToolResult)] == [True, True]
    assert not spawned.agent._groups
    await spawned.agent.send("Go on.")
    await spawned.until_turns(2)
    assert not (spawned.folder / "never").exists()
    # The history stayed valid: both calls have results, then come the words.
    assert [result["tool_use_id"] for result in spawned.server.results()] == ["a", "b"]
    assert spawned.server.words() == ["[Request interrupted by user]", "Go on."]


@pytest.mark.shows("builtin", "partial text")
async def test_an_interrupt_stops_the_stream_and_keeps_what_was_said(built):
    built.server.script += [Say([text("Half a thought"), bash("touch never")], events=4, hold=True)]
    partials = []
    built.agent.on_partial(partials.append)
    await built.start(allow_all=True)
    await built.until_partial(partials, "Half a thought")
    await built.agent.interrupt()
    await built.until_turns(1)
    assert partials[-1] == ""
    assert built.texts == ["Half a thought"]
    assert not of(built, ev.ToolCall)
    assert len(of(built, ev.Usage)) == 1
    await built.agent.send("And now?")
    await built.until_turns(2)
    roles = [message["role"] for message in built.server.requests[-1]["messages"]]
    assert roles == ["user", "assistant", "user"]


async def test_an_interrupt_ends_the_wait_for_a_permission(built):
    built.server.script += [Say([bash("touch made")])]
    await built.start()
    request = await built.until_asked(1)
    await built.agent.interrupt()
    await built.until_turns(1)
    await built.agent.answer(request.request, "allow")  # too late
    (answered,) = of(built, ev.PermissionAnswered)
    assert (answered.request, answered.parent, answered.by) == (request.request, request.id, "client")
    assert not (built.folder / "made").exists()
    assert of(built, ev.ToolResult)[0].output == "Interrupted by the user."


async def test_a_message_while_it_works_arrives_at_the_next_tool_boundary(spawned):
    spawned.server.script += [Say([bash("echo up > up; while [ ! -e go ]; do sleep 0.02; done")])]
    await spawned.start(allow_all=True)
    await spawned.until_file("up")
    receipt = await spawned.agent.send("Where does time go?")
    assert (receipt.delivery, receipt.detail) == ("queued", "taken at the next tool boundary")
    later = await spawned.agent.send("And after that?", "later")
    assert (later.delivery, later.detail) == ("queued", "taken when the turn has ended")
    (spawned.folder / "go").touch()
    await spawned.until_turns(2)
    task, during, after = of(spawned, ev.HumanMessage)
    assert (task.mid_turn, during.mid_turn, after.mid_turn) == (False, True, False)
    assert isinstance(spawned.events[spawned.events.index(during) - 1], ev.ToolResult)
    assert spawned.server.words(1) == ["Where does time go?"]
    assert len(spawned.server.results(1)) == 1
    assert spawned.server.words(2) == ["And after that?"]


async def test_a_message_of_priority_now_breaks_the_turn_off(built):
    built.server.script += [Say([bash("echo up > up; sleep 60")])]
    await built.start(allow_all=True)
    await built.until_file("up")
    receipt = await built.agent.send("Stop that; what is the bound?", "now")
    assert receipt.delivery == "queued"
    await built.until_turns(2)
    assert [turn.reason for turn in of(built, ev.TurnEnded)] == ["interrupted", "completed"]
    assert built.server.words()[-1] == "Stop that; what is the bound?"


async def test_a_message_to_a_waiting_agent_has_a_turn_of_its_own(built):
    await built.start()
    await built.until_turns(1)
    assert built.agent.idle
    assert (await built.agent.send("More?")).delivery == "own_turn"
    await built.until_turns(2)


async def test_a_paused_agent_asks_nothing_until_resumed(built):
    built.server.script += [Say([bash("echo up > up; while [ ! -e go ]; do sleep 0.02; done")])]
    await built.start(allow_all=True)
    await built.until_file("up")
    await built.agent.pause()
    await built.agent.send("Heard?")  # answered after the pause was taken
    (built.folder / "go").touch()
    await built.until(lambda events: isinstance(events[-1], ev.HumanMessage) and len(events) > 3)
    assert len(built.server.requests) == 1
    await built.agent.resume()
    await built.until_turns(1)
    assert len(built.server.requests) == 2


def use(call: str, tool: str, given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": call, "name": tool, "input": given}


BAD_CALLS = [
    (use("a", "teleport", {}), "no tool named teleport"),
    (use("b", "bash", {}), "needs 'command'"),
    (use("c", "bash", {"command": 7}), "needs 'command'"),
    (use("d", "bash", '{"command": "touch ma'), "not whole JSON"),
    (use("e", "bash", "[1]"), "not a JSON object"),
    (edit("f", command="undo_edit", path="x"), "no command 'undo_edit'"),
    (edit("g", command=["view"], path="x"), "no command"),
    (edit("h", command="view"), "needs 'path'"),
    (edit("i", command="insert", path="x", insert_line="1", insert_text="t"), "needs 'insert_line'"),
    (edit("j", command="create", path="../x", file_text="t"), "outside the workspace"),
    (edit("k", command="create", path="/etc/x", file_text="t"), "outside the workspace"),
    (edit("l", command="view", path="up/secret"), "outside the workspace"),
    (edit("m", command="view", path="nul\0"), "not a path"),
]


async def test_a_call_that_cannot_be_done_is_an_error_result_and_nobody_is_asked(built):
    (built.folder / "up").symlink_to(built.folder.parent)
    (built.folder.parent / "secret").write_text("s")
    built.server.script += [Say([block for block, _ in BAD_CALLS]), Say([text("Then not.")])]
    await built.start()
    await built.until_turns(1)
    results = of(built, ev.ToolResult)
    for result, (_, words) in zip(results, BAD_CALLS, strict=True):
        assert result.is_error
        assert words in result.output
    assert not of(built, ev.PermissionRequested)
    assert [result["content"] for result in built.server.results()] == [result.output for result in results]
    assert built.texts == ["Then not."]


async def test_huge_outputs_are_cut_with_a_note_and_there_is_no_shell_to_restart(built):
    built.server.script += [
        Say([bash("head -c 3000000 /dev/zero | tr '\\0' x", "a"), edit("b", command="view", path="big")]),
        Say([use("c", "bash", {"restart": True})]),
    ]
    (built.folder / "big").write_text("line\n" * 40_000)
    await built.start(allow_all=True)
    await built.until_turns(1)
    for result in built.server.results(1):
        assert len(result["content"]) < MAX_OUTPUT + 200
        assert "characters left out" in result["content"]
    assert "new shell" in built.server.results(2)[0]["content"]


async def test_the_key_is_in_no_event_whatever_prints_it(spawned):
    spawned.server.script += [
        Say([bash("env; cat /proc/$PPID/environ | tr '\\0' '\\n'; echo key=$ANTHROPIC_API_KEY", "a")]),
        Say([text(f"Your key is {KEY}.")]),
        Fail(400, "invalid_request_error", f"bad key {KEY}"),
    ]
    await spawned.start(allow_all=True)
    await spawned.until_turns(1)
    await spawned.agent.send("Again.")
    await spawned.until_turns(2)
    written = "".join(event.model_dump_json() for event in spawned.events)
    assert KEY not in written
    assert "ANTHROPIC_API_KEY=[secret]" in written  # from the client's own environment
    (line,) = [line for line in of(spawned, ev.ToolResult)[0].output.splitlines() if line.startswith("key=")]
    assert line == "key="  # commands are not given it
    assert KEY not in json.dumps(spawned.server.requests[:2])
    assert KEY in " ".join(spawned.server.headers[0].values())


async def test_a_killed_client_ends_its_turn_its_command_and_the_events(spawned):
    spawned.server.script += [Say([bash("echo up > up; sleep 60")])]
    await spawned.start(allow_all=True)
    await spawned.until_file("up")
    os.killpg(spawned.agent._process.pid, signal.SIGKILL)
    await spawned.until(lambda events: isinstance(events[-1], ev.Note))
    ended, note = spawned.events[-2:]
    assert ended.reason == "failed"
    assert "The built-in agent was killed by SIGKILL" in note.text
    assert (await spawned.agent.send("Hello?")).delivery == "failed"
    assert spawned.agent.outage == note.text


async def test_a_client_killed_while_it_asks_asks_no_longer(spawned):
    spawned.server.script += [Say([bash("touch one")]), Say([bash("touch two")])]
    await spawned.start()
    await spawned.agent.answer((await spawned.until_asked(1)).request, "allow")
    request = await spawned.until_asked(2)
    os.killpg(spawned.agent._process.pid, signal.SIGKILL)
    await spawned.until(lambda events: isinstance(events[-1], ev.Note))
    (answered,) = of(spawned, ev.PermissionAnswered)  # the first has its answer from whoever gave it
    assert (answered.request, answered.parent, answered.by) == (request.request, request.id, "client")


async def test_at_the_spend_ceiling_it_ends_and_says_what_it_was_never_given(served):
    one = Built(*served, BuiltinAgent(backoff=0, dollars=0.05))
    one.server.script += [
        Say([bash("echo up > up; while [ ! -e go ]; do sleep 0.02; done")], usage={"output_tokens": 2600})
    ]
    try:
        await one.start(allow_all=True)
        await one.until_file("up")
        await one.agent.send("Where does time go?")
        await one.agent.send("And after that?", "later")
        (one.folder / "go").touch()
        await one.until_turns(1)
        refused = await one.agent.send("Hello?")
        await one.agent.close()
    finally:
        await one.end()
    (ended,) = of(one, ev.TurnEnded)
    assert ended.reason == "failed"
    assert "The spend ceiling is reached" in ended.detail
    assert (refused.delivery, refused.detail) == ("failed", ended.detail)
    assert [message.text for message in of(one, ev.HumanMessage)] == ["Make it fast."]
    assert [note.text for note in of(one, ev.Note)] == [
        "The agent was never given this message: Where does time go?",
        "The agent was never given this message: And after that?",
    ]
    assert one.agent.outage == ""  # a ceiling is no fault of the model's
    assert len(one.server.requests) == 1


async def test_what_cannot_be_started_is_a_sentence(tmp_path):
    with pytest.raises(AgentError, match="no workspace"):
        await BuiltinAgent().start(AgentSpec(tmp_path / "absent", "Go.", {}))
    with pytest.raises(AgentError, match="cannot resume"):
        await BuiltinAgent().start(AgentSpec(tmp_path, "Go.", {}, resume="x"))
    (tmp_path / ".kernelseek").mkdir()
    (tmp_path / ".kernelseek" / "workspace.toml").write_text("operator = ")
    with pytest.raises(AgentError, match=r"workspace\.toml cannot be used"):
        await BuiltinAgent().start(AgentSpec(tmp_path, "Go.", {}))


async def test_without_credentials_the_check_says_what_to_set(tmp_path, monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    spec = AgentSpec(tmp_path, "Go.", {})
    with pytest.raises(AgentError, match="no API key; set ANTHROPIC_API_KEY"):
        await BuiltinAgent().check(spec)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "a token")
    await BuiltinAgent().check(spec)


async def test_without_the_sdk_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(AgentError, match=r"kernelseek-tui\[builtin\]"):
        await BuiltinAgent().start(AgentSpec(tmp_path, "Go.", {}))
