import pytest

from kernelseek_tui.decisions.agent_loop import AgentLoop
from sessions import events as ev
from tests.kernelseek_tui.decisions.told import Told


def loops(*steps: tuple[str, str]) -> int:
    told = Told(AgentLoop())
    for command, output in steps:
        told.run(command, output)
    return len(told.findings)


def test_the_same_call_with_the_same_answer() -> None:
    assert loops(*[("grep tile attn.cu", "none")] * 3) == 0
    assert loops(*[("grep tile attn.cu", "none")] * 4) == 1
    assert loops(*[("grep tile attn.cu", "none")] * 7) == 1
    assert loops(*[("grep tile attn.cu", "none")] * 8) == 2


def test_a_pattern_of_two_or_three() -> None:
    two = [("cat a.cu", "a"), ("cat b.cu", "b")]
    assert loops(*two * 2, two[0]) == 0
    assert loops(*two * 3) == 1
    three = [*two, ("cat c.cu", "c")]
    assert loops(*three * 2, *two) == 0
    assert loops(*three * 3) == 1


def test_a_changed_answer_is_progress() -> None:
    assert loops(*[("grep -c tile attn.cu", str(n)) for n in range(12)]) == 0


def test_times_ids_and_temporary_paths_are_no_difference() -> None:
    steps = [(f"grep x /tmp/run{n}/log", f"done in {n}.5 ms at 2026-11-29T10:0{n}:00Z") for n in range(4)]
    assert loops(*steps) == 1


@pytest.mark.parametrize(
    "command", ["sleep 30", "squeue -u me", "nvidia-smi", "git status", "python bench.py", "./evaluate --all"]
)
def test_waiting_and_measuring_are_repeated_on_purpose(command: str) -> None:
    assert loops(*[(command, "same")] * 12) == 0


def test_a_message_begins_anew() -> None:
    told = Told(AgentLoop())
    for _ in range(3):
        told.run("grep tile attn.cu", "none")
    told.human("Try again.")
    told.run("grep tile attn.cu", "none")
    assert told.findings == []


def test_subagents_are_left_alone() -> None:
    told = Told(AgentLoop())
    for n in range(8):
        told.take(
            ev.ToolCall(id=told.next_id, call=f"s{n}", tool="Bash", input={"command": "ls"}, agent="sub")
        )
        told.take(ev.ToolResult(id=told.next_id, call=f"s{n}", output="x", agent="sub"))
    assert told.findings == []
