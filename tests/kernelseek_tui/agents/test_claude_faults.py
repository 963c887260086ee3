"""What can go wrong between the driver and its client: one sentence each, and events that end in order."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from kernelseek_tui.agents.claude import process as claude_process
from kernelseek_tui.agents.claude.agent import ClaudeAgent
from kernelseek_tui.agents.claude.faults import Again, fault_of, retry_sentence
from kernelseek_tui.agents.protocol import AgentError, AgentSpec
from sessions import events as ev
from tests.kernelseek_tui.agents.claude_stage import made, playing

SESSION = "5e551017-0000-4000-8000-000000000001"


async def start(agent: ClaudeAgent, folder: Path, **spec: object) -> str:
    """What the driver says when it cannot start."""
    with pytest.raises(AgentError) as caught:
        await agent.start(AgentSpec(folder, "go", {}, **spec))  # type: ignore[arg-type]
    await agent.close()
    assert [event async for event in agent.events() if isinstance(event, ev.AgentText)] == []
    return str(caught.value)


async def test_a_missing_binary(tmp_path: Path) -> None:
    said = await start(ClaudeAgent(tmp_path / "nothing", environment={}), tmp_path)
    assert said.startswith(f"There is no program at {tmp_path}/nothing: install it with")
    said = await start(ClaudeAgent(environment={"PATH": str(tmp_path)}), tmp_path)
    assert "is not on PATH" in said


async def test_the_binary_named_in_the_environment_is_taken(tmp_path: Path) -> None:
    environment = {"KERNELSEEK_CLAUDE": str(tmp_path / "mine"), "PATH": os.environ["PATH"]}
    assert "There is no program at" in await start(ClaudeAgent(environment=environment), tmp_path)


@pytest.mark.parametrize(
    ("version", "says"), [("2.1.197", "2.1.197 is too old: 2.1.332"), ("banana", "does not look like")]
)
async def test_an_old_version(tmp_path: Path, version: str, says: str) -> None:
    agent, _ = made(tmp_path, environment={"FAKE_CLAUDE_VERSION": version})
    assert says in await start(agent, tmp_path)


async def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_bytes(b"\x7fELF nonsense")
    path.chmod(0o755)
    assert "cannot be run" in await start(ClaudeAgent(path, environment={}), tmp_path)


async def test_a_program_is_looked_for_in_the_current_folder_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path)
    monkeypatch.chdir(tmp_path)
    # `--claude ./claude` comes without its dot, and must not be another one on PATH.
    found = claude_process.find_binary(Path("./claude"), {"PATH": "/bin"})
    assert found == tmp_path / "claude"
    assert claude_process.find_binary(Path("sh"), {"PATH": "/bin"}) == Path("/bin/sh")


async def test_a_file_that_is_no_program_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "my claude"
    path.write_text("#!/bin/sh\n")
    said = await start(ClaudeAgent(path, environment={}), tmp_path)
    assert said.startswith(f"{path} is not executable: `chmod +x '{path}'`")


async def test_the_check_comes_first_and_is_not_made_twice(tmp_path: Path) -> None:
    agent, log = made(tmp_path, environment={"FAKE_CLAUDE_VERSION": "2.1.197"})
    spec = AgentSpec(tmp_path, "go", {"KERNELSEEK_HOME": str(tmp_path / "state")})
    with pytest.raises(AgentError, match="too old"):
        await agent.check(spec)
    assert not log.exists()  # no session was begun
    agent, _ = made(tmp_path)
    await agent.check(spec)
    checked: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kernelseek_tui.agents.claude.agent.check_version", checked.append)
        await agent.start(spec)
    await agent.close()
    assert checked == []


async def test_a_client_that_ends_before_it_takes_the_task_is_quoted(tmp_path: Path) -> None:
    agent, _ = made(tmp_path)
    said = await start(agent, tmp_path, resume="x")
    assert said == "Claude Code ended before it took its task: No conversation found with session ID: x"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
async def test_root_uses_tools_unasked_only_in_a_sandbox(tmp_path: Path) -> None:
    agent, _ = made(tmp_path)
    assert "IS_SANDBOX=1" in await start(agent, tmp_path, ask_permission=False)
    async with playing(tmp_path, ask_permission=False, environment={"IS_SANDBOX": "1"}) as stage:
        await stage.turns(1)
        assert "--dangerously-skip-permissions" in stage.log[0]["argv"]


async def test_credentials_that_expired_halt_the_session(tmp_path: Path) -> None:
    async with playing(tmp_path) as stage:
        await stage.turns(1)
        await stage.agent.send("refused")
        await stage.ended()
        receipt = await stage.agent.send("more")
    assert stage.agent.outage == stage.of(ev.TurnEnded)[-1].detail
    *_, retry, why, ended = stage.events
    assert isinstance(retry, ev.Note)
    assert retry.text == "The API answers 529 (overloaded); attempt 2 of 10 in 4.0 s."
    assert isinstance(why, ev.Note)
    assert why.text.startswith("Claude Code has no valid credentials (Invalid API key")
    assert "--resume 5e551017" in why.text
    assert isinstance(ended, ev.TurnEnded)
    assert (ended.reason, ended.detail) == ("failed", why.text)
    assert (receipt.delivery, receipt.detail) == ("failed", why.text)


async def test_the_spend_ceiling_halts_the_session(tmp_path: Path) -> None:
    async with playing(tmp_path, spend_ceiling_usd=4.0) as stage:
        await stage.turns(1)
        await stage.agent.send("dear")
        await stage.ended()
        receipt = await stage.agent.send("more")
    *_, why, ended = stage.events
    assert isinstance(why, ev.Note)
    assert why.text.startswith(
        "The spend ceiling is reached (this run cost $5.01); raise the ceiling: go on with `"
    )
    assert f"kernelseek steer {tmp_path} --agent claude --resume {SESSION} --spend-ceiling MORE`" in why.text
    assert isinstance(ended, ev.TurnEnded)
    assert (ended.reason, ended.detail) == ("failed", why.text)
    assert (receipt.delivery, receipt.detail) == ("failed", why.text)
    assert stage.agent.outage == ""  # a ceiling is no fault of the model's


async def test_a_message_that_waits_at_the_spend_ceiling_is_told_as_not_given(tmp_path: Path) -> None:
    async with playing(tmp_path, "tool", spend_ceiling_usd=0.005) as stage:
        await stage.until(lambda: stage.of(ev.ToolCall))
        await stage.agent.send("afterwards", "later")
        await stage.ended()
    assert [message.text for message in stage.of(ev.HumanMessage)] == ["tool"]
    assert stage.of(ev.Note)[-1].text == "The agent was never given this message: afterwards"


async def test_a_client_killed_in_mid_message(tmp_path: Path) -> None:
    async with playing(tmp_path, "die") as stage:
        await stage.ended()
        assert (await stage.agent.send("more")).delivery == "failed"
    assert [event.kind for event in stage.events] == [
        *("session_started", "human_message", "usage", "turn_ended", "note")
    ]
    ended, note = stage.of(ev.TurnEnded)[0], stage.of(ev.Note)[0]
    how = f"go on with `kernelseek steer {tmp_path} --agent claude --resume {SESSION}`"
    assert (ended.reason, ended.detail) == ("failed", f"Claude Code was killed by SIGKILL; {how}.")
    assert note.text == ended.detail == stage.agent.outage
    assert stage.partial[-1] == ""


async def test_a_client_that_dies_while_it_asks_asks_no_longer(tmp_path: Path) -> None:
    async with playing(tmp_path, "ask") as stage:
        await stage.until(lambda: stage.of(ev.PermissionRequested))
        assert stage.agent.pid
        os.killpg(stage.agent.pid, signal.SIGKILL)
        await stage.ended()
    asked, answered = stage.of(ev.PermissionRequested)[0], stage.of(ev.PermissionAnswered)[0]
    assert (answered.request, answered.parent, answered.by) == (asked.request, asked.id, "client")
    assert answered.message == "Claude Code was killed by SIGKILL."
    assert stage.events.index(answered) < stage.events.index(stage.of(ev.TurnEnded)[0])


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")
async def test_a_tool_that_outlives_its_killed_client_is_ended(tmp_path: Path) -> None:
    async with playing(tmp_path, "orphan") as stage:
        await stage.ended()
        pid = stage.log[1]["pid"]
    for _ in range(200):  # a killed process takes a moment to be gone
        if not _runs(pid):
            break
        await asyncio.sleep(0.02)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """A zombie waits for its new parent and runs no more."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


async def test_closing_in_mid_turn_ends_the_turn_first(tmp_path: Path) -> None:
    async with playing(tmp_path, "tool") as stage:
        await stage.until(lambda: stage.of(ev.ToolCall))
    assert stage.over
    assert stage.of(ev.TurnEnded)[0].reason == "interrupted"
    assert not [note for note in stage.of(ev.Note) if "ended" in note.text]


async def test_closing_again_and_closing_what_never_started(tmp_path: Path) -> None:
    async with playing(tmp_path) as stage:
        await stage.turns(1)
        await stage.agent.close()
    agent, _ = made(tmp_path)
    await agent.close()
    assert [event async for event in agent.events()] == []


async def test_garbage_costs_its_line_and_unknown_types_are_counted(tmp_path: Path) -> None:
    async with playing(tmp_path, "garbage") as stage:
        await stage.turns(1)
    problems = [problem.what for problem in stage.of(ev.ReaderProblem)]
    assert [what.split(":")[0] for what in problems] == [
        *("not JSON", "not a JSON object but a list", "byte 0 of the line is not UTF-8")
    ]
    assert stage.of(ev.AgentText)[0].text == "Still here."
    unknown = stage.agent.unknown
    assert (
        unknown["of the future"] == unknown["system/brand_new"] == unknown["control_request/sing_a_song"] == 1
    )
    told = stage.log[1]["response"]
    assert (told["subtype"], told["request_id"]) == ("error", "what_1")


async def test_a_line_of_50_mb_is_told_by_its_size_and_not_kept(tmp_path: Path) -> None:
    async with playing(tmp_path, "long") as stage:
        await stage.turns(1)
    problem = stage.of(ev.ReaderProblem)[0]
    assert problem.what == "Claude Code printed a line of 50 MiB, more than the 32 kept."
    assert stage.of(ev.AgentText)[0].text == "After a long line."


async def test_a_client_that_closed_its_input_takes_no_more_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_process, "STOP_SECONDS", 0.2)  # it does not hear that it should end
    async with playing(tmp_path, "deaf") as stage:
        await stage.turns(1)
        receipt = await stage.agent.send("anyone?")
        await stage.agent.interrupt()
    assert (receipt.delivery, receipt.detail) == ("failed", "the agent takes no more messages")
    assert [message.text for message in stage.of(ev.HumanMessage)] == ["deaf"]
    assert stage.of(ev.Note) == []


@pytest.mark.parametrize(
    ("result", "client", "halts", "says"),
    [
        ({"api_error_status": 401, "result": "Invalid API key"}, "", True, "no valid credentials"),
        ({"result": "Not logged in"}, "authentication_failed", True, "no valid credentials"),
        ({"api_error_status": 400, "result": "Credit balance"}, "billing_error", True, "cannot pay"),
        ({"api_error_status": 404, "result": "no such model"}, "", True, "--model"),
        ({"api_error_status": 429, "result": "slow down"}, "rate_limit", True, "rate limit"),
        ({"api_error_status": 529, "result": "Overloaded"}, "server_error", True, "529 to every retry"),
        ({"api_error": "connection_failed", "result": "refused"}, "", True, "cannot be reached"),
        ({"terminal_reason": "prompt_too_long", "result": "Too long."}, "", False, "/compact"),
        ({"subtype": "error_max_turns"}, "", False, "used up its steps"),
        ({"subtype": "error_max_budget_usd", "errors": ["Reached $2"]}, "", True, "spend ceiling"),
        ({"terminal_reason": "strange", "result": {"no": "text"}}, "", False, "strange"),
        ({}, "", False, "The turn failed"),
    ],
)
def test_each_fault_says_what_to_do(result: dict[str, object], client: str, halts: bool, says: str) -> None:
    again = Again("s9", "/my work", 0.005)
    fault = fault_of({"is_error": True, **result}, client, again)
    assert fault.halts == halts
    assert says in fault.sentence
    resumes = "`kernelseek steer '/my work' --agent claude --resume s9 --spend-ceiling "
    assert (resumes in fault.sentence) == halts
    assert fault.outage == (halts and "spend ceiling" not in says)


def test_a_retry_says_how_often_and_when() -> None:
    broken = {"attempt": 1, "max_retries": 3, "retry_delay_ms": 529, "error_status": None, "error": "unknown"}
    assert retry_sentence(broken) == (
        "The connection to the API failed or broke off; attempt 1 of 3 in 0.5 s."
    )
