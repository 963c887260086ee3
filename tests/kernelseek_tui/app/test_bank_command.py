"""`kernelseek bank browse`."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from click.testing import CliRunner

from kernelseek_tui.cli.bank.group import bank


def test_without_a_terminal_it_says_what_to_use() -> None:
    result = CliRunner().invoke(bank, ["browse"])
    assert result.exit_code == 2
    assert (
        result.output
        == "kernelseek: bank browse needs a terminal; without one, use `kernelseek bank list`.\n"
    )


def test_the_group_lists_it() -> None:
    assert "browse" in CliRunner().invoke(bank, ["--help"]).output


def _on_a_terminal(arguments: list[str], home: Path, until: bytes) -> tuple[bytes, int]:
    """Run it on a terminal of 24x80 until `until` was written, press q, and wait for its end."""
    primary, secondary = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "KERNELSEEK_BANK"}
    environment |= {"KERNELSEEK_HOME": str(home), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    child = subprocess.Popen(
        [sys.executable, "-c", "from kernelseek_tui.cli import main; main()", "bank", "browse", *arguments],
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        env=environment | {"COLUMNS": "80", "LINES": "24"},
        start_new_session=True,
    )
    os.close(secondary)
    seen, pressed, end = b"", False, time.monotonic() + 60
    try:
        while time.monotonic() < end and child.poll() is None:
            if select.select([primary], [], [], 0.1)[0]:
                try:
                    seen += os.read(primary, 65536)
                except OSError:
                    break
            if until in seen and not pressed:
                pressed = True
                os.write(primary, b"q")
        return seen, child.wait(10)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        os.close(primary)


def test_it_opens_on_a_terminal_and_q_leaves(tmp_path: Path) -> None:
    seen, code = _on_a_terminal([], tmp_path / "home", b"QUESTIONS")
    assert code == 0
    assert b"kq-" in seen
    assert b"\x1b[?1049l" in seen  # the terminal is as it was


def test_a_bank_that_is_none_is_refused_before_the_screen(tmp_path: Path) -> None:
    seen, code = _on_a_terminal(["--bank", str(tmp_path / "none")], tmp_path / "home", b"never written")
    assert code == 3
    assert b"neither a file nor a folder" in seen
    assert b"\x1b[?1049h" not in seen
