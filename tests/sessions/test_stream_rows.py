"""Rows of a stream whose other half is missing: a subagent's launch, or the reply that a result repeats."""

from pathlib import Path
from typing import Any

import pytest

from sessions import events as ev
from sessions.transcript import open_transcript
from tests.sessions.transcripts import text, write


def _row(type_: str, **fields: Any) -> dict[str, Any]:
    return {"type": type_, "session_id": "s", "parent_tool_use_id": None, **fields}


def _reply(words: str, **fields: Any) -> dict[str, Any]:
    body = {"role": "assistant", "model": fields.pop("model", "m"), "id": words, "content": [text(words)]}
    return _row("assistant", message=body, **fields)


def _said(tmp_path: Path, *rows: dict[str, Any]) -> list[tuple[str, str | None]]:
    transcript = open_transcript(write(tmp_path / "t.jsonl", [_row("system", subtype="init"), *rows]))
    return [(event.text, event.agent) for event in transcript.events if isinstance(event, ev.AgentText)]


def test_a_row_of_a_subagent_that_was_launched_elsewhere_is_not_the_main_agents(tmp_path: Path) -> None:
    rows = [_reply("Begun."), _reply("The work is done.", parent_tool_use_id="toolu_01")]
    assert _said(tmp_path, *rows) == [("Begun.", None), ("The work is done.", "toolu_01")]


def test_an_exporters_mark_is_no_call(tmp_path: Path) -> None:
    assert _said(tmp_path, _reply("Begun.", parent_tool_use_id="side")) == [("Begun.", None)]


def test_a_result_without_a_reply_is_what_the_agent_said(tmp_path: Path) -> None:
    result = _row("result", subtype="success", is_error=False, result="The work is done.")
    assert _said(tmp_path, result) == [("The work is done.", None)]
    assert _said(tmp_path, _reply("The work is done."), result) == [("The work is done.", None)]


@pytest.mark.parametrize(
    ("first", "fields"),
    [
        (_reply("Unknown command.", model="<synthetic>"), {}),
        (_row("user", message={"content": "x"}), {"is_error": True}),
    ],
)
def test_words_of_the_client_stay_the_clients(
    tmp_path: Path, first: dict[str, Any], fields: dict[str, Any]
) -> None:
    assert _said(tmp_path, first, _row("result", result="Unknown command.", **fields)) == []
