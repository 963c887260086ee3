"""Recorded sessions of other agents: replies count once, calls have their results, a person is a person."""

import json
from pathlib import Path

from sessions import events as ev
from sessions.state import SessionState, fold
from sessions.transcript import open_transcript
from tests.cases import CASES, needs_cases

pytestmark = needs_cases


def case(name: str) -> Path:
    assert CASES is not None
    return next((CASES / "traces" / "other").glob(f"{name}*"))


def state(name: str) -> SessionState:
    return fold(open_transcript(case(name)).events)


def test_every_request_of_a_hosted_session_is_counted_once() -> None:
    rows = [json.loads(line)["raw"] for line in case("F22").read_text().splitlines()]
    used = [row["model_usage"] for row in rows if row["type"] == "span.model_request_end"]
    spend = state("F22").spend
    assert spend.input_tokens == sum(usage["input_tokens"] for usage in used)
    assert spend.output_tokens == sum(usage["output_tokens"] for usage in used)
    assert spend.cache_read_tokens == sum(usage["cache_read_input_tokens"] for usage in used)


def test_a_gemini_chats_own_totals_are_the_sum_of_what_is_told() -> None:
    messages = json.loads(case("F21").read_text())["messages"]
    spend = state("F21").spend
    told = spend.input_tokens + spend.output_tokens + spend.cache_read_tokens
    assert told == sum(message["tokens"]["total"] for message in messages if "tokens" in message)


def test_every_recorded_call_has_its_result() -> None:
    lost = {"F24": 1}  # the damaged line held it
    for name in ("F21", "F22", "F24", "F36"):
        found = state(name)
        assert sum(run.result is None for run in found.tools) == lost.get(name, 0)
        assert found.early_results == []


def test_what_extensions_of_pi_say_is_no_persons() -> None:
    found = state("F24")
    assert not any("<system-reminder>" in seen.event.text for seen in found.human)
    assert sum("<system-reminder>" in seen.event.text for seen in found.notes) > 10
    assert sum("Conversation compacted" in seen.event.text for seen in found.notes) == 1


def test_recorded_edits_are_shown() -> None:
    for name, files in (("F21", 14), ("F24", 30)):
        edits = [seen.event for seen in state(name).edits]
        assert len(edits) >= files
        assert sum("\n+" in edit.diff for edit in edits) >= files
        assert all(isinstance(edit, ev.Edit) and edit.path for edit in edits)
