"""What a recogniser is, and what it may say of an evaluator's output."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from sessions.events import ToolCall


@dataclass(frozen=True, slots=True)
class Row:
    """One scenario as printed. Times are nanoseconds; what was not printed is absent.

    `ratio` is a printed speed-up (above 1 is faster), `fraction` a printed share of peak, `baselines` the
    printed times by their names. `status` is CORRECT or WRONG where the row says so. `no_ratio` is a printed
    speed-up that is none: negative, zero or not a number. `slack` is the share by which rounding in print
    alone may move the quotient of the figures.
    """

    id: str
    ratio: float | None = None
    over: str = ""
    fraction: float | None = None
    candidate_ns: float | None = None
    baselines: dict[str, float] = field(default_factory=dict)
    bound_ns: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str | None = None
    status: str = ""
    rate: str = ""
    detail: str = ""
    no_ratio: str = ""
    slack: float = 0.0


@dataclass(frozen=True, slots=True)
class Recognised:
    """What one recogniser read. Empty fields were not printed: nothing is filled in.

    `geomean` is a score of the whole set as printed under the words `label`; `over` what it is relative to.
    `correct` of `total` are counts as printed; with `cases` they are lines of a check, counted.
    `status` is CORRECT, WRONG or another of the judge's words. `quote` are the words that said so.
    `ragged`: lines that may be more rows could not be read, so the rows are not all.
    `whole`: this output was understood to its end, so that no other recogniser is asked.
    """

    status: str = ""
    rows: tuple[Row, ...] = ()
    geomean: float | None = None
    low: float | None = None
    high: float | None = None
    label: str = ""
    over: str = ""
    scenario_set: str = ""
    correct: int = 0
    total: int = 0
    cases: bool = False
    ragged: bool = False
    noise_floor: float | None = None
    exit_code: int | None = None
    seconds: float | None = None
    unmet: tuple[str, ...] = ()
    record: str = ""
    quote: str = ""
    whole: bool = False


class Recogniser(Protocol):
    """Looks at the output of a benchmark run."""

    @property
    def name(self) -> str:
        """A word for it."""
        ...

    def look(self, text: str, call: ToolCall | None) -> Recognised | None:
        """What stands in `text`, or None. `call` printed it, where that is known. Must not raise.

        `text` is free of terminal codes and at most 128 KiB: the start and the end of a longer output.
        """
        ...


@runtime_checkable
class ClaimsCalls(Protocol):
    """A recogniser that knows itself which calls are benchmark runs, beside those the layer map knows."""

    def claims(self, call: ToolCall) -> bool:
        """Whether this call's output is an evaluator's."""
        ...
