"""`codex exec --json` and logs of `codex app-server`, in small files of one quirk each."""

from pathlib import Path
from typing import Any

import pytest

from sessions import events as ev
from sessions.readers import codex_app_server, codex_exec
from sessions.readers.formats import Format
from sessions.state import SessionState, fold
from sessions.transcript import open_transcript
from tests.sessions.codex_samples import EXEC, FORK, SERVER, THREAD, notice, rpc
from tests.sessions.transcripts import write


def state(tmp_path: Path, format_: Format, *rows: dict[str, Any]) -> SessionState:
    transcript = open_transcript(write(tmp_path / "x.jsonl", rows), "k.cu")
    assert transcript.format is format_
    assert transcript.accounts[0].balanced
    assert transcript.damaged == 0
    ids = [event.id for event in transcript.events]
    assert len(set(ids)) == len(ids)
    return fold(transcript.events)


def test_exec(tmp_path: Path) -> None:
    folded = state(tmp_path, codex_exec.FORMAT, *EXEC)
    assert folded.started is not None
    assert (folded.started.session, folded.started.agent_name) == (THREAD, "codex")
    assert [(run.call.tool, run.running) for run in folded.tools] == [
        ("Bash", False),
        ("apply_patch", False),
        ("mcp__s__t", False),
        ("update_plan", False),
    ]
    shell, patch, tool, _ = folded.tools
    assert shell.call.input == {"command": "make x"}
    assert shell.result is not None
    assert (shell.result.output, shell.result.is_error) == ("Exit code 2\nmade", True)
    assert tool.result is not None
    assert (tool.result.output, tool.result.is_error) == ("no", True)
    assert [(seen.event.path, seen.event.candidate) for seen in folded.edits] == [("/w/k.cu", True)]
    assert patch.result is not None
    assert (folded.spend.input_tokens, folded.spend.cache_read_tokens) == (40, 60)
    assert [seen.event.reason for seen in folded.turn_ends] == ["completed", "failed"]
    assert [seen.event.text for seen in folded.notes] == ["careful", "quota"]
    assert folded.human == []


def test_exec_that_was_resumed_into_the_same_file(tmp_path: Path) -> None:
    again = [*EXEC[:11], {"type": "turn.completed", "usage": {"input_tokens": 130, "output_tokens": 9}}]
    folded = state(tmp_path, codex_exec.FORMAT, *EXEC[:12], *again)
    assert len(folded.tools) == 7  # the second run numbers its items anew; its plan is the same
    assert not folded.busy
    assert folded.spend.output_tokens == 9


def test_two_messages_without_a_call_between_them_are_two_replies(tmp_path: Path) -> None:
    words = [
        {"type": "item.completed", "item": {"id": f"item_{n}", "type": "agent_message", "text": text}}
        for n, text in enumerate(("premature done", "after a hook"))
    ]
    assert state(tmp_path, codex_exec.FORMAT, EXEC[0], EXEC[1], *words).turns == 2


def bare(line: dict[str, Any]) -> dict[str, Any]:
    """As a log that only holds the messages."""
    return line["msg"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("logged", ["recorded", "bare", "server only"])
def test_app_server(tmp_path: Path, logged: str) -> None:
    rows = [line for line in SERVER if logged != "server only" or line["dir"] == "out"]
    folded = state(tmp_path, codex_app_server.FORMAT, *(rows if logged == "recorded" else map(bare, rows)))
    assert folded.started is not None
    started = folded.started
    assert (started.session, started.model, started.cwd) == (THREAD, "gpt-x", "/w")
    assert started.versions == {"codex": "0.171.0"}
    assert [seen.event.text for seen in folded.human] == ["go"]
    assert [seen.event.text for seen in folded.texts] == ["I was saying"]
    assert [run.call.tool for run in folded.tools] == ["Bash", "apply_patch", "update_plan"]
    cut = folded.tools[0].result
    assert cut is not None
    assert (cut.output, cut.is_error) == ("half\n(interrupted with its turn)", True)
    (edit,) = folded.edits
    assert edit.event.diff == "--- /w/k.cu\n+++ /w/k.cu\n@@ -1 +1 @@\n-a\n+b\n"
    assert edit.event.candidate
    assert [(seen.event.tool, seen.event.input) for seen in folded.permissions] == [
        ("Bash", {"command": "make"})
    ]
    answers = [] if logged == "server only" else ["always"]
    assert [seen.event.answer for seen in folded.answers] == answers
    assert folded.open_permissions == []
    assert (folded.spend.input_tokens, folded.spend.cache_read_tokens) == (6, 4)
    assert [seen.event.reason for seen in folded.turn_ends] == ["interrupted"]
    assert not folded.busy
    assert any("was refused: no turn" in seen.event.text for seen in folded.notes)


def test_a_steering_message_is_mid_turn_and_told_once(tmp_path: Path) -> None:
    steer = [{"type": "text", "text": "which bound?"}]
    rows = [
        *SERVER[:9],
        rpc("in", method="turn/steer", id=9, params={"threadId": THREAD, "input": steer}),
        notice("item/completed", item={"type": "userMessage", "id": "u2", "content": steer}),
        notice("item/completed", item={"type": "userMessage", "id": "u2", "content": steer}),
    ]
    folded = state(tmp_path, codex_app_server.FORMAT, *rows)
    assert [(seen.event.text, seen.event.mid_turn) for seen in folded.human] == [
        ("go", False),
        ("which bound?", True),
    ]


def test_threads_of_the_agents_own_are_subagents(tmp_path: Path) -> None:
    side = {"id": FORK, "parentThreadId": THREAD}
    said = {"type": "agentMessage", "id": "m", "text": "found it"}
    order = {"type": "userMessage", "id": "o", "content": [{"type": "text", "text": "look"}]}
    total = {"total": {"inputTokens": 3, "outputTokens": 1}}
    rows = [
        *SERVER[:9],
        notice("thread/tokenUsage/updated", tokenUsage={"total": {"inputTokens": 10, "outputTokens": 2}}),
        notice("thread/started", thread=side),
        notice("item/completed", threadId=FORK, item=order),
        notice("item/completed", threadId=FORK, item=said),
        notice("thread/tokenUsage/updated", threadId=FORK, tokenUsage=total),
        notice("turn/completed", threadId=FORK, turn={"status": "completed"}),
        notice("thread/tokenUsage/updated", tokenUsage={"total": {"inputTokens": 12, "outputTokens": 2}}),
    ]
    folded = state(tmp_path, codex_app_server.FORMAT, *rows)
    assert [(seen.event.text, seen.event.agent) for seen in folded.texts] == [("found it", FORK)]
    assert [seen.event.phase for seen in folded.subagents] == ["started", "ended"]
    assert [seen.event.text for seen in folded.human] == ["go"]
    assert [(seen.event.author, seen.event.agent) for seen in folded.notes] == [("agent", FORK)]
    assert folded.spend.input_tokens == 15
    assert folded.turn_ends == []


def test_each_message_of_the_server_has_its_time(tmp_path: Path) -> None:
    transcript = open_transcript(write(tmp_path / "x.jsonl", SERVER))
    (ended,) = [event for event in transcript.events if isinstance(event, ev.TurnEnded)]
    assert ended.time is not None
    assert ended.time.isoformat() == "2026-01-01T00:00:00+00:00"
