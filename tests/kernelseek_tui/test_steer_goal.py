"""An agent whose client does not hold it to the goal is sent back with the clauses it has not met."""

from harness.owner import ask as asking
from harness.workspace import Workspace
from kernelseek_tui.hooks.stop import MAX_IDLE
from kernelseek_tui.questioners.none import Nobody
from sessions import events as ev
from tests.kernelseek_tui.live import DONE, FakeAgent, of, session


class Unheld(FakeAgent):
    """Its client runs no hooks."""

    def unheld(self, ended: ev.TurnEnded) -> str:
        return "The hook did not run."


async def test_an_agent_whose_client_does_not_hold_it_is_sent_back_with_the_clauses(
    workspace: Workspace,
) -> None:
    def evaluate() -> None:
        asking.request_evaluation(workspace)

    def mend() -> None:
        workspace.candidate.write_text("// fast\n")
        asking.request_evaluation(workspace)

    worked = ev.ToolCall(id="c1", call="c1", tool="Bash", input={})
    agent = Unheld([evaluate, DONE], [worked, mend, DONE])
    live = session(workspace, agent, Nobody())
    await live.run(until_idle=True)
    assert live.exit_code == 0
    task, back = agent.sent
    assert task == "Make it fast."
    assert "The goal of this workspace is not met" in back
    (asked,) = of(live, ev.QuestionAsked)
    assert isinstance(asked, ev.QuestionAsked)
    assert (asked.questioner, asked.text) == ("goal", back)


async def test_an_agent_that_does_nothing_more_is_let_go_aloud(workspace: Workspace) -> None:
    agent = Unheld()
    live = session(workspace, agent, Nobody())
    await live.run(until_idle=True)
    assert live.exit_code == 10
    assert len(agent.sent) == 1 + MAX_IDLE
    notes = [event.text for event in of(live, ev.Note) if isinstance(event, ev.Note)]
    assert any("let the agent stop although the goal is not met" in text for text in notes)


async def test_a_goal_that_cannot_be_told_is_no_silence(workspace: Workspace) -> None:
    def damage() -> None:
        workspace.goal_path.write_text("nonsense")

    live = session(workspace, Unheld([damage]), Nobody())
    await live.run(until_idle=True)
    verdicts = [event for event in of(live, ev.GoalVerdict) if isinstance(event, ev.GoalVerdict)]
    assert verdicts
    assert all(verdict.met is None for verdict in verdicts)
    assert verdicts[0].reason.startswith("The hook did not run.")
