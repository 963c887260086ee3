"""`kernelseek bank review`: the tests that need a reader, and `lint_ok` written into a file."""

import errno
import json
import os
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from click.testing import CliRunner, Result

from bank.admission import admit
from bank.admission import places as bank_places
from bank.bank import Bank
from bank.errors import BankError
from bank.question import text_hash
from bank.reviews import CHECKLIST, Review, append, human_tests, read_reviews, review_line, standing
from bank.reviews.record import TestId
from kernelseek_tui.cli.bank import review as command
from kernelseek_tui.cli.bank.group import bank
from sessions.errors import StorageError
from tests.bank.builders import entry, entry_data, write_bank

QUESTION = "How long do one hundred starts take on {arch}?"
PASSES = [word for test in CHECKLIST for word in (f"--{test.id}", "pass")]
SOURCE = {"ref": "a/b#1", "lesson": "a lesson", "seen": "2026-11-29"}


def _run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(bank, ["review", *arguments], input=typed)


def _code(result: Result) -> int:
    """The exit code that `kernelseek` would end with."""
    return int(getattr(result.exception, "exit_code", None) or result.exit_code)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    two = entry_data(
        id="kq-host-902", question="How large is a page?", architectures=["cpu"], sources=[SOURCE]
    )
    write_bank(folder, entry_data(), two)
    return folder


def test_verdicts_by_option_are_recorded_one_line_an_entry(mine: Path) -> None:
    done = _run(
        "--all", "--by", "Ada", "--ai", "--note", "two readers", *PASSES, "--bank", str(mine), "--json"
    )
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in (mine / "reviews.jsonl").read_text().splitlines()]
    assert lines == json.loads(done.stdout)
    assert [line["entry"] for line in lines] == ["kq-host-901", "kq-host-902"]
    first, second = lines
    assert first["text"] == text_hash(entry_data()["question"])
    assert (first["by"], first["ai_assisted"], first["note"]) == ("Ada", True, "two readers")
    assert first["tests"] == dict.fromkeys(
        ["blind", "swap-operator", "swap-architecture", "bound", "moves"], "pass"
    )
    assert "swap-architecture" not in second["tests"]  # it is for one family of devices


def test_status_lists_what_is_left_and_says_why(mine: Path) -> None:
    at = ("--bank", str(mine))
    never = json.loads(_run("--status", "--json", *at).stdout)
    assert (never["entries"], never["passed"]) == (2, 0)
    assert [one["state"] for one in never["left"]] == ["never", "never"]
    _run("kq-host-901", "--by", "Ada", *PASSES, *at)
    _run("kq-host-902", "--by", "Ada", *PASSES, "--moves", "fail", *at)
    listed = _run("--status", *at)
    assert listed.stdout.splitlines()[0].startswith("kq-host-902")
    assert "failed moves (Ada 2" in listed.stdout
    assert "1 of 2 entries passed every test, 0 of them with AI only; 1 left" in listed.stderr
    _run("kq-host-902", "--by", "Ada", *PASSES, *at)
    assert json.loads(_run("--status", "--json", *at).stdout)["left"] == []
    write_bank(mine, entry_data(question="How long does a start take?"))
    changed = json.loads(_run("--status", "--json", *at).stdout)
    assert [(one["id"], one["state"]) for one in changed["left"]] == [("kq-host-901", "changed")]


def test_of_each_reviewer_the_newest_review_counts_and_nobody_outvotes_another() -> None:
    asked = entry()

    def said(by: str, ai: bool = False, text: str = asked.question, **tests: str) -> Review:
        verdicts: dict[Any, Any] = dict.fromkeys((test.id for test in human_tests(asked)), "pass")
        verdicts |= {name.replace("_", "-"): verdict for name, verdict in tests.items()}
        return Review(
            entry=asked.id, text=text_hash(text), date="2026-11-30", by=by, ai_assisted=ai, tests=verdicts
        )

    failed = standing(asked, [said("Ada", blind="fail"), said("Ben")])
    assert (failed.state, failed.tests) == ("failed", ("blind",))
    mended = standing(asked, [said("Ada", blind="fail"), said("Ben"), said("Ada")])
    assert (mended.state, mended.with_ai_only) == ("reviewed", False)
    assert standing(asked, [said("Ada", ai=True)]).with_ai_only
    assert standing(asked, [said("Ada", text="another")]).state == "changed"
    assert standing(asked, []).state == "never"
    text = "How long do one hundred starts take?"
    excuse = {"Q07": {"reason": "r", "by": "b", "text": text_hash(text)}}
    before, waived = entry(question=text), entry(question=text, lint_ok=excuse)
    old = [said("Ada", text=text)]
    assert standing(before, old).state == "reviewed"
    assert (standing(waived, old).state, standing(waived, old).tests) == ("incomplete", ("wording",))


def test_the_checklist_names_what_the_record_knows() -> None:
    assert [test.id for test in CHECKLIST] == list(get_args(TestId))


def test_on_a_terminal_it_walks_and_shows_the_question_with_its_parameters_swapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_on_a_terminal", lambda: True)
    excuse = {"reason": "the repeats are the point", "by": "Ben", "text": text_hash(QUESTION)}
    write_bank(tmp_path, entry_data(question=QUESTION, params=["arch"], lint_ok={"Q07": excuse}))
    done = _run(
        "--all", "--by", "Ada", "--bank", str(tmp_path), typed="p\np\nf\np\np\np\nit is about one part\n"
    )
    assert done.exit_code == 0, done.output
    assert "How long do one hundred starts take on this device?" in done.stderr
    assert "How long do one hundred starts take on a two-socket CPU?" in done.stderr
    assert "number: start time, in us" in done.stderr
    assert "if long: host" in done.stderr
    assert "Q07: the number 'hundred' is baked in" in done.stderr
    assert "waived by Ben: the repeats are the point" in done.stderr
    for test in CHECKLIST:
        assert test.title in done.stderr
    recorded = read_reviews(tmp_path / "reviews.jsonl")
    assert [one.note for one in recorded] == ["it is about one part"]
    assert [test for test, verdict in recorded[0].tests.items() if verdict == "fail"] == ["swap-architecture"]


def test_an_interruption_loses_no_finished_entry_and_the_next_walk_goes_on(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_on_a_terminal", lambda: True)
    at = ("--by", "Ada", "--bank", str(mine))
    cut = _run("--all", *at, typed="p\np\np\np\np\n\np\n")  # the input ends within the second entry
    assert cut.exit_code == 1
    assert "1 review recorded before the interruption, and kept" in cut.stderr
    assert [one.entry for one in read_reviews(mine / "reviews.jsonl")] == ["kq-host-901"]
    again = _run("--all", *at, typed="p\np\np\np\n\n")
    assert again.exit_code == 0
    assert "1 of 1: kq-host-902" in again.stderr
    assert [one.entry for one in read_reviews(mine / "reviews.jsonl")] == ["kq-host-901", "kq-host-902"]
    assert "0 reviews recorded" in _run("--all", *at, typed="").stderr


def test_ctrl_c_in_a_walk_is_an_interruption(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_on_a_terminal", lambda: True)
    answers = iter("ppppp")

    def prompt(text: str, **_: Any) -> str:
        if text == "note":
            return ""
        answer = next(answers, None)
        if answer is None:
            raise command.click.Abort
        return answer

    monkeypatch.setattr(command.click, "prompt", prompt)
    assert _run("--all", "--by", "Ada", "--bank", str(mine)).exit_code == 1  # `main` makes it 130
    assert len(read_reviews(mine / "reviews.jsonl")) == 1


def test_an_entry_can_be_skipped_and_the_walk_left(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_on_a_terminal", lambda: True)
    done = _run("--all", "--by", "Ada", "--bank", str(mine), typed="p\ns\nq\n")
    assert done.exit_code == 0
    assert "0 reviews recorded" in done.stderr
    assert not (mine / "reviews.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["kq-host-901"], "say who reviews"),
        (["kq-host-901", "--by", " "], "say who reviews"),
        (["--by", "Ada"], "name entries, or give --all"),
        (["kq-host-901", "--all", "--by", "Ada"], "name entries, or give --all"),
        (["kq-host-901", "--by", "Ada"], "without a terminal every verdict is an option: --blind"),
        (["kq-host-901", "--by", "Ada", "--blind", "pass"], "no verdict on --swap-operator"),
        (["kq-host-901", "--by", "Ada", "--blind", "perhaps"], "perhaps"),
        (["--status", "--all"], "--status only lists"),
        (["kq-host-901", "--by", "Ada", "--reason", "x"], "are for --lint-ok"),
        (["kq-host-901", "--by", "Ada", "--lint-ok", "Q07"], "say why"),
        (["--all", "--by", "Ada", "--lint-ok", "Q07", "--reason", "x"], "takes one entry"),
    ],
)
def test_wrong_calls_are_usage_errors_and_write_nothing(
    mine: Path, arguments: list[str], sentence: str
) -> None:
    refused = _run(*arguments, "--bank", str(mine))
    assert refused.exit_code == 2
    assert sentence in refused.output
    assert not (mine / "reviews.jsonl").exists()


def test_all_or_nothing_where_a_verdict_is_missing(mine: Path) -> None:
    some = [word for word in PASSES if word != "--swap-architecture"]
    some.pop(some.index("--bound") - 1)
    refused = _run("kq-host-902", "kq-host-901", "--by", "Ada", *some, "--bank", str(mine))
    assert refused.exit_code == 2
    assert "kq-host-901 has no verdict on --swap-architecture" in refused.output
    assert not (mine / "reviews.jsonl").exists()


def test_the_record_is_only_added_to_and_mends_a_missing_line_end(tmp_path: Path) -> None:
    file = tmp_path / "reviews.jsonl"
    made = Review(
        entry="kq-host-901",
        text="0" * 8,
        date="2026-11-30",
        by="Ada",
        ai_assisted=False,
        tests={"blind": "pass"},
    )
    file.write_text(made.model_dump_json(), encoding="utf-8")  # as an editor may leave it
    append(file, made)
    append(file, made)
    assert read_reviews(file) == [made] * 3
    assert len(file.read_text().splitlines()) == 3
    with pytest.raises(StorageError, match="could not be written"):
        append(tmp_path / "nowhere" / "reviews.jsonl", made)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"entry": "kq-host-901"}',
        '{"entry":"a","text":"00000000","date":"2026-11-30","by":"x","ai_assisted":false,"tests":{"smell":"pass"}}',
    ],
)
def test_a_line_that_is_no_review_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "reviews.jsonl"
    file.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(BankError) as refused:
        read_reviews(file)
    assert "line 2 is no review" in str(refused.value)
    assert "\n" not in str(refused.value)
    write_bank(tmp_path, entry_data())
    assert _code(_run("--status", "--bank", str(tmp_path))) == 3


def _made() -> Review:
    data = {"entry": "kq-host-901", "text": "0" * 8, "date": "2026-11-30", "by": "Ada"}
    return Review.model_validate({**data, "ai_assisted": False, "tests": {"blind": "pass"}})


def test_a_full_disk_leaves_the_record_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "reviews.jsonl"
    append(file, _made())
    before = file.read_bytes()
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) > 20:
            return write(descriptor, data[:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("bank.reviews.record.os.write", full)
    monkeypatch.setattr("bank.reviews.record.os.fsync", lambda _: full(0, b""))
    with pytest.raises(StorageError, match="nothing of it was kept"):
        append(file, _made())
    assert file.read_bytes() == before


def test_a_torn_last_line_is_passed_over_and_moved_aside(tmp_path: Path) -> None:
    file = tmp_path / "reviews.jsonl"
    append(file, _made())
    torn = '{"entry":"kq-é'.encode()[:-1]
    file.write_bytes(file.read_bytes() + torn)
    told: list[str] = []
    assert read_reviews(file, told.append) == [_made()]
    assert told == [f"{file}: line 2 is torn and passed over"]
    append(file, _made(), told.append)
    assert read_reviews(file) == [_made()] * 2
    assert (tmp_path / "reviews.jsonl.torn-1").read_bytes() == torn
    assert "was torn" in told[1]


def test_what_cannot_be_read_is_words_for_showing(mine: Path) -> None:
    (mine / "reviews.jsonl").write_text("[]\n", encoding="utf-8")
    said = review_line(Bank.load(mine).get("kq-host-901"), mine)
    assert said.startswith("cannot be read (")
    assert "line 1 is no review" in said


def test_review_line_for_showing(mine: Path) -> None:
    shown = Bank.load(mine).get("kq-host-901")
    assert review_line(shown, mine) == "never reviewed"
    _run("kq-host-901", "--by", "Ada", "--ai", *PASSES, "--bank", str(mine))
    assert review_line(shown, mine).startswith("passed every test (Ada 2")
    assert review_line(shown, mine).endswith(" with AI)")


def test_the_bank_of_an_installed_package_takes_no_review(
    mine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bank_places, "ENTRIES", mine)
    monkeypatch.setattr(bank_places, "CHECKOUT", tmp_path)
    refused = _run("kq-host-901", "--by", "Ada", *PASSES, "--bank", str(mine))
    assert _code(refused) == 3
    assert "installed package" in str(refused.exception)
    (tmp_path / "pyproject.toml").touch()
    assert _run("kq-host-901", "--by", "Ada", *PASSES, "--bank", str(mine)).exit_code == 0


LAYOUT = """\
# A comment at the top, which stays.
- id: 'kq-host-901'   # and so does this one
  group: host-and-launch-path
  question: 'How long do one hundred starts take, on the host''s side?'
  decision_kinds: [plateau]
  category: [gap-triage]
  moves: {from: kernel, to: host}
  measurement: {method: time it, tools: [timeline-profiler], number: start time, unit: us}
  outcomes:
    - {if: long, next: host}
    - {if: short, verdict: stand}
  answered_when: >
    a trace of
    the current build
  # where it comes from
  provenance: {kind: written, date: '2026-11-29', author: tests, ai_assisted: false}
LINT_OK
- id: 'kq-host-902'
  group: host-and-launch-path
  question: 'How large is a page?'
  decision_kinds: [plateau]
  category: [gap-triage]
  moves: {from: kernel, to: host}
  measurement: {method: look, tools: [harness], number: page size, unit: bytes}
  outcomes: [{if: long, next: host}, {if: short, verdict: stand}]
  answered_when: a trace of the current build
  provenance: {kind: written, date: '2026-11-29', author: tests, ai_assisted: false}
"""
OLD = "{reason: 'old', by: 'Ben', text: '00000000'}"
WAIVE = ("kq-host-901", "--lint-ok", "Q07", "--by", "Ada", "--reason", "the host's repeats: {the} point")


@pytest.mark.parametrize(
    "there",
    [
        "",
        "  lint_ok: {}\n",
        f"  lint_ok: {{Q12: {OLD}}}\n",
        f"  lint_ok: {{Q07: {OLD}, Q12: {OLD}}}\n",
        f"  lint_ok:\n    Q12: {OLD}\n",
        f"  lint_ok:\n    Q07: {OLD}   # stale\n",
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_an_excuse_is_inserted_and_nothing_else_is_touched(tmp_path: Path, there: str, ends: str) -> None:
    path = tmp_path / "host.yaml"
    before = LAYOUT.replace("LINT_OK\n", there).replace("\n", ends)
    path.write_bytes(before.encode())
    path.chmod(0o640)
    done = _run(*WAIVE, "--bank", str(tmp_path))
    assert done.exit_code == 0, done.output + str(done.exception)
    after = path.read_bytes().decode()
    excuse = Bank.load(tmp_path).get("kq-host-901").lint_ok["Q07"]
    assert (excuse.by, excuse.reason) == ("Ada", "the host's repeats: {the} point")
    assert not any(f.lint == "Q07" for f in admit(Bank.load(tmp_path).entries))
    old, new = before.split(ends), after.split(ends)
    assert [line for line in old if line not in new and "lint_ok" not in line and "Q07" not in line] == []
    assert len(new) - len(old) in (0, 1)
    assert sum(line not in old for line in new) == 1  # one line was put in or altered
    assert ("\r" in after) == (ends == "\r\n")
    assert path.stat().st_mode & 0o777 == 0o640
    if "stale" in there:
        assert "# stale" in after
    assert "  # where it comes from" + ends + "  provenance:" in after  # a comment stays with its key


def test_the_line_can_be_printed_instead(tmp_path: Path) -> None:
    path = tmp_path / "host.yaml"
    path.write_text(LAYOUT.replace("LINT_OK\n", ""), encoding="utf-8")
    before = path.read_bytes()
    done = _run(*WAIVE, "--print", "--bank", str(tmp_path))
    assert yaml.safe_load(done.stdout)["lint_ok"]["Q07"]["by"] == "Ada"
    assert path.read_bytes() == before
    as_json = json.loads(_run(*WAIVE, "--bank", str(tmp_path), "--json").stdout)
    assert as_json["written"] is True
    assert as_json["line"] == done.stdout.strip()
    assert as_json["file"] == str(path)


def test_where_nothing_can_be_inserted_the_line_is_named(tmp_path: Path) -> None:
    data = yaml.safe_load(LAYOUT.replace("LINT_OK\n", ""))
    path = tmp_path / "host.yaml"
    path.write_text(yaml.safe_dump(data, default_flow_style=True), encoding="utf-8")
    before = path.read_bytes()
    refused = _run(*WAIVE, "--bank", str(tmp_path))
    assert _code(refused) == 3
    assert "paste this: lint_ok: {Q07: {reason: 'the host''s" in str(refused.exception)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("question", "lint", "sentence"),
    [
        ("How long do starts take?", "Q07", "does not fire"),
        ("How long do starts take?", "Q99", "does not fire"),
        ("How long do starts take because the host waits?", "Q11", "cannot be waived"),
    ],
)
def test_only_a_warning_that_fires_is_explained(
    tmp_path: Path, question: str, lint: str, sentence: str
) -> None:
    path = write_bank(tmp_path, entry_data(question=question))
    before = path.read_bytes()
    refused = _run("kq-host-901", "--lint-ok", lint, "--by", "A", "--reason", "r", "--bank", str(tmp_path))
    assert _code(refused) == 3
    assert sentence in str(refused.exception)
    assert path.read_bytes() == before


def test_a_reason_is_one_line(tmp_path: Path) -> None:
    write_bank(tmp_path, entry_data(question=QUESTION, params=["arch"]))
    at = ("--by", "A", "--bank", str(tmp_path))
    refused = _run("kq-host-901", "--lint-ok", "Q07", "--reason", "a\nb", *at)
    assert _code(refused) == 3


def test_a_write_protected_file_is_refused_with_the_storage_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bank(tmp_path, entry_data(question=QUESTION, params=["arch"]))
    # Modes keep nobody out who runs this as root.
    monkeypatch.setattr(bank_places.os, "access", lambda *_: False)
    refused = _run("kq-host-901", "--lint-ok", "Q07", "--reason", "r", "--by", "A", "--bank", str(tmp_path))
    assert _code(refused) == 4
    assert "write-protected" in str(refused.exception)


def test_help_has_examples() -> None:
    assert "kernelseek bank review --status" in _run("--help").output


def test_a_bank_is_named_as_everywhere(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = len([one for one in Bank.load().entries if one.status != "deprecated"])
    assert f"of {shipped} entries passed" in _run("--status", "--bank", "default").stderr
    monkeypatch.setenv("KERNELSEEK_BANK", str(mine))
    assert "of 2 entries passed" in _run("--status").stderr
    monkeypatch.setenv("KERNELSEEK_BANK", f"default:{mine}")
    refused = _run("--status")
    assert _code(refused) == 3
    assert "name one with --bank" in str(refused.exception)


def test_a_bank_among_installed_packages_is_not_written_beside(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(mine.parent))
    refused = _run("--all", "--by", "Ada", *PASSES, "--bank", str(mine))
    assert _code(refused) == 3
    assert "belongs to an installed package" in str(refused.exception)
    assert not (mine / "reviews.jsonl").exists()
