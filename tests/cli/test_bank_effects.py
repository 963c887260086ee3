"""`kernelseek bank effects`: what it prints, and how it refuses."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from bank.effects.store import cache_path
from kernelseek_tui.cli.bank.group import bank
from sessions.home import journal_path
from tests.bank.builders import entry_data, write_bank
from tests.kernelseek_tui.effects.stories import HOST, HOST_TEXT, ROUTING, ROUTING_TEXT, TRACE, Story


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELSEEK_HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "bank"
    path.mkdir()
    entries = [
        entry_data(id=HOST, question=HOST_TEXT),
        entry_data(id=ROUTING, group="routing-and-distribution", question=ROUTING_TEXT, params=["arch"]),
    ]
    (path / "entries.yaml").write_text(yaml.safe_dump(entries, sort_keys=False))
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(bank, ["effects", *arguments])


def keep(session: str, rehearsed: bool = False, ask: bool = True) -> None:
    story = Story(rehearsed, session=session, questioner="bank" if ask else "none")
    story.scores(1.0, 1.41)
    decision = story.flag()
    if ask:
        story.ask(decision=decision)
    else:
        story.silent(decision)
    story.run(TRACE if ask else "ls", "41.7 us")
    story.says("It is 41.7 us.")
    story.scores(1.6 if ask else 1.5)
    if ask:
        story.human("Why is that?")
    story.write(journal_path(session))


def test_the_shipped_bank_is_untested_and_it_says_so() -> None:
    result = run()
    assert result.exception is None
    assert "Nothing to tell yet" in result.stdout
    assert "entries are untested: nobody has asked them." in result.stdout
    assert "no matched moments" in result.stdout
    data = json.loads(run("--json").stdout)
    assert data["askings"] == 0
    assert len(data["untested"]) == data["of"] > 100
    one = run("--entry", data["untested"][0]).stdout
    assert "The entry is untested: nobody has asked it." in one


def test_a_table_beside_moments_where_nothing_was_asked(folder: Path) -> None:
    keep("one")
    keep("two", ask=False)
    shown = run("--bank", str(folder)).stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[0] == "1 question of the bank reached an agent (2 sessions read)."
    assert f"{HOST} 1 1 of 1 [0.21, 1.00] 1 of 1 [0.21, 1.00] 1.13x" in lines
    assert "host-and-launch-path, plateau 1 1 of 1 [0.21, 1.00] 1 of 1 [0.21, 1.00] 1.13x" in lines
    assert "nothing asked 1 0 of 1 [0.00, 0.79] 0 of 1 [0.00, 0.79] 1.06x" in lines
    assert any(line.startswith("difference +1.00 [") and line.endswith("times 1.07") for line in lines)
    note = "a number after 1 call (median); wrong or slower after 0 of 1; would be: experimental"
    assert note in lines
    assert "1 of 2 entries are untested: nobody has asked them." in lines
    assert "moments where nothing was asked: plateau 1" in lines
    assert any(line.startswith("own words: 1 message that people typed") for line in lines)
    assert all(len(line) <= 140 for line in shown.splitlines())


def test_without_matched_moments_it_says_so_and_gives_no_difference(folder: Path) -> None:
    keep("one")
    shown = run("--bank", str(folder)).stdout
    assert "no matched moments" in shown
    assert "difference" not in shown
    row = json.loads(run("--bank", str(folder), "--json").stdout)["entries"][0]
    assert row["remark"] == "no matched moments"
    assert row["answered_difference"] is None
    assert row["answered"] == {"hits": 1, "total": 1, "interval": pytest.approx([0.2065, 1.0], abs=1e-4)}


def test_a_rehearsed_agent_is_left_out_and_marked_where_it_is_shown(folder: Path) -> None:
    keep("one", rehearsed=True)
    plain = run("--bank", str(folder)).stdout
    assert "Nothing to tell yet" in plain
    assert "All 2 entries are untested" in plain
    assert "rehearsed agent: 1 question in 1 session, left out; --rehearsed shows them" in plain
    shown = run("--bank", str(folder), "--rehearsed").stdout
    rows = [line for line in shown.splitlines() if line.startswith(("kq-", "host-and-launch-path"))]
    assert len(rows) == 2
    assert all("(rehearsed agent)" in row for row in rows)
    assert "would be" not in shown
    keep("two")
    both = run("--bank", str(folder), "--rehearsed").stdout
    rows = [line for line in both.splitlines() if line.startswith(HOST)]
    assert sum("(rehearsed agent)" in row for row in rows) == 1
    assert len(rows) == 2


def test_entries_of_another_bank_are_told_apart(folder: Path, tmp_path: Path) -> None:
    keep("one")
    other = tmp_path / "other"
    other.mkdir()
    write_bank(other, entry_data(id="kq-host-950", question="How large is a page?"))
    lines = run("--bank", str(other)).stdout.splitlines()
    assert lines[0] == "No question of the bank reached an agent (1 session read)."
    assert lines[1] == "1 question of other banks reached an agent."
    assert any(line.startswith(f"{HOST} (not here)") for line in lines)
    assert any(line.startswith("not here: 1 asking of entries") for line in lines)
    assert not any("another wording" in line for line in lines)
    data = json.loads(run("--bank", str(other), "--json").stdout)
    assert (data["askings"], data["elsewhere"], data["not_here"]) == (0, 1, [HOST])
    both = run("--bank", str(folder), "--bank", str(other)).stdout
    assert "not here" not in both
    assert "2 of 3 entries are untested: nobody has asked them." in both


def test_what_is_said_of_a_rehearsal_alone_agrees_with_its_rows(folder: Path) -> None:
    keep("one", rehearsed=True)
    lines = run("--bank", str(folder), "--rehearsed").stdout.splitlines()
    said = "No question of the bank reached a real agent; 1 question reached the rehearsed one"
    assert lines[0] == f"{said} (1 session read)."
    assert "All 2 entries are untested: no real agent was asked them." in lines


def test_a_deprecated_entry_is_neither_tested_nor_untested(tmp_path: Path) -> None:
    heir = entry_data(id="kq-host-952", question="How large is a page?")
    links = [{"id": "kq-host-952", "type": "obsolete"}]
    write_bank(tmp_path, entry_data(id="kq-host-951", status="deprecated", related=links), heir)
    at = ("--bank", str(tmp_path))
    assert "kq-host-951 is deprecated: it is no longer asked" in run(*at, "--entry", "kq-host-951").stdout
    nothing = run(*at, "--group", "numerics-and-correctness").stdout
    assert "No entry of the bank is for what is chosen here." in nothing
    assert "Each of 0" not in nothing


def test_filters(folder: Path) -> None:
    keep("one")
    args = ("--bank", str(folder), "--json")
    assert json.loads(run(*args, "--entry", ROUTING).stdout)["entries"] == []
    assert len(json.loads(run(*args, "--entry", HOST).stdout)["entries"]) == 1
    assert json.loads(run(*args, "--group", "routing-and-distribution").stdout)["groups"] == []
    assert json.loads(run(*args, "--kind", "scope").stdout)["entries"] == []
    assert len(json.loads(run(*args, "--kind", "plateau").stdout)["groups"]) == 1


def test_refusals(folder: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("--entry", "kq-hots-901"), "the nearest is kq-host-901"),
        ((str(tmp_path / "none.jsonl"),), "no session or file"),
        ((str(folder / "entries.yaml"),), ""),
    ):
        error = run("--bank", str(folder), *arguments).exception
        assert getattr(error, "exit_code", None) == 3
        assert words in str(error)
    assert run("--group", "nonsense").exit_code == 2


def test_records_that_cannot_be_kept_end_with_4_after_the_table(folder: Path) -> None:
    keep("one")
    cache_path().parent.write_text("a file")
    result = run("--bank", str(folder))
    assert getattr(result.exception, "exit_code", None) == 4
    assert "1 question of the bank reached an agent" in result.stdout


def test_a_damaged_cache_is_told_on_stderr(folder: Path) -> None:
    keep("one")
    run("--bank", str(folder))
    cache_path().write_text("{")
    result = run("--bank", str(folder))
    assert result.exception is None
    assert "measured again: it is damaged" in result.stderr


def test_escapes_in_a_journal_are_not_obeyed(folder: Path) -> None:
    story = Story(session="one")
    story.scores(1.0)
    story.ask("x\x1b[2J", "kq-\x1b[2J-1", story.flag())
    story.write(journal_path("one"))
    result = run("--bank", str(folder))
    assert result.exception is None
    assert "\x1b" not in result.stdout
    assert "kq-" in result.stdout
