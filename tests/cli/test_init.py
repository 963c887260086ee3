"""`kernelseek init`: the skill in the workspace, and nothing of the user's overwritten."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bank.bank import Bank
from bank.skill import skill_files
from kernelseek_tui.cli.init import init

SKILL = Path(".claude/skills/kernelseek")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(init, ["attention", str(folder), *options], standalone_mode=False)


def test_the_skill_is_the_banks_and_task_md_speaks_of_it(tmp_path: Path) -> None:
    result = run(tmp_path / "work")
    assert result.exception is None
    skill = tmp_path / "work" / SKILL
    written = {
        path.relative_to(skill).as_posix(): path.read_text("utf-8")
        for path in skill.rglob("*")
        if path.is_file()
    }
    assert written == skill_files(Bank.load())
    assert f"`{SKILL}/SKILL.md`" in (tmp_path / "work" / "TASK.md").read_text()
    assert str(SKILL) in result.stdout


def test_without_the_skill_nothing_of_it_is_there_or_mentioned(tmp_path: Path) -> None:
    result = run(tmp_path / "work", "--no-skill")
    assert result.exception is None
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == [
        ".kernelseek",
        "TASK.md",
        "candidate.cpp",
        "ks.h",
        "ks_params.h",
    ]
    assert "skill" not in (tmp_path / "work" / "TASK.md").read_text()
    assert str(SKILL) not in result.stdout


def test_settings_and_skills_of_the_users_own_stay(tmp_path: Path) -> None:
    own = tmp_path / "work" / ".claude"
    (own / "skills" / "other").mkdir(parents=True)
    (own / "settings.local.json").write_text("{ mine")
    assert run(tmp_path / "work").exception is None
    assert (own / "settings.local.json").read_text() == "{ mine"
    assert (own / "skills" / "kernelseek" / "SKILL.md").is_file()


@pytest.mark.parametrize("way", ["skill", "file", "link", "dangling"])
def test_what_is_in_the_way_is_named_and_nothing_is_written(tmp_path: Path, home: Path, way: str) -> None:
    folder, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    match way:
        case "skill":
            (folder / SKILL).mkdir(parents=True)
            (folder / SKILL / "SKILL.md").write_text("mine")
        case "file":
            (folder / ".claude").write_text("mine")
        case "link":
            (folder / ".claude").symlink_to(elsewhere)
        case "dangling":
            (folder / "TASK.md").symlink_to(tmp_path / "nowhere")
    before = sorted(folder.iterdir())
    error = run(folder).exception
    assert getattr(error, "exit_code", None) == 3
    assert {"skill": "SKILL.md", "file": ".claude", "link": ".claude (a link)", "dangling": "TASK.md"}[
        way
    ] in str(error)
    assert sorted(folder.iterdir()) == before
    assert not any(elsewhere.iterdir())
    assert not (tmp_path / "nowhere").exists()
    assert not home.exists()


def test_a_workspace_within_another_says_so(tmp_path: Path) -> None:
    assert run(tmp_path / "work").stderr == ""
    inner = run(tmp_path / "work" / "deep" / "inner")
    assert inner.exception is None
    assert f"lies inside the workspace {tmp_path / 'work'};" in inner.stderr
    assert inner.stderr.count("\n") == 1


def test_help_says_what_is_written() -> None:
    text = CliRunner().invoke(init, ["--help"]).stdout
    for words in (
        "candidate.cpp",
        "TASK.md",
        ".claude/skills/kernelseek/",
        "--no-skill",
        "Nothing is overwritten",
    ):
        assert words in text
