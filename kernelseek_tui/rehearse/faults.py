"""Faults on request: which answer goes wrong, and how.

A fault is written `KIND[=VALUE][@N[-[M]]]`: at the N-th request that offers tools, counted from 1, retries
included; `@N-M` to the M-th, `@N-` at every one from the N-th on; without `@` at the next one only. Several
may be given.
"""

import re
import sys
from dataclasses import dataclass, replace
from typing import Literal, get_args

from kernelseek_tui.exit_codes import ExitCode

Kind = Literal[
    "400", "too-long", "401", "403", "404", "429", "500", "529", "cut", "error", "delay", "hang", "refuse"
]
KINDS: tuple[str, ...] = get_args(Kind)

MEANINGS: dict[str, str] = {
    "400": "invalid request",
    "too-long": "400, the prompt is too long",
    "401": "the key is not valid",
    "403": "not permitted",
    "404": "the model does not exist",
    "429": "rate limit; VALUE: seconds in retry-after (1)",
    "500": "an error inside the API",
    "529": "overloaded",
    "cut": "the connection ends in mid-message; VALUE: after so many events (half of them)",
    "error": "an error event in mid-stream; VALUE: after so many events (half of them)",
    "delay": "the answer comes later; VALUE: seconds (1)",
    "hang": "no answer; the connection stays open",
    "refuse": "this and new connections are refused; VALUE: seconds (2)",
}
VALUED = frozenset({"429", "cut", "error", "delay", "refuse"})
"""The kinds that take a VALUE."""

DEFAULTS: dict[str, float] = {"429": 1.0, "delay": 1.0, "refuse": 2.0}
LONGEST = 3600.0
ALWAYS = sys.maxsize

STATUS_TEXTS: dict[str, tuple[int, str]] = {
    "400": (400, "This request is invalid because a rehearsal asked for it."),
    "too-long": (400, "prompt is too long: 250000 tokens > 200000 maximum"),
    "401": (401, "invalid x-api-key"),
    "403": (403, "Your API key does not have permission to use the specified resource."),
    "404": (404, "model: rehearsal"),
    "429": (429, "This request would exceed the rate limit."),
    "500": (500, "Internal server error"),
    "529": (529, "Overloaded"),
}

_FORM = re.compile(
    r"(?P<kind>[\w-]+?)(?:=(?P<value>\d+(?:\.\d+)?))?(?:@(?P<first>\d+)(?P<to>-(?P<last>\d+)?)?)?"
)


class FaultError(Exception):
    """A fault that cannot be read; one sentence that says what was expected."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong at the requests `first` to `last` (0: not placed yet; `ALWAYS`: to the end)."""

    kind: Kind
    value: float | None = None
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        value = "" if self.value is None else f"={self.value:g}"
        last = "" if self.last == ALWAYS else self.last
        to = f"-{last}" if self.last > self.first else ""
        return f"{self.kind}{value}" + (f"@{self.first}{to}" if self.first else "")

    def at(self, request: int) -> bool:
        """Whether it strikes that request."""
        return self.first <= request <= self.last

    def placed(self, request: int) -> "Fault":
        """The same, striking `request` where no place was given."""
        return self if self.first else replace(self, first=request, last=request)


def parse_fault(text: str) -> Fault:
    """Read one fault. Raises `FaultError`."""
    match = _FORM.fullmatch(text.strip())
    if not match or match["kind"] not in KINDS:
        raise FaultError(
            f"{text!r} is not a fault; write KIND[=VALUE][@N[-[M]]] with a KIND of {', '.join(KINDS)}."
        )
    first = int(match["first"]) if match["first"] else 0
    last = int(match["last"]) if match["last"] else ALWAYS if match["to"] else first
    if match["first"] and not 1 <= first <= last:
        raise FaultError(f"{text!r} strikes no request: they are counted from 1, and the first comes first.")
    kind: Kind = match["kind"]  # type: ignore[assignment]  # one of KINDS, checked above
    if match["value"] and kind not in VALUED:
        raise FaultError(
            f"{text!r}: {kind} takes no VALUE; for the N-th request write {kind}@N, and a VALUE is for "
            f"{', '.join(sorted(VALUED))}."
        )
    value = float(match["value"]) if match["value"] else DEFAULTS.get(kind)
    if value is not None and value > LONGEST:
        raise FaultError(f"{text!r} asks for more than {LONGEST:g}.")
    return Fault(kind, value, first, last)
