"""A subagent gets one hypothesis and returns it with the measurement that tests it, never a patch.

Checked for every subagent that ended: it did not edit the candidate, its report holds no patch, and its
report holds a number.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from kernelseek_tui.contracts.numbers import has_number
from sessions import events as ev
from sessions.commands import split
from sessions.layers import command_text, edited_path, is_candidate
from sessions.seen import ToolRun
from sessions.state import SessionState
from sessions.vocabulary import Activity


class Broken(StrEnum):
    """A way to break the contract."""

    EDITED = "it edited the candidate"
    PATCH = "its report holds a patch"
    NO_NUMBER = "its report holds no number"
    NO_REPORT = "it returned no report"


@dataclass(frozen=True, slots=True)
class SubagentBreach:
    """How the subagent of that name broke its contract. `index` is the event at which it ended."""

    subagent: str
    description: str
    index: int
    broken: Broken
    evidence: tuple[ev.Evidence, ...]


_PATCH = re.compile(
    r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|^\+\+\+ \S|^diff --git |^\*\*\* (?:Begin Patch|Update File:)|"
    r"^[ \t]*(?:```|~~~)(?:diff|patch)\b|^<{7} |^>{7} ",
    re.MULTILINE,
)
# What a client answers when it goes on while the subagent works; the report comes later.
_LAUNCHED = "Async agent launched"


def subagent_breaches(state: SessionState) -> list[SubagentBreach]:
    """Every breach of a session, in the order in which the subagents ended."""
    ended = {seen.event.subagent: seen.index for seen in state.subagents if seen.event.phase == "ended"}
    return [breach for name in ended for breach in breaches_of(name, state)]


def breaches_of(subagent: str, state: SessionState) -> list[SubagentBreach]:
    """The breaches of one subagent; none while it works."""
    marks = [seen for seen in state.subagents if seen.event.subagent == subagent]
    end = next((seen for seen in reversed(marks) if seen.event.phase == "ended"), None)
    if end is None:
        return []
    description = next((seen.event.description for seen in marks if seen.event.description), "")
    found: list[tuple[Broken, ev.Evidence]] = []
    if edit := _edit(subagent, state):
        found.append((Broken.EDITED, edit))
    report = _report(subagent, state)
    if report is None:
        found.append((Broken.NO_REPORT, ev.Evidence(event=end.event.id, quote="")))
    else:
        if patch := _PATCH.search(report.quote):
            line = report.quote[patch.start() :].split("\n", 1)[0]
            found.append((Broken.PATCH, ev.Evidence(event=report.event, quote=line[:200])))
        if not has_number(report.quote):
            quote = " ".join(report.quote.split())[:200]
            found.append((Broken.NO_NUMBER, ev.Evidence(event=report.event, quote=quote)))
    return [
        SubagentBreach(subagent, description, end.index, broken, (evidence,)) for broken, evidence in found
    ]


def _edit(subagent: str, state: SessionState) -> ev.Evidence | None:
    candidate = state.started.candidate if state.started else None
    for seen in state.edits:
        if seen.event.agent == subagent and seen.event.candidate:
            return ev.Evidence(event=seen.event.id, quote=seen.event.path)
    for run in state.tools:
        if run.call.agent != subagent or run.result is None or run.result.is_error:
            continue
        if path := _written(run, candidate):
            return ev.Evidence(event=run.call.id, quote=path)
    return None


def _written(run: ToolRun, candidate: str | None) -> str | None:
    """The candidate as a call changed it; where no candidate is named, any kernel source."""
    command = command_text(run.call.tool, run.call.input)
    if command is not None:
        paths = [path for one in split(command) for path in one.writes]
    else:
        path = edited_path(run.call.tool, run.call.input)
        paths = [path] if path else []
    if candidate is not None:
        return next((path for path in paths if is_candidate(path, candidate)), None)
    return paths[0] if paths and run.activity is Activity.KERNEL_EDIT else None


def _report(subagent: str, state: SessionState) -> ev.Evidence | None:
    """What it gave back, whole: the result of the call that launched it, else its last words."""
    run = state.run_of(subagent)
    if run is not None and run.result is not None and not run.result.output.startswith(_LAUNCHED):
        return (
            ev.Evidence(event=run.result.id, quote=run.result.output) if run.result.output.strip() else None
        )
    said = next((text.event for text in reversed(state.texts) if text.event.agent == subagent), None)
    return ev.Evidence(event=said.id, quote=said.text) if said is not None and said.text.strip() else None
