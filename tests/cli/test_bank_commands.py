"""`kernelseek bank list, show, search`: filters, other banks, and how they refuse."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from bank.bank import Bank
from bank.question import text_hash
from bank.sources import ENVIRONMENT
from kernelseek_tui.cli.bank.group import bank
from kernelseek_tui.cli.bank.shared import dump
from kernelseek_tui.plain import line
from tests.bank.builders import entry_data

BANK = Bank.load()


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT, raising=False)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(bank, arguments)


def ids(*arguments: str) -> list[str]:
    result = run("list", "--json", *arguments)
    assert result.exception is None, result.exception
    return [item["id"] for item in json.loads(result.stdout)]


def own_bank(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    question = "How many microseconds does the start of a run take on the host?"
    (folder / "own.yaml").write_text(yaml.safe_dump([entry_data(question=question) | changes]), "utf-8")
    return folder


def test_filters_choose_and_combine() -> None:
    live = BANK.select()
    assert ids() == [entry.id for entry in live]
    assert ids("--core") == [entry.id for entry in live if entry.core]
    assert ids("--upstream") == [entry.id for entry in live if entry.needs_upstream]
    hopper = ids("--architecture", "hopper")
    assert hopper == [e.id for e in live if "hopper" in e.architectures]
    assert 0 < len(ids("--architecture", "hopper", "--layer", "memory")) < len(hopper)
    assert ids("--status", "experimental") == ids()
    dropped = ids("--status", "deprecated")
    assert dropped == [entry.id for entry in BANK.entries if entry not in live]
    for entry_id in ids("--layer", "numerics"):
        entry = BANK.get(entry_id)
        assert "numerics" in (entry.moves.to, *(outcome.next for outcome in entry.outcomes))


def test_filters_that_leave_nothing_are_a_wrong_call() -> None:
    for other in (("--upstream",), ("--architecture", "cpu")):
        result = run("list", "--core", *other)
        assert result.exit_code == 2
        assert "give one" in result.stderr
    assert run("list", "--layer", "moon").exit_code == 2


def test_the_listing_says_how_many_of_how_many() -> None:
    result = run("list", "--core")
    core = sum(entry.core for entry in BANK.select())
    assert len(result.stdout.splitlines()) == core
    assert result.stderr == f"{core} of {len(BANK.entries)} entries, bank {BANK.version}\n"


def test_show_has_all_that_stands_beside_a_question() -> None:
    entry = next(entry for entry in BANK.entries if "hopper" in entry.architectures)
    text = run("show", entry.id).stdout
    for part in (
        entry.question,
        entry.measurement.method,
        entry.measurement.unit,
        entry.answered_when,
        "only for       hopper",
        f"{entry.moves.from_} -> {entry.moves.to}",
        str(entry.provenance.date),
        BANK.files[entry.id],
        *(source.lesson for source in entry.sources),
        *(source.ref for source in entry.sources),
        *(category.value for category in entry.category),
    ):
        assert part in text
    assert "https://" in text
    assert "another implementation" in run("show", "kq-upstream-001").stdout
    closing = next(entry for entry in BANK.entries if entry.refuses_closure)
    assert "refuses to close early" in run("show", closing.id).stdout


def test_show_tells_what_a_question_leaves_open_and_what_was_explained(tmp_path: Path) -> None:
    question = "Where do the units of {arch} wait?"
    excuse = {"reason": "counted elsewhere", "by": "ada", "text": text_hash(question)}
    folder = own_bank(tmp_path / "own", question=question, params=["arch"], lint_ok={"Q10": excuse})
    text = run("show", "kq-host-901", "--bank", str(folder)).stdout
    assert "{arch}: filled in from the session, else 'this device'" in text
    assert "Q10 by ada: counted elsewhere" in text


def test_show_says_what_came_in_the_place_of_what() -> None:
    old = next(entry for entry in BANK.entries if any(link.type == "obsolete" for link in entry.related))
    new = next(link.id for link in old.related if link.type == "obsolete")
    assert f"related        replaced by {new}\n" in run("show", old.id).stdout
    assert f"related        replaces {old.id}\n" in run("show", new).stdout


def test_search_ranks_and_says_where_it_matched() -> None:
    result = run("search", "ocupancy")
    assert result.exit_code == 0
    first = result.stdout.splitlines()[:3]
    assert first[0].startswith("1. ")
    assert "ocupancy ~ occupancy" in first[2]
    items = json.loads(run("search", "ocupancy", "--json", "--limit", "2").stdout)
    assert len(items) == 2
    assert items[0]["score"] >= items[1]["score"]
    assert {"asked": "ocupancy", "met": "occupancy"} in items[0]["matches"][0]["words"]
    assert items[0]["matches"][0]["text"]


def test_search_keeps_to_the_filters_and_says_what_they_leave_out() -> None:
    every = json.loads(run("search", "ocupancy", "--json", "--limit", "99").stdout)
    held = {item["group"] for item in every}
    group = next(g for g in ("host-and-launch-path", "scope-and-triage") if g not in held)
    result = run("search", "ocupancy", "--group", group)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert f"{len(every)} entries that the filters leave out would" in result.stderr
    chosen = next(iter(held))
    kept = json.loads(run("search", "ocupancy", "--group", chosen, "--json").stdout)
    assert kept == [item for item in every if item["group"] == chosen]


def test_a_search_that_finds_nothing_is_no_failure() -> None:
    result = run("search", "xylophonne")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("Nothing matches 'xylophonne'")
    assert result.stderr.count("\n") == 1
    assert json.loads(run("search", "xylophonne", "--json").stdout) == []
    near = run("search", "scnarooos").stderr
    assert "words that look like it: " in near
    assert run("search").exit_code == 2
    assert run("search", "x", "--limit", "0").exit_code == 2


def test_how_many_more_there_are_is_said() -> None:
    result = run("search", "time", "--limit", "1")
    assert result.stdout.startswith("1. ")
    assert "\n2. " not in result.stdout
    assert "more; --limit shows them" in result.stderr


def test_banks_are_named_again_and_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(own_bank(tmp_path / "own"))
    assert ids("--bank", folder) == ["kq-host-901"]
    assert ids("--bank", folder, "--bank", "default") == ["kq-host-901", *ids()]
    shown = run("search", "microseconds", "run", "--bank", folder, "--json")
    assert [item["id"] for item in json.loads(shown.stdout)] == ["kq-host-901"]
    monkeypatch.setenv(ENVIRONMENT, folder)
    assert ids() == ["kq-host-901"]
    assert run("show", "kq-host-901").exit_code == 0


@pytest.mark.parametrize("command", [("list",), ("show", "kq-host-901"), ("search", "run")])
def test_a_bad_bank_is_one_sentence(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = own_bank(tmp_path / "own", question="Since the softmax waits, how many microseconds is it?")
    for path, words in (
        (folder, "; see `kernelseek bank lint"),
        (tmp_path / "none", "neither a file nor a folder"),
    ):
        refused = run(*command, "--bank", str(path)).exception
        assert getattr(refused, "exit_code", None) == 3
        assert words in str(refused)
        assert "\n" not in str(refused)


def test_banks_are_listed_with_their_state(tmp_path: Path) -> None:
    good = own_bank(tmp_path / "good")
    bad = own_bank(tmp_path / "bad", question="Since the softmax waits, how many microseconds is it?")
    warned = own_bank(tmp_path / "warned", question="Where does the host wait?")
    none = tmp_path / "none"
    named = [str(path) for path in (good, bad, warned, none)]
    options = [word for name in named for word in ("--bank", name)]
    rows = {row["name"]: row for row in json.loads(run("list", "--banks", "--json", *options).stdout)}
    assert list(rows) == ["default", *named]
    assert rows["default"]["entries"] == len(BANK.entries)
    assert rows["default"]["version"] == BANK.version
    assert not rows["default"]["used"]
    assert [rows[name]["state"] for name in named] == ["ok", "refused", "warnings", "refused"]
    assert rows[str(bad)]["errors"] >= 1
    assert rows[str(none)]["version"] is None
    text = run("list", "--banks", *options)
    assert text.exit_code == 0
    assert text.stdout.splitlines()[0].startswith("  default")
    assert text.stdout.splitlines()[1].startswith(f"* {good}")
    assert "refused: " in text.stdout.splitlines()[2]


def test_banks_and_filters_do_not_mix() -> None:
    result = run("list", "--banks", "--core")
    assert result.exit_code == 2
    assert "--banks lists banks" in result.stderr


def test_escapes_of_a_bank_and_of_the_command_line_are_shown(tmp_path: Path) -> None:
    measurement = {"method": "m\x1b[2J", "tools": ["harness"], "number": "n\x1b[2J", "unit": "us"}
    for number, changes in enumerate(
        ({"measurement": measurement}, {"k\x1b[2J\u202e": 1}, {"id": "\x1b[2J"})
    ):
        folder = str(own_bank(tmp_path / str(number), **changes))
        for command in (("lint", folder), ("list", "--bank", folder), ("list", "--banks", "--bank", folder)):
            result = run(*command)
            said = result.output + ("" if command[1] == "--banks" else line(str(result.exception)))
            assert "key" in said
            assert "\x1b" not in said
            assert "\u202e" not in said
    assert "\x1b" not in run("search", "x\x1b[2Jyz").output
    assert "\x1b" not in run("list", "--banks", "--bank", "x\x1b[2J").output


def test_json_holds_nothing_that_a_terminal_obeys() -> None:
    signs = "\x7f\x85\x9b\xad\u061c\u200b\u200d\u202e\u2028\u2066\ufeff\U000e0041"
    text = f"é ß 漢 😀 ×{signs}\x1b\n"
    printed = dump({"text": text, text: [text]})
    assert json.loads(printed) == {"text": text, text: [text]}
    assert "é ß 漢 😀 ×" in printed
    assert all(sign.isprintable() or sign == "\n" for sign in printed)
    assert len(printed.splitlines()) == 6
    assert "\\ud800" in dump("\ud800")
