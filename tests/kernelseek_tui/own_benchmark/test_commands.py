"""Adopting a repository and running its benchmark, by the commands."""

import json
import os
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from kernelseek_tui.cli.evaluate import evaluate
from kernelseek_tui.cli.init import init
from kernelseek_tui.own_benchmark import running
from kernelseek_tui.own_benchmark.declared import FILE, OwnBenchmarkError
from sessions import events as ev
from sessions.recognisers.own import OwnEvaluation

TABLE = "| shape | baseline (ms) | ours (ms) | speedup |\n|---|---|---|---|\n| a | 2.0 | 1.0 | 2.00x |\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "table.txt").write_text(TABLE)
    monkeypatch.chdir(folder)
    return folder


def adopt(command: str) -> Result:
    return CliRunner().invoke(init, ["--benchmark", command], standalone_mode=False)


def run(*options: str) -> Result:
    return CliRunner().invoke(evaluate, list(options), standalone_mode=False)


def test_adopting_adds_one_file_and_evaluating_shows_figures_that_are_not_judged(repo: Path) -> None:
    made = adopt("cat table.txt")
    assert made.exception is None
    assert sorted(path.name for path in repo.rglob("*") if path.is_file()) == ["benchmark.toml", "table.txt"]
    result = run()
    assert result.return_value == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["scenario", "status", "ratio", "interval", "verdict", "baseline", "candidate"]
    assert lines[1].split()[0:3] == ["a", "PARSED", "2.000x"]
    assert any(line.startswith("Not judged:") for line in lines)
    assert any(line.startswith("VERDICT own benchmark (exit 0): ") for line in lines)
    # What a transcript holds of it is recognised as the same, and as nothing that a judge said.
    said = OwnEvaluation().look(result.stdout, None)
    assert said is not None
    assert (said.status, said.rows[0].ratio, said.exit_code) == ("PARSED", 2.0, 0)
    (kept,) = (Path(os.environ["KERNELSEEK_HOME"]) / "benchmarks").rglob("*.json")
    event = ev.Evaluation.model_validate_json(kept.read_text())
    assert (event.source_kind, event.counts) == ("parsed", False)


def test_as_json(repo: Path) -> None:
    adopt("cat table.txt")
    shown = json.loads(run("--json").stdout)
    assert (shown["judged"], shown["exit_code"]) == (False, 0)
    assert shown["evaluation"]["scenarios"][0]["ratio"] == 2.0
    assert Path(shown["path"]).is_file()


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("exit 3", 60, "ended with exit code 3"),
        ("echo hello", 60, "Nothing was read"),
        ("cat table.txt; exit 1", 60, "ended with exit code 1"),
        ("printf '\\033[2Jhello'", 60, "Nothing was read"),
    ],
)
def test_what_cannot_be_used_ends_with_a_sentence_and_keeps_nothing(
    repo: Path, command: str, code: int, words: str
) -> None:
    adopt(command)
    result = run()
    assert result.return_value == code
    assert f"VERDICT not judged (exit {code}): " in result.stdout
    assert words in result.stdout
    assert "\x1b" not in result.stdout
    assert not list((Path(os.environ["KERNELSEEK_HOME"]) / "benchmarks").rglob("*.json"))


def test_one_that_says_it_is_wrong_ends_with_20_also_by_its_own_code(repo: Path) -> None:
    (repo / "out.json").write_text('{"a": {"x": 1.5, "ok": false}}')
    adopt("cat out.json; exit 1")
    (repo / FILE).write_text((repo / FILE).read_text() + '\n[benchmark.json]\nratio = "x"\ncorrect = "ok"\n')
    result = run()
    assert result.return_value == 20
    assert "VERDICT own benchmark is wrong (exit 20): 0 of 1 right" in result.stdout


def test_one_that_takes_too_long_is_ended_with_all_it_started(repo: Path) -> None:
    adopt("sleep 600 & echo $! > child; sleep 600")
    text = (repo / FILE).read_text()
    (repo / FILE).write_text(text.replace('sleep 600"', 'sleep 600"\nseconds = 0.5'))
    result = run()
    assert result.return_value == 40
    assert "did not end within 0.5 s" in result.stdout
    child = int((repo / "child").read_text())
    deadline = time.monotonic() + 5
    while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text()


def test_own_outside_of_a_project_with_a_benchmark(repo: Path) -> None:
    result = run("--own")
    assert isinstance(result.exception, OwnBenchmarkError)
    assert "init --benchmark" in str(result.exception)


def test_in_a_workspace_the_judge_judges_unless_own_is_asked_for(repo: Path) -> None:
    made = CliRunner().invoke(
        init, ["attention", "work", "--benchmark", "cat ../table.txt", "--no-skill"], standalone_mode=False
    )
    assert made.exception is None
    os.chdir(repo / "work")
    result = run("--own")
    assert result.return_value == 0
    assert "2.000x" in result.stdout


def test_what_a_check_says_without_counts_is_not_contradicted(repo: Path) -> None:
    adopt("cat table.txt; echo all close")
    row = r"\| (?P<scenario>a) \| (?P<baseline>\S+) \| (?P<candidate>\S+)"
    pattern = f"\n[benchmark.pattern]\nname = 'b'\nrow = '{row}'\nright = 'all close'\nwrong = 'MISMATCH'\n"
    (repo / FILE).write_text((repo / FILE).read_text() + pattern)
    assert "VERDICT own benchmark (exit 0): it says that all is right" in run().stdout
    (repo / "table.txt").write_text(TABLE + "MISMATCH at 3\n")
    result = run()
    assert result.return_value == 20
    assert "it does not say" not in result.stdout
    assert "MISMATCH at 3" in result.stdout


def test_an_expression_that_takes_for_ever_is_ended(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "READ_SECONDS", 0.3)
    (repo / "table.txt").write_text("a" * 60 + "!\n")
    adopt("cat table.txt")
    pattern = "\n[benchmark.pattern]\nname = 'b'\nrow = '(?P<scenario>(a+)+)$ (?P<ratio>1)'\n"
    (repo / FILE).write_text((repo / FILE).read_text() + pattern)
    result = run()
    assert result.return_value == 60
    assert "it took more than 0.3 s" in result.stdout


@pytest.mark.parametrize("arguments", [["--benchmark", "  "], ["--benchmark", ""], ["attention", ""], [""]])
def test_empty_words_are_refused(repo: Path, arguments: list[str]) -> None:
    made = CliRunner().invoke(init, arguments, standalone_mode=False)
    assert isinstance(made.exception, click.UsageError)
    assert not list(repo.glob(".kernelseek"))


def test_of_a_workspace_and_a_benchmark_the_nearer_one_is_meant(repo: Path) -> None:
    made = CliRunner().invoke(init, ["attention", "work", "--no-skill"], standalone_mode=False)
    assert made.exception is None
    inside = repo / "work" / "inside"
    inside.mkdir()
    os.chdir(inside)
    (inside / "table.txt").write_text(TABLE)
    adopt("cat table.txt")
    assert "own benchmark" in run().stdout
