"""The parameters a question may hold, filled from facts of the session when it is suggested."""

import re
from collections.abc import Mapping, Sequence

PARAMETERS: Mapping[str, str] = {"arch": "this device", "scenarios": "the slowest scenarios"}
"""Every parameter's name and what stands in its place when the session does not know better."""

_PLACE = re.compile(r"\{([^{}]*)\}")
_LONGEST_FACT = 120
_ANY_FACT = r"[^\n]{1,120}?"


def placeholders(question: str) -> tuple[str, ...]:
    """The names in braces, in order, known or not."""
    return tuple(_PLACE.findall(question))


def fill(question: str, facts: Mapping[str, str]) -> str:
    """The text that is sent: each known parameter replaced by its fact, or by its fallback.

    A fact is data: it is cut to one printable line of at most 120 characters and never read for braces again.
    Unknown names stay as they are.
    """

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in PARAMETERS:
            return match.group(0)
        words = " ".join(facts.get(name, "").split())
        fact = "".join(sign for sign in words if sign.isprintable())[:_LONGEST_FACT]
        return fact or PARAMETERS[name]

    return _PLACE.sub(value, question)


def holds(text: str, question: str) -> bool:
    """Whether a text holds a question, whatever stands in the place of its parameters."""
    pieces = _PLACE.split(question)
    if len(pieces) == 1:
        return question in text
    # split gives text and names in turn
    pattern = "".join(re.escape(part) if at % 2 == 0 else _ANY_FACT for at, part in enumerate(pieces))
    return re.search(pattern, text) is not None


def several(names: Sequence[str]) -> str:
    """Scenarios, slowest first, as a noun phrase that fits a question: all, or how many and the first."""
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if len(listed) <= _LONGEST_FACT:
        return listed
    first = f"the {len(names)} slowest scenarios (first {names[0]})"
    return first if len(names) > 1 and len(first) <= _LONGEST_FACT else ""
