"""A question reaches the agent once, whichever hooks run."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from kernelseek_tui.hooks import rewake
from kernelseek_tui.hooks.answers import FRAME, Answer
from kernelseek_tui.hooks.mailbox import MAX_DELIVERED, Binding, Mailbox, Question, locked
from kernelseek_tui.hooks.run import answer, taken

SESSION = "11111111-2222-3333-4444-555555555555"


def given(**more: Any) -> bytes:
    return json.dumps({"session_id": SESSION, "cwd": "/nowhere", **more}).encode()


@pytest.fixture
def box(tmp_path: Path) -> Mailbox:
    made = Mailbox(tmp_path, SESSION)
    made.bind(Binding("k", "/nowhere", client_pid=os.getpid(), goal=False))
    return made


def call(box: Mailbox, name: str, **more: Any) -> Answer:
    return answer(name, io.BytesIO(given(**more)), box.folder.parents[1], SESSION)


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("post-tool-use", "PostToolUse"),
        ("post-tool-use-failure", "PostToolUseFailure"),
        ("user-prompt-submit", "UserPromptSubmit"),
    ],
)
def test_a_question_comes_as_context_and_once(box: Mailbox, name: str, event: str) -> None:
    box.put(Question("q1", "How far from the bound?"))
    with locked(box.lock):
        said = call(box, name)["hookSpecificOutput"]
        assert said["hookEventName"] == event
        assert said["additionalContext"] == f"{FRAME}\n\nHow far from the bound?"
        assert call(box, name) == {}
    (told,) = [json.loads(line) for line in box.told.read_text().splitlines()]
    assert (told["what"], told["question"], told["by"]) == ("delivered", "q1", name)


def test_questions_keep_their_order_and_what_is_too_much_waits(box: Mailbox) -> None:
    for number in range(3):
        box.put(Question(f"q{number}", str(number) * (MAX_DELIVERED // 2)))
    with locked(box.lock):
        first = call(box, "post-tool-use")["hookSpecificOutput"]["additionalContext"]
        second = call(box, "post-tool-use")["hookSpecificOutput"]["additionalContext"]
    assert first.index("0") < first.index("1")
    assert "2" not in first
    assert "2" in second


def test_what_is_too_long_for_context_waits_for_a_hook_that_carries_it_whole(box: Mailbox) -> None:
    """In the client's count, halves of UTF-16: of more than 10,000 the model sees a preview."""
    for name in ("stop", "wake"):
        with locked(box.lock):
            box.put(Question("long", "\N{FIRE}" * (MAX_DELIVERED // 2 + 1)))
            box.put(Question("short", "Why?"))
            said = call(box, "user-prompt-submit")["hookSpecificOutput"]["additionalContext"]
            assert said == f"{FRAME}\n\nWhy?"
            box.put(Question("more", "And then?"))
            assert [one.id for one in taken(box, name)] == ["long"]
            assert [one.id for one in taken(box, name)] == ["more"]


def test_a_question_is_the_main_agents_not_a_subagents(box: Mailbox) -> None:
    box.put(Question("q1", "Why?"))
    with locked(box.lock):
        assert call(box, "post-tool-use", agent_id="aa04") == {}
        assert call(box, "user-prompt-submit", prompt="<task-notification>\n<task-id>x") == {}
        assert call(box, "post-tool-use") != {}


def test_nothing_is_delivered_for_a_dead_copilot(box: Mailbox) -> None:
    box.put(Question("q1", "Why?"))
    assert call(box, "post-tool-use") == {}
    assert box.waits()


def test_a_withdrawn_question_is_not_delivered_and_a_delivered_one_not_withdrawn(box: Mailbox) -> None:
    box.put(Question("q1", "Why?"))
    box.put(Question("q2", "How?"))
    assert box.withdraw("q1")
    with locked(box.lock):
        assert "Why?" not in json.dumps(call(box, "post-tool-use"))
    assert not box.withdraw("q2")


def test_a_damaged_question_costs_itself(box: Mailbox) -> None:
    (box.queue / "00000000000000000001.json").write_text("{")
    box.put(Question("q1", "Why?"))
    with locked(box.lock):
        assert "Why?" in json.dumps(call(box, "post-tool-use"))
    assert '"unreadable"' in box.told.read_text()


RACER = """
import io, json, sys
from pathlib import Path
from kernelseek_tui.hooks.run import answer, taken
print("ready", flush=True)
sys.stdin.readline()
for _ in range(40):
    for name in ("post-tool-use", "stop", "user-prompt-submit"):
        said = json.dumps(answer(name, io.BytesIO(sys.argv[2].encode()), Path(sys.argv[1]), sys.argv[3]))
        if "Q-" in said:
            print(said, flush=True)
"""


def test_hooks_that_run_at_once_never_deliver_twice(box: Mailbox) -> None:
    home = str(box.folder.parents[1])
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, home, given(stop_hook_active=True).decode(), SESSION],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    with locked(box.lock):
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        for number in range(30):
            box.put(Question(f"q{number}", f"Q-{number}."))
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        for number in range(30, 60):
            box.put(Question(f"q{number}", f"Q-{number}."))
        said = "".join(racer.communicate()[0] for racer in racers)
        said += json.dumps(call(box, "post-tool-use"))
    assert [said.count(f"Q-{number}.") for number in range(60)] == [1] * 60
    lines = [json.loads(line) for line in box.told.read_text().splitlines()]
    told = [line["question"] for line in lines if line["what"] == "delivered"]
    assert sorted(told) == sorted(f"q{number}" for number in range(60))


# Waking an idle session.


def waiting(box: Mailbox, limit: float = 20.0) -> tuple[threading.Thread, list[str]]:
    said: list[str] = []
    home = box.folder.parents[1]

    def wait() -> None:
        said.append(rewake.wait(io.BytesIO(given()), home, SESSION, limit))

    thread = threading.Thread(target=wait)
    thread.start()
    return thread, said


def test_an_idle_session_is_woken_by_a_question(box: Mailbox) -> None:
    with locked(box.lock):
        assert call(box, "stop") == {}
        thread, said = waiting(box)
        box.put(Question("q1", "What is left?"))
        thread.join(10)
    assert said == [f"{FRAME}\n\nWhat is left?"]
    assert not box.marked("idle")


def test_a_session_that_gets_busy_is_not_woken(box: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewake, "GRACE", 0.0)
    with locked(box.lock):
        call(box, "stop")
        thread, said = waiting(box)
        call(box, "user-prompt-submit", prompt="go on")
        thread.join(10)
        box.put(Question("q1", "What is left?"))
    assert said == [""]
    assert box.waits()


def test_nobody_waits_for_a_dead_copilot_or_another_session(box: Mailbox) -> None:
    call(box, "stop")
    home = box.folder.parents[1]
    assert rewake.wait(io.BytesIO(given()), home, SESSION) == ""
    assert rewake.wait(io.BytesIO(given()), home, "other") == ""
    assert rewake.wait(io.BytesIO(b"{"), home, SESSION) == ""
