"""Whole rehearsals with the real script, start and edits; only the judge and the compiler are stand-ins."""

import asyncio
import os
import signal

import pytest

from kernelseek_tui.agents.protocol import AgentError, AgentSpec
from kernelseek_tui.agents.rehearsal.agent import RehearsalAgent
from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from kernelseek_tui.decisions.claims import claims_in
from sessions import events as ev

EDITS = load_script(DEFAULT).replacements
HOST = "Hardware or our design? Where does time go outside the kernel?"
ROUTING = "What configs bring the geomean down, and which path do they take?"
OTHER = "How many correct bits does one step more of intermediate width add?"
BLIND = {0: ROUTING, 1: HOST}
FOUND = {0: HOST, 1: ROUTING}


@pytest.mark.parametrize("seed", [0, 1])
async def test_unasked_it_stalls_claims_and_stops_with_one_loss_left(stage, seed):
    one = await stage(seed)
    await one.until_turns(1)
    assert one.fixed == ((True, False), (False, True))[seed]
    assert one.commands.count("kernelseek evaluate") >= 6
    claims = [kind for event in one.events for kind, _ in claims_in(event)]
    assert claims.index("limit") < claims.index("completion")
    assert one.agent.idle
    started, task = one.events[:2]
    assert isinstance(started, ev.SessionStarted)
    assert started.rehearsed
    assert (started.agent_name, started.operator, started.session) == ("rehearsal", "attention", "s1")
    # The task's own words ("on the host") start the story and lead nowhere.
    assert isinstance(task, ev.HumanMessage)
    assert not task.mid_turn


@pytest.mark.parametrize("seed", [0, 1])
async def test_a_question_on_the_other_layer_leads_to_the_goal(stage, seed):
    one = await stage(seed)
    await one.until_turns(1)
    receipt = await one.agent.send(BLIND[seed])
    assert receipt.delivery == "own_turn"
    await one.until_turns(2)
    assert one.fixed == (True, True)
    last = one.events[-2]
    assert isinstance(last, ev.AgentText)
    assert "5.208x" in last.text
    # It answers with what it measured and before it says so.
    assert ("6935 us" if seed else "0.803 ns") in one.texts


@pytest.mark.parametrize("seed", [0, 1])
async def test_a_question_on_its_own_layer_is_answered_with_a_number_and_leads_nowhere(stage, seed):
    one = await stage(seed)
    await one.until_turns(1)
    before, said = one.fixed, len(one.texts)
    await one.agent.send(FOUND[seed])
    await one.until_turns(2)
    assert ("0.803 ns" if seed else "6935 us") in one.texts[said:]
    assert one.fixed == before


@pytest.mark.parametrize("seed", [0, 1])
async def test_other_messages_get_different_excuses_and_then_the_same_answer(stage, seed):
    one = await stage(seed)
    await one.until_turns(1)
    before, answers = one.fixed, []
    for turn in range(2, 8):
        said = len(one.texts)
        await one.agent.send(OTHER if turn % 2 else "Continue.")
        await one.until_turns(turn)
        answers.append(one.texts[said:])
    assert one.fixed == before
    assert len(set(answers[:4])) == 4
    assert answers[-1] == answers[-2]


@pytest.mark.shows("rehearsal", "mid-turn message")
async def test_a_message_while_it_works_is_taken_at_the_next_tool_boundary(stage):
    one = await stage(0)
    receipt = await one.agent.send(ROUTING)
    assert receipt.delivery == "queued"
    await one.until_turns(1)
    index, heard = next(
        (i, e) for i, e in enumerate(one.events) if isinstance(e, ev.HumanMessage) and e.text == ROUTING
    )
    assert heard.mid_turn
    assert isinstance(one.events[index - 1], ev.ToolResult)
    assert one.fixed == (True, True)


@pytest.mark.shows("rehearsal", "stream")
async def test_results_and_edits_are_tied_to_their_calls(stage):
    one = await stage(0)
    await one.until_turns(1)
    ids = [event.id for event in one.events]
    assert len(set(ids)) == len(ids)
    calls = {event.id: event for event in one.events if isinstance(event, ev.ToolCall)}
    results = [event for event in one.events if isinstance(event, ev.ToolResult)]
    assert [calls[result.parent].call for result in results] == [call.call for call in calls.values()]
    edits = [event for event in one.events if isinstance(event, ev.Edit)]
    assert all(edit.parent in calls for edit in edits)
    fix = next(edit for edit in edits if edit.candidate)
    assert "-" + EDITS["fix_host"][0].old.splitlines()[0] in fix.diff
    assert not next(edit for edit in edits if edit.path == "probe.cpp").candidate


@pytest.mark.shows("rehearsal", "interrupt")
async def test_interrupt_stops_a_running_command_and_the_next_message_goes_on(stage, workspace):
    (workspace / "slow").touch()
    one = await stage(0)
    await one.until_running()
    await one.agent.interrupt()
    await one.until_turns(1)
    result, ended = one.events[-2:]
    assert isinstance(result, ev.ToolResult)
    assert result.is_error
    assert "Interrupted" in result.output
    assert ended.reason == "interrupted"
    assert one.agent.idle
    (workspace / "slow").unlink()
    await one.agent.send("Go on.")
    await one.until_turns(2)
    assert one.fixed == (True, False)  # the broken-off evaluation was done again and the story went on


async def test_interrupting_an_idle_agent_does_nothing(stage):
    one = await stage(0)
    await one.until_turns(1)
    count = len(one.events)
    await one.agent.interrupt()
    assert len(one.events) == count


async def test_a_paused_agent_starts_nothing_new_until_resumed(stage, workspace):
    (workspace / "slow").touch()
    one = await stage(0)
    await one.until_running()
    await one.agent.pause()
    (workspace / "slow").unlink()
    receipt = await one.agent.send("Continue.")  # answered after the pause was taken
    assert receipt.delivery == "queued"
    os.killpg(next(iter(one.agent._groups)), signal.SIGTERM)
    await one.until(lambda events: isinstance(events[-1], ev.HumanMessage) and len(events) > 3)
    count = len(one.events)
    for _ in range(20):
        await asyncio.sleep(0.01)
    assert len(one.events) == count
    await one.agent.resume()
    await one.until_turns(1)


async def test_a_killed_player_ends_the_events_with_a_note(stage, workspace):
    (workspace / "slow").touch()
    one = await stage(0)
    await one.until_running()
    (command,) = one.agent._groups
    os.killpg(one.agent._process.pid, signal.SIGKILL)
    await one.until(lambda events: isinstance(events[-1], ev.Note))
    await one.end()
    ended, note = one.events[-2:]
    assert ended.reason == "failed"
    assert "SIGKILL" in note.text
    assert (await one.agent.send("Hello?")).delivery == "failed"
    await one.until_gone(command)


async def test_close_ends_a_running_command_and_is_not_an_error(stage, workspace):
    (workspace / "slow").touch()
    one = await stage(0)
    await one.until_running()
    (command,) = one.agent._groups
    await one.end()
    await one.until_gone(command)
    assert not any(isinstance(event, ev.Note) for event in one.events)
    await one.agent.close()


async def test_an_edit_that_does_not_apply_is_an_error_result(stage, workspace):
    candidate = workspace / "candidate.cpp"
    candidate.write_text(
        candidate.read_text().replace(EDITS["fix_host"][0].old, "// somebody was here before\n")
    )
    one = await stage(0)
    await one.until_turns(1)
    refused = [
        e for e in one.events if isinstance(e, ev.ToolResult) and "not found in candidate.cpp" in e.output
    ]
    assert refused
    assert refused[0].is_error


async def test_a_script_that_is_refused_and_a_missing_workspace_are_sentences(tmp_path):
    script = tmp_path / "bad.yaml"
    script.write_text("version: 1\nsurprise: 2\n")
    spec = AgentSpec(tmp_path, "Go.", {})
    with pytest.raises(AgentError, match="unknown key 'surprise'"):
        await RehearsalAgent(script).start(spec)
    with pytest.raises(AgentError, match="no workspace"):
        await RehearsalAgent().start(AgentSpec(tmp_path / "absent", "Go.", {}))
