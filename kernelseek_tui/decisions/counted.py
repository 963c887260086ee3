"""How many tests or scenarios a measurement counts, and whether it counts fewer than the one before it."""

import re
from dataclasses import dataclass, field

from kernelseek_tui.decisions.checks import check_of, said_to_run
from sessions import events as ev
from sessions.layers import command_text
from sessions.seen import ToolRun

# Steps before the check itself: a test taken out in the same line leaves the check the same.
_GOES_TO = re.compile(r"^(?:\s*(?:cd|rm|mv|git\s+(?:rm|mv))\s+[^&;|\n]*(?:&&|;)\s*)+")
_PIPED = re.compile(r"\s*(?:2>&1\s*)?\|\s*(?:tail|head|grep|tee)\b.*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fewer:
    """Fewer than before, and it passes."""

    reason: str
    quote: str
    before: ev.Evidence


@dataclass(slots=True)
class Counted:
    """The largest count so far, a command and a scenario set; what fails is not compared."""

    _ran: dict[str, tuple[int, ev.Evidence]] = field(default_factory=dict)

    def printed(self, run: ToolRun, event: ev.ToolResult) -> Fewer | None:
        """The same command as before passes with fewer tests."""
        command = command_text(run.call.tool, run.call.input)
        if not command or command.startswith("<") or event.is_error:
            return None
        check = check_of(event.output)
        if check is not None and not check.passed:
            return None
        counted = said_to_run(event.output) if check is None or check.ran is None else None
        ran = counted[0] if counted else check.ran if check else None
        if ran is None:
            return None
        quote = counted[1] if counted else check.quote if check else ""
        name = " ".join(_PIPED.sub("", _GOES_TO.sub("", command)).split())
        return self._compare("$ " + name, ran, ev.Evidence(event=event.id, quote=quote))

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
