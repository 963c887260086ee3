"""The built-in agent on the rehearsal server: the real script, start and edits; the judge is a stand-in."""

import os
from collections.abc import AsyncIterator, Iterator

import pytest

from kernelseek_tui.agents.builtin.agent import BuiltinAgent
from kernelseek_tui.agents.protocol import AgentSpec
from kernelseek_tui.agents.rehearsal.model import is_rehearsed
from kernelseek_tui.agents.rehearsal.script import DEFAULT, load_script
from kernelseek_tui.rehearse.faults import parse_fault
from kernelseek_tui.rehearse.server import RehearsalServer
from sessions import events as ev
from tests.kernelseek_tui.agents.built import Built, of
from tests.kernelseek_tui.agents.conftest import LOSSES
from tests.kernelseek_tui.agents.messages_server import MessagesServer

ROUTING = "What configs bring the geomean down, and which path do they take?"
NO_SERVER: MessagesServer = None  # type: ignore[assignment]  # the rehearsal server stands in for it


@pytest.fixture
def model(monkeypatch) -> Iterator[RehearsalServer]:
    with RehearsalServer(load_script(DEFAULT), seed=0) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield server


@pytest.fixture
async def agent(workspace, model) -> AsyncIterator[Built]:
    tools = workspace.parent / "bin"
    own = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "CXX": str(tools / "c++")}
    one = Built(workspace, NO_SERVER, BuiltinAgent(backoff=0, rehearsed=is_rehearsed(os.environ)))
    one.spec = AgentSpec(workspace, "Make the attention kernel fast.", own, ask_permission=False)
    yield one
    await one.end()


def lost(one: Built) -> tuple[bool, bool]:
    """Whether the host loss and the routing loss are still in the candidate."""
    source = (one.folder / "candidate.cpp").read_text()
    return LOSSES["@HOST@"] in source, LOSSES["@ROUTING@"] in source


@pytest.mark.shows("builtin", "stream", "mid-turn message")
async def test_a_question_at_a_tool_boundary_leads_it_to_both_losses_through_faults(agent, model):
    model.add_faults([parse_fault("529@2"), parse_fault("cut@4"), parse_fault("500@6")])
    await agent.start()
    receipt = await agent.agent.send(ROUTING)
    assert receipt.delivery == "queued"
    await agent.until_turns(1)
    assert lost(agent) == (False, False)
    assert agent.events[0].rehearsed
    asked = next(event for event in of(agent, ev.HumanMessage) if event.text == ROUTING)
    assert asked.mid_turn
    assert "5.208x" in agent.texts[-1]
    assert len(agent.texts) == len(set(agent.texts))  # nothing came twice
    assert any("broke off" in note.text for note in of(agent, ev.Note))
    calls = of(agent, ev.ToolCall)
    assert len({call.call for call in calls}) == len(calls) == len(of(agent, ev.ToolResult))
    spent = of(agent, ev.Usage)
    assert len({usage.message for usage in spent}) == len(spent)


async def test_unasked_it_stops_with_one_loss_left_and_a_question_then_has_a_turn_of_its_own(agent):
    await agent.start()
    await agent.until_turns(1)
    assert lost(agent) == (False, True)
    assert (await agent.agent.send(ROUTING)).delivery == "own_turn"
    await agent.until_turns(2)
    assert lost(agent) == (False, False)


async def test_a_denial_is_heard_by_the_model(agent):
    agent.spec = AgentSpec(agent.folder, "Make it fast.", agent.spec.environment)
    await agent.start()
    request = await agent.until_asked(1)
    await agent.agent.answer(request.request, "deny", ROUTING)
    second = await agent.until_asked(2)
    assert second.input != request.input
    denied = of(agent, ev.ToolResult)[0]
    assert denied.is_error
    assert ROUTING in denied.output


def test_only_a_rehearsal_server_is_one(model, served):
    assert is_rehearsed({"ANTHROPIC_BASE_URL": model.url})
    _, other = served
    assert not is_rehearsed({"ANTHROPIC_BASE_URL": other.url})
    assert not is_rehearsed({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"})
    assert not is_rehearsed({"ANTHROPIC_BASE_URL": "http://[bad"})
    assert not is_rehearsed({"ANTHROPIC_BASE_URL": "https://api.example.com"})
    assert not is_rehearsed({})
