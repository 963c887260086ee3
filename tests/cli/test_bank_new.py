"""`kernelseek bank new` as a person types it: what is written, where, what is said, and the exit code."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from bank.admission.folder import admit_path
from bank.bank import ENTRIES, Bank
from bank.drafting.defaults import next_id
from bank.question import Question
from bank.sources import load_banks
from kernelseek_tui.cli.bank.new_lists import closed_lists
from kernelseek_tui.cli.main import main
from sessions import events as ev
from sessions.transcript import open_transcript
from tests.bank.builders import entry_data, write_bank
from tests.kernelseek_tui.effects.stories import TRACE, Story

Run = Callable[..., tuple[int, str, str]]
QUESTION = "How many pages of the input does each worker touch for the first time?"
BASE = ("--group", "host-and-launch-path", "--question", QUESTION)
WHOLE = (
    *BASE,
    *("--kind", "plateau", "--kind", "scope", "--category", "gap-triage", "--moves", "kernel:host"),
    *("--method", "page faults of one call, worker by worker", "--tool", "system-call-trace"),
    *("--number", "first touches of a worker", "--unit", "count"),
    *("--outcome", "they are many=host", "--outcome", "they are few=memory"),
    *("--answered-when", "a table of first touches for the current build hash"),
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kernelseek_tui.cli.bank.new.can_ask", lambda: False)

    def go(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kernelseek", "bank", "new", *map(str, words)])
        monkeypatch.setattr(sys, "stdout", sys.stdout)  # `main` puts its own in place
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return go


def _entry(text: str) -> Question:
    (item,) = yaml.safe_load(text)
    return Question.model_validate(item)


def test_a_whole_draft_breaks_no_rule(run: Run, tmp_path: Path) -> None:
    code, out, err = run(*WHOLE)
    assert code == 0
    made = _entry(out)
    assert made.question == QUESTION
    assert made.id not in {one.id for one in Bank.load().entries}
    assert [o.next for o in made.outcomes] == ["host", "memory"]
    assert "no error, 0 warnings" in err
    (tmp_path / "one.yaml").write_text(out, encoding="utf-8")
    assert admit_path(tmp_path / "one.yaml").findings == ()


def test_what_is_missing_is_assumed_and_told(run: Run) -> None:
    code, out, err = run(*BASE)
    assert code == 0
    assert _entry(out).measurement.method == ""
    for text in (
        "assumed: moves kernel to host",
        "assumed: decision kind plateau",
        "NOT ADMITTED",
        "Q13",
        "Q16",
    ):
        assert text in err


def test_near_duplicates_are_shown_with_both_texts(run: Run) -> None:
    known = Bank.load().get("kq-host-002")
    code, _, err = run("--group", known.group, "--question", known.question.replace("steady", "whole"))
    assert code == 0
    assert f"this one:   {known.question.replace('steady', 'whole')}" in err
    assert f"kq-host-002: {known.question}" in err


def test_appends_to_a_file_and_to_a_bank(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    assert run(*WHOLE, "-o", file)[0] == 0
    before = file.read_bytes()
    assert run(*BASE, "-o", file)[0] == 0
    assert file.read_bytes().startswith(before)
    first, second = (one.id for one in Bank.load(file).entries)
    assert int(second[-3:]) == int(first[-3:]) + 1

    bank = tmp_path / "bank"
    bank.mkdir()
    code, out, err = run(*WHOLE, "--bank", bank)
    assert (code, out) == (0, "")
    first_free = next_id("host", {one.id for one in Bank.load().entries})
    assert f"{first_free} appended to" in err
    both = load_banks(["default", bank])
    assert len(both.entries) == len(Bank.load().entries) + 1
    assert [path.name for path in bank.iterdir()] == ["host-and-launch-path.yaml"]
    (bank / "ids.txt").write_text("kq-host-905\n", encoding="utf-8")
    write_bank(bank, entry_data(id="kq-routing-001"))
    assert run(*BASE, "--bank", bank)[0] == 0
    assert [one.id for one in Bank.load(bank).entries if "host" in one.id] == [first_free, "kq-host-906"]


def test_the_lists_are_printed_for_whoever_writes_an_entry_by_hand(run: Run) -> None:
    code, out, _ = run("--lists")
    assert code == 0
    words = {word.strip(",") for word in out.split()}
    for values in closed_lists().values():
        assert values
        assert set(values) <= words


def test_an_id_of_the_shipped_bank_is_no_id_of_another(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    code, _, err = run(*BASE, "--bank", tmp_path / "bank", "--id", "kq-host-001")
    assert code == 3
    assert "in the shipped bank" in err
    assert list((tmp_path / "bank").iterdir()) == []


def test_the_shipped_bank_is_not_touched_without_being_named(run: Run) -> None:
    before = {path: path.read_bytes() for path in ENTRIES.iterdir()}
    run(*WHOLE)
    assert {path: path.read_bytes() for path in ENTRIES.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "Name --group and --question"),
        (("--group", "host-and-launch-path"), 2, "Name --group and --question"),
        ((*BASE, "-o", "x", "--bank", "y"), 2, "not both"),
        ((*BASE, "--moves", "kernel"), 2, "write FROM:TO"),
        ((*BASE, "--outcome", "large"), 2, "write READING=NEXT"),
        ((*BASE, "--id", "kq-host-001"), 3, "is taken"),
        ((*BASE, "--id", "x"), 3, "an id is kq-"),
        ((*BASE, "--bank", "nowhere"), 3, "is no folder"),
        ((*BASE, "-o", "."), 3, "is not a regular file"),
        ((*BASE, "-o", "a.yaml"), 3, "is not a list of entries"),
        ((*BASE, "-o", "no/such/folder.yaml"), 4, "could not be written"),
        (("--group", "host-and-launch-path", "--question", "How\nmany?"), 3, "one line of printable text"),
        (("--from", "nowhere.jsonl", "1"), 3, "does not exist"),
        (("--from", "a.yaml", "1"), 3, "a.yaml"),
        (("--from", "rehearsed-attention-bank", "e2"), 3, "asks no question"),
        (("--from", "rehearsed-attention-bank", "e99999"), 3, "there is no event"),
    ],
)
def test_refusals_are_one_sentence(
    words: tuple[str, ...], code: int, said: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n", encoding="utf-8")
    ended, out, err = run(*words)
    assert (ended, out) == (code, "")
    assert said in err
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "state") == ["a.yaml"]


def test_a_message_without_a_moment_needs_a_kind(run: Run, tmp_path: Path) -> None:
    story = Story()
    asked = story.ask("How many microseconds pass outside the kernel?", None, by="human")
    story.run(TRACE, "host call 7.5 us")
    path = tmp_path / "events.jsonl"
    path.write_text("".join(ev.dump_event(event) + "\n" for event in story.events), encoding="utf-8")
    code, out, err = run("--from", path, asked)
    assert (code, out) == (3, "")
    assert "name the kind of moment with --kind" in err
    code, out, err = run("--from", path, asked, "--kind", "scope", "--group", "bounds-and-differencing")
    assert code == 0
    made = _entry(out)
    assert made.provenance.kind == "promoted"
    assert (made.decision_kinds, made.group) == (("scope",), "bounds-and-differencing")
    assert made.evidence[0].event == asked
    assert "Promoted from the session s1" in out
    assert "Promoted from the session s1" in err


@pytest.mark.parametrize("name", ["rehearsed-attention-bank", "rehearsed-attention-bank-seed-1"])
def test_a_rehearsed_session_is_read_and_marked(name: str, run: Run, tmp_path: Path) -> None:
    """A bundled session, in which the bank's question is taken as one that a person typed."""
    events = open_transcript(Path(name)).events
    asked = next(event for event in events if isinstance(event, ev.QuestionAsked))
    assert "is the entry" in run("--from", name, asked.id)[2]
    typed = asked.model_copy(update={"entry": None, "questioner": "human"})
    path = tmp_path / "typed.jsonl"
    lines = [ev.dump_event(typed if event is asked else event) for event in events]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, out, err = run("--from", path, asked.id)
    assert code == 0
    (proof,) = _entry(out).evidence
    assert proof.rehearsed
    assert proof.change is not None
    assert "The agent was rehearsed" in out
    assert "The agent was rehearsed" in err
    assert "/tmp" not in out


def _take_terminal() -> None:
    """In the child: stdin is its controlling terminal, so that Ctrl-C is a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _typed(arguments: list[str], keys: list[bytes], folder: Path) -> tuple[int, bytes, bytes]:
    """Runs the command on a terminal of its own; stdout is a pipe. `keys` are sent one behind each prompt."""
    master, slave = pty.openpty()
    environment = os.environ | {"KERNELSEEK_HOME": str(folder / "state")}
    process = subprocess.Popen(
        [sys.executable, "-c", "from kernelseek_tui.cli.main import main; main()", "bank", "new", *arguments],
        stdin=slave,
        stderr=slave,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(slave)
    seen = b""
    ends = time.monotonic() + 60
    sent = 0
    while time.monotonic() < ends:
        if select.select([master], [], [], 0.2)[0]:
            try:
                block = os.read(master, 4096)
            except OSError:
                break
            seen += block
            while sent < len(keys) and seen.count(b"  > ") > sent:
                os.write(master, keys[sent])
                sent += 1
        elif process.poll() is not None:
            break
        elif sent == len(keys) and keys[-1] == b"\x03":
            # A signal that comes between a prompt and its reading is seen with the next one only.
            os.write(master, b"\x03")
    if process.poll() is None and time.monotonic() >= ends:
        process.kill()
    out = process.stdout.read() if process.stdout else b""
    code = process.wait(10)
    os.close(master)
    return code, out, seen


def test_a_terminal_is_asked_for_what_is_missing(tmp_path: Path) -> None:
    keys = [
        b"no-such-group\n",
        b"host-and-launch-path\n",
        QUESTION.encode() + b"\n",
        b"plateau, scope\n",
        b"gap-triage\n",
        b"kernel\n",
        b"kernel:host\n",
        b"page faults of one call\n",
        b"system-call-trace\n",
        b"first touches\n",
        b"count\n",
        b"\n",
        b"\n",
    ]
    code, out, seen = _typed([], keys, tmp_path)
    assert code == 0, seen
    made = _entry(out.decode())
    assert made.question == QUESTION
    assert [kind.value for kind in made.decision_kinds] == ["plateau", "scope"]
    assert made.measurement.tools == ("system-call-trace",)
    assert made.answered_when == ""
    assert b"'no-such-group' is none of them" in seen
    assert b"one of: kernel" not in seen
    assert b"write FROM:TO" in seen


def test_ctrl_c_writes_nothing_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    code, out, seen = _typed(["-o", str(file)], [b"host-and-launch-path\n", b"\x03"], tmp_path)
    assert (code, out) == (130, b"")
    assert b"Nothing was written." in seen
    assert not file.exists()


def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "contributing" / "question.md"
    scripts = page.read_text(encoding="utf-8").split("```sh\n")[1:]
    command = f'{sys.executable} -c "from kernelseek_tui.cli.main import main; main()"'
    assert scripts
    for script in scripts:
        text = f'set -e\nkernelseek() {{ {command} "$@"; }}\n' + script.split("```")[0]
        environment = os.environ | {
            "KERNELSEEK_HOME": str(tmp_path / "state"),
            "PYTHONPATH": str(page.parents[2]),
        }
        ended = subprocess.run(
            ["bash", "-c", text],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        assert ended.returncode == 0, ended.stderr
        assert "no error, 0 warnings" in ended.stderr


MAIN = "from kernelseek_tui.cli.main import main; main()"


def test_eight_at_once_pick_eight_ids(tmp_path: Path) -> None:
    environment = os.environ | {"KERNELSEEK_HOME": str(tmp_path / "state")}
    file = tmp_path / "f.yaml"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", MAIN, "bank", "new", *BASE, "-o", str(file)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        for _ in range(8)
    ]
    assert [one.wait(120) for one in running] == [0] * 8
    ids = [one["id"] for one in yaml.safe_load(file.read_text())]
    assert len(ids) == len(set(ids)) == 8
    assert [path.name for path in tmp_path.iterdir() if path.name != "state"] == ["f.yaml"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["new"], 2),
        (["new", *BASE], 0),
        (["review", "kq-host-001", "--by", "Ada"], 2),
        (["browse"], 2),
    ],
)
def test_a_closed_stdin_is_no_terminal(words: list[str], code: int, tmp_path: Path) -> None:
    ended = subprocess.run(
        ["bash", "-c", 'exec "$@" <&-', "bash", sys.executable, "-c", MAIN, "bank", *words],
        capture_output=True,
        text=True,
        env=os.environ | {"KERNELSEEK_HOME": str(tmp_path / "state")},
    )
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr
