"""`kernelseek rehearse serve` as a process."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

# Whether or not the table of commands lists it yet.
TABLE = (
    "from kernelseek_tui.cli.main import COMMANDS, main;"
    "COMMANDS.setdefault('rehearse', ('kernelseek_tui.cli.rehearse:rehearse', 'x')); main()"
)


def start(*arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", TABLE, "rehearse", "serve", *arguments]
    # A parent that runs in the background of a shell would hand down an ignored SIGINT.
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def test_it_prints_what_to_export_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    process = start("--fault", "529@3", "--log", str(tmp_path / "log"))
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(4)]
        name, _, url = lines[0].partition("=")
        assert name == "ANTHROPIC_BASE_URL"
        assert url.startswith("http://127.0.0.1:")
        assert "ANTHROPIC_API_KEY=rehearsal" in lines
        with urllib.request.urlopen(f"{url}/rehearse/faults") as response:
            assert json.load(response) == {"requests": 0, "faults": ["529@3"]}
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--fault", "402@1"], 2, "is not a fault"),
        (["--port", "70000"], 2, "70000"),
        (["--script", "/nowhere.yaml"], 3, "/nowhere.yaml"),
        (["--log", "/nowhere/log"], 60, "/nowhere/log"),
    ],
)
def test_what_it_refuses(arguments: list[str], code: int, words: str) -> None:
    process = start(*arguments)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == code
    assert words in errors
    assert "Traceback" not in errors
