"""`repeated_edit`: the agent writes again what it took out before, or takes out again what it put back."""

import re
from collections import deque
from dataclasses import dataclass, field

from kernelseek_tui.decisions.changes import Change, Changes
from kernelseek_tui.decisions.claims import MOST, mask
from kernelseek_tui.decisions.protocol import Finding
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

SHARE = 0.3  # of the added lines of the last edits of a file
ENOUGH = 8  # added lines that can be told apart: fewer say little
WINDOW = 5  # edits of one file
TWICE_WITHIN = 8  # events of a record without edits, each a whole message
KEPT = 20_000  # lines of one file that are remembered as taken out

_TELLING = re.compile(r"[A-Za-z]")
_COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*|\"\"\"|''')")
_BACK = re.compile(
    r"\b(?:revert(?:ing|ed)?|roll(?:ing|ed)? back|restor(?:e|ing|ed)|go(?:ing)? back|undo(?:ing)?)\b"
    r"[^.\n]{0,60}?\b(?:to|the|my|that|this|it|version|kernel|solution|approach|path|original|previous|earlier)\b|"
    r"\bput(?:ting)? (?:\w+ ){1,4}?back\b|"
    r"(?:恢复|回退|还原|改回|退回)(?:到|成|为)?",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _File:
    """One file: lines taken out (and by which event), and the newest edits as (added, again)."""

    gone: dict[str, str] = field(default_factory=dict)
    recent: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    back: int = 0  # edits that put something back
    size: int = 0  # lines known to have been put in


class RepeatedEdit:
    """Counts added lines that equal lines taken out of the same file earlier in the session.

    Lines are compared without white space; those under eight characters, without a letter or that are
    comments do not count. It fires when three tenths of the last five edits' added lines, eight at least,
    were there before (in measured histories of ordinary work 0 to 6 % come back), and when the agent says
    that it goes back and the next edit of a kernel brings back lines or takes many out. Where a record holds
    no edits, saying so twice in a short while is all there is to see.
    """

    kind = DecisionKind.REPEATED_EDIT
    version = "1"

    def __init__(self) -> None:
        self._changes = Changes()
        self._files: dict[str, _File] = {}
        self._announced: tuple[int, ev.Evidence] | None = None

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding when the newest edit brings back what was there before, or words say so twice."""
        found = [self._changed(change) for change in self._changes.take(state, event)]
        if isinstance(event, ev.AgentText) and event.agent is None:
            found.append(self._listen(state, event))
        return next((finding for finding in found if finding is not None), None)

    def _listen(self, state: SessionState, event: ev.AgentText) -> Finding | None:
        prose = mask(event.text[:MOST])
        match = _BACK.search(prose)
        if match and "?" not in prose[match.end() : match.end() + 80]:
            end = (prose + "\n").index("\n", match.end())
            quote = " ".join(prose[max(0, match.start() - 40) : end].split())[:200]
            before, here = self._announced, ev.Evidence(event=event.id, quote=quote)
            self._announced = (state.count, here)
            if before and not self._files and state.count - before[0] <= TWICE_WITHIN:
                # A record of words only, where no edit is to be seen.
                reason = "The agent says twice in a short while that it goes back to what it had."
                return Finding(self.kind, (here, before[1]), 0.5, reason)
        return None

    def _changed(self, change: Change) -> Finding | None:
        if not change.of_kernel:
            return None
        file = self._files.setdefault(change.path, _File())
        added = [line for line in map(_normal, change.added) if line]
        removed = [line for line in map(_normal, change.removed) if line]
        again = [line for line in added if line in file.gone]
        file.recent.append((len(added), len(again)))
        first = file.gone[again[0]] if again else None
        finding = self._judge(change, file, len(removed), again, first)
        for line in removed:
            file.gone.setdefault(line, change.event_id)
        while len(file.gone) > KEPT:
            del file.gone[next(iter(file.gone))]
        file.size = max(0, file.size + len(added) - len(removed))
        return finding

    def _judge(
        self, change: Change, file: _File, removed: int, again: list[str], first: str | None
    ) -> Finding | None:
        announced, self._announced = self._announced, None
        told = announced[1] if announced and change.index - announced[0] <= 3 else None
        lines, repeated = (sum(values) for values in zip(*file.recent, strict=True))
        here = ev.Evidence(
            event=change.event_id, quote=_quote(again) or f"edit of {change.path.rsplit('/', 1)[-1]}"
        )
        old = (ev.Evidence(event=first, quote="the edit that took it out"),) if first else ()
        if lines >= ENOUGH and again and repeated >= SHARE * lines:
            file.back += 1
            file.recent.clear()
            reason = (
                f"{repeated} of {lines} added lines of the last edits of this file had been taken out before."
            )
            return Finding(self.kind, (here, *old, *((told,) if told else ())), 0.7, reason)
        if told and (again or removed >= ENOUGH):
            file.back += 1
            reason = "The agent goes back to what it had before" + (
                ", and not for the first time." if file.back > 1 else "."
            )
            return Finding(self.kind, (here, told, *old), 0.5 if file.back == 1 else 0.7, reason)
        return None


def _normal(line: str) -> str:
    short = "".join(line.split())
    return short if len(short) >= 8 and _TELLING.search(short) and not _COMMENT.match(line) else ""


def _quote(lines: list[str]) -> str:
    return "; ".join(lines[:3])[:200]
