"""The contracts over a live session: each breach is told once, when the agent has had its chance."""

from dataclasses import dataclass

from kernelseek_tui.contracts.disproof import Limits, Standing
from kernelseek_tui.contracts.subagents import breaches_of
from sessions import events as ev
from sessions.state import SessionState


@dataclass(frozen=True, slots=True)
class Breach:
    """A broken contract in one sentence; `event` is what broke it."""

    event: str
    text: str


class Contracts:
    """Feed it every event right after the state took it in.

    A limit is looked at when the turn it was claimed in ends, a subagent when it ends.
    """

    def __init__(self) -> None:
        self._limits = Limits()
        self._looked = 0

    def look(self, state: SessionState, event: ev.AnyEvent) -> list[Breach]:
        """What the newest event shows to be broken."""
        if isinstance(event, ev.TurnEnded) and event.agent is None:
            self._limits.take(state)
            since, self._looked = self._looked, state.count
            return [
                Breach(limit.event, f"The limit “{limit.evidence[0].quote}” is open: {limit.reason}.")
                for limit in self._limits.standing(state, since)
                if limit.standing is Standing.OPEN
            ]
        if isinstance(event, ev.Subagent) and event.phase == "ended":
            return [
                Breach(breach.evidence[0].event, f"Subagent {_name(breach.description)}: {breach.broken}.")
                for breach in breaches_of(event.subagent, state)
            ]
        return []


def _name(description: str) -> str:
    return f"“{description}”" if description else "without a description"
