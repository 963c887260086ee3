"""Hand-made entries and states."""

from pathlib import Path
from typing import Any

import yaml

from bank.question import Question
from sessions import events as ev
from sessions.state import SessionState, fold

HERE = Path(__file__).parent


def entry_data(**changes: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": "kq-host-901",
        "group": "host-and-launch-path",
        "question": "How long does the start of a run take on the host?",
        "decision_kinds": ["plateau"],
        "category": ["gap-triage"],
        "moves": {"from": "kernel", "to": "host"},
        "measurement": {
            "method": "time it",
            "tools": ["timeline-profiler"],
            "number": "start time",
            "unit": "us",
        },
        "outcomes": [{"if": "long", "next": "host"}, {"if": "short", "verdict": "stand"}],
        "answered_when": "a trace of the current build",
        "provenance": {"kind": "written", "date": "2026-11-29", "author": "tests", "ai_assisted": False},
    }
    return data | changes


def entry(**changes: Any) -> Question:
    return Question.model_validate(entry_data(**changes))


class _WrittenOut(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True  # a bank may hold none, and fixtures share their parts


def write_bank(folder: Path, *entries: dict[str, Any]) -> Path:
    path = folder / "entries.yaml"
    text = yaml.dump(list(entries), Dumper=_WrittenOut, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return path


class Story:
    """Builds a session event by event."""

    def __init__(self) -> None:
        self.events: list[ev.AnyEvent] = [ev.SessionStarted(id="e0", session="s", agent_name="tests")]

    def _id(self) -> str:
        return f"e{len(self.events)}"

    def say(self, text: str) -> "Story":
        self.events.append(ev.AgentText(id=self._id(), text=text))
        return self

    def run(self, command: str, output: str = "") -> "Story":
        call = self._id()
        self.events.append(ev.ToolCall(id=call, call=call, tool="Bash", input={"command": command}))
        self.events.append(ev.ToolResult(id=self._id(), call=call, output=output))
        return self

    def edit(self) -> "Story":
        self.events.append(ev.Edit(id=self._id(), path="candidate.cpp", candidate=True))
        return self

    def evaluate(self, *ratios: float, status: str = "CORRECT") -> "Story":
        scenarios = tuple(
            ev.ScenarioResult(id=f"s{place}", status=status, ratio=ratio)
            for place, ratio in enumerate(ratios)
        )
        self.events.append(ev.Evaluation(id=self._id(), evaluation="x", status=status, scenarios=scenarios))
        return self

    def ask(self, text: str, entry_id: str | None = None) -> "Story":
        self.events.append(ev.QuestionAsked(id=self._id(), questioner="human", text=text, entry=entry_id))
        return self

    def dismiss(self, entry_id: str | None) -> "Story":
        self.events.append(ev.SuggestionDismissed(id=self._id(), entry=entry_id))
        return self

    def state(self) -> SessionState:
        return fold(self.events)
