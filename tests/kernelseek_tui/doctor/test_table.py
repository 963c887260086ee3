"""The doctor as a whole: order, limits, exit codes."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelseek_tui.cli.doctor import doctor
from kernelseek_tui.doctor import table
from kernelseek_tui.doctor.finding import Finding, State, Surroundings
from kernelseek_tui.doctor.table import CHECKS, NEEDED, examine, ready

HERE = Surroundings(environment={"PATH": ""})


def fine(_: Surroundings) -> Finding:
    return Finding("fine", State.OK, "yes")


def breaks(_: Surroundings) -> Finding:
    raise ImportError("cannot import name 'home' from 'sessions'")


def test_a_check_that_breaks_is_a_finding() -> None:
    found = examine(HERE, (fine, breaks, fine))
    assert [finding.name for finding in found] == ["fine", "breaks", "fine"]
    assert found[1].state is State.MISSING
    assert "cannot import name" in found[1].found


def test_a_check_that_hangs_costs_only_its_own_line() -> None:
    release = threading.Event()

    def hangs(_: Surroundings) -> Finding:
        release.wait()
        return fine(_)

    found = examine(HERE, (hangs, fine), seconds=0.2)
    release.set()
    assert [finding.found for finding in found] == ["gave no answer in time", "yes"]


def test_what_is_needed_decides() -> None:
    absent = Finding("x", State.MISSING, "no")
    assert ready([absent, Finding("y", State.NOTE, "so", needed=True)])
    assert not ready([Finding("x", State.MISSING, "no", needed=True)])


def test_the_checks_agree_with_the_table_on_what_is_needed() -> None:
    found = dict(zip(CHECKS, examine(Surroundings(seconds=30.0), seconds=60.0), strict=True))
    assert {check for check, finding in found.items() if finding.needed} == NEEDED


def use(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    monkeypatch.setattr("kernelseek_tui.cli.doctor.examine", lambda _: list(findings))


def test_json_and_exit_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Finding("torch", State.MISSING, "none", "install it", needed=True))
    result = CliRunner().invoke(doctor, ["--json"], standalone_mode=False)
    assert result.return_value == 60
    told = json.loads(result.stdout)
    assert told["ready"] is False
    assert told["checks"] == [
        {"name": "torch", "state": "missing", "found": "none", "advice": "install it", "needed": True}
    ]
    assert told["scripted_only"] == list(table.SCRIPTED_ONLY)


def test_text(monkeypatch: pytest.MonkeyPatch) -> None:
    use(
        monkeypatch,
        Finding("torch", State.OK, "2.11", needed=True),
        Finding("claude", State.MISSING, "\x1b[2Jold\nvery", "update it"),
    )
    result = CliRunner().invoke(doctor, [], standalone_mode=False)
    assert result.return_value == 0
    assert "missing  claude             ␛[2Jold very\n" in result.stdout
    assert "-> update it" in result.stdout
    assert "only ever run against a scripted model" in result.stdout
    assert "`kernelseek demo` will work here." in result.stdout


def test_a_foreign_package_in_front_is_reported_by_the_command_itself(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "__init__.py").touch()
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from kernelseek_tui.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), "doctor"], capture_output=True, text=True
    )
    assert done.returncode == 60
    assert "Traceback" not in done.stderr
    assert f"sessions is a foreign package, at {tmp_path / 'sessions'}" in done.stdout
