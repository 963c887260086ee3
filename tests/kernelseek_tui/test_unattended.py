"""What is allowed where nobody can be asked: what stays in the workspace, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from kernelseek_tui.unattended import may


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a link that leads out of it, beside another folder."""
    work = tmp_path / "work"
    (work / "build").mkdir(parents=True)
    (work / "out").symlink_to(tmp_path)
    (work / "script").write_text("#!/bin/sh\nid\n")
    return work


@pytest.mark.parametrize(
    "command",
    [
        *("kernelseek evaluate", "kernelseek goal check 2>&1 | tail -3", "kernelseek bank show G1"),
        *("cat TASK.md", "ls -la", "grep -n 'a|b (c)' candidate.cpp | head"),
        *("cd . && ls", "grep 'x*' candidate.cpp", 'grep "a & b" candidate.cpp'),
        "${CXX:-c++} -std=c++17 -O3 -I. -I/usr/include probe.cpp -o probe && ./probe calls; rm -f probe",
        "g++ -S -o candidate.s candidate.cpp && grep -cE 'fn?m(add|la)' candidate.s",
        *("mkdir -p build/x", "mv a.cpp b.cpp", "build/bench --runs=3"),
    ],
)
def test_commands_that_stay_are_allowed(root: Path, command: str) -> None:
    assert may("Bash", {"command": command, "timeout": 600_000}, root)
    assert may("bash", {"command": command}, root)


@pytest.mark.parametrize(
    "command",
    [
        *("curl http://x", "python3 -c 'x'", "git push", "kernelseek attach", "kernelseek sessions prune"),
        *("rm -rf .", "rm -rf /", "rm -rf ../other", "rm -rf .kernelseek", "cp a out/b", "touch ~/x"),
        *("cat /etc/passwd", "cat out/secret", "grep -f/etc/passwd x", "cat `x`", "cat $(x)", "cat $HOME/x"),
        *("ls > x", "cat <<X\nX", "ls |& sh", "ls; curl x", "ls & curl x", "ls\ncurl x", "echo 'open"),
        *("c++ a.cpp -o../x", "c++ a.cpp -o ../x", "c++ a.cpp -o .claude/x", "c++ -fplugin=/x a.cpp"),
        *("A=a/b bash -c 'id > /x'", "A=a/b curl x", "LD_PRELOAD=./x.so ls", "PATH=a/b ls", "touch /tmp/2=x"),
        *("rm -rf /root/foo=", "cp candidate.cpp /x/x=", "g++ x.cpp -o /tmp/x=1", "cp x .claude/a=b"),
        *(
            "cd && rm x",
            "cd ; cat x",
            "cd - && rm x",
            "cd .git && rm config",
            "cd build && rm x",
            "cd .. && ls",
        ),
        *(
            "cat ou?/x",
            "rm ou?/x",
            "rm [o]ut/x",
            "rm *",
            "g++ @args",
            "gcc -wrapper sh,-c,id x.c",
            "gcc -Wl,@x a.c",
        ),
        *("make", "make x", "make --eval='x:;id' x", "ls . &", "./probe & ./probe", "./run.sh", "./script"),
        *("/bin/sh x", "../x", "out/x", ".claude/x", "PATH=. ls", "CXX=sh; $CXX x", "make -C /", "sh -c ls"),
    ],
)
def test_commands_that_leave_are_not(root: Path, command: str) -> None:
    assert not may("Bash", {"command": command}, root)


def test_what_runs_in_the_background_is_not_allowed(root: Path) -> None:
    assert not may("Bash", {"command": "./probe", "run_in_background": True}, root)
    assert not may("Bash", {}, root)


def edit(path: object) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("Edit", {"file_path": path}),
        ("Write", {"file_path": path}),
        ("NotebookEdit", {"notebook_path": path}),
        ("str_replace_based_edit_tool", {"command": "create", "path": path}),
    ]


def test_files_of_the_workspace_may_be_edited_and_read(root: Path) -> None:
    for path in ("candidate.cpp", "build/new.cpp", str(root / "candidate.cpp")):
        assert all(may(tool, given, root) for tool, given in edit(path))
        assert may("Read", {"file_path": path}, root)
    assert may("Grep", {"pattern": "x"}, root)
    assert may("str_replace_based_edit_tool", {"command": "view", "path": "."}, root)


def test_what_clients_and_tools_obey_may_be_read_but_not_edited(root: Path) -> None:
    for path in (".claude/settings.local.json", ".kernelseek/workspace.toml", "build/../.git/hooks/x"):
        assert not any(may(tool, given, root) for tool, given in edit(path))
        assert may("Read", {"file_path": path}, root)


def test_files_elsewhere_are_neither(root: Path) -> None:
    for path in ("/etc/passwd", "../x", "out/x", "~/x", None, ""):
        assert not any(may(tool, given, root) for tool, given in edit(path))
        assert path in (None, "") or not may("Read", {"file_path": path}, root)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Glob", {"pattern": "/etc/**"}),
        ("Glob", {"pattern": "../*"}),
        ("Grep", {"pattern": "x", "glob": "/etc/*"}),
        ("Grep", {"pattern": "x", "file_path": "candidate.cpp", "path": "/etc"}),
        ("Read", {"file_path": "candidate.cpp", "path": "/etc/passwd"}),
        ("Edit", {"file_path": "candidate.cpp", "path": "/etc/passwd"}),
    ],
)
def test_every_path_of_a_tool_counts(root: Path, tool: str, given: dict[str, str]) -> None:
    assert not may(tool, given, root)


def test_a_pattern_that_is_searched_for_is_no_path(root: Path) -> None:
    assert may("Grep", {"pattern": "/etc/passwd", "path": "."}, root)
    assert may("Glob", {"pattern": "**/*.cpp"}, root)


@pytest.mark.parametrize("tool", ["WebFetch", "mcp__x__y", "Agent", ""])
def test_other_tools_are_not_allowed(root: Path, tool: str) -> None:
    assert not may(tool, {"url": "https://x", "command": "ls", "path": "x"}, root)
