"""A short story, a client's tools that answer from canned text, and conversations with both."""

from collections.abc import Callable, Sequence
from typing import Any

from kernelseek_tui.agents.rehearsal.script import Script
from kernelseek_tui.agents.rehearsal.story import Outcome, Story, ToolUse
from kernelseek_tui.rehearse.conversation import Said, answer
from kernelseek_tui.rehearse.request import read_request

WORKSPACE = "/somewhere/work"
SYSTEM = f"You are a tool.\n# env\n - Primary working directory: {WORKSPACE}\n - Platform: linux"

CLAUDE_TOOLS: list[dict[str, Any]] = [
    {"name": "Bash", "input_schema": {"type": "object", "properties": {"command": {}, "timeout": {}}}},
    *({"name": name, "input_schema": {"type": "object"}} for name in ("Edit", "Read", "Write", "Agent")),
]
API_TOOLS: list[dict[str, Any]] = [
    {"type": "bash_20250124", "name": "bash"},
    {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
]


def script(states: dict[str, Any] | None = None, **more: Any) -> Script:
    """Look, change, look again, claim; asked about the `door`, open it."""
    base: dict[str, Any] = {
        "version": 1,
        "name": "short",
        "operator": "toy",
        "candidate": "c.cpp",
        "topics": {"door": {"strong": ["door"]}},
        "variants": [{"found": "door"}],
        "variables": {"n": "unknown"},
        "rest": "Resting.",
        "start": "work",
        "replacements": {"two": [{"old": "a", "new": "b"}, {"old": "c", "new": "d"}]},
        "on_message": [
            {"bears": "door", "limit": 1, "say": "The door.", "enter": "door"},
            {"when": "working", "say": "Noted."},
            {"say": "I have heard that."},
        ],
        "states": states
        or {
            "work": {
                "turns": [
                    {
                        "say": "I look.",
                        "call": {"tool": "Bash", "input": {"command": "look"}},
                        "capture": {"n": "^n=(.+)$"},
                    },
                    {"say": "It is {{n}}; I change two places.", "edit": "two"},
                    {"call": {"tool": "Bash", "input": {"command": "look again"}}},
                    {"say": "Done: nothing more is possible."},
                ]
            },
            "door": {
                "turns": [
                    {"call": {"tool": "Bash", "input": {"command": "open"}}},
                    {"say": "It is open."},
                ],
                "next": "back",
            },
        },
    }
    return Script.model_validate({**base, **more})


def body(messages: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A request's body with Claude Code's tools."""
    given = {"model": "m", "max_tokens": 1000, "system": SYSTEM, "tools": CLAUDE_TOOLS}
    return {**given, "messages": list(messages), **more}


def ask(told: Script, messages: Sequence[dict[str, Any]], seed: int = 0, **more: Any) -> Said:
    """What the model says to these messages."""
    return answer(told, seed, read_request(body(messages, **more)))


def human(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


class Dialogue:
    """A conversation kept as a client keeps it. Ids are `t1`, `t2`, …"""

    def __init__(self, told: Script, seed: int = 0, **more: Any) -> None:
        self.script, self.seed, self.more = told, seed, more
        self.messages: list[dict[str, Any]] = []
        self.said: list[Said] = []
        self._ids = 0

    def hear(self, *texts: str) -> "Dialogue":
        self.messages.append(human(*texts))
        return self

    def reply(self, keep: bool = True) -> Said:
        """Ask for a reply, and keep it in the conversation."""
        said = ask(self.script, self.messages, self.seed, **self.more)
        if keep:
            self.said.append(said)
            blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in said.texts]
            for name, given in said.calls:
                self._ids += 1
                blocks.append({"type": "tool_use", "id": f"t{self._ids}", "name": name, "input": given})
            self.messages.append({"role": "assistant", "content": blocks})
        return said

    @property
    def open_calls(self) -> list[str]:
        """The ids of the last reply's calls."""
        return [part["id"] for part in self.messages[-1]["content"] if part["type"] == "tool_use"]

    def result(self, *outputs: str, is_error: bool = False, and_texts: Sequence[str] = ()) -> "Dialogue":
        """Answer the open calls."""
        calls = self.open_calls
        padded = [*outputs, *[""] * (len(calls) - len(outputs))]
        parts: list[dict[str, Any]] = [
            {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": is_error}
            for call, output in zip(calls, padded, strict=True)
        ]
        parts += [{"type": "text", "text": text} for text in and_texts]
        self.messages.append({"role": "user", "content": parts})
        return self


def told_directly(
    told: Script, seed: int, humans: Sequence[str], run: Callable[[ToolUse], Outcome]
) -> list[tuple[tuple[str, ...], tuple[ToolUse, ...]]]:
    """The replies of the story itself: every human text is a turn of its own."""
    story = Story(told, seed, WORKSPACE)
    replies = []
    for text in humans:
        story.hear(text)
        while True:
            reply = story.reply()
            replies.append((reply.texts, reply.calls))
            if not reply.calls:
                break
            story.results([run(call) for call in reply.calls])
    return replies


class CannedTools:
    """Tools that answer like the attention workspace's would; what was edited decides the numbers."""

    def __init__(self) -> None:
        self.edited: set[str] = set()

    def run(self, use: ToolUse) -> Outcome:
        if use.tool in ("Edit", "Write", "Read"):
            changed = str(use.input.get("new_string", ""))
            self.edited |= {name for name, sign in _SIGNS.items() if sign in changed}
            return Outcome("done")
        command = str(use.input["command"])
        met = self.edited == set(_SIGNS)
        if "goal check" in command:
            text = "GOAL met (exit 0): all" if met else "unmet faster: 2 of 4\nGOAL unmet (exit 10): faster"
            return Outcome(text if met else f"Exit code 10\n{text}", is_error=not met)
        if "kernelseek evaluate" in command:
            mean = 1.0 + 1.1 * len(self.edited) + 2 * met
            text = f"set demo: geomean {mean:.3f}x (0.9..9.9)\n"
            text += "VERDICT goal met (exit 0): all" if met else "unmet faster: 2 of 4\nVERDICT goal unmet"
            return Outcome(text if met else f"Exit code 10\n{text}", is_error=not met)
        if "probe calls" in command:
            return Outcome("mha: 8496 us a call, 6935 us with one query and one key (82 %)")
        if "probe rates" in command:
            return Outcome("whole: 0.091 ns a multiply-add\nwindow: 0.803 ns a multiply-add")
        return Outcome("text")


_SIGNS = {"host": "{p.batch, p.seq_q, p.seq_k}", "routing": "return p.head_dim <= kMaxHeadDim"}
