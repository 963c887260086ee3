"""`hook stop` over real workspaces and recorded inputs."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.owner.files import OwnerIdentity
from harness.verdict import Outcome, Status
from kernelseek_tui.cli.hook import hook
from kernelseek_tui.hooks import run
from kernelseek_tui.hooks.answers import EVENTS, Answer
from kernelseek_tui.hooks.mailbox import Binding, Mailbox, Question, locked
from kernelseek_tui.hooks.stop import MAX_IDLE
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace, stop_input
from tests.made_records import SCENARIOS, made_record, made_scenario, store


def stop(made: MadeWorkspace, given: bytes | None = None, **more: Any) -> Answer:
    given = stop_input(made.root, **more) if given is None else given
    return run.answer("stop", io.BytesIO(given), made.home)


def recorded(name: str) -> list[dict[str, Any]]:
    assert CASES is not None
    lines = (CASES / "agents" / "cc-hook-inputs.jsonl").read_text().splitlines()
    return [given for line in lines if (given := json.loads(line))["hook_event_name"] == name]


@needs_cases
def test_recorded_stops_of_a_real_client(made: MadeWorkspace) -> None:
    first, second = (json.dumps({**given, "cwd": str(made.root)}).encode() for given in recorded("Stop"))
    made.judged(slow=(1, 3))
    assert stop(made, first) == {}  # a subagent runs in the background
    answer = stop(made, second)  # says stop_hook_active, and that the goal is met
    assert answer["decision"] == "block"
    assert "faster: 2 of 4" in answer["reason"]
    assert "First failing: toy-n16, toy-n64." in answer["reason"]
    made.judged()
    assert stop(made, second) == {}


@needs_cases
def test_every_recorded_input_is_answered(made: MadeWorkspace) -> None:
    for name, event in EVENTS.items():
        for given in recorded(event):
            data = json.dumps({**given, "cwd": str(made.root)}).encode()
            assert isinstance(run.answer(name, io.BytesIO(data), made.home), dict)


def test_no_evaluation_says_what_to_run(made: MadeWorkspace) -> None:
    assert "kernelseek evaluate" in stop(made)["reason"]


def test_a_record_of_another_version_does_not_count(made: MadeWorkspace) -> None:
    made.judged()
    (made.root / "candidate.cpp").write_text("// edited\n")
    assert "no evaluation that counts" in stop(made)["reason"]


def test_a_record_without_an_owner_does_not_count_and_is_named(made: MadeWorkspace) -> None:
    made.judged(owner="none")
    assert "without a session's owner" in stop(made)["reason"]


def test_the_newest_record_speaks(made: MadeWorkspace) -> None:
    made.judged()
    made.judged(slow=(0,))
    assert "toy-n8" in stop(made)["reason"]


def test_a_folder_that_is_no_workspace_is_left_alone(made: MadeWorkspace, tmp_path: Path) -> None:
    assert stop(made, stop_input(tmp_path)) == {}


@pytest.mark.parametrize(
    "broken",
    [
        lambda made: (made.own / "manifest.json").write_text("{"),
        lambda made: (made.own / "goal.toml").unlink(),
        lambda made: (made.root / ".kernelseek" / "workspace.toml").write_text("id = ["),
        lambda made: made.own.rename(made.own.with_name("gone")),
        lambda made: made.judged(status="INFRASTRUCTURE", summary="No compiler."),
    ],
)
def test_what_is_broken_blocks_twice_then_lets_go_aloud(made: MadeWorkspace, broken: Any) -> None:
    made.judged(slow=(0,))
    broken(made)
    answers = [stop(made) for _ in range(3)]
    assert [answer.get("decision") for answer in answers] == ["block", "block", None]
    assert answers[2]["systemMessage"].startswith("Goal unknown")
    told = [json.loads(line) for line in Mailbox(made.home, "s-1").told.read_text().splitlines()]
    assert [one["what"] for one in told] == ["goal_unknown"]


@pytest.mark.parametrize("given", [b"", b"[]", b"{", b"{}", b"\xff", b'{"session_id": 3}', b"[" * 100_000])
def test_input_that_is_none_blocks_twice_then_lets_go(made: MadeWorkspace, given: bytes) -> None:
    answers = [stop(made, given) for _ in range(4)]
    assert [answer.get("decision") for answer in answers] == ["block", "block", None, None]
    assert "Goal unknown" in answers[3]["systemMessage"]


def test_an_unforeseen_failure_blocks(made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("kernelseek_tui.hooks.standing.standing", fails)
    assert stop(made)["decision"] == "block"


def test_a_hook_that_takes_too_long_blocks(made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "DEADLINE", 0.05)

    def hangs(*_: object) -> None:
        import time

        time.sleep(5)

    monkeypatch.setattr("kernelseek_tui.hooks.standing.standing", hangs)
    assert "was not done after" in stop(made)["reason"]


def test_idle_refusals_end_and_a_tool_call_between_them_goes_on(made: MadeWorkspace, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    call = '{"message": {"content": [{"type":"tool_use","name":"Bash"}]}}\n'
    transcript.write_text(call)
    made.judged(slow=(0,))

    def attempt() -> Answer:
        return stop(made, transcript_path=str(transcript))

    answers = [attempt() for _ in range(MAX_IDLE + 1)]
    assert [answer.get("decision") for answer in answers] == ["block"] * MAX_IDLE + [None]
    assert "not met" in answers[-1]["systemMessage"]
    with transcript.open("a") as file:
        file.write('{"message": {"content": [{"type":"text","text":"well"}]}}\n')
    assert "decision" not in attempt()
    with transcript.open("a") as file:
        file.write(call)
    assert attempt()["decision"] == "block"


@pytest.mark.parametrize("kind", ["absent", "folder", "fifo"])
def test_an_unreadable_transcript_shows_no_work(made: MadeWorkspace, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    made.judged(slow=(0,))
    answers = [stop(made, transcript_path=str(path)) for _ in range(MAX_IDLE + 1)]
    assert [answer.get("decision") for answer in answers] == ["block"] * MAX_IDLE + [None]


# Whose session it is.


def test_where_an_owner_is_at_work_other_sessions_are_left_alone(
    made: MadeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = made.own / "owner.lock"
    lock.write_text(OwnerIdentity(pid=1, session="k").model_dump_json())
    with locked(lock):
        assert stop(made) == {}
        monkeypatch.setenv("KERNELSEEK_SESSION", "k")  # the agent that the owner started
        assert stop(made)["decision"] == "block"


def test_where_one_session_is_steered_another_in_the_folder_is_left_alone(made: MadeWorkspace) -> None:
    steered = Mailbox(made.home, "steered")
    steered.bind(Binding("k", str(made.root)))
    with locked(steered.lock):
        assert stop(made, session="other") == {}
        assert stop(made, session="steered")["decision"] == "block"


def test_an_installed_hook_serves_its_own_session_alone(made: MadeWorkspace) -> None:
    given = stop_input(made.root, session="other")
    assert run.answer("stop", io.BytesIO(given), made.home, attached="mine") == {}
    box = Mailbox(made.home, "mine")
    box.bind(Binding("k", str(made.root)))
    box.unbind()
    given = stop_input(made.root, session="mine")  # detached: the client still had the hook in mind
    assert run.answer("stop", io.BytesIO(given), made.home, attached="mine") == {}


def test_a_copilot_that_died_is_no_reason_to_block_for_ever(made: MadeWorkspace) -> None:
    box = Mailbox(made.home, "s-1")
    box.bind(Binding("k", str(made.root)))
    with locked(box.lock):
        pass
    answers = [stop(made) for _ in range(3)]
    assert [answer.get("decision") for answer in answers] == ["block", "block", None]
    assert "ended without detaching" in answers[2]["systemMessage"]
    assert "--cleanup" in answers[2]["systemMessage"]


def test_without_a_goal_only_questions_are_delivered(made: MadeWorkspace) -> None:
    box = Mailbox(made.home, "s-1")
    box.bind(Binding("k", str(made.root), goal=False))
    with locked(box.lock):
        assert stop(made) == {}
        box.put(Question("q1", "Which resource is saturated?"))
        assert "Which resource is saturated?" in stop(made)["reason"]
        assert stop(made) == {}


def test_a_session_that_was_never_held_is_not_refused_when_its_copilot_died(made: MadeWorkspace) -> None:
    box = Mailbox(made.home, "s-1")
    box.bind(Binding("k", str(made.root), goal=False))
    box.lock.touch()
    assert stop(made) == {}
    answers = [
        run.answer("stop", io.BytesIO(given), made.home, "s-1") for given in (b"{", b"") for _ in range(2)
    ]
    assert ["decision" in said for said in answers] == [False] * 4
    assert all("hook failed" in said["systemMessage"] for said in answers)


def test_a_judge_that_could_not_work_is_asked_again(made: MadeWorkspace) -> None:
    invalid = made_scenario(SCENARIOS[0], Status.INVALID_REFERENCE)
    others = [made_scenario(one) for one in SCENARIOS[1:]]
    record = made_record((invalid, *others), hashes={"candidate": made.workspace.candidate_sha256()})
    assert record.status is Outcome.INFRASTRUCTURE
    store(record, made.own / "records")
    answers = [stop(made) for _ in range(3)]
    assert [said.get("decision") for said in answers] == ["block", "block", None]
    for said in (answers[0]["reason"], answers[1]["reason"], answers[2]["systemMessage"]):
        assert "The judge could not judge" in said
        assert "run `kernelseek evaluate` again" in said


def test_a_stop_that_ran_leaves_word_of_it(made: MadeWorkspace) -> None:
    box = Mailbox(made.home, "s-1")
    box.bind(Binding("k", str(made.root)))
    with locked(box.lock):
        stop(made)
        made.judged()
        stop(made)
        stop(made, agent_id="a-1")  # a subagent's
    told = [json.loads(line) for line in box.told.read_text().splitlines()]
    assert [(line["what"], line["refused"]) for line in told] == [("stopped", True), ("stopped", False)]


def test_a_question_at_the_turns_end_comes_with_the_unmet_clauses(made: MadeWorkspace) -> None:
    made.judged(slow=(2,))
    box = Mailbox(made.home, "s-1")
    box.bind(Binding("k", str(made.root)))
    with locked(box.lock):
        box.put(Question("q1", "What would disprove the limit?"))
        reason = stop(made)["reason"]
    assert "What would disprove the limit?" in reason
    assert "toy-n32" in reason


# The command itself.


def command(*arguments: str, given: bytes = b"{}", home: Path) -> subprocess.CompletedProcess[bytes]:
    code = "import sys; from kernelseek_tui.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "hook", *arguments, "--home", str(home)],
        input=given,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("event", [*EVENTS, "no-such-hook"])
def test_the_command_always_ends_well_with_json(event: str, tmp_path: Path) -> None:
    done = command(event, given=b"garbage", home=tmp_path)
    assert done.returncode == 0
    assert isinstance(json.loads(done.stdout), dict)
    assert done.stderr == b""


@pytest.mark.parametrize("arguments", [[], ["stop", "--bogus"], ["stop", "again"], ["stop", "--attached"]])
def test_a_call_that_is_none_is_no_refusal(arguments: list[str]) -> None:
    """2, which usage errors end with elsewhere, holds the agent: it is what the client takes for "no"."""
    done = CliRunner().invoke(hook, arguments)
    assert done.exit_code == 0
    assert "called wrongly" in json.loads(done.stdout)["systemMessage"]
    assert "--help" in done.stderr


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import kernelseek_tui.cli.hook", ("numpy", "textual", "pydantic", "yaml")),
        ("import kernelseek_tui.hooks.standing, harness.workspace, harness.records", ("numpy", "textual")),
    ],
)
def test_a_hook_loads_little(code: str, absent: tuple[str, ...]) -> None:
    probe = f"{code}\nimport sys\nprint(sorted(set({absent!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
