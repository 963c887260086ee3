"""Live sessions that nobody watches: what ends them, what they may do, and what they say."""

import pytest

from harness.workspace import Workspace
from kernelseek_tui.cli.live_options import run_session
from kernelseek_tui.headless import line_of
from kernelseek_tui.questioners.none import Nobody
from sessions import events as ev
from sessions.transcript import open_transcript
from tests.kernelseek_tui.live import DONE, WISH, FakeAgent, FakeClient, Step, of, session


async def test_without_a_screen_a_permission_is_denied_in_words(workspace: Workspace) -> None:
    agent = FakeClient([WISH, DONE])
    live = session(workspace, agent, Nobody())
    await live.run(until_idle=True)
    ((request, choice, message),) = agent.answers
    assert (request, choice) == ("r1", "deny")
    assert "Nobody is here" in message
    (answered,) = of(live, ev.PermissionAnswered)
    assert isinstance(answered, ev.PermissionAnswered)
    assert answered.by == "headless"


NO_KEY = "There is no API key; set ANTHROPIC_API_KEY and start again."


REFUSED = ev.TurnEnded(id="", reason="failed", detail=NO_KEY)


class CutOff(FakeAgent):
    """Its model cannot be had."""

    outage = NO_KEY


def test_an_agent_that_never_worked_for_want_of_a_key_is_not_judged(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = ev.ToolResult(id="", call="c1", output="no such file", is_error=True)
    live = session(workspace, CutOff([failed, REFUSED]), Nobody())
    assert run_session(live, headless=True) == 60
    assert f"verdict: none, nothing was judged: {NO_KEY[:-1]} (exit 60)" in capsys.readouterr().out
    assert of(live, ev.Evaluation) == []
    ended = open_transcript(live.journal_path).events[-1]
    assert isinstance(ended, ev.SessionEnded)
    assert (ended.exit_code, ended.reason) == (60, f"The agent stopped: {NO_KEY}")


def test_what_was_done_before_the_key_expired_is_judged(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    worked = ev.ToolResult(id="", call="c1", output="done")
    live = session(workspace, CutOff([worked, REFUSED]), Nobody())
    assert run_session(live, headless=True) == 10
    said = capsys.readouterr().out
    assert "verdict: goal unmet: " in said
    assert f"agent: {NO_KEY}" in said
    ended = open_transcript(live.journal_path).events[-1]
    assert isinstance(ended, ev.SessionEnded)
    assert (ended.exit_code, ended.reason) == (10, f"The agent stopped: {NO_KEY}")


def test_a_ceiling_is_no_outage_and_is_told_with_the_verdict(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = "The spend ceiling is reached."
    live = session(workspace, FakeAgent([ev.TurnEnded(id="", reason="failed", detail=sentence)]), Nobody())
    assert run_session(live, headless=True) == 10
    assert f"agent: {sentence}" in capsys.readouterr().out


def test_a_log_holds_what_could_not_be_read_and_what_was_denied() -> None:
    assert line_of(ev.ReaderProblem(id="", line=4, what="not JSON")) == "unread    line 5: not JSON"
    denied = ev.PermissionAnswered(id="", request="r", answer="deny", message="Nobody is here.")
    assert line_of(denied) == "denied    Nobody is here."
    asked = ev.QuestionAsked(id="", questioner="goal", text="Go on.")
    assert line_of(asked) == "question  [goal, the unmet clauses] Go on."


async def test_what_was_denied_for_want_of_a_person_is_counted(workspace: Workspace) -> None:
    wishes: list[Step] = [WISH, WISH.model_copy(update={"id": "p2", "request": "r2"})]
    live = session(workspace, FakeClient([*wishes, DONE]), Nobody())
    await live.run(until_idle=True)
    notes = [event.text for event in of(live, ev.Note) if isinstance(event, ev.Note)]
    assert any(text.startswith("2 tool uses were denied, since nobody was there") for text in notes)


async def test_without_a_screen_what_stays_in_the_workspace_is_allowed(workspace: Workspace) -> None:
    inside = WISH.model_copy(update={"input": {"command": "kernelseek evaluate"}})
    agent = FakeClient([inside, DONE])
    live = session(workspace, agent, Nobody())
    await live.run(until_idle=True)
    assert agent.answers == [("r1", "allow", "")]
    assert not any("denied" in event.text for event in of(live, ev.Note) if isinstance(event, ev.Note))
