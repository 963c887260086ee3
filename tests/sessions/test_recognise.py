"""Which results are looked at, when, and what becomes of one: `sessions.recognise`."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions import events as ev
from sessions.recognise import WAITING, Recognition
from sessions.recognisers.lines import EDGE, output_of
from sessions.recognisers.registry import BUILT_IN
from sessions.state import fold
from sessions.transcript import TranscriptStream, open_transcript
from tests.cases import CASES, needs_cases
from tests.sessions.recognisers.outputs import SPEEDUPS, TABLE, VARIANTS, evaluations
from tests.sessions.transcripts import call, reply, result, user, write


def run(number: int, command: str = "python benchmark.py", tool: str = "Bash") -> ev.ToolCall:
    return ev.ToolCall(id=f"c{number}", call=f"t{number}", tool=tool, input={"command": command})


def came(number: int, output: str = VARIANTS) -> ev.ToolResult:
    return ev.ToolResult(id=f"r{number}", call=f"t{number}", output=output)


def look(*events: ev.AnyEvent) -> list[str]:
    recognition = Recognition(BUILT_IN)
    return [found.id for event in events for found in recognition.look(event)]


@pytest.mark.parametrize(
    "command",
    ["cat results.txt", "python -c 'print(1)'", "git diff", "grep -r speedup .", "vim benchmark.py"],
)
def test_only_benchmark_runs_are_looked_at(command: str) -> None:
    assert look(run(1, command), came(1)) == []


def test_a_file_that_was_read_holds_no_measurement() -> None:
    read = ev.ToolCall(id="c1", call="t1", tool="Read", input={"file_path": "benchmark.py"})
    assert look(read, came(1)) == []


def test_a_result_may_come_before_its_call() -> None:
    assert look(came(1), run(1)) == ["r1.e"]
    assert look(came(1), run(1, "cat x")) == []


def test_a_replayed_result_says_nothing_new() -> None:
    assert look(run(1), came(1), came(1)) == ["r1.e"]
    assert look(came(1), run(1), came(1)) == ["r1.e"]


def test_results_without_calls_are_kept_only_for_a_while() -> None:
    recognition = Recognition(BUILT_IN)
    for number in range(WAITING + 1):
        recognition.look(came(number))
    assert recognition.look(run(0)) == []
    assert recognition.look(run(WAITING)) != []


def test_a_run_in_the_background_is_read_where_its_output_is_fetched() -> None:
    started = came(
        1, "Command running in background with ID: bw6mvyyic. Output is being written to: /t/bw6mvyyic"
    )
    first = run(2, "sleep 60; cat /t/bw6mvyyic")
    again = ev.ToolCall(id="c3", call="t3", tool="Read", input={"file_path": "/t/bw6mvyyic"})
    other = run(4, "cat /t/other")
    numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(VARIANTS.splitlines(), 1))
    found = look(run(1), started, first, came(2), again, came(3, numbered), other, came(4))
    assert found == ["r2.e"]


def test_a_command_of_which_only_the_folder_is_kept_counts_where_there_is_no_doubt() -> None:
    lost = run(1, "cd /home/me/problem")
    assert look(lost, came(1, SPEEDUPS)) == ["r1.e"]
    assert look(lost, came(1, "seed 0: OK\nseed 1: OK\nPASS\n")) == ["r1.e"]
    assert look(lost, came(1, "PASS")) == []
    assert look(lost, came(1, "speedup: 1.2x")) == []
    assert look(run(1, "cd x && cat notes.md"), came(1, SPEEDUPS)) == []


def test_a_long_output_is_looked_at_from_both_ends() -> None:
    middle = "x" * 100 + "\n"
    padded = middle * (EDGE // 50)
    assert look(run(1), came(1, padded + VARIANTS)) == ["r1.e"]
    assert output_of(padded).cut
    assert len(output_of("y" * 10 * EDGE).text) < 2 * EDGE + 10


def test_colours_and_progress_lines_are_taken_off() -> None:
    coloured = "\x1b[32mPASS\x1b[0m\n"
    assert look(run(1, "python check.py"), came(1, coloured)) == ["r1.e"]
    assert output_of("10%\r50%\rdone\r\nPASS\r\n").text == "done\nPASS\n"


def test_evaluations_stand_behind_their_result_in_a_transcript(tmp_path: Path) -> None:
    lines = [
        user(0, "hi"),
        reply(1, call("c1", "Bash", command="python benchmark.py")),
        user(2, [result("c1", VARIANTS)]),
        reply(3, call("c2", "Bash", command="python check.py")),
        user(4, [result("c2", "FAIL: seed 1")]),
    ]
    transcript = open_transcript(write(tmp_path / "x.jsonl", lines))
    kinds = [event.kind for event in transcript.events]
    assert kinds.count("evaluation") == 2
    assert kinds[kinds.index("evaluation") - 1] == "tool_result"
    state = fold(transcript.events)
    assert [seen.event.status for seen in state.evaluations] == ["PARSED", "WRONG"]
    assert [seen.event.geomean for seen in state.series] == [0.06]
    for event in transcript.events:
        assert ev.parse_event(ev.dump_event(event)) == event


def test_a_journal_of_ours_keeps_the_evaluations_it_has(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    events: list[ev.AnyEvent] = [run(1), came(1), ev.Note(id="n", text="x")]
    path.write_text("".join(ev.dump_event(event) + "\n" for event in events))
    assert [event.kind for event in TranscriptStream(path)] == ["tool_call", "tool_result", "note"]


ODD_LINES = (
    "geomean 1.2x",
    "PASS",
    "FAIL: x",
    "1e999 ms",
    "0x",
    "ratio | ms | x",
    "VERDICT wrong (exit 20): x",
    "1/0 passed",
    "| a | ms |",
    "|||",
    "speedup: 1e308x",
    "ours 1e-320 ms ref 1e300 ms",
    "peak_fraction: 1e400",
    "a  b ms  speedup",
)
LINES = (*VARIANTS.splitlines(), *SPEEDUPS.splitlines(), *TABLE.splitlines(), *ODD_LINES)
TEXTS = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(LINES), max_size=12).map("\n".join))


@given(TEXTS, st.text(max_size=20))
@settings(max_examples=300, deadline=None)
def test_no_output_raises(output: str, noise: str) -> None:
    for found in evaluations(output.replace("x", noise, 1)) + evaluations(
        noise + output, "kernelseek evaluate"
    ):
        assert ev.parse_event(ev.dump_event(found)) == found
        assert found.geomean is None or found.geomean > 0
        assert found.status in ("CORRECT", "PARSED") or found.geomean is None
        assert json.loads(ev.dump_event(found))["source_kind"] == "parsed"


EXPECTED = {  # file: evaluations, of them wrong, with a score
    "20260427_105224": (4, 1, 2),
    "20260428_095829": (4, 1, 0),
    "20260428_125718": (9, 0, 0),
    "20260507_142049": (16, 3, 6),
    "20260604_131045": (11, 3, 4),
    "20260618_024321": (30, 0, 20),
    "20260618_170335": (29, 1, 18),
    "20260619_062145": (15, 6, 5),
    "20260716_024329": (4, 0, 2),
}


@needs_cases
@pytest.mark.parametrize("name", EXPECTED)
def test_recorded_runs(name: str) -> None:
    assert CASES is not None
    (path,) = (CASES / "traces" / "kernelbench").glob(f"{name}*")
    found = [event for event in TranscriptStream(path) if isinstance(event, ev.Evaluation)]
    wrong = sum(one.status == "WRONG" for one in found)
    assert (len(found), wrong, sum(one.geomean is not None for one in found)) == EXPECTED[name]
