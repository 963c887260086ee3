"""Live sessions with a scripted stand-in for the agent and a judge that answers as the candidate says."""

import asyncio

import pytest

from harness.candidate import freeze
from harness.gaps import add_gap
from harness.owner import ask as asking
from harness.workspace import Workspace
from kernelseek_tui.agents.protocol import (
    AgentError,
    Priority,
    Receipt,
)
from kernelseek_tui.questioners.bank import FromBank
from kernelseek_tui.questioners.human import Human
from kernelseek_tui.questioners.none import Nobody
from sessions import events as ev
from sessions.transcript import open_transcript
from sessions.vocabulary import GapClass
from tests.kernelseek_tui.live import DONE, WISH, FakeAgent, FakeClient, of, session, text
from tests.made_records import SCENARIOS, made_record, store


async def test_an_agent_that_stops_early_ends_unmet_and_was_judged_once(workspace: Workspace) -> None:
    live = session(workspace, FakeAgent([DONE]), Nobody())
    await live.run(until_idle=True)
    assert live.exit_code == 10
    assert len(of(live, ev.Evaluation)) == 1  # the session's own: the agent never asked
    goal = live.state.goal
    assert goal is not None
    assert goal.met is False
    assert "goal unmet" in live.verdict


async def test_a_candidate_that_is_fast_meets_the_goal_whatever_the_agent_says(workspace: Workspace) -> None:
    workspace.candidate.write_text("// fast\n")
    live = session(workspace, FakeAgent([text("I give up, this is the limit.")]), Nobody())
    await live.run(until_idle=True)
    assert live.exit_code == 0


async def test_the_verdict_is_of_the_file_as_the_agent_left_it(workspace: Workspace) -> None:
    def evaluate() -> None:
        asking.request_evaluation(workspace)

    def spoil() -> None:
        workspace.candidate.write_text("// slow again\n")

    workspace.candidate.write_text("// fast\n")
    live = session(workspace, FakeAgent([evaluate, spoil, DONE]), Nobody())
    await live.run(until_idle=True)
    first, second = of(live, ev.Evaluation)
    assert isinstance(first, ev.Evaluation)
    assert isinstance(second, ev.Evaluation)
    assert (first.exit_code, second.exit_code, live.exit_code) == (0, 10, 10)


async def test_an_evaluation_is_journaled_before_the_agent_hears_of_it(workspace: Workspace) -> None:
    seen: list[int] = []

    def evaluate() -> None:
        asking.request_evaluation(workspace)
        seen.append(len(open_transcript(workspace.home.parent / "journal" / "events.jsonl").events))

    live = session(workspace, FakeAgent([evaluate]), Nobody())
    await live.run(until_idle=True)
    index = next(i for i, event in enumerate(live.events) if isinstance(event, ev.Evaluation))
    assert seen
    assert index < seen[0]
    evaluation = live.events[index]
    assert isinstance(evaluation, ev.Evaluation)
    assert evaluation.counts


async def test_the_bank_asks_and_the_echo_is_the_receipt(workspace: Workspace) -> None:
    agent = FakeAgent([DONE], [text("Let me measure that.")])
    live = session(workspace, agent, FromBank())
    await live.run(until_idle=True)
    asked = of(live, ev.QuestionAsked)
    assert asked
    assert isinstance(asked[0], ev.QuestionAsked)
    assert agent.sent[1] == asked[0].text
    receipts = [
        event.receipt
        for event in live.events
        if isinstance(event, ev.QuestionReceipt) and event.parent == asked[0].id
    ]
    assert receipts == ["own_turn"]
    assert [message.text for message in of(live, ev.HumanMessage)] == ["Make it fast."]  # type: ignore[union-attr]


class FakeBusy(FakeAgent):
    """Takes a message at once and reads it later; `early` reads it before it says that it was queued."""

    early = False

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        if not self.sent:
            return await super().send(text)
        self.sent.append(text)
        echo = ev.HumanMessage(id=f"h{len(self.sent)}", text=text, mid_turn=True)
        if self.early:
            self.queue.put_nowait(echo)
            await asyncio.sleep(0.05)
            return Receipt("queued")
        asyncio.get_running_loop().call_later(0.05, self.queue.put_nowait, echo)
        return Receipt("queued")


@pytest.mark.parametrize(("early", "expected"), [(False, ["queued", "delivered"]), (True, ["delivered"])])
async def test_a_queued_question_is_delivered_once(
    workspace: Workspace, early: bool, expected: list[str]
) -> None:
    agent = FakeBusy([])
    agent.early = early
    live = session(workspace, agent, Human())
    running = asyncio.create_task(live.run(until_idle=False))
    while not live.state.turn_ends:
        await asyncio.sleep(0.01)
    await live.ask("How many?", None, None, edited=False)
    await asyncio.sleep(0.2)
    await live.close()
    await running
    assert [event.receipt for event in of(live, ev.QuestionReceipt)] == expected  # type: ignore[union-attr]
    assert len(of(live, ev.HumanMessage)) == 1


async def test_an_agent_that_dies_is_not_said_to_have_finished(workspace: Workspace) -> None:
    agent = FakeAgent([])
    live = session(workspace, agent, Nobody())
    running = asyncio.create_task(live.run(until_idle=False))
    while not live.state.turn_ends:
        await asyncio.sleep(0.01)
    agent.queue.put_nowait(ev.TurnEnded(id="x", reason="failed", detail="it was killed by SIGKILL"))
    agent.queue.put_nowait(None)
    await running
    ended = live.events[-1]
    assert isinstance(ended, ev.SessionEnded)
    assert ended.reason == "The agent ended: it was killed by SIGKILL"


async def test_nothing_is_interrupted_when_nothing_runs(workspace: Workspace) -> None:
    agent = FakeAgent([])
    live = session(workspace, agent, Human())
    running = asyncio.create_task(live.run(until_idle=False))
    while not live.state.turn_ends:
        await asyncio.sleep(0.01)
    before = len(live.events)
    with pytest.raises(AgentError, match="Nothing is running"):
        await live.interrupt()
    assert len(live.events) == before
    await live.close()
    await running


async def test_a_person_asks_dismisses_pauses_and_interrupts(workspace: Workspace) -> None:
    agent = FakeAgent([DONE])
    live = session(workspace, agent, Human())
    running = asyncio.create_task(live.run(until_idle=False))
    while not live.moments:
        await asyncio.sleep(0.01)
    moment = live.moments[0]
    await live.ask("[b]Where does the time go?[/b]", None, moment.decision.id, edited=False)
    await live.dismiss(moment.decision.id, moment.suggestions[0].entry, "seen")
    await live.pause()
    assert live.paused
    await live.resume()
    agent.queue.put_nowait(text("working again"))
    while not isinstance(live.events[-1], ev.AgentText):
        await asyncio.sleep(0.01)
    await live.interrupt()
    await live.close()
    await running
    assert agent.sent[1] == "[b]Where does the time go?[/b]"
    assert agent.calls == ["pause", "resume", "interrupt", "close", "close"]
    assert of(live, ev.SuggestionDismissed)
    written = open_transcript(live.journal_path)
    assert [event.id for event in written.events] == [event.id for event in live.events]
    assert isinstance(written.events[-1], ev.SessionEnded)


async def test_a_permission_is_answered_once(workspace: Workspace) -> None:
    agent = FakeClient([])
    live = session(workspace, agent, Human())
    running = asyncio.create_task(live.run(until_idle=False))
    while not live.state.turn_ends:
        await asyncio.sleep(0.01)
    agent.queue.put_nowait(WISH)
    while not live.state.open_permissions:
        await asyncio.sleep(0.01)
    await live.answer("r1", "deny", "use make clean")
    await live.answer("r1", "allow", "")
    await live.close()
    await running
    assert agent.answers == [("r1", "deny", "use make clean")]
    assert len(of(live, ev.PermissionAnswered)) == 1


async def test_a_record_made_without_an_owner_is_shown_and_made_again_before_it_counts(
    workspace: Workspace,
) -> None:
    workspace.candidate.write_text("// fast\n")
    sha256 = workspace.candidate_sha256()
    old = made_record(hashes={"candidate": sha256}, owner="none")
    store(old, workspace.records)
    freeze(workspace.candidate, workspace.candidates)
    live = session(workspace, FakeAgent([], []), Nobody())
    running = asyncio.create_task(live.run(until_idle=False))
    while len(of(live, ev.Evaluation)) < 2:
        await asyncio.sleep(0.01)
    await live.close()
    await running
    first, again = of(live, ev.Evaluation)
    assert isinstance(first, ev.Evaluation)
    assert isinstance(again, ev.Evaluation)
    assert (first.owner, first.counts) == ("none", False)
    assert (again.owner, again.counts) == ("s", True)
    assert live.exit_code == 0


async def test_what_holds_scenarios_back_reaches_the_journal_once(workspace: Workspace) -> None:
    ids = [scenario.id for scenario in SCENARIOS]
    add_gap(workspace.gaps, ids[:1], "host", "33 of 41 us with an empty kernel", "a" * 64)
    live = session(workspace, FakeAgent([], []), Nobody())
    running = asyncio.create_task(live.run(until_idle=False))
    while not of(live, ev.GapClassified):
        await asyncio.sleep(0.01)
    add_gap(workspace.gaps, ids[1:2], "kernel", "12 % of the bound", "a" * 64)
    while len(of(live, ev.GapClassified)) < 2:
        await asyncio.sleep(0.01)
    # A session that goes on finds in the file what its journal has.
    await live._take(of(live, ev.GapClassified)[0].model_copy(update={"id": ""}))
    await live.close()
    await running
    assert live.state.gaps == {ids[0]: GapClass.HOST, ids[1]: GapClass.KERNEL}
    assert len(of(live, ev.GapClassified)) == 2


async def test_an_agent_that_cannot_start_ends_the_journal_in_order(workspace: Workspace) -> None:
    live = session(workspace, FakeAgent(fails=True), Nobody())
    with pytest.raises(AgentError, match="not installed"):
        await live.run(until_idle=True)
    ended = open_transcript(live.journal_path).events[-1]
    assert isinstance(ended, ev.SessionEnded)
    assert ended.reason == "The agent is not installed."


async def test_an_agent_whose_end_fails_leaves_a_whole_journal(workspace: Workspace) -> None:
    class Stuck(FakeAgent):
        async def close(self) -> None:
            raise AgentError("It could not be put back.")

    live = session(workspace, Stuck([DONE]), Nobody())
    with pytest.raises(AgentError, match="put back"):
        await live.run(until_idle=True)
    ended = open_transcript(live.journal_path).events[-1]
    assert isinstance(ended, ev.SessionEnded)


async def test_an_interrupted_run_says_so(workspace: Workspace) -> None:
    live = session(workspace, FakeAgent([]), Nobody())
    running = asyncio.create_task(live.run(until_idle=False))
    while not live.events:
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    ended = open_transcript(live.journal_path).events[-1]
    assert isinstance(ended, ev.SessionEnded)
    assert "interrupted" in ended.reason


async def test_what_always_granted_is_in_the_journal(workspace: Workspace) -> None:
    agent = FakeClient([])
    live = session(workspace, agent, Human())
    running = asyncio.create_task(live.run(until_idle=False))
    while not live.state.turn_ends:
        await asyncio.sleep(0.01)
    agent.queue.put_nowait(WISH)
    while not live.state.open_permissions:
        await asyncio.sleep(0.01)
    await live.answer("r1", "always", "")
    await live.close()
    await running
    (answered,) = of(live, ev.PermissionAnswered)
    assert isinstance(answered, ev.PermissionAnswered)
    assert answered.message == "Bash(rm *), in this session"
