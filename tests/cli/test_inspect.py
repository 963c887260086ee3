import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kernelseek_tui.cli import inspect as inspect_module
from kernelseek_tui.cli.inspect import inspect
from sessions.errors import RefusedInput
from sessions.events import AgentText, DecisionPoint, Evidence, SessionStarted, dump_event
from sessions.vocabulary import DecisionKind
from tests.cases import CASES, needs_cases

CLAIM = "This is the hardware limit."
KEYS = [
    "format",
    "entries",
    "unknown",
    "problems",
    "turns",
    "tool_calls",
    "human_messages",
    "evaluations",
    "decision_points",
]
POINT_KEYS = {"entry", "event_id", "kind", "evidence", "confidence", "suggestions"}

_READABLE: list[Path] = []
if CASES is not None:
    _READABLE = [
        *sorted(CASES.glob("agents/cc-*.jsonl")),
        CASES / "agents" / "cc-transcript-full",
        *sorted(CASES.glob("traces/claude_code/*")),
        *sorted(CASES.glob("traces/stream_json/*")),
        *sorted(CASES.glob("study/*.jsonl")),
    ]
    _READABLE = [path for path in _READABLE if path.name != "cc-hook-inputs.jsonl"]


def _inspect(path: Path, *options: str) -> Any:
    result = CliRunner().invoke(inspect, [str(path), "--json", *options], catch_exceptions=False)
    assert result.exit_code == 0
    return json.loads(result.stdout)


def _stream(path: Path, *texts: str) -> Path:
    rows = [
        {
            "type": "assistant",
            "message": {
                "id": f"m{number}",
                "role": "assistant",
                "content": [{"type": "text", "text": text}],
            },
            "session_id": "s",
            "uuid": f"u{number}",
        }
        for number, text in enumerate(texts)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@needs_cases
@pytest.mark.parametrize("path", _READABLE, ids=lambda path: path.name)
def test_reads_every_recorded_transcript(path: Path) -> None:
    found = _inspect(path)
    assert list(found) == KEYS
    file = path if path.is_file() else next(path.glob("*.jsonl"))
    lines = file.read_bytes().splitlines()
    assert found["entries"] == len(lines)
    assert all(0 <= problem["line"] < len(lines) and problem["what"] for problem in found["problems"])
    assert found["unknown"] + len(found["problems"]) <= len(lines)
    for point in found["decision_points"]:
        assert set(point) == POINT_KEYS
        assert 0 <= point["entry"] < len(lines)
        assert point["evidence"][0]["event"] == point["event_id"]
        assert point["evidence"][0]["quote"]
        for suggestion in point["suggestions"]:
            assert set(suggestion) == {"id", "group", "score", "reasons"}


@needs_cases
def test_counts_damaged_lines_by_number() -> None:
    assert CASES is not None
    found = _inspect(CASES / "traces" / "claude_code" / "F15_hostile_rows.jsonl")
    assert [problem["line"] for problem in found["problems"]] == [12, 14, 15]


@needs_cases
def test_a_mid_turn_message_is_a_human_message() -> None:
    assert CASES is not None
    assert _inspect(CASES / "agents" / "cc-transcript-midturn.jsonl")["human_messages"] == 3


@needs_cases
def test_refuses_hook_inputs_with_what_was_seen() -> None:
    assert CASES is not None
    path = CASES / "agents" / "cc-hook-inputs.jsonl"
    with pytest.raises(RefusedInput, match="hook inputs") as refused:
        CliRunner().invoke(inspect, [str(path)], catch_exceptions=False)
    assert refused.value.exit_code == 3


def test_refuses_an_empty_and_a_missing_file(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for path in (empty, tmp_path / "missing.jsonl"):
        with pytest.raises(RefusedInput) as refused:
            CliRunner().invoke(inspect, [str(path)], catch_exceptions=False)
        assert refused.value.exit_code == 3


def test_names_the_entry_and_quotes_the_claim(tmp_path: Path) -> None:
    path = _stream(tmp_path / "run.jsonl", "Reading the code.", CLAIM)
    (point,) = _inspect(path, "--limit", "2")["decision_points"]
    assert point["entry"] == 1
    assert point["kind"] == "claimed_limit"
    assert point["evidence"] == [{"event": point["event_id"], "quote": CLAIM}]
    assert len(point["suggestions"]) == 2


def test_a_damaged_line_in_the_middle_costs_that_line(tmp_path: Path) -> None:
    path = _stream(tmp_path / "run.jsonl", "Reading.", "More reading.", CLAIM)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:40], lines[2]]))
    found = _inspect(path)
    assert found["entries"] == 3
    assert [problem["line"] for problem in found["problems"]] == [1]
    assert [point["entry"] for point in found["decision_points"]] == [2]


def test_a_journal_is_read_by_its_own_lines(tmp_path: Path) -> None:
    said = AgentText(id="2", text=CLAIM)
    recorded = DecisionPoint(
        id="3",
        decision=DecisionKind.CLAIMED_LIMIT,
        evidence=(Evidence(event="2", quote=CLAIM),),
        confidence=0.9,
        reason="said so",
    )
    started = SessionStarted(id="1", session="s", agent_name="rehearsal", rehearsed=True)
    path = tmp_path / "events.jsonl"
    path.write_text("".join(dump_event(event) + "\n" for event in (started, said, recorded)))
    found = _inspect(path)
    assert found["entries"] == 3
    assert [point["entry"] for point in found["decision_points"]] == [1]
    text = CliRunner().invoke(inspect, [str(path)]).stdout
    assert "REHEARSED" in text
    assert "recorded at the time: 1 decision point" in text


def test_the_summary_is_plain_text(tmp_path: Path) -> None:
    path = _stream(
        tmp_path / "run.jsonl", "This is the hardware limit: \x1b[31m[bold]red[/bold]\u009b2J and more words."
    )
    text = CliRunner().invoke(inspect, [str(path)], catch_exceptions=False).stdout
    assert "\x1b" not in text
    assert "\u009b" not in text
    assert "[bold]red[/bold]" in text
    assert "entry 0  claimed_limit" in text


def test_progress_for_large_files_goes_to_stderr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _stream(tmp_path / "run.jsonl", *["Reading."] * 1200)
    monkeypatch.setattr(inspect_module, "PROGRESS_ABOVE", 1)
    result = CliRunner().invoke(inspect, [str(path), "--json"], catch_exceptions=False)
    assert "of 1200 lines" in result.stderr
    assert json.loads(result.stdout)["entries"] == 1200


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_one_line_of_progress_is_redrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _stream(tmp_path / "run.jsonl", *["Reading."] * 30)
    times = iter(float(second) for second in range(10))
    monkeypatch.setattr(inspect_module, "PROGRESS_ABOVE", 1)
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    monkeypatch.setattr("sys.stderr", _Terminal())
    with pytest.raises(KeyError), inspect_module.reading_progress(path) as show:  # noqa: PT012
        assert show is not None
        show(10)
        show(20)
        show(31)  # a document has more entries than lines
        assert isinstance(sys.stderr, _Terminal)
        raise KeyError
    drawn = [line.strip() for line in sys.stderr.getvalue().split("\r")]
    assert drawn == [
        "",
        "read 10 of 30 lines, about 2 s left",
        "read 20 of 30 lines, about 1 s left",
        "read 31 entries",
        "",
        "",
    ]


def test_elsewhere_a_line_of_progress_comes_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _stream(tmp_path / "run.jsonl", *["Reading."] * 30)
    times = iter([0.0, 1.0, 2.0, 12.0])
    monkeypatch.setattr(inspect_module, "PROGRESS_ABOVE", 1)
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    with inspect_module.reading_progress(path) as show:
        assert show is not None
        for read in (10, 15, 20):
            show(read)
    assert capsys.readouterr().err.splitlines() == [
        "read 10 of 30 lines, about 2 s left",
        "read 20 of 30 lines, about 6 s left",
    ]
