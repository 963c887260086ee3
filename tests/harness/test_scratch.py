import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from harness import judge

HOLD = """
import sys
from harness.judge import _scratch
with _scratch() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_the_folder_of_a_killed_judge_is_swept_by_the_next_and_a_living_ones_is_not() -> None:
    others = [
        subprocess.Popen(
            [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    folders = []
    for other in others:
        assert other.stdout is not None
        folders.append(Path(other.stdout.readline().strip()))
    others[0].send_signal(signal.SIGKILL)
    others[0].wait()
    assert folders[0].is_dir()
    with judge._scratch() as mine:
        assert not folders[0].exists()
        assert folders[1].is_dir()
        assert mine.is_dir()
    assert not mine.exists()
    others[1].communicate()
    assert not folders[1].exists()


def test_one_without_a_lock_may_be_in_the_making(tmp_path: Path) -> None:
    young, old = tmp_path / "kernelseek-1-a", tmp_path / "kernelseek-2-b"
    young.mkdir()
    old.mkdir()
    past = time.time() - 2 * judge.STALE_SECONDS
    os.utime(old, (past, past))
    judge._sweep(tmp_path)
    assert young.is_dir()
    assert not old.exists()
