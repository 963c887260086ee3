"""The owner does not wait for a judge that was stopped or says nothing."""

import asyncio
import sys
import time
from pathlib import Path

import pytest

from harness.owner import judge_process
from harness.owner.files import OwnerError
from harness.owner.judge_process import run_judge


def judged(code: str, folder: Path) -> OwnerError:
    return asyncio.run(run_judge((sys.executable, "-c", code), folder, lambda: False, lambda _: None))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see that it was stopped")
def test_a_judge_that_was_stopped_is_ended(tmp_path: Path) -> None:
    code = "import os, signal\nopen('pid', 'w').write(str(os.getpid()))\nos.kill(os.getpid(), signal.SIGSTOP)"
    with pytest.raises(OwnerError, match="was stopped by a signal from outside") as error:
        judged(code, tmp_path)
    assert error.value.exit_code == 60
    pid = (tmp_path / "pid").read_text()
    deadline = time.monotonic() + 10
    while Path("/proc", pid).exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path("/proc", pid).exists()


def test_a_judge_that_says_nothing_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_process, "STALL_SECONDS", 0.3)
    with pytest.raises(OwnerError, match="said nothing for"):
        judged("import time; time.sleep(60)", tmp_path)
