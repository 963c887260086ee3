"""What becomes of a command whose stdout goes away or is full."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = (sys.executable, "-c", "from kernelseek_tui.cli import main; main()")


@pytest.fixture
def deaf() -> int:
    """The writing end of a pipe that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def test_a_reader_that_went_away_does_not_change_the_exit_code(deaf: int, tmp_path: Path) -> None:
    environment = {**os.environ, "KERNELSEEK_HOME": str(tmp_path / "home")}
    made = subprocess.run([*RUN, "init", "attention", "work"], cwd=tmp_path, env=environment, stdout=deaf)
    assert made.returncode == 0
    checked = subprocess.run(
        [*RUN, "goal", "check"],
        cwd=tmp_path / "work",
        env=environment,
        stdout=deaf,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(deaf)
    assert checked.returncode == 10  # never evaluated
    assert checked.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [("bank", "list"), ("--help",)])
def test_a_full_disk_is_one_sentence(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*RUN, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4
    assert done.stderr == "kernelseek: stdout cannot be written: No space left on device.\n"


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "61"])
def test_a_pace_is_a_finite_number_of_seconds(value: str) -> None:
    done = subprocess.run([*RUN, "demo", "--headless", "--pace", value], capture_output=True, text=True)
    assert done.returncode == 2
    assert "--pace" in done.stderr


@pytest.mark.parametrize(("closed", "code"), [("<&-", 0), (">&-", 2), ("<&- >&-", 2)])
def test_closed_streams_are_no_traceback(closed: str, code: int, tmp_path: Path) -> None:
    """A refusal that stdout cannot take is exit 2, which the client takes for one."""
    command = f"'{sys.executable}' -c 'from kernelseek_tui.cli import main; main()' hook stop {closed}"
    environment = {**os.environ, "KERNELSEEK_HOME": str(tmp_path)}
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
