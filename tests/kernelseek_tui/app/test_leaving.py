"""A terminal that goes away takes nothing with it."""

import os
import pty
import subprocess
import sys
import threading
from io import StringIO
from pathlib import Path

from kernelseek_tui.app.terminal import Forgiving
from tests.agents.terminal import until

ROOT = Path(__file__).resolve().parents[3]


def test_a_screen_whose_terminal_has_gone_ends_its_session_in_order(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    ours, theirs = pty.openpty()
    # A leader of its own, whose controlling terminal this is: it gets the hang-up as a person's does.
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.kernelseek_tui.app.hung_up", str(mark)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(theirs), os.O_RDWR)),
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    enough = threading.Event()
    reading = threading.Thread(target=_drain, args=(ours, enough), daemon=True)
    reading.start()
    try:
        until(lambda: mark.exists() and mark.read_text() == "busy")
        enough.set()
        child.wait(timeout=30)
    finally:
        child.kill()
    reading.join()
    assert mark.read_text() == "closed"


def _drain(terminal: int, enough: threading.Event) -> None:
    """Read what is drawn, then let the terminal go away; the kernel hangs up on whoever has it."""
    while not enough.is_set():
        os.read(terminal, 65536)
    os.close(terminal)


class Gone(StringIO):
    """A stream whose other end has gone."""

    tries = 0

    def write(self, _: str) -> int:
        """Never."""
        self.tries += 1
        raise OSError(5, "Input/output error")


def test_what_cannot_be_written_is_dropped_without_a_second_try() -> None:
    gone = Gone()
    stream = Forgiving(gone)
    assert stream.write("one") == 3
    assert stream.write("four") == 4
    stream.flush()
    assert gone.tries == 1
