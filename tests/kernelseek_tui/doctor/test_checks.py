"""Each check of the doctor against surroundings made for it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelseek_tui.doctor import agents, gpu, house, machine, terminal, tools
from kernelseek_tui.doctor.finding import Finding, State, Surroundings

Made = Callable[..., Surroundings]


@pytest.fixture
def around(tmp_path: Path) -> Made:
    """Surroundings whose PATH holds nothing but the given scripts (name to body)."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def make(
        seconds: float = 5.0, environment: dict[str, str] | None = None, **programs: str
    ) -> Surroundings:
        for name, body in programs.items():
            (folder / name).write_text(f"#!/bin/sh\n{body}\n")
            (folder / name).chmod(0o755)
        return Surroundings(
            environment={"PATH": str(folder), **(environment or {})}, python=sys.executable, seconds=seconds
        )

    return make


def package(folder: Path, name: str) -> Path:
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").touch()
    return folder


def test_python_is_new_enough(around: Made) -> None:
    assert house.python(around()).state is State.OK


def test_our_packages_are_ours() -> None:
    finding = house.packages(Surroundings(path=(str(house.HOUSE),)))
    assert finding.state is State.OK
    assert str(house.HOUSE) in finding.found


def test_a_foreign_package_in_front_is_named_and_breaks_the_house(tmp_path: Path) -> None:
    foreign = package(tmp_path, "kernels")
    finding = house.packages(Surroundings(path=(str(foreign), str(house.HOUSE))))
    assert (finding.state, finding.needed) == (State.MISSING, True)
    assert f"kernels is a foreign package, at {foreign / 'kernels'}" in finding.found
    assert "environment of its own" in finding.advice


def test_a_foreign_package_behind_ours_is_only_told(tmp_path: Path) -> None:
    foreign = package(tmp_path, "bank")
    finding = house.packages(Surroundings(path=(str(house.HOUSE), str(foreign), str(house.HOUSE))))
    assert finding.state is State.NOTE
    assert f"bank at {foreign / 'bank'}" in finding.found
    assert "sessions" not in finding.found


def test_a_folder_that_is_no_package_is_not_foreign(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    assert house.packages(Surroundings(path=(str(tmp_path), str(house.HOUSE)))).state is State.OK


def test_a_package_that_is_gone(tmp_path: Path) -> None:
    finding = house.packages(Surroundings(path=(str(tmp_path),)))
    assert finding.state is State.MISSING
    assert "harness is not found" in finding.found


def test_the_compiler_compiles() -> None:
    finding = tools.compiler(Surroundings(seconds=30.0))
    assert (finding.state, finding.needed) == (State.OK, True)
    assert finding.found.endswith("compiles")


@pytest.mark.parametrize(
    ("programs", "environment", "words"),
    [
        ({}, {}, "no g++"),
        ({}, {"CXX": "nothing++"}, "'nothing++', which is not there"),
        ({"g++": "echo cc1plus is gone >&2; exit 1"}, {}, "cc1plus is gone"),
        ({"g++": "echo g++ 12"}, {}, "does not compile three lines"),
    ],
)
def test_a_compiler_that_is_none(
    around: Made, programs: dict[str, str], environment: dict[str, str], words: str
) -> None:
    finding = tools.compiler(around(environment=environment, **programs))
    assert (finding.state, finding.needed) == (State.MISSING, True)
    assert words in finding.found
    assert finding.advice


def test_ninja_answers(around: Made) -> None:
    assert tools.ninja(around()).state is State.OK


@pytest.mark.parametrize(
    ("body", "state", "words"),
    [
        ("echo '[\"2.11.0\", true]'", State.OK, "2.11.0"),
        ("echo '[\"2.11.0\", false]'", State.MISSING, "damaged"),
        ("echo PackageNotFoundError >&2; exit 1", State.MISSING, "has no torch"),
        ("sleep 60", State.MISSING, "did not answer"),
    ],
)
def test_torch_in_another_interpreter(around: Made, body: str, state: State, words: str) -> None:
    made = around(seconds=0.5 if "sleep" in body else 5.0, other=body, sleep="exec /bin/sleep $1")
    other = Surroundings(made.environment, made.which("other") or "", seconds=made.seconds)
    finding = tools.torch(other)
    assert (finding.state, finding.needed) == (state, True)
    assert words in finding.found


def test_an_interpreter_that_is_not_there() -> None:
    finding = tools.torch(Surroundings(python="/nowhere/python"))
    assert finding.state is State.MISSING
    assert "cannot be run" in finding.found
    assert "--python" in finding.advice


def test_folders(around: Made, tmp_path: Path) -> None:
    new = machine.state_folder(around(environment={"KERNELSEEK_HOME": str(tmp_path / "a" / "b")}))
    assert new.state is State.OK
    assert not (tmp_path / "a").exists()  # it only looks
    (tmp_path / "file").touch()
    refused = machine.cache_folder(around(environment={"KERNELSEEK_CACHE": str(tmp_path / "file" / "c")}))
    assert (refused.state, refused.needed) == (State.MISSING, True)
    assert "is not a folder" in refused.found
    assert "KERNELSEEK_CACHE" in refused.advice


def test_a_folder_that_cannot_be_written_or_is_full(
    around: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = around(environment={"KERNELSEEK_HOME": str(tmp_path)})
    monkeypatch.setattr(machine, "LEAST_FREE", 1 << 60)
    assert "free some space" in machine.state_folder(made).advice
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "cannot be written" in machine.state_folder(made).found


def test_cores_and_clock_say_a_number(around: Made) -> None:
    assert machine.cores(around()).found[0].isdigit()
    finding = machine.clock(around())
    assert "%" in finding.found
    assert finding.state in (State.OK, State.NOTE)


@pytest.mark.parametrize(
    ("columns", "lines", "encoding", "environment", "words"),
    [
        (120, 40, "UTF-8", {"COLORTERM": "truecolor", "TERM": "xterm"}, ""),
        (70, 40, "UTF-8", {"COLORTERM": "truecolor"}, "80x24"),
        (120, 40, "ANSI_X3.4-1968", {"COLORTERM": "truecolor"}, "UTF-8 locale"),
        (120, 40, "UTF-8", {"TERM": "no-such-terminal"}, "set TERM"),
        (120, 40, "UTF-8", {"NO_COLOR": "1", "COLORTERM": "truecolor"}, "without colours"),
    ],
)
def test_terminal(
    around: Made, columns: int, lines: int, encoding: str, environment: dict[str, str], words: str
) -> None:
    finding = terminal.judge(around(environment=environment), columns, lines, encoding)
    assert words in finding.advice
    assert finding.state is (State.NOTE if words else State.OK)
    assert not finding.needed


def test_no_terminal_is_fine_for_headless(around: Made) -> None:
    # pytest captures stdout: there is none here
    assert "--headless" in terminal.terminal(around()).advice


def test_tmux(around: Made) -> None:
    assert terminal.tmux(around()).found == "not installed"
    finding = terminal.tmux(around(environment={"TMUX": "/tmp/x,1,0"}, tmux="echo tmux 3.4"))
    assert finding.found == "tmux 3.4, inside it"


@pytest.mark.parametrize(
    ("body", "state", "words"),
    [
        ("echo '2.1.332 (Claude Code)'", State.OK, "2.1.332"),
        ("echo '3.0.0 (Claude Code)'", State.OK, "3.0.0"),
        ("echo '2.1.197 (Claude Code)'", State.MISSING, "2.1.197, too old"),
        ("echo '2.1.400 (another tool)'", State.MISSING, "another tool"),
        ("exit 7", State.MISSING, "says nothing"),
        ("exec /bin/sleep 60", State.MISSING, "did not answer"),
    ],
)
def test_claude(around: Made, body: str, state: State, words: str) -> None:
    finding = agents.claude(around(seconds=0.5 if "sleep" in body else 5.0, claude=body))
    assert finding.state is state
    assert words in finding.found
    assert not finding.needed


def test_claude_is_absent_or_named_elsewhere(around: Made, tmp_path: Path) -> None:
    finding = agents.claude(around())
    assert finding.state is State.MISSING
    assert "npm install" in finding.advice
    other = tmp_path / "mine"
    other.write_text("#!/bin/sh\necho '2.1.999 (Claude Code)'\n")
    other.chmod(0o755)
    assert agents.claude(around(environment={"KERNELSEEK_CLAUDE": str(other)})).state is State.OK


def test_node(around: Made) -> None:
    finding = agents.node(around(node="echo v20.1.0"))
    assert finding.state is State.NOTE
    assert finding.found == "node v20.1.0, npm is not on PATH"
    assert agents.node(around(node="echo v20.1.0", npm="echo 11.0.0")).state is State.OK


def test_the_key_is_never_shown(around: Made) -> None:
    secret = "sk-ant-none-of-your-business"
    finding = agents.key(around(environment={"ANTHROPIC_API_KEY": secret}))
    assert finding.state is State.OK
    assert secret not in repr(finding)
    assert agents.key(around(environment={"ANTHROPIC_API_KEY": ""})).state is State.NOTE


def test_the_sdk_is_looked_up_and_not_loaded(around: Made) -> None:
    assert agents.sdk(around()).state in (State.OK, State.NOTE)
    probe = (
        "import sys\nfrom kernelseek_tui.doctor import agents\n"
        "from kernelseek_tui.doctor.finding import Surroundings\n"
        "agents.sdk(Surroundings())\nprint('anthropic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_cuda_is_told_and_of_no_use_yet(around: Made) -> None:
    smi = "echo 'NVIDIA H200, 580.1'"
    made = around(**{"nvidia-smi": smi, "nvcc": "echo copyright; echo 'release 13.0, V13.0.88'"})
    found: list[Finding] = [gpu.driver(made), gpu.nvcc(made)]
    assert [finding.found for finding in found] == ["NVIDIA H200, 580.1", "release 13.0, V13.0.88"]
    assert all(finding.advice == gpu.NOT_BUILT for finding in found)
