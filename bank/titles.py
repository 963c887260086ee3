"""What groups, families and moments are called where people and agents read of them."""

from bank.question import Architecture, Evidence, Group
from sessions.vocabulary import DecisionKind

TITLES: dict[Group, str] = {
    Group.SCOPE: "Scope and triage",
    Group.BOUNDS: "Bounds and differencing",
    Group.MEASUREMENT: "Measurement integrity",
    Group.BENCHMARK: "Benchmark validity",
    Group.HOST: "Host and launch path",
    Group.ROUTING: "Routing and work distribution",
    Group.DATA: "Data movement and overlap",
    Group.RESOURCES: "Resources and generated code",
    Group.LIMITS: "Limits, hypotheses and process",
    Group.NUMERICS: "Numerics and correctness",
}
PURPOSES: dict[Group, str] = {
    Group.SCOPE: "which scenarios there are, which hold the lost time, and in which layer it goes",
    Group.BOUNDS: "a floor on time that owes nothing to another implementation; what goes when a part goes",
    Group.MEASUREMENT: "whether a number belongs to the code or to the way it was taken",
    Group.BENCHMARK: "whether a bad kernel would score well, and whether inputs look like real ones",
    Group.HOST: "time and operations outside the kernel",
    Group.ROUTING: "which path and which split each scenario gets, and who idles",
    Group.DATA: "bytes moved against bytes needed, and what hides behind what",
    Group.RESOURCES: "what the toolchain made of the source, and what the device can hold of it",
    Group.LIMITS: "refusing to close early: predictions, attempts by layer, ideas never measured",
    Group.NUMERICS: "growth of error, degenerate inputs, reproducibility, narrow formats",
}
FAMILIES: dict[Architecture, str] = {
    Architecture.HOPPER: "Hopper GPUs",
    Architecture.BLACKWELL: "Blackwell GPUs",
    Architecture.AMPERE: "Ampere GPUs",
    Architecture.CDNA: "CDNA GPUs",
    Architecture.CPU: "CPUs",
}
UPSTREAM = "Another implementation at hand"
UPSTREAM_PURPOSE = "comparing with an implementation by others, which must be there to be run"

MOMENTS: dict[DecisionKind, str] = {
    DecisionKind.SCOPE: "You start, or the goal is about to be met",
    DecisionKind.PLATEAU: "The score has stopped moving",
    DecisionKind.CLAIMED_LIMIT: "You are about to say that no more is to be had",
    DecisionKind.CLAIMED_COMPLETION: "You are about to say that you are done",
    DecisionKind.SUSPICIOUS_WIN: "A gain looks too good",
    DecisionKind.EXPLAINED_ANOMALY: "A wrong or odd result was explained, not repaired",
    DecisionKind.REPEATED_EDIT: "You write again what you took out before",
    DecisionKind.AGENT_LOOP: "You repeat the same steps",
}
"""As an agent reads it about itself."""
WHEN: dict[DecisionKind, str] = {
    DecisionKind.SCOPE: "work starts, or the goal is about to be met",
    DecisionKind.PLATEAU: "the score has stopped moving",
    DecisionKind.CLAIMED_LIMIT: "the agent says that no more is to be had",
    DecisionKind.CLAIMED_COMPLETION: "the agent says that it is done",
    DecisionKind.SUSPICIOUS_WIN: "a gain looks too good",
    DecisionKind.EXPLAINED_ANOMALY: "a wrong or odd result was explained, not repaired",
    DecisionKind.REPEATED_EDIT: "the agent writes again what it took out before",
    DecisionKind.AGENT_LOOP: "the agent repeats the same steps",
}
"""As a person reads it about an agent."""


def related_words(how: str, other: str) -> str:
    """What an entry that has a related link says of it, for a list of such links."""
    return {
        "derived": f"derived from {other}",
        "merged": f"merged with {other}",
        "obsolete": f"replaced by {other}",
        "similar": f"similar to {other}",
    }[how]


def named_words(how: str, other: str) -> str:
    """What an entry says of `other`, which has the link: the same seen from the other end."""
    return {
        "derived": f"{other} is derived from it",
        "merged": f"merged with {other}",
        "obsolete": f"replaces {other}",
        "similar": f"similar to {other}",
    }[how]


def leads_to(verdict: str | None, layer: str | None) -> str:
    """Where an outcome leads, as the end of a sentence."""
    if verdict is not None:
        return "the claim is open again" if verdict == "reopen" else "the claim may stand"
    return f"look at the layer {layer}"


def evidence_words(seen: Evidence) -> str:
    """What one asking in a session led to, in a few words, with the session's id."""
    parts = ["a number came back" if seen.number else "no number came back"]
    if seen.after:
        before = f"{seen.before} -> " if seen.before else ""
        parts.append(f"{before}{', '.join(seen.after)}")
    if seen.claim:
        parts.append(f"the claim: {seen.claim.replace('_', ' ')}")
    if seen.change is not None:
        beside = f" (unasked {seen.matched:.2f})" if seen.matched is not None else ""
        parts.append(f"best score times {seen.change:.2f}{beside}")
    if seen.rehearsed:
        parts.append("of a scripted agent, which shows nothing of real ones")
    return f"{'; '.join(parts)} ({seen.session}, {seen.event})"
