"""`kernelseek sessions …` as a person types it: what is printed, where, and the exit code."""

import hashlib
import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from harness.operators import load_operator
from harness.workspace import create
from kernelseek_tui.cli.main import main
from sessions import events as ev
from sessions.home import JOURNAL, sessions_folder
from sessions.journal import Journal
from sessions.transcript import open_transcript
from tests.sessions.archive.recorded import evaluation, record, started
from tests.sessions.transcripts import user, write

FAKE = "a1B2" * 12
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    def go(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kernelseek", "sessions", *map(str, words)])
        monkeypatch.setattr(sys, "stdout", sys.stdout)  # `main` puts its own in place
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return go


def old(folder: Path, days: int) -> Path:
    then = (datetime.now(UTC) - timedelta(days=days)).timestamp()
    os.utime(folder / JOURNAL, (then, then))
    return folder


class TestList:
    def test_a_table_and_what_is_wrong(self, run: Run) -> None:
        record("s1", [started(questioner="bank", workspace="/w\x1b[31m"), evaluation(2.5)])
        with (sessions_folder() / "s1" / JOURNAL).open("ab") as file:
            file.write(b"{broken}\n")
        code, out, err = run("list")
        assert code == 0
        head, first, wrong = out.splitlines()[:3]
        assert head.split()[:3] == ["id", "when", "agent"]
        assert "2.50x over start" in first
        assert "DAMAGED, rehearsed" in first
        assert "1 line is damaged" in wrong
        assert "\x1b" not in out
        assert "1 session in" in err

    def test_json_is_a_list(self, run: Run) -> None:
        record("s1", [started(), evaluation(2.5)])
        rows = json.loads(run("list", "--json")[1])
        assert (rows[0]["id"], rows[0]["geomean"], rows[0]["where"]) == ("s1", 2.5, "here")
        assert {row["where"] for row in json.loads(run("list", "--json", "--archive")[1])} == {"bundled"}

    def test_a_live_one_is_marked(self, run: Run) -> None:
        with Journal.of("s1") as journal:
            journal.append(started())
            assert f"live (process {os.getpid()})" in run("list")[1]


class TestImportAndExport:
    def test_there_and_back(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "run.jsonl", [user(0, f"sk-{FAKE} in /home/ann/k")])
        code, out, _ = run("import", path)
        assert code == 0
        session = out.strip()
        code, out, err = run("export", session, "-o", "x.jsonl.gz")
        assert (code, out) == (0, "x.jsonl.gz\n")
        assert "redacted: 1 home path" in err
        assert FAKE not in err
        assert "/home/ann" not in err
        assert open_transcript("x.jsonl.gz").events[1].text == "[api-key] in ~/k"  # type: ignore[union-attr]

    def test_one_refused_file_costs_only_itself(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "words.txt").write_text("words")
        good = write(tmp_path / "run.jsonl", [user(0, "go")])
        code, out, err = run("import", "words.txt", good, "nowhere", good)
        assert code == 3
        assert len(out.splitlines()) == 1
        assert [text.split(":")[0] for text in err.splitlines()] == ["kernelseek"] * 3
        assert "add --again" in err

    def test_the_default_name_and_no_second_one(self, run: Run, tmp_path: Path) -> None:
        record("s1", [started()])
        assert run("export", "s1")[:2] == (0, "s1.jsonl.xz\n")
        code, _, err = run("export", "s1")
        assert code == 3
        assert "nothing is overwritten" in err

    def test_not_redacted_when_told_so(self, run: Run, tmp_path: Path) -> None:
        record("s1", [started(cwd="/home/ann/w")])
        _, _, err = run("export", "s1", "--format", "jsonl", "--no-redact")
        assert "not redacted" in err
        assert "/home/ann/w" in (tmp_path / "s1.jsonl").read_text()

    def test_a_manifest_says_how(self, run: Run, tmp_path: Path) -> None:
        record("s1", [started(versions={"seed": "3", "bank": "b"}, questioner="bank"), evaluation()])
        code, out, _ = run("export", "s1", "-o", "made.jsonl.xz", "--manifest", "kernelseek demo --seed 3")
        assert (code, out.splitlines()) == (0, ["made.jsonl.xz", "made.manifest.json"])
        manifest = json.loads((tmp_path / "made.manifest.json").read_text())
        assert manifest["command"] == "kernelseek demo --seed 3"
        assert (manifest["seed"], manifest["rehearsed"], manifest["events"]) == ("3", True, 2)
        assert manifest["sha256"] == hashlib.sha256((tmp_path / "made.jsonl.xz").read_bytes()).hexdigest()

    def test_the_command_of_a_manifest_is_redacted(self, run: Run, tmp_path: Path) -> None:
        record("s1", [started()])
        key = f"ghp_{FAKE[:36]}"
        assert run("export", "s1", "-o", "a.gz", "--manifest", f"X={key} steer /home/ann/w")[0] == 0
        assert (
            run("export", "s1", "-o", "b.gz", "--no-redact", "--manifest", f"X={key} steer /home/ann")[0] == 0
        )
        found = json.loads((tmp_path / "a.manifest.json").read_text())
        assert found["command"] == "X=[github-token] steer ~/w"
        assert found["redacted"] == {"github-token": 1, "home path": 1}
        found = json.loads((tmp_path / "b.manifest.json").read_text())
        assert (found["command"], found["redacted"]) == ("X=[github-token] steer /home/ann", {})

    @pytest.mark.parametrize("words", [["export", "nope"], ["export", "../../etc"], ["best", "nope"]])
    def test_an_unknown_session(self, run: Run, words: list[str]) -> None:
        code, out, err = run(*words)
        assert (code, out) == (3, "")
        assert err.startswith("kernelseek: ")
        assert len(err.splitlines()) == 1

    def test_a_folder_that_cannot_be_written(self, run: Run) -> None:
        record("s1", [started()])
        code, _, err = run("export", "s1", "-o", "no/x.jsonl")
        assert code == 4
        assert "could not be written" in err


class TestRedact:
    def test_a_copy_and_a_report(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "run.jsonl", [user(0, f"sk-{FAKE} in /home/ann/k, ann.lee@corp.org")])
        before = path.read_bytes()
        code, out, err = run("redact", path, "-o", "clean.jsonl")
        assert (code, out) == (0, "clean.jsonl\n")
        assert "1 api-key, 1 e-mail, 1 home path" in err
        assert FAKE not in err
        assert path.read_bytes() == before
        assert "[api-key] in ~/k, person1@example.invalid" in (tmp_path / "clean.jsonl").read_text()

    def test_never_in_place(self, run: Run, tmp_path: Path) -> None:
        path = write(tmp_path / "run.jsonl", [user(0, "/home/ann/k")])
        before = path.read_bytes()
        assert run("redact", path, "-o", path)[0] == 3
        assert run("redact", path)[0] == 2
        assert path.read_bytes() == before


class TestNote:
    def test_it_is_in_the_journal(self, run: Run) -> None:
        record("s1", [started()])
        assert run("note", "s1", "look here")[:2] == (0, "s1 e2\n")
        last = open_transcript("s1").events[-1]
        assert isinstance(last, ev.Note)
        assert (last.text, last.author, last.time is not None) == ("look here", "human", True)

    def test_whoever_owns_it_is_told(self, run: Run) -> None:
        with Journal.of("s1") as journal:
            journal.append(started())
            code, _, err = run("note", "s1", "look here")
        assert code == 4
        assert f"process {os.getpid()} owns it" in err
        assert len(open_transcript("s1").events) == 1

    @pytest.mark.parametrize(("session", "code"), [("nope", 3), ("../s1", 3)])
    def test_no_folder_is_made_for_an_unknown_one(self, run: Run, session: str, code: int) -> None:
        assert run("note", session, "x")[0] == code
        assert not sessions_folder().exists()

    def test_an_empty_note(self, run: Run) -> None:
        record("s1", [started()])
        assert run("note", "s1", "  ")[0] == 2


class TestBest:
    def test_the_best_and_back_into_the_workspace(self, run: Run, tmp_path: Path) -> None:
        workspace = create(load_operator("attention"), tmp_path / "work", tmp_path / "state")
        best = b"// the best one\n"
        sha256 = hashlib.sha256(best).hexdigest()
        (workspace.candidates / f"{sha256}.cpp").write_bytes(best)
        record("s0", [started(), evaluation(9.0)])
        events: list[ev.AnyEvent] = [
            started(workspace=str(workspace.root)),
            evaluation(2.0, candidate_sha256=sha256, counts=True),
            evaluation(8.0, evaluation="v2", correct=1),
        ]
        record("s1", events)
        code, out, _ = run("best", "s1")
        assert code == 0
        assert "2x over start" in out
        assert sha256 in out
        before = workspace.candidate.read_bytes()
        told = json.loads(run("best", "--restore", "--json")[1])
        assert (told["session"], told["geomean"], told["counts"]) == ("s1", 2.0, True)
        assert workspace.candidate.read_bytes() == best
        assert Path(told["kept"]).read_bytes() == before
        assert "already" in run("best", "--restore")[1]

    def test_inside_a_workspace_its_own_sessions(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workspace = create(load_operator("attention"), tmp_path / "work", tmp_path / "state")
        record("s1", [started(workspace=str(workspace.root)), evaluation(2.0)])
        record("s2", [started(workspace="/elsewhere"), evaluation(9.0)])
        assert "session:   s2" in run("best")[1]
        monkeypatch.chdir(workspace.root)
        assert "session:   s1" in run("best")[1]

    def test_nothing_good_yet(self, run: Run) -> None:
        assert run("best")[0] == 3
        record("s1", [started(), evaluation(None, status="WRONG", exit_code=20, correct=1)])
        code, _, err = run("best", "s1")
        assert code == 3
        assert "every scenario is correct" in err

    def test_an_imported_one_is_not_restored(self, run: Run, tmp_path: Path) -> None:
        record("s1", [started(workspace=str(tmp_path)), evaluation()])
        run("export", "s1", "-o", "x.jsonl", "--no-redact")
        session = run("import", "x.jsonl")[1].strip()
        code, _, err = run("best", session, "--restore")
        assert code == 3
        assert "was imported" in err


class TestPrune:
    def test_without_a_terminal_nothing_goes(self, run: Run) -> None:
        old(record("s1", [started()]), 40)
        record("s2", [started()])
        code, out, err = run("prune")
        assert code == 0
        assert [text.split()[0] for text in out.splitlines()] == ["s1"]
        assert "Add --yes" in err
        assert (sessions_folder() / "s1").is_dir()

    def test_yes_removes_what_was_shown(self, run: Run) -> None:
        old(record("s1", [started()]), 40)
        old(record("s2", [started(), ev.Note(id="", text="x", author="human")]), 40)
        record("s3", [started()])
        code, _, err = run("prune", "--yes")
        assert code == 0
        assert "stays: s2, has a person's note" in err
        assert "removed 1 session" in err
        assert sorted(path.name for path in sessions_folder().iterdir()) == ["s2", "s3"]

    def test_no_at_the_question_keeps_all(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        old(record("s1", [started()]), 40)
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: "n")
        assert run("prune")[0] == 130
        assert (sessions_folder() / "s1").is_dir()

    def test_a_live_one_stays(self, run: Run) -> None:
        with Journal.of("s1") as journal:
            journal.append(started())
            _, _, err = run("prune", "--keep", "0", "--yes")
        assert "stays: s1, live" in err
        assert (sessions_folder() / "s1").is_dir()

    def test_what_killed_exports_left_here_goes(self, run: Run) -> None:
        left = Path(".run.jsonl.xz.4194999-abcdefgh.part")  # above every process id
        for arguments in ((), ("--keep", "0", "--yes")):
            left.touch()
            record("s1", [started()])
            assert run("prune", *arguments)[0] == 0
            assert not left.exists()

    def test_a_wrong_age(self, run: Run) -> None:
        code, _, err = run("prune", "--older-than", "soon")
        assert code == 2
        assert "such as 30d" in err
