"""Live sessions with a scripted stand-in for the agent and a judge that answers as the candidate says."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bank.bank import Bank
from harness.candidate import freeze
from harness.gaps import add_gap
from harness.goal import dump_goal
from harness.owner import ask as asking
from harness.owner.server import OwnerServer
from harness.workspace import Workspace
from kernelseek_tui.agents.protocol import (
    AgentError,
    AgentSpec,
    Capabilities,
    PermissionChoice,
    Priority,
    Receipt,
)
from kernelseek_tui.cli.live_options import run_session
from kernelseek_tui.copilot import Copilot
from kernelseek_tui.headless import line_of
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.hooks.stop import MAX_IDLE
from kernelseek_tui.judging import Judging
from kernelseek_tui.questioners.bank import FromBank
from kernelseek_tui.questioners.human import Human
from kernelseek_tui.questioners.none import Nobody
from kernelseek_tui.questioners.protocol import Questioner
from kernelseek_tui.steer import LiveSession
from sessions import events as ev
from sessions.journal import Journal
from sessions.transcript import open_transcript
from sessions.vocabulary import GapClass
from tests.made_records import SCENARIOS, made_goal, made_manifest, made_record, made_scenario, store

JUDGE = """
import hashlib, json, pathlib, sys
request = json.loads(pathlib.Path(sys.argv[2]).read_text())
text = pathlib.Path(request["candidate"]).read_text()
home = pathlib.Path(__file__).parent
record = json.loads((home / ("slow.json" if "slow" in text else "record.json")).read_text())
record["hashes"]["candidate"] = pathlib.Path(request["candidate"]).stem
record["eval_id"] = "20260102T030405000-%08d" % (len(list((home / "home" / "records").iterdir())) + 1)
record.update(owner=request["owner"], rehearsed=request["rehearsed"])
del record["digest"]
whole = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
record["digest"] = hashlib.sha256(whole.encode()).hexdigest()
pathlib.Path(sys.argv[4]).write_text(json.dumps(record))
"""

Step = ev.AnyEvent | Callable[[], None]


class FakeAgent:
    """Plays a list of turns; every message but the first starts the next one."""

    name = "fake"
    capabilities = Capabilities(interrupt=True, pause=True, mid_turn=True)

    def __init__(self, *turns: list[Step], fails: bool = False) -> None:
        self.turns = list(turns)
        self.sent: list[str] = []
        self.calls: list[str] = []
        self.fails = fails
        self.queue: asyncio.Queue[ev.AnyEvent | None] = asyncio.Queue()

    async def start(self, spec: AgentSpec) -> None:
        if self.fails:
            raise AgentError("The agent is not installed.")
        self.queue.put_nowait(ev.SessionStarted(id="f0", session="s", agent_name=self.name))
        await self.send(spec.task)

    async def send(self, text: str, priority: Priority = "next") -> Receipt:
        self.sent.append(text)
        self.queue.put_nowait(ev.HumanMessage(id=f"h{len(self.sent)}", text=text))
        for step in self.turns.pop(0) if self.turns else []:
            if callable(step):
                await asyncio.to_thread(step)
            else:
                self.queue.put_nowait(step)
        self.queue.put_nowait(ev.TurnEnded(id=f"end{len(self.sent)}"))
        return Receipt("own_turn")

    async def interrupt(self) -> None:
        self.calls.append("interrupt")

    async def pause(self) -> None:
        self.calls.append("pause")

    async def resume(self) -> None:
        self.calls.append("resume")

    async def events(self) -> AsyncIterator[ev.AnyEvent]:
        while (event := await self.queue.get()) is not None:
            yield event

    async def close(self) -> None:
        self.calls.append("close")
        self.queue.put_nowait(None)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(
        tmp_path / "work", tmp_path / "home", "toy-1", tmp_path / "work" / "candidate.cpp", made_manifest()
    )
    for folder in (made.root, made.records, made.candidates, made.requests):
        folder.mkdir(parents=True)
    made.candidate.write_text("// slow\n")
    made.goal_path.write_text(dump_goal(made_goal()))
    (tmp_path / "record.json").write_text(made_record().model_dump_json())
    slow = made_record(tuple(made_scenario(scenario, interval=(1.0, 1.1)) for scenario in SCENARIOS))
    (tmp_path / "slow.json").write_text(slow.model_dump_json())
    (tmp_path / "judge.py").write_text(JUDGE)
    return made


def session(workspace: Workspace, agent: FakeAgent, questioner: Questioner) -> LiveSession:
    base = workspace.home.parent
    bank = Bank.load()
    return LiveSession(
        title="test",
        agent=agent,
        spec=AgentSpec(workspace.root, "Make it fast.", {}),
        copilot=Copilot(Journal(base / "journal"), Seer(bank), questioner, bank.version),
        judging=Judging(
            workspace, OwnerServer(workspace, "s", judge=(sys.executable, str(base / "judge.py")))
        ),
    )


def text(words: str) -> ev.AgentText:
    return ev.AgentText(id=f"t{abs(hash(words))}", text=words)


def of(session: LiveSession, kind: type[ev.Event]) -> list[ev.AnyEvent]:
    return [event for event in session.events if isinstance(event, kind)]


DONE = text("The optimization is complete and every clause of the goal holds.")


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


class FakeClient(FakeAgent):
    """Asks before it uses a tool."""

    def __init__(self, *turns: list[Step]) -> None:
        super().__init__(*turns)
        self.answers: list[tuple[str, str, str]] = []

    async def answer(self, request: str, choice: PermissionChoice, message: str = "") -> None:
        self.answers.append((request, choice, message))


WISH = ev.PermissionRequested(
    id="p1", request="r1", tool="Bash", input={"command": "rm -r /usr"}, always="Bash(rm *), in this session"
)


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
