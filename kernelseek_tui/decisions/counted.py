"""How many tests or scenarios a measurement counts, and whether it counts fewer than the one before it."""

import re
from dataclasses import dataclass, field

from kernelseek_tui.decisions.checks import check_of
from sessions import events as ev
from sessions.layers import command_text
from sessions.seen import ToolRun

_GOES_TO = re.compile(r"^\s*cd\s+\S+\s*(?:&&|;)\s*")
_PIPED = re.compile(r"\s*(?:2>&1\s*)?\|\s*(?:tail|head|grep|tee)\b.*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fewer:
    """Fewer than before, and it passes."""

    reason: str
    quote: str
    before: ev.Evidence


@dataclass(slots=True)
class Counted:
    """The largest count so far, a command and a scenario set; only what passes is compared."""

    _ran: dict[str, tuple[int, ev.Evidence]] = field(default_factory=dict)

    def printed(self, run: ToolRun, event: ev.ToolResult) -> Fewer | None:
        """The same command as before passes with fewer tests."""
        command = command_text(run.call.tool, run.call.input)
        check = check_of(event.output) if command else None
        if not command or command.startswith("<") or check is None or check.ran is None or not check.passed:
            return None
        name = " ".join(_PIPED.sub("", _GOES_TO.sub("", command)).split())
        return self._compare("$ " + name, check.ran, ev.Evidence(event=event.id, quote=check.quote))

    def evaluated(self, event: ev.Evaluation) -> Fewer | None:
        """The same set is all correct with fewer scenarios."""
        if not event.total or event.correct != event.total:
            return None
        quote = f"{event.correct} of {event.total} scenarios correct"
        key = f"{event.source_kind} {event.scenario_set} {event.baseline}"
        return self._compare(key, event.total, ev.Evidence(event=event.id, quote=quote))

    def _compare(self, key: str, ran: int, here: ev.Evidence) -> Fewer | None:
        before = self._ran.get(key)
        self._ran[key] = (ran, here)
        if before is None or ran >= before[0]:
            return None
        return Fewer(
            f"It passes with {ran} tests or scenarios where it had {before[0]}.", here.quote, before[1]
        )
