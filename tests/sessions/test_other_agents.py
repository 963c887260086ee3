"""Conversations of agents that are not Claude Code: who spoke, what was called, what it cost, once each."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions import events as ev
from sessions.readers import cursor, cursor_export, gemini, hosted, openhands, pi, swe_agent
from sessions.readers.detect import detect
from sessions.readers.formats import Format
from sessions.readers.pi import numbered_diff
from sessions.state import fold
from sessions.transcript import Transcript, open_transcript
from tests.sessions import samples
from tests.sessions.transcripts import write

DIFF = "--- k.cu\n+++ k.cu\n@@ -1 +1 @@\n-a\n+b\n"


def document(path: Path, value: Any, **how: Any) -> Path:
    path.write_text(json.dumps(value, **how), encoding="utf-8")
    return path


def gemini_file(folder: Path, messages: Any = samples.GEMINI, **fields: Any) -> Path:
    top = {"sessionId": "s1", "projectHash": "h", "startTime": samples.AT, "messages": messages, **fields}
    return document(folder / "session.json", top, indent=2)


def swe_file(folder: Path, **fields: Any) -> Path:
    prompts = [row["prompt"] for row in samples.SWE_AGENT if "prompt" in row]
    steps = [row["step"] for row in samples.SWE_AGENT if "step" in row]
    history = [*prompts, {"role": "assistant", "content": "Build it."}, {"role": "user", "content": "done"}]
    top = {"trajectory": steps, "history": history, "info": samples.SWE_AGENT[-1]["info"], **fields}
    return document(folder / "task.traj", top, indent=2)


MAKERS: dict[str, tuple[Format, Callable[[Path], Path]]] = {
    "gemini": (gemini.FORMAT, gemini_file),
    "gemini rows": (gemini.LINES, lambda at: write(at / "x.jsonl", samples.GEMINI_ROWS)),
    "swe-agent": (swe_agent.FORMAT, swe_file),
    "openhands": (openhands.FORMAT, lambda at: document(at / "x.json", samples.OPENHANDS)),
    "openhands rows": (openhands.LINES, lambda at: write(at / "x.jsonl", samples.OPENHANDS)),
    "openhands result": (
        openhands.FORMAT,
        lambda at: document(at / "x.json", {"instance_id": "i", "history": samples.OPENHANDS}),
    ),
    "openhands sdk": (openhands.LINES, lambda at: write(at / "x.jsonl", samples.OPENHANDS_SDK)),
    "pi": (pi.FORMAT, lambda at: write(at / "x.jsonl", samples.PI)),
    "cursor": (cursor.FORMAT, lambda at: write(at / "x.jsonl", samples.CURSOR)),
    "cursor export": (cursor_export.FORMAT, lambda at: write(at / "x.md", [samples.CURSOR_EXPORT])),
    "hosted": (hosted.FORMAT, lambda at: write(at / "x.jsonl", samples.HOSTED)),
    "hosted export": (hosted.FORMAT, lambda at: write(at / "x.jsonl", samples.HOSTED_EXPORT)),
}


@pytest.fixture(params=MAKERS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Format, Path]:
    format_, make = MAKERS[request.param]
    return format_, make(tmp_path)


def of(transcript: Transcript, *kinds: type[ev.Event]) -> list[Any]:
    return [event for event in transcript.events if isinstance(event, kinds)]


def test_each_is_known_and_whole(made: tuple[Format, Path]) -> None:
    format_, path = made
    assert detect(path) is format_
    transcript = open_transcript(path)
    assert transcript.accounts[0].balanced
    assert transcript.problems == []
    assert [event.kind for event in transcript.events].count("session_started") == 1
    assert transcript.events[0].kind == "session_started"
    ids = [event.id for event in transcript.events]
    assert len(set(ids)) == len(ids)
    for event in transcript.events:
        assert ev.parse_event(ev.dump_event(event)) == event
        assert event.source is not None
        assert event.source.line < transcript.entries


def test_a_persons_words_are_theirs_alone(made: tuple[Format, Path]) -> None:
    human = [event.text for event in of(open_transcript(made[1]), ev.HumanMessage)]
    assert human in (["make it fast"], ["make it fast\n\n2x"], ["make it fast", "and now?"])


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "cursor export"])
def test_a_shell_command_is_one_under_any_name(name: str, tmp_path: Path) -> None:
    transcript = open_transcript(MAKERS[name][1](tmp_path))
    shells = [call for call in of(transcript, ev.ToolCall) if call.tool == "Bash"]
    assert [call.input["command"] for call in shells] == ["nvcc k.cu"]
    runs = {run.call.call: run for run in fold(transcript.events).tools}
    assert runs[shells[0].call].activity.value == "build"
    results = [one for one in of(transcript, ev.ToolResult) if one.call == shells[0].call]
    assert [one.parent for one in results] == [shells[0].id] * (name != "pi")


@pytest.mark.parametrize("name", ["gemini", "gemini rows", "swe-agent", "openhands", "pi", "cursor"])
def test_an_edit_of_the_candidate_is_marked_and_shown(name: str, tmp_path: Path) -> None:
    transcript = open_transcript(MAKERS[name][1](tmp_path), candidate="k.cu")
    (edit,) = of(transcript, ev.Edit)
    assert edit.candidate
    assert "\n-a\n+b\n" in edit.diff
    assert edit.parent in {call.id for call in of(transcript, ev.ToolCall)}


@pytest.mark.parametrize(
    ("name", "spent"),
    [
        ("gemini", (41, 12, 60, 0, 0.0)),
        ("gemini rows", (41, 12, 60, 0, 0.0)),
        ("swe-agent", (9, 0, 0, 0, 0.5)),
        ("openhands", (40, 2, 0, 0, 0.25)),
        ("pi", (3, 4, 5, 6, 0.5)),
        ("hosted", (2, 3, 4, 0, 0.0)),
    ],
)
def test_tokens_are_counted_once(name: str, spent: tuple[float, ...], tmp_path: Path) -> None:
    spend = fold(open_transcript(MAKERS[name][1](tmp_path)).events).spend
    found = (spend.input_tokens, spend.output_tokens, spend.cache_read_tokens, spend.cache_write_tokens)
    assert (*found, spend.cost_usd) == spent


@pytest.mark.parametrize("name", ["gemini rows", "openhands rows", "openhands sdk", "pi", "hosted"])
def test_rows_written_twice_are_read_once(name: str, tmp_path: Path) -> None:
    path = MAKERS[name][1](tmp_path)
    once = open_transcript(path).events
    path.write_bytes(path.read_bytes() * 2)
    more = [event.kind for event in open_transcript(path).events if event not in once]
    assert more == (["note"] if name == "gemini rows" else [])  # going back has no id


def test_gemini_names_its_session_and_model(tmp_path: Path) -> None:
    (started,) = of(open_transcript(gemini_file(tmp_path)), ev.SessionStarted)
    assert (started.session, started.agent_name) == ("s1", "gemini-cli")


def test_a_gemini_message_that_grows_is_told_as_it_grows(tmp_path: Path) -> None:
    rows = [
        samples.GEMINI_ROWS[0],
        samples.gemini_reply("g1", "One"),
        samples.gemini_reply("g1", "One two", toolCalls=[{"id": "c1", "name": "glob", "args": {}}]),
        samples.gemini_reply("g1", "One two", toolCalls=[samples.gemini_call("c1", "glob", {}, "k.cu")]),
    ]
    events = open_transcript(write(tmp_path / "x.jsonl", rows)).events[1:]
    assert [event.kind for event in events] == ["agent_text", "agent_text", "tool_call", "tool_result"]
    assert [event.text for event in events if isinstance(event, ev.AgentText)] == ["One", " two"]


def test_a_gemini_command_that_fails_is_an_error(tmp_path: Path) -> None:
    results = {one.call: one.is_error for one in of(open_transcript(gemini_file(tmp_path)), ev.ToolResult)}
    assert results == {"c1": True, "c2": False, "c3": True}


def test_what_gemini_puts_before_a_chat_is_no_persons(tmp_path: Path) -> None:
    context = {"id": "u0", "timestamp": samples.AT, "type": "user", "content": "<session_context>\nOS: linux"}
    transcript = open_transcript(gemini_file(tmp_path, [context, *samples.GEMINI]))
    assert [event.text for event in of(transcript, ev.HumanMessage)] == ["make it fast"]
    assert of(transcript, ev.Note)[0].text.startswith("<session_context>")


def test_a_subagents_gemini_file_holds_no_person(tmp_path: Path) -> None:
    assert of(open_transcript(gemini_file(tmp_path, kind="subagent")), ev.HumanMessage) == []


def test_swe_agent_ends_with_what_became_of_it(tmp_path: Path) -> None:
    transcript = open_transcript(swe_file(tmp_path))
    assert transcript.unknown == {"demonstration": 1}
    (started,) = of(transcript, ev.SessionStarted)
    assert started.session == "task"
    ended = transcript.events[-1]
    assert isinstance(ended, ev.SessionEnded)
    assert "submitted" in ended.reason
    assert "exit_cost" in of(transcript, ev.Note)[-1].text


def test_swe_agents_task_may_stand_with_its_first_step(tmp_path: Path) -> None:
    path = swe_file(tmp_path)
    top = json.loads(path.read_text())
    del top["history"]
    top["trajectory"][0]["query"] = [{"role": "user", "content": "make it fast"}, {"role": "assistant"}]
    document(path, top)
    assert [event.text for event in of(open_transcript(path), ev.HumanMessage)] == ["make it fast"]


def test_swe_agents_windowed_edit(tmp_path: Path) -> None:
    path = swe_file(tmp_path)
    top = json.loads(path.read_text())
    top["trajectory"] = [{**top["trajectory"][0], "action": "edit 1:2\nx = 1\ny = 2\nend_of_edit\n"}]
    (edit,) = of(open_transcript(document(path, top)), ev.Edit)
    assert edit.path == "/r/k.cu"
    assert "+x = 1\n+y = 2\n" in edit.diff


def test_openhands_ends_and_thinks(tmp_path: Path) -> None:
    transcript = open_transcript(MAKERS["openhands"][1](tmp_path))
    assert [event.text for event in of(transcript, ev.Thinking)] == ["hm"]
    assert [event.text for event in of(transcript, ev.AgentText)] == ["Build it.", "Done."]
    assert [event.reason for event in of(transcript, ev.TurnEnded)] == ["completed"]
    assert [event.tool for event in of(transcript, ev.ToolCall)] == ["Bash", "str_replace_editor", "search"]
    assert [event.is_error for event in of(transcript, ev.ToolResult)] == [True, False]


def test_an_openhands_evaluation_speaks_for_nobody(tmp_path: Path) -> None:
    nudge = {"content": "Please continue working on the task on whatever approach you think is suitable.\nIf"}
    more = {"id": 99, "source": "user", "action": "message", "args": nudge}
    transcript = open_transcript(document(tmp_path / "x.json", [*samples.OPENHANDS, more]))
    assert [event.text for event in of(transcript, ev.HumanMessage)] == ["make it fast"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_folder_of_openhands_events_is_one_session(tmp_path: Path, indent: int | None) -> None:
    folder = tmp_path / "events"
    folder.mkdir()
    for at, event in enumerate(samples.OPENHANDS_SDK):
        document(folder / f"event-{at:05d}-0a{at}.json", event, indent=indent)
    (folder / "event-00003-0a3.json").write_text("{")
    for named in (tmp_path, folder, folder / "event-00000-0a0.json"):
        transcript = open_transcript(named)
        assert transcript.format is openhands.FORMAT
        assert transcript.entries == len(samples.OPENHANDS_SDK)
        assert [problem.line for problem in transcript.problems] == [3]
        assert len(of(transcript, ev.ToolCall)) == 2


def test_the_openhands_sdk_tells_failures(tmp_path: Path) -> None:
    transcript = open_transcript(MAKERS["openhands sdk"][1](tmp_path))
    assert {one.call: one.is_error for one in of(transcript, ev.ToolResult)} == {"t1": False, "t2": True}
    assert of(transcript, ev.Edit) == []
    assert "Conversation compacted" in of(transcript, ev.Note)[-1].text


def test_pi_reads_every_branch_in_the_order_of_the_file(tmp_path: Path) -> None:
    def said(id_: str, parent: str | None, text: str) -> dict[str, Any]:
        message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        return {"type": "message", "id": id_, "parentId": parent, "timestamp": samples.AT, "message": message}

    rows = [samples.PI[0], said("a", "lost", "one"), said("b", "a", "two"), said("c", "a", "three")]
    texts = [event.text for event in of(open_transcript(write(tmp_path / "x.jsonl", rows)), ev.AgentText)]
    assert texts == ["one", "two", "three"]


def test_pi_tells_the_clients_words_from_a_persons(tmp_path: Path) -> None:
    transcript = open_transcript(MAKERS["pi"][1](tmp_path))
    assert transcript.unknown == {"model_change": 1, "custom/mark": 1}
    notes = of(transcript, ev.Note)
    assert [note.author for note in notes] == ["client", "human", "client", "client"]
    assert "9 tokens before" in notes[2].text
    assert [event.reason for event in of(transcript, ev.TurnEnded)] == ["completed"]


def test_pis_numbered_diffs_are_unified_ones() -> None:
    diff = " 1|top\n-2|a\n+2|b|c\n+3|d\n 3|...\n 10|end\n-11 x"
    assert numbered_diff(diff) == "@@ -1,2 +1,3 @@\n top\n-a\n+b|c\n+d\n@@ -10,2 +10,1 @@\n end\n-x\n"
    assert numbered_diff("no diff") == ""


def test_cursors_rows_have_no_times_and_their_results_follow_the_calls(tmp_path: Path) -> None:
    transcript = open_transcript(MAKERS["cursor"][1](tmp_path))
    assert {event.time for event in transcript.events} == {None}
    assert [event.text for event in of(transcript, ev.AgentText)] == ["Building.", "Done."]
    assert [note.text for note in of(transcript, ev.Note)] == ["<attached_files>\nk.cu\n</attached_files>"]
    calls, (result,) = of(transcript, ev.ToolCall), of(transcript, ev.ToolResult)
    assert result.call == calls[0].call
    assert [event.reason for event in of(transcript, ev.TurnEnded)] == ["completed"]


def test_cursors_own_rows_without_a_query_are_a_persons(tmp_path: Path) -> None:
    rows = [samples.cursor_row("user", {"type": "text", "text": "<div>\nwhy <rules>r</rules>"})]
    transcript = open_transcript(write(tmp_path / "x.jsonl", [*rows, *samples.CURSOR]))
    assert of(transcript, ev.HumanMessage)[0].text == "<div>\nwhy"


def test_an_export_of_cursor_is_told_by_its_sections(tmp_path: Path) -> None:
    transcript = open_transcript(MAKERS["cursor export"][1](tmp_path))
    (started,) = of(transcript, ev.SessionStarted)
    assert (started.session, started.versions) == ("Make it fast", {"cursor": "2.3.4"})
    texts = [event.text for event in of(transcript, ev.AgentText)]
    assert texts == ["Building.\n\n---\n\n**Not a speaker**\n\n```\n**User**\n```", "Done."]
    assert transcript.entries == 5


def test_a_hosted_session(tmp_path: Path) -> None:
    transcript = open_transcript(MAKERS["hosted"][1](tmp_path))
    (started,) = of(transcript, ev.SessionStarted)
    assert (started.session, started.agent_name) == ("t1", "tuner")
    assert [(event.text, event.agent) for event in of(transcript, ev.AgentText)] == [
        ("Building.", None),
        ("aside", "t2"),
    ]
    assert [note.author for note in of(transcript, ev.Note)] == ["client", "grader", "client"]
    assert of(transcript, ev.ToolResult)[0].is_error
    (call,), (used,) = of(transcript, ev.ToolCall), of(transcript, ev.Usage)
    assert call.message == used.message == "e3"
