"""Whether an agent may stop: a pure decision over where the goal stands and how often it was refused before.

`stop_hook_active` alone never lets it go: it says that the turn was prolonged by a hook, which is what an
unmet goal does, and we raise the client's own limit on that. What lets it go is that nothing happens any
more: refusals in a row without a tool call between them, many with nothing changed, or a judge that cannot
tell. Each is said aloud; none is counted as met.
"""

from dataclasses import dataclass, replace
from typing import Literal

MAX_IDLE = 5
"""Refusals in a row without a tool call between them, after which the agent is let go."""

MAX_UNCHANGED = 25
"""Refusals in one turn in which neither the candidate nor its record changed, after which it is let go."""

MAX_BROKEN = 2
"""How often a stop is refused while the goal cannot be told (DESIGN: blocks twice, then lets go)."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the goal stands. `none`: nothing is to be held here. `fingerprint`: candidate and record.

    `words` are for the agent: the unmet clauses and the first failing ids, or what is broken.
    """

    kind: Literal["met", "unmet", "unknown", "none"]
    words: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """What was refused so far: `idle` in a row without a tool call, `unchanged` with nothing changed,
    `broken` while the goal could not be told."""

    idle: int = 0
    unchanged: int = 0
    broken: int = 0
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """`block` with `words`, or let go. `aloud` is what the person must see of it, as `event`."""

    block: bool
    chain: Chain
    words: str = ""
    event: Literal["", "goal_unknown", "let_go"] = ""
    aloud: str = ""


def rule(standing: Standing, chain: Chain, *, continued: bool, worked: bool) -> Ruling:
    """Rule on one attempt to stop.

    `continued` is the client's `stop_hook_active`; False starts the count of a new turn. `worked`: a tool
    ran since the last attempt.
    """
    if standing.kind in ("met", "none"):
        return Ruling(False, Chain())
    if standing.kind == "unknown":
        return _broken(standing, chain)
    same = continued and standing.fingerprint == chain.fingerprint
    counted = replace(
        chain,
        idle=chain.idle + 1 if continued and not worked else 1,
        unchanged=chain.unchanged + 1 if same else 1,
        broken=0,
        fingerprint=standing.fingerprint,
    )
    if counted.idle > MAX_IDLE:
        why = f"{MAX_IDLE} refusals in a row led to no tool call"
    elif counted.unchanged > MAX_UNCHANGED:
        why = f"{MAX_UNCHANGED} refusals changed neither the candidate nor its evaluation"
    else:
        return Ruling(True, counted, standing.words)
    aloud = f"KernelSeek let the agent stop although the goal is not met: {why}."
    return Ruling(False, counted, event="let_go", aloud=aloud)


def uncounted(standing: Standing, why: str, *, continued: bool) -> Ruling:
    """Rule where refusals cannot be counted, which the sentence `why` says.

    A stop is refused once a turn: the client itself says of the next that it is `continued`, so this ends.
    """
    if standing.kind in ("met", "none"):
        return Ruling(False, Chain())
    unmet = standing.kind == "unmet"
    if not continued:
        return Ruling(True, Chain(), f"{standing.words if unmet else _cannot_be_told(standing)}\n\n{why}")
    if unmet:
        aloud = f"KernelSeek let the agent stop although the goal is not met: {why}"
        return Ruling(False, Chain(), event="let_go", aloud=aloud)
    aloud = f"Goal unknown, the agent may stop: {standing.words} {why}"
    return Ruling(False, Chain(), event="goal_unknown", aloud=aloud)


def _broken(standing: Standing, chain: Chain) -> Ruling:
    counted = replace(chain, broken=min(chain.broken + 1, MAX_BROKEN + 1))
    if counted.broken > MAX_BROKEN:
        aloud = f"Goal unknown, the agent may stop: {standing.words}"
        return Ruling(False, counted, event="goal_unknown", aloud=aloud)
    return Ruling(True, counted, _cannot_be_told(standing))


def _cannot_be_told(standing: Standing) -> str:
    return (
        f"Whether the goal is met cannot be told: {standing.words} This is not about your work. Repair it "
        "if you can, otherwise say so and stop again."
    )
