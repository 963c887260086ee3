import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kernelseek_tui.cli import inspect as inspect_module
from kernelseek_tui.cli.report import report
from kernelseek_tui.cli.sessions.group import COMMANDS
from sessions.errors import RefusedInput, StorageError
from sessions.events import Note, dump_event
from tests.cases import CASES, needs_cases
from tests.kernelseek_tui.reports.reported import story


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(report, [str(one) for one in arguments], catch_exceptions=False)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "one" / "events.jsonl"
    path.parent.mkdir()
    path.write_text("".join(dump_event(event) + "\n" for event in story(rehearsed=True)))
    return path


def test_the_group_lists_it() -> None:
    assert COMMANDS["report"][0] == "kernelseek_tui.cli.report:report"


def test_markdown_goes_to_stdout_without_a_file(journal: Path) -> None:
    found = _run(journal)
    assert found.exit_code == 0
    assert found.stdout.startswith("# Session report: one\n")
    assert "REHEARSED" in found.stdout


@pytest.mark.parametrize(
    ("name", "begins"), [("r.md", "# Session"), ("r.html", "<!DOCTYPE html>"), ("r.json", "{"), ("r", "# ")]
)
def test_the_format_follows_the_files_name(journal: Path, name: str, begins: str) -> None:
    target = journal.parent / name
    found = _run(journal, "-o", target)
    assert found.stdout == ""
    assert "wrote" in found.stderr
    assert target.read_text(encoding="utf-8").startswith(begins)
    assert [path.name for path in journal.parent.iterdir() if path.name.startswith(".")] == []


def test_the_format_can_be_named(journal: Path) -> None:
    assert json.loads(_run(journal, "--format", "json").stdout)["rehearsed"] is True


@pytest.mark.parametrize("name", ["r.pdf", "r.md.gz", "R.DOCX"])
def test_an_ending_that_no_report_has_is_refused(journal: Path, name: str) -> None:
    target = journal.parent / name
    found = CliRunner().invoke(report, [str(journal), "-o", str(target)])
    assert found.exit_code == 2
    for words in (target.suffix.lower(), ".md", ".html", ".json", "--format"):
        assert words in found.stderr
    assert not target.exists()
    assert _run(journal, "-o", target, "--format", "md").exit_code == 0


def test_a_session_named_twice_counts_once(journal: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(journal)
    other = tmp_path / "two.jsonl"
    other.write_bytes(journal.read_bytes())
    found = _run(journal.parent, other, journal, link, "--format", "json")
    assert [session["name"] for session in json.loads(found.stdout)["sessions"]] == ["one", "two.jsonl"]
    assert "counts once" in found.stderr


SECRET = "ghp_" + "a1B2" * 9
SAID = f"{SECRET} /home/annika/k.cu annika.lee@corp.io"


@pytest.fixture
def telling(tmp_path: Path) -> Path:
    path = tmp_path / "annika.lee@corp.io.jsonl"
    path.write_text("".join(dump_event(event) + "\n" for event in story(said=SAID)))
    return path


@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_a_report_is_redacted_and_says_so(telling: Path, form: str) -> None:
    found = _run(telling, "--format", form)
    assert found.exit_code == 0
    for secret in (SECRET, SECRET[10:], "annika", "corp.io"):
        assert secret not in found.stdout
    if form == "json":
        counted = json.loads(found.stdout)["redacted"]
        assert set(counted) == {"github-token", "home path", "e-mail"}
        assert min(counted.values()) > 1
    else:
        assert re.search(r"redacted: \d+ e-mails, \d+ github-tokens, \d+ home paths", found.stdout)


def test_what_is_cut_is_redacted_before(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    events = story(said="x" * 225 + f" {SECRET}")
    path.write_text("".join(dump_event(event) + "\n" for event in events))
    assert "ghp_" in _run(path, "--no-redact").stdout.replace("\\", "")
    assert "ghp_" not in _run(path).stdout.replace("\\", "")


def test_a_report_that_is_not_redacted_says_so(telling: Path) -> None:
    found = _run(telling, "--no-redact", "--format", "md").stdout
    assert "Not redacted" in found
    assert "/home/annika" in found
    assert json.loads(_run(telling, "--no-redact", "--format", "json").stdout)["redacted"] is None


def test_an_existing_file_is_kept_without_force(journal: Path) -> None:
    target = journal.parent / "r.html"
    target.write_text("mine")
    with pytest.raises(RefusedInput, match="--force"):
        _run(journal, "-o", target)
    assert target.read_text() == "mine"
    _run(journal, "-o", target, "--force")
    assert target.read_text().startswith("<!DOCTYPE")


def test_a_session_is_never_overwritten_by_its_report(journal: Path) -> None:
    before = journal.read_bytes()
    for named in (journal, journal.parent):
        with pytest.raises(RefusedInput, match="one of the sessions"):
            _run(named, "-o", journal, "--force", "--format", "md")
    assert journal.read_bytes() == before


def test_what_cannot_be_written_or_read_is_said_in_a_sentence(journal: Path, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be written") as storage:
        _run(journal, "-o", tmp_path / "nowhere" / "r.md")
    assert storage.value.exit_code == 4
    broken = tmp_path / "notes.txt"
    broken.write_text("no transcript\n")
    with pytest.raises(RefusedInput) as refused:
        _run(journal, broken, "-o", tmp_path / "r.md")
    assert refused.value.exit_code == 3
    assert not (tmp_path / "r.md").exists()


def test_several_paths_are_a_campaign(journal: Path, tmp_path: Path) -> None:
    other = tmp_path / "two.jsonl"
    other.write_text("".join(dump_event(event) + "\n" for event in story()))
    found = json.loads(_run(journal, other, "--format", "json").stdout)
    assert [session["name"] for session in found["sessions"]] == ["one", "two.jsonl"]
    assert "The sessions" in _run(journal, other).stdout


def test_long_files_show_progress_on_stderr(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_module, "PROGRESS_ABOVE", 1)
    with journal.open("a") as file:
        file.writelines(dump_event(Note(id=f"n{number}", text="x")) + "\n" for number in range(600))
    found = _run(journal, "--format", "json")
    assert "lines" in found.stderr
    json.loads(found.stdout)


@needs_cases
@pytest.mark.parametrize(
    ("name", "gain", "act", "fates"),
    [
        ("case1_gap_triage.jsonl", (0.44, 0.96), "question", []),
        ("case2_claimed_limit.jsonl", (1.02, 1.13), "question", ["withdrawn"]),
        ("case3_scenario_coverage.jsonl", None, "", ["withdrawn"]),
        ("case4_false_completion.jsonl", (0.75, 0.92), "question", ["withdrawn"]),
    ],
)
def test_the_published_cases(
    name: str, gain: tuple[float, float] | None, act: str, fates: Sequence[str]
) -> None:
    assert CASES is not None
    (session,) = json.loads(_run(CASES / "study" / name, "--format", "json").stdout)["sessions"]
    assert session["score"]["named"] == "as printed by the agent's own commands, not judged"
    assert [claim["fate"] for claim in session["claims"]] == list(fates)
    if gain is None:
        assert session["jumps"] == []
    else:
        last = session["jumps"][-1]
        assert (last["before"], last["after"], last["act"]) == (*gain, act)
