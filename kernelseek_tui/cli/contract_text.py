"""Contracts as `kernelseek inspect` prints them: what became of limits, subagents that broke theirs."""

from collections.abc import Iterator, Mapping

from kernelseek_tui.contracts.disproof import claimed_limits
from kernelseek_tui.contracts.subagents import subagent_breaches
from kernelseek_tui.plain import one_line
from sessions import events as ev
from sessions.state import SessionState


def contract_lines(state: SessionState, lines: Mapping[str, int]) -> Iterator[str]:
    """Plain lines, none where nothing was claimed or delegated. `lines`: event id to line of the source."""
    limits, breaches = claimed_limits(state), subagent_breaches(state)
    agents = {seen.event.subagent for seen in state.subagents}
    if limits:
        yield ""
        yield f"limits claimed: {len(limits)}; one stands only after a disproof was tried and recorded"
    for limit in limits:
        said = f", said {limit.said} times" if limit.said > 1 else ""
        yield f"entry {lines.get(limit.event, '?')}  {limit.standing}{said}: {limit.reason}"
        yield from _evidence(limit.evidence)
    if agents:
        yield ""
        yield f"subagents: {len(agents)}; each owes one hypothesis with a measured number, and no patch"
    for breach in breaches:
        name = one_line(breach.description) or one_line(breach.subagent)
        yield f"entry {lines.get(breach.evidence[0].event, '?')}  broken by {name}: {breach.broken}"
        yield from _evidence(breach.evidence)


def _evidence(found: tuple[ev.Evidence, ...]) -> Iterator[str]:
    for evidence in found:
        yield f"  {evidence.event}: {one_line(evidence.quote)}".rstrip(": ")
