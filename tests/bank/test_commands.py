"""`kernelseek bank`: what it prints and how it refuses."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kernelseek_tui.cli.bank.group import bank
from tests.bank.builders import Story, entry_data, write_bank


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(bank, arguments)


def test_list() -> None:
    whole = json.loads(_run("list", "--json").stdout)
    assert isinstance(whole, list)
    assert {"id", "group", "question", "decision_kinds", "moves"} <= set(whole[0])
    host = json.loads(_run("list", "--json", "--group", "host-and-launch-path", "--kind", "plateau").stdout)
    assert {item["group"] for item in host} == {"host-and-launch-path"}
    assert all("plateau" in item["decision_kinds"] for item in host)
    plain = _run("list")
    assert len(plain.stdout.splitlines()) == len(whole)


def test_show() -> None:
    assert json.loads(_run("show", "kq-host-001", "--json").stdout)["id"] == "kq-host-001"
    assert "answered when" in _run("show", "kq-host-001").stdout
    refused = _run("show", "kq-host-777").exception
    assert getattr(refused, "exit_code", None) == 3


def test_lint_of_the_shipped_bank_is_clean_even_when_strict() -> None:
    result = _run("lint", "--strict")
    assert result.exit_code == 0
    assert "closest pair" in result.stdout
    assert "0 errors, 0 warnings" in result.stderr


def test_lint_names_entry_rule_and_words(tmp_path: Path) -> None:
    write_bank(tmp_path, entry_data(question="Since the softmax waits, how long is it?"))
    result = _run("lint", str(tmp_path), "--json")
    assert getattr(result.exception, "exit_code", None) == 3
    own = [found for found in json.loads(result.stdout)["findings"] if found["entry"]]
    assert [(f["entry"], f["lint"], f["level"], f["words"]) for f in own] == [
        ("kq-host-901", "Q04", "error", "softmax"),
        ("kq-host-901", "Q11", "error", "Since the"),
    ]
    plain = _run("lint", str(tmp_path)).stdout
    assert all(word in plain for word in ("kq-host-901", "Q11", "Since the"))


def test_lint_warnings_refuse_only_when_strict(tmp_path: Path) -> None:
    path = write_bank(tmp_path, entry_data(question="Where does the host wait?"))
    assert _run("lint", str(path)).exit_code == 0
    assert getattr(_run("lint", str(path), "--strict").exception, "exit_code", None) == 3


def test_lint_reports_every_unknown_key_and_still_lints_the_rest(tmp_path: Path) -> None:
    write_bank(
        tmp_path,
        entry_data(id="kq-host-902", points=["plateau"]),
        entry_data(id="kq-host-903", point="x"),
        entry_data(question="Where does the host wait?"),
    )
    result = _run("lint", str(tmp_path), "--json")
    findings = json.loads(result.stdout)["findings"]
    assert [f["entry"] for f in findings if f["lint"] == "Q01"] == ["kq-host-902", "kq-host-903"]
    assert [f["entry"] for f in findings if f["lint"] == "Q10"] == ["kq-host-901"]


def test_suggest_on_a_journal(tmp_path: Path) -> None:
    pytest.importorskip("sessions.transcript")
    from sessions.events import dump_event

    story = Story().edit().evaluate(5.0, 1.1).edit().evaluate(5.0, 1.1)
    path = tmp_path / "events.jsonl"
    path.write_text("".join(dump_event(event) + "\n" for event in story.events), encoding="utf-8")
    result = _run("suggest", str(path), "--kind", "plateau", "--limit", "2", "--json")
    assert result.exception is None, result.exception
    answer = json.loads(result.stdout)
    assert answer["kind"] == "plateau"
    assert answer["suggestions"][0]["group"] == "routing-and-distribution"
    early = json.loads(_run("suggest", str(path), "--kind", "plateau", "--at", "0", "--json").stdout)
    assert not any("lag" in reason for item in early["suggestions"] for reason in item["reasons"])
    assert "1. " in _run("suggest", str(path), "--kind", "plateau").stdout
    refused = _run("suggest", str(path), "--at", "0").exception
    assert getattr(refused, "exit_code", None) == 3
    assert "--kind" in str(refused)


def test_suggest_at_a_line_with_two_moments_asks_which(tmp_path: Path) -> None:
    from sessions.events import AgentText, dump_event

    said = AgentText(id="e9", text="The work is done. This is the hardware limit.")
    events = [*Story().edit().evaluate(1.5, 1.4).events, said]
    path = tmp_path / "events.jsonl"
    path.write_text("".join(dump_event(event) + "\n" for event in events), encoding="utf-8")
    refused = _run("suggest", str(path), "--at", str(len(events) - 1)).exception
    assert getattr(refused, "exit_code", None) == 3
    assert "claimed_completion and claimed_limit were seen at once, name one with --kind" in str(refused)
    chosen = _run("suggest", str(path), "--kind", "claimed_limit", "--json")
    assert json.loads(chosen.stdout)["kind"] == "claimed_limit"


def test_suggest_sees_what_a_cut_transcript_still_held_back(tmp_path: Path) -> None:
    from sessions.events import AgentText, ToolCall, dump_event

    story = Story().edit().evaluate(1.5, 1.4)
    running = ToolCall(id="e8", call="c", tool="Bash", input={"command": "make"})
    events = [*story.events, running, AgentText(id="e9", text="This is the hardware limit.")]
    path = tmp_path / "events.jsonl"
    path.write_text("".join(dump_event(event) + "\n" for event in events), encoding="utf-8")
    assert json.loads(_run("suggest", str(path), "--json").stdout)["kind"] == "claimed_limit"


def test_help_has_examples() -> None:
    for command in ("list", "show", "lint", "suggest"):
        assert f"kernelseek bank {command}" in _run(command, "--help").output


def test_escapes_in_outside_text_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    entry = entry_data(measurement={"method": "m", "tools": ["x\x1b[2J"], "number": "n", "unit": "us"})
    write_bank(tmp_path, entry)
    assert "\x1b" not in _run("lint", str(tmp_path)).stdout
    assert "\x1b" not in _run("show", "kq-host-901", "--bank", str(tmp_path)).stdout
