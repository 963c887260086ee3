"""What a session changed in files: lines taken out and put in, and whether the file is one that judges.

Read from edit events with a diff, from the words of an edit call where the event has none, and from the form
in which some exporters write an edit into the agent's text ("Edit PATH" above a diff). A diff may be cut.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from sessions import events as ev
from sessions.commands import split
from sessions.layers import command_text, edited_path, place
from sessions.state import SessionState
from sessions.vocabulary import Activity

# Files by which a candidate is judged: what is measured, against what, and how much may differ.
_JUDGES = re.compile(
    r"(?:^|[_\-.])(?:\w*bench\w*|tests?|test\w+|checks?|checker|reference|ref|scenarios?|tolerances?|"
    r"conftest|shapes|"
    r"baselines?|eval\w*|oracle|correctness|harness|grader|grading|scor(?:e|er|ing)|stress|thresholds?|"
    r"golden|"
    r"expected|validat\w+|verif\w+|problem|workloads?)(?:[_\-.]|$)",
    re.IGNORECASE,
)
_JUDGING_FOLDERS = frozenset(
    {
        "test",
        "tests",
        "bench",
        "benchmark",
        "benchmarks",
        "scenarios",
        "reference",
        "eval",
        "evaluation",
        "harness",
    }
)
# Scripts that a session writes for itself, by their usual names.
_SCRATCH = re.compile(
    r"(?:^|/)(?:tmp|scratch|debug|playground)(?:/|$)|(?:^|/)(?:dbg|debug|tmp|scratch)\w*\.\w+$"
)
_READABLE = re.compile(
    r"\.(?:py|c|cc|cpp|cxx|h|hh|hpp|rs|mojo|cu|cuh|hip|sh|ya?ml|json|toml|ini|cfg|txt|csv)$"
)

_EXPORTED = re.compile(
    r"^(?P<tool>(?:Multi)?Edit|Write|StrReplace\w*|WriteFile|Replace|Patch|"
    r"ApplyPatch)[ \t]+(?P<path>[^\s\[]+)[ \t]*\n"
    r"\s*\[(?:diff|patch)\b[^\]\n]*(?:\]|\n)",
    re.IGNORECASE,
)
_BODY_ENDS = re.compile(r"^(?:\[args\b|\.\.\. \(|… \+)", re.MULTILINE)
MAX_LINES = 4_000


@dataclass(frozen=True, slots=True)
class Change:
    """One file changed by one event. `created`: nothing says that it was there before."""

    event_id: str
    index: int
    path: str
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    activity: Activity = Activity.OTHER_EDIT
    created: bool = False

    @property
    def of_kernel(self) -> bool:
        """The file is the candidate or looks like a kernel."""
        return self.activity is Activity.KERNEL_EDIT


@dataclass(slots=True)
class Changes:
    """Feed it every event right after the state took it in; each edit is given once."""

    _own: set[str] = field(default_factory=set)
    _called: dict[str, str] = field(default_factory=dict)

    def take(self, state: SessionState, event: ev.AnyEvent) -> list[Change]:
        """The changes that the newest event brings. Subagents' count: files do not care who wrote them."""
        return [self._marked(change) for change in self._found(state, event)]

    def judges(self, change: Change) -> bool:
        """The file decides what counts as right or fast, and the session did not write it itself."""
        if change.of_kernel or change.path in self._own or change.created:
            return False
        return is_judge(change.path)

    def _found(self, state: SessionState, event: ev.AnyEvent) -> Iterator[Change]:
        at = state.count - 1
        if isinstance(event, ev.Edit):
            text = event.diff or self._called.get(event.parent or "", "")
            removed, added = diff_lines(text)
            activity = Activity.KERNEL_EDIT if event.candidate else _activity(event.path)
            yield Change(event.id, at, event.path, removed, added, activity, _creates(text, removed))
        elif isinstance(event, ev.ToolCall):
            self._remember(event)
            if (command := command_text(event.tool, event.input)) is not None:
                yield from _written(event.id, at, command)
        elif isinstance(event, ev.AgentText) and (head := _EXPORTED.match(event.text)):
            end = _BODY_ENDS.search(event.text, head.end())
            body = event.text[head.end() : end.start() if end else None]
            removed, added = diff_lines(body)
            path = head["path"]
            yield Change(event.id, at, path, removed, added, _activity(path), _creates(body, removed))

    def _remember(self, call: ev.ToolCall) -> None:
        if edited_path(call.tool, call.input) is None:
            return
        texts = [value for value in call.input.values() if isinstance(value, str) and "\n@@ " in value]
        if texts:
            self._called = {call.id: texts[0]}

    def _marked(self, change: Change) -> Change:
        if change.created:
            self._own.add(change.path)
        return change


def is_judge(path: str) -> bool:
    """Whether a path names a benchmark, a test, a tolerance, a reference or a set of scenarios."""
    pure = PurePosixPath(path)
    if _SCRATCH.search(path) or not _READABLE.search(pure.name):
        return False
    return bool(_JUDGES.search(pure.stem)) or not _JUDGING_FOLDERS.isdisjoint(pure.parts[-3:-1])


def diff_lines(diff: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Removed and added lines of a unified diff, without those that were only moved within it."""
    removed: list[str] = []
    added: list[str] = []
    for line in diff.split("\n")[:MAX_LINES]:
        if line.startswith(("--- ", "+++ ")):
            continue
        if line.startswith("-"):
            removed.append(line[1:])
        elif line.startswith("+"):
            added.append(line[1:])
    gone, come = set(removed), set(added)
    return (
        tuple(line for line in removed if line not in come),
        tuple(line for line in added if line not in gone),
    )


def _activity(path: str) -> Activity:
    return place("edit", {"file_path": path})[0]


def _creates(diff: str, removed: tuple[str, ...]) -> bool:
    return not removed and ("--- /dev/null" in diff or not re.search(r"^ ", diff, re.MULTILINE))


def _written(event_id: str, at: int, command: str) -> Iterator[Change]:
    """Files that a shell command changes in place. What it writes anew with `>` it made itself."""
    for simple in split(command):
        if simple.program not in ("sed", "perl"):
            continue
        for path in simple.writes:
            yield Change(event_id, at, path, (), (simple.text,), _activity(path))
