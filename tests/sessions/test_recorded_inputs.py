"""Every recorded transcript is read whole: no exception, every line accounted for, the counts as listed."""

import random
from pathlib import Path

import pytest

from sessions import events as ev
from sessions.errors import RefusedInput
from sessions.readers import (
    acp,
    claude_code,
    codex_app_server,
    codex_exec,
    codex_rollout,
    gemini,
    hosted,
    pi,
    recording,
    stream_json,
    swe_agent,
)
from sessions.readers.detect import detect
from sessions.readers.formats import Format
from sessions.state import fold
from sessions.transcript import Transcript, open_transcript
from tests.cases import CASES, needs_cases
from tests.sessions.expected_counts import EXPECTED

pytestmark = needs_cases


def case(name: str) -> Path:
    """The file of a name, or the one that its name begins."""
    assert CASES is not None
    path = CASES / name
    return path if path.exists() else next(path.parent.glob(f"{path.name}*"))


def read(name: str) -> Transcript:
    return open_transcript(case(name))


@pytest.mark.parametrize("name", [name for name, counts in EXPECTED.items() if counts is not None])
def test_counts_and_accounts(name: str) -> None:
    transcript = read(name)
    state = fold(transcript.events)
    found = (
        transcript.entries,
        state.turns,
        len(state.tools),
        len(state.human),
        transcript.damaged,
    )
    assert found == EXPECTED[name]
    if transcript.format.row is not None:
        assert transcript.entries == case_lines(transcript.path)
    assert all(account.balanced for account in transcript.accounts)
    ids = [event.id for event in transcript.events]
    assert len(set(ids)) == len(ids)
    assert [event.id for event in read(name).events] == ids
    for event in transcript.events:
        assert ev.parse_event(ev.dump_event(event)) == event
        assert event.source is not None
        assert event.source.line < max(account.entries for account in transcript.accounts)


def case_lines(path: Path) -> int:
    data = path.read_bytes()
    return data.count(b"\n") + (not data.endswith(b"\n"))


def test_the_table_names_every_file() -> None:
    assert CASES is not None
    folders: tuple[str, ...]
    folders = ("agents/*.jsonl", "traces/claude_code/*", "traces/stream_json/*", "traces/kernelbench/*")
    folders += ("traces/other/*", "traces/codex/*")
    files = {path for folder in folders for path in CASES.glob(folder)}
    assert files <= {case(name) for name in EXPECTED}


def test_the_table_agrees_on_what_is_refused() -> None:
    for name, counts in EXPECTED.items():
        if counts is None:
            with pytest.raises(RefusedInput):
                read(name)


def test_hook_inputs_are_refused_with_what_was_seen() -> None:
    with pytest.raises(
        RefusedInput, match=r"holds hook inputs \(keys session_id, .*\), not a transcript"
    ) as no:
        read("agents/cc-hook-inputs.jsonl")
    assert no.value.exit_code == 3


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("traces/other/F43_empty_response_generation.json", "one JSON document, an object with keys node_id"),
        (
            "traces/other/F47_array_cut_in_the_middle.json",
            "one JSON document that is cut off or damaged, a list of objects with keys sample_key",
        ),
        ("traces/kernelbench/20260523_162918_gemini_gemini-3.5-flash_03_paged_attention.jsonl", "is empty"),
    ],
)
def test_other_formats_are_refused_with_what_was_seen(name: str, words: str) -> None:
    with pytest.raises(RefusedInput, match=words):
        read(name)


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("agents/cc-transcript-midturn.jsonl", claude_code.FORMAT),
        ("agents/cc-midturn.jsonl", recording.FORMAT),
        ("traces/stream_json/F18_died_at_start.jsonl", stream_json.FORMAT),
        ("traces/codex/F29_normal_rollout.jsonl", codex_rollout.FORMAT),
        ("agents/codex-tui-queue-rollout.jsonl", codex_rollout.FORMAT),
        ("agents/codex-exec-hooks.jsonl", codex_exec.FORMAT),
        ("agents/codex-app-server.jsonl", codex_app_server.FORMAT),
        ("agents/acp-codex.jsonl", acp.FORMAT),
        ("agents/acp-claude-npm-latest.jsonl", acp.FORMAT),
        ("traces/claude_code/F11_tiny.jsonl", claude_code.FORMAT),
        ("traces/other/F21_gemini_chat.json", gemini.FORMAT),
        ("traces/other/F22_hosted_agent_events.jsonl", hosted.FORMAT),
        ("traces/other/F24_pi_v3_damaged_middle_line.jsonl", pi.FORMAT),
        ("traces/other/F36_swe_agent.traj", swe_agent.FORMAT),
    ],
)
def test_formats(name: str, format_: Format) -> None:
    assert detect(case(name)) is format_


@pytest.mark.parametrize("name", ["agents/cc-transcript-midturn.jsonl", "agents/cc-midturn.jsonl"])
def test_the_message_written_in_mid_turn_is_a_persons_once(name: str) -> None:
    texts = [event.text for event in read(name).events if isinstance(event, ev.HumanMessage)]
    assert texts == ["start A", "HUMAN-Q1 during tool", "HUMAN-Q2 during streaming"]
    marked = {event.text: event.mid_turn for event in read(name).events if isinstance(event, ev.HumanMessage)}
    assert marked["HUMAN-Q1 during tool"]
    assert not marked["start A"]


def test_a_session_and_its_stream_agree() -> None:
    stream, disk = read("agents/cc-stream-full.jsonl"), read("agents/cc-transcript-full")

    def shape(transcript: Transcript) -> dict[str, list[str]]:
        said = [
            e for e in transcript.events if isinstance(e, ev.AgentText | ev.ToolCall | ev.Edit | ev.Subagent)
        ]
        return {
            "main": [_words(e) for e in said if e.agent is None],
            "side": [_words(e) for e in said if e.agent is not None],
        }

    # When the subagent ends differs by a result: the notice reaches the transcript one tool call later.
    one, other = shape(stream), shape(disk)
    assert sorted(one["main"]) == sorted(other["main"])
    assert one["side"] == other["side"]
    assert fold(stream.events).spend.cost_usd == pytest.approx(fold(disk.events).spend.cost_usd)
    assert fold(stream.events).spend.input_tokens == fold(disk.events).spend.input_tokens


def _words(event: ev.AnyEvent) -> str:
    return event.model_dump_json(exclude={"id", "time", "source", "parent"})


def test_the_subagents_file_is_read_as_its_events() -> None:
    transcript = read("agents/cc-transcript-full")
    state = fold(transcript.events)
    phases = [(seen.event.phase, seen.event.subagent) for seen in state.subagents]
    name = phases[0][1]
    assert phases == [("started", name), ("ended", name)]
    side = [event for event in transcript.events if event.agent == name]
    assert [run.call.input.get("command") for run in state.tools if run.call.agent == name] == [
        "echo sub-bash"
    ]
    places = [transcript.events.index(event) for event in side]
    assert state.subagents[0].index < min(places)
    assert max(places) < state.subagents[1].index
    assert [account.entries for account in transcript.accounts] == [61, 14]


def test_the_folder_of_a_session_means_its_main_file() -> None:
    folder = next(path for path in case("agents/cc-transcript-full").iterdir() if path.is_dir())
    assert open_transcript(folder).entries == 61


def test_a_subagents_file_can_be_read_by_itself() -> None:
    (file,) = case("agents/cc-transcript-full").glob("*/subagents/*.jsonl")
    state = fold(open_transcript(file).events)
    assert state.turns == 2
    assert state.human == []


def test_an_edit_carries_the_clients_own_patch() -> None:
    (edit,) = (e for e in read("agents/cc-stream-full.jsonl").events if isinstance(e, ev.Edit))
    assert edit.path == "/home/dev/p1/kernel.py"
    assert "@@ -1,4 +1,4 @@\n-BLOCK = 64\n+BLOCK = 128\n" in edit.diff


def test_sidechains_inside_the_main_file_are_subagents() -> None:
    state = fold(read("traces/claude_code/F02_sidechains_in_main_file.jsonl").events)
    launched = [run.call.call for run in state.tools if run.call.tool == "Task"]
    assert len(launched) == 3
    assert {run.call.agent for run in state.tools} == {None, *launched}
    assert [seen.event.phase for seen in state.subagents].count("ended") == 3
    assert not state.busy


def test_errors_are_notes_and_no_replies() -> None:
    state = fold(read("agents/cc-err-400.jsonl").events)
    assert state.turns == 0
    assert any("prompt_too_long" in seen.event.text for seen in state.notes)
    retries = fold(read("agents/cc-err-401.jsonl").events).notes
    assert [seen.event.text[:13] for seen in retries] == ["API error 401"] * 4


def test_hook_words_are_notes_of_the_hook() -> None:
    notes = fold(read("agents/cc-transcript-live-attach.jsonl").events).notes
    assert [seen.event.author for seen in notes] == ["hook", "hook"]


def test_turn_usage_in_a_stream_adds_up_to_its_results() -> None:
    spend = fold(read("agents/cc-midturn.jsonl").events).spend
    assert (spend.input_tokens, spend.output_tokens) == (44424 + 22551, 219 + 9)
    assert spend.cost_usd == pytest.approx(0.204345)


@pytest.mark.parametrize(
    "name",
    [
        "agents/cc-stream-full.jsonl",
        "agents/cc-transcript-midturn.jsonl",
        "agents/codex-tui-queue-rollout.jsonl",
        "agents/codex-app-server.jsonl",
        "traces/claude_code/F15_hostile_rows.jsonl",
        "traces/claude_code/F08_stop_hook_summaries.jsonl",
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_damage_anywhere_costs_only_its_lines(name: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    data = bytearray(case(name).read_bytes())
    for _ in range(rng.randrange(1, 12)):
        place = rng.randrange(len(data))
        data[place : place + rng.randrange(3)] = rng.choice(
            [b"\0", b"\xff", b"{", b'"', b"", b"\r", b"\xe2\x80\xa8"]
        )
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(data[: rng.randrange(len(data) // 2, len(data))])
    transcript = open_transcript(damaged)
    assert transcript.accounts[0].balanced
    assert transcript.entries == case_lines(damaged)
    left = set(damaged.read_bytes().split(b"\n")[:-1])
    whole = [line in left for line in case(name).read_bytes().split(b"\n")]
    kept = {_said(event) for event in transcript.events} | {None}
    due = [event for event in read(name).events if event.source and whole[event.source.line]]
    assert [event for event in due if _said(event) not in kept] == []


def _said(event: ev.AnyEvent) -> str | None:
    """What an event says apart from its ties to other lines, which may be damaged."""
    match event:
        case ev.AgentText() | ev.Thinking():
            return event.text
        case ev.ToolCall():
            return f"{event.call} {event.tool} {event.input}"
        case ev.ToolResult():
            return f"{event.call} {event.output}"
    return None


@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        ("agents/rollout-2026-11-29T14-24-04", {"world_state": 1, "event_msg/thread_settings_applied": 1}),
        ("agents/codex-exec.jsonl", {}),
        (
            "agents/codex-app-server.jsonl",
            {
                "thread/status/changed": 4,
                "account/rateLimits/updated": 3,
                "remoteControl/status/changed": 1,
            },
        ),
        ("agents/acp-claude-npm-latest.jsonl", {"available_commands_update": 2, "session_info_update": 1}),
        ("traces/codex/F29_normal_rollout.jsonl", {}),
    ],
)
def test_little_of_codex_and_acp_stays_unread(name: str, unknown: dict[str, int]) -> None:
    assert read(name).unknown == unknown


def test_codex_tells_one_session_in_two_formats() -> None:
    stream, disk = read("agents/codex-exec.jsonl"), read("agents/rollout-2026-11-29T14-24-04")
    words = [
        [event.text for event in transcript.events if isinstance(event, ev.AgentText | ev.Thinking)]
        for transcript in (stream, disk)
    ]
    assert words[0] == words[1] == ["think", "Looking at the kernel.", "Codex done."]
    assert fold(stream.events).spend == fold(disk.events).spend
    # The stream leaves out a call that the client refused.
    assert [run.call.input["command"] for run in fold(stream.events).tools] == ["echo codex-1.3x; exit 3"]
    assert len(fold(disk.events).tools) == 2


def test_what_a_person_wrote_to_codex() -> None:
    queued = fold(read("agents/codex-tui-queue-rollout.jsonl").events)
    assert [(seen.event.text, seen.event.mid_turn) for seen in queued.human] == [
        ("optimize zebra tui", False),
        ("CX-QUEUED1 mid-turn question", False),  # it waited for the turn to end
        ("CX-QUEUED2 idle question", False),
    ]
    steered = fold(read("agents/codex-app-server.jsonl").events)
    assert [(seen.event.text, seen.event.mid_turn) for seen in steered.human] == [
        ("optimize", False),
        ("CX-STEER which bound?", True),
        ("again", False),
    ]
    assert [seen.event.reason for seen in steered.turn_ends] == ["completed", "interrupted"]
    assert not steered.busy


def test_pieces_of_a_streamed_text_are_one_text() -> None:
    folded = fold(read("agents/acp-claude-npm-latest.jsonl").events)
    texts = [seen.event.text.strip() for seen in folded.texts]
    assert texts == ["Planning.", "acp first answer", "acp second answer"]
    assert [run.call.tool for run in folded.tools] == ["Bash", "Read", "Edit"]
    (edit,) = folded.edits
    assert edit.event.diff.endswith("@@ -1,1 +1,1 @@\n-B=1\n+B=2\n")
    assert folded.spend.cost_usd == pytest.approx(0.27146)
