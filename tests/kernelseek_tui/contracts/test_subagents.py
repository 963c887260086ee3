"""Subagents in handmade sessions and a recorded one: hypothesis and number, never a patch."""

import pytest

from kernelseek_tui.contracts.subagents import Broken, breaches_of, subagent_breaches
from sessions import events as ev
from sessions.state import SessionState, fold
from sessions.transcript import open_transcript
from tests.cases import CASES, needs_cases

GOOD = "Hypothesis: the host loses time. Measured 41.7 us a call outside the kernel."


def delegated(report: str, *work: ev.AnyEvent, candidate: str | None = "/w/candidate.cpp") -> SessionState:
    return fold(
        [
            ev.SessionStarted(id="s", session="s", agent_name="tests", candidate=candidate),
            ev.ToolCall(id="go", call="sub", tool="Agent", input={"prompt": "test it"}),
            ev.Subagent(id="on", subagent="sub", phase="started", description="Test it"),
            *work,
            ev.ToolResult(id="back", call="sub", output=report),
            ev.Subagent(id="off", subagent="sub", phase="ended"),
        ]
    )


def call(tool: str, error: bool = False, **given: str) -> list[ev.AnyEvent]:
    return [
        ev.ToolCall(id="did", call="c1", tool=tool, input=given, agent="sub"),
        ev.ToolResult(id="done", call="c1", output="ok", is_error=error, agent="sub"),
    ]


def edit(path: str, error: bool = False) -> list[ev.AnyEvent]:
    return call("Edit", error, file_path=path, old_string="a", new_string="b")


def broken(state: SessionState) -> list[Broken]:
    return [breach.broken for breach in subagent_breaches(state)]


def test_a_hypothesis_with_its_number_keeps_the_contract() -> None:
    assert broken(delegated(GOOD, *call("Bash", command="nsys stats x"))) == []


def test_an_edit_of_the_candidate_breaks_it() -> None:
    state = delegated(GOOD, *edit("/w/candidate.cpp"))
    (breach,) = subagent_breaches(state)
    assert breach.broken is Broken.EDITED
    assert breach.description == "Test it"
    assert breach.evidence == (ev.Evidence(event="did", quote="/w/candidate.cpp"),)


@pytest.mark.parametrize(
    "work",
    [
        edit("/w/probe_kernel.cu"),
        edit("/w/candidate.cpp", error=True),
        call("Read", file_path="/w/candidate.cpp"),
        call("Bash", command="cp candidate.cpp /tmp/c.cpp"),
    ],
)
def test_a_probe_a_refused_edit_and_reading_do_not(work: list[ev.AnyEvent]) -> None:
    assert broken(delegated(GOOD, *work)) == []


def test_writing_it_from_a_shell_does() -> None:
    state = delegated(GOOD, *call("Bash", command="cat > candidate.cpp <<X\nint x;\nX"))
    assert broken(state) == [Broken.EDITED]


def test_an_edit_event_of_the_subagent_does() -> None:
    made = ev.Edit(id="e", path="candidate.cpp", candidate=True, agent="sub")
    assert broken(delegated(GOOD, made)) == [Broken.EDITED]
    other = made.model_copy(update={"agent": None})
    assert broken(delegated(GOOD, other)) == []


def test_without_a_named_candidate_any_kernel_source_counts() -> None:
    assert broken(delegated(GOOD, *edit("/w/softmax.cu"), candidate=None)) == [Broken.EDITED]
    assert broken(delegated(GOOD, *edit("/w/notes.md"), candidate=None)) == []


@pytest.mark.parametrize(
    "patch",
    [
        "--- a/k.cu\n+++ b/k.cu\n@@ -1,2 +1,2 @@\n-a\n+b",
        "```diff\n-a\n+b\n```",
        "*** Begin Patch\n*** Update File: k.cu",
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
    ],
)
def test_a_patch_in_the_report_breaks_it(patch: str) -> None:
    (breach,) = subagent_breaches(delegated(f"{GOOD}\n{patch}"))
    assert breach.broken is Broken.PATCH
    assert breach.evidence[0].event == "back"


def test_code_that_is_quoted_is_no_patch() -> None:
    assert broken(delegated(f"{GOOD}\n```cpp\nint plan = 3;\n```")) == []


def test_a_report_without_a_number_and_none_at_all() -> None:
    assert broken(delegated("Memory bound, I think.")) == [Broken.NO_NUMBER]
    assert broken(delegated("")) == [Broken.NO_REPORT]


def test_one_sent_to_the_background_reports_with_its_last_words() -> None:
    launched = "Async agent launched successfully. agentId: 12"
    said = [
        ev.AgentText(id="t1", text="Looking.", agent="sub"),
        ev.AgentText(id="t2", text=GOOD, agent="sub"),
    ]
    assert broken(delegated(launched, *said)) == []
    assert broken(delegated(launched, said[0])) == [Broken.NO_NUMBER]


def test_nothing_is_said_of_one_that_works() -> None:
    state = fold([ev.Subagent(id="on", subagent="sub", phase="started")])
    assert breaches_of("sub", state) == []


@needs_cases
def test_the_recorded_subagent_returned_no_number() -> None:
    assert CASES is not None
    state = fold(open_transcript(CASES / "agents" / "cc-transcript-full").events)
    (breach,) = subagent_breaches(state)
    assert breach.broken is Broken.NO_NUMBER
    assert breach.description == "Profile kernel"
    assert breach.evidence == (
        ev.Evidence(event="aa046dec3df4c8cce:l13", quote="Subagent report: memory bound."),
    )
