"""The goal as the stop hook of a client that we start ourselves; its model is dictated."""

import json
import subprocess
import uuid
from pathlib import Path

import pytest

from kernelseek_tui.hooks.mailbox import Mailbox
from kernelseek_tui.hooks.owned import owned_settings
from kernelseek_tui.hooks.stop import MAX_IDLE
from tests.agents.client import claude_binary, loopback_env
from tests.agents.dictated import Dictated, bash, says
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace

pytestmark = pytest.mark.agents


@pytest.fixture
def made(tmp_path: Path) -> MadeWorkspace:
    return MadeWorkspace(tmp_path)


def run(made: MadeWorkspace, folder: Path, model: Dictated) -> tuple[dict[str, object], Mailbox]:
    session = str(uuid.uuid4())
    settings = owned_settings(made.home, session, "k", made.root)
    command = [claude_binary(), "-p", "Optimize it", "--output-format", "json", "--session-id", session]
    command += ["--settings", json.dumps(settings), "--dangerously-skip-permissions"]
    environment = loopback_env(folder / "person", model.port)
    done = subprocess.run(
        command, env=environment, cwd=made.root, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), Mailbox(made.home, session)


def test_an_unmet_goal_sends_the_agent_back_with_the_clauses(tmp_path: Path, made: MadeWorkspace) -> None:
    made.judged(slow=(1, 3))
    # The model "makes it fast": its command puts a record of the owner's in place, as the owner would.
    met = made.judged()
    waiting = met.with_suffix(".later")
    met.rename(waiting)
    replies = [says("Done, 1.3x is the limit."), bash(f"mv {waiting} {met}"), says("Now it is done.")]
    with Dictated(replies) as model:
        result, _ = run(made, tmp_path, model)
        assert model.times("faster: 2 of 4") >= 1
        assert model.times("First failing: toy-n16, toy-n64.") >= 1
    assert result["result"] == "Now it is done."


def told(box: Mailbox) -> list[str]:
    """What the hook told beside that it ran."""
    lines = [json.loads(line)["what"] for line in box.told.read_text().splitlines()]
    return [what for what in lines if what != "stopped"]


def test_an_agent_that_only_repeats_itself_is_let_go_aloud(tmp_path: Path, made: MadeWorkspace) -> None:
    made.judged(slow=(0,))
    with Dictated([says("I am done.")] * 40) as model:
        _, box = run(made, tmp_path, model)
        assert len(model.bodies) == MAX_IDLE + 1
    assert told(box) == ["let_go"]


def test_one_that_works_between_is_held_beyond_the_clients_own_cap(
    tmp_path: Path, made: MadeWorkspace
) -> None:
    made.judged(slow=(0,))
    replies = [reply for _ in range(12) for reply in (bash("echo again"), says("I am done."))]
    with Dictated([*replies, *[says("I am done.")] * 20]) as model:
        _, box = run(made, tmp_path, model)
        assert len(model.bodies) >= 24
    assert told(box) == ["let_go"]
