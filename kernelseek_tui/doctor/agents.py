"""The agents' own clients: what is installed, which versions, and whether a key is set (never the key)."""

import re
from importlib import metadata

from kernelseek_tui.doctor.finding import Finding, State, Surroundings

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def claude(around: Surroundings) -> Finding:
    """Claude Code, for `steer --agent claude` and `attach`."""
    from kernelseek_tui.agents.claude.process import BINARY, INSTALL, MINIMUM

    name, least = "claude", ".".join(map(str, MINIMUM))
    wanted = around.environment.get(BINARY) or "claude"
    path = around.which(wanted)
    if path is None:
        return Finding(name, State.MISSING, f"{wanted} is not on PATH", f"install it with `{INSTALL}`")
    answer = around.ask([path, "--version"])
    version = _VERSION.search(answer.text) if answer.good else None
    if version is None or "claude" not in answer.text.casefold():
        found = f"{path}: {answer.text or 'says nothing'}"
        return Finding(name, State.MISSING, found, f"is it Claude Code? Name another with {BINARY}")
    if tuple(map(int, version.groups())) < MINIMUM:
        return Finding(name, State.MISSING, f"{version.group()}, too old", f"{least} or newer: `{INSTALL}`")
    return Finding(name, State.OK, f"{version.group()} at {path} ({least} or newer is needed)")


def node(around: Surroundings) -> Finding:
    """Node and npm, which install clients and run `make test-agents`."""
    found = []
    for program in ("node", "npm"):
        path = around.which(program)
        answer = around.ask([path, "--version"]) if path else None
        found.append(f"{program} {answer.line if answer else 'is not on PATH'}")
    absent = any("not on PATH" in part for part in found)
    advice = "only needed to install clients and for `make test-agents`" if absent else ""
    return Finding("node, npm", State.NOTE if absent else State.OK, ", ".join(found), advice)


def sdk(_: Surroundings) -> Finding:
    """The anthropic package, for `steer --agent builtin`; looked up, not loaded."""
    try:
        return Finding("anthropic SDK", State.OK, metadata.version("anthropic"))
    except metadata.PackageNotFoundError:
        advice = "only the built-in agent needs it: pip install 'kernelseek-tui[builtin]'"
        return Finding("anthropic SDK", State.NOTE, "not installed", advice)


def key(around: Surroundings) -> Finding:
    """Whether `ANTHROPIC_API_KEY` is set. Its value is neither shown nor kept."""
    name = "ANTHROPIC_API_KEY"
    where = " and ANTHROPIC_BASE_URL is set" if around.environment.get("ANTHROPIC_BASE_URL") else ""
    if around.environment.get(name):
        return Finding(name, State.OK, f"set{where}; not tried, its value is not shown")
    advice = "the built-in agent needs it; Claude Code may be logged in by itself"
    return Finding(name, State.NOTE, f"not set{where}", advice)
