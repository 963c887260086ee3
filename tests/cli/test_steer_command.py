"""`kernelseek steer` refuses what cannot work before it spends anything."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = (sys.executable, "-c", "from kernelseek_tui.cli import main; main()")


@pytest.mark.parametrize("agent", ["claude", "builtin"])
def test_headless_without_leave_to_use_tools_is_refused(tmp_path: Path, agent: str) -> None:
    done = subprocess.run(
        [*RUN, "steer", str(tmp_path), "--agent", agent, "--headless"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "--allow-all" in done.stderr
