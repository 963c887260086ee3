"""`kernelseek hook` as a process: what it ends with when what it says cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernelseek_tui.hooks.mailbox import Binding, Mailbox
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace, stop_input

MAIN = "from kernelseek_tui.cli.main import main; main()"
FULL = Path("/dev/full")


def hook(given: bytes, redirected: str, *arguments: str, **environment: str) -> tuple[int, str]:
    """The exit code and stderr of `kernelseek hook ARGUMENTS`, with a shell's redirection."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-c", MAIN, "hook", *arguments],
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    return done.returncode, done.stderr.decode()


def refused(made: MadeWorkspace, redirected: str) -> str:
    made.judged(slow=(0,))
    given = stop_input(made.root, active=False)
    code, said = hook(given, redirected, "stop", "--home", str(made.home))
    assert code == 2
    assert "toy-n8" in said
    return said


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_stop_is_refused_though_the_device_is_full(made: MadeWorkspace) -> None:
    assert "cannot be written: No space left on device" in refused(made, ">/dev/full")


def test_a_stop_is_refused_though_stdout_is_closed(made: MadeWorkspace) -> None:
    assert "cannot be written: it is closed" in refused(made, ">&-")


def test_a_stop_is_refused_though_the_reader_has_gone(made: MadeWorkspace) -> None:
    read, write = os.pipe()
    os.close(read)
    made.judged(slow=(0,))
    command = [sys.executable, "-c", MAIN, "hook", "stop", "--home", str(made.home)]
    try:
        done = subprocess.run(
            command, input=stop_input(made.root), stdout=write, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(write)
    assert done.returncode == 2
    assert b"toy-n8" in done.stderr
    assert b"cannot be written: Broken pipe" in done.stderr
    assert b"Traceback" not in done.stderr


def test_what_lets_go_says_so_and_ends_well(made: MadeWorkspace) -> None:
    made.judged()
    code, said = hook(stop_input(made.root), ">&-", "stop", "--home", str(made.home))
    assert code == 0
    assert "Nothing is held up." in said
    assert "stdout cannot be written" in said


def test_it_holds_though_stderr_is_closed_too(made: MadeWorkspace) -> None:
    code, said = hook(stop_input(made.root), ">&- 2>&-", "stop", "--home", str(made.home))
    assert (code, said) == (2, "")


def test_a_state_folder_of_nobody_is_said(made: MadeWorkspace) -> None:
    home = {"KERNELSEEK_HOME": "~no-such-person/x", "KERNELSEEK_SESSION": "k"}
    given = stop_input(made.root, active=False)
    code, said = hook(given, ">&-", "stop", "--attached", "s-1", **home)
    assert code == 2
    assert "~no-such-person/x" in said


def test_a_waiter_that_fails_says_so_and_wakes_nobody(tmp_path: Path) -> None:
    box = Mailbox(tmp_path, "s-1")
    box.bind(Binding("k", "/nowhere"))
    (box.folder / "binding.json").write_text("[]")
    code, said = hook(stop_input(tmp_path), "", "rewake", "--home", str(tmp_path), "--attached", "s-1")
    assert code == 0
    assert "binding.json" in said
