"""What a report holds: plain numbers and short texts, from which every format is rendered.

Texts are as the session has them, on one line and cut at `QUOTE` characters: making them safe is the business
of each format. `entry` is the line of the source, from 0, as `inspect` counts. Times are seconds, money is US
dollars. What is not known is absent, never 0.
"""

from dataclasses import dataclass, field

SCHEMA_VERSION = 1
QUOTE = 280
"""Characters of quoted text that a report keeps."""

REHEARSED = "REHEARSED: a scripted agent, not a model"
ORIGINS = {
    "judge": "measured by the judge",
    "parsed": "as printed by the agent's own commands, not judged",
    "printed": "as printed by the agent's own commands, not judged",
    "none": "no score is recognised in this session",
}
"""What stands beside every score, by who measured it."""


@dataclass(frozen=True, slots=True)
class PointRow:
    """One measurement of the whole set. `best`: a new best when it came; `mark` right, wrong or ambiguous."""

    entry: int
    value: float | None
    low: float | None
    high: float | None
    mark: str
    best: bool
    status: str


@dataclass(frozen=True, slots=True)
class Score:
    """The comparable series. `ratio`: over `baseline`, 1 is its speed. `first` and `best` are not wrong."""

    origin: str
    baseline: str
    scenario_set: str
    scenarios: int
    ratio: bool
    first: float | None
    best: float | None
    left_out: int
    points: tuple[PointRow, ...]

    @property
    def named(self) -> str:
        """Who measured, in the words that stand beside every score."""
        return ORIGINS[self.origin]


@dataclass(frozen=True, slots=True)
class Suggested:
    """A question ranked for a moment."""

    entry: str
    group: str
    question: str
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MomentRow:
    """A decision point and what would be asked there, best first; `asked` is what was asked, if recorded."""

    entry: int
    kind: str
    confidence: float
    reason: str
    evidence: tuple[str, ...]
    suggestions: tuple[Suggested, ...]
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message to the agent. Empty `act` or `category`: no rule speaks; `rules` names those that did."""

    entry: int
    by: str
    text: str
    act: str
    form: str
    asks: bool
    category: str
    rules: tuple[str, ...]
    bank_entry: str | None


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One row of the claim ledger; see docs/reports.md for each field."""

    entry: int
    kind: str
    quote: str
    said: int
    goal: str
    goal_why: str
    bound_entry: int | None
    measured_entry: int | None
    events_since: int
    edits_since: int
    tried: str
    tried_why: str
    fate: str
    fate_why: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JumpRow:
    """A large gain and the message before it. `message` is empty where there was none."""

    entry: int
    before: float
    after: float
    factor: float
    message_entry: int | None
    by: str
    message: str
    opening: bool
    act: str
    category: str
    events: int
    measurements: int
    layer_before: str
    layer_after: str
    moved_to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LayerRow:
    """One layer of the map. `first` and `last` are entries, absent where it was never visited."""

    layer: str
    first: int | None
    last: int | None
    measured: int
    touched: int
    how: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What was done, counted. `reading_share`, `readded_raw` and `readded_filtered` go from 0 to 1."""

    turns: int
    tool_calls: int
    by_kind: dict[str, int]
    by_tool: dict[str, int]
    builds: int
    benchmark_runs: int
    profiler_runs: int
    disassemblies: int
    host_traces: int
    subagents: int
    evaluations: int
    judged: int
    wall_seconds: float | None
    active_seconds: float | None
    bytes_read: int
    reading_share: float | None
    lines_added: int
    edits: int
    edits_with_diff: int
    readded_raw: float | None
    readded_filtered: float | None


@dataclass(frozen=True, slots=True)
class Human:
    """A person's part: messages but for the task, their words, and how long flags waited for them."""

    messages: int
    words: int
    waits: tuple[float, ...]
    median_wait: float | None
    unanswered_flags: int


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and money, every model reply counted once. `cost_usd` is 0 where the source names no price."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class SessionReport:
    """One session. `recorded` moments are its journal's own, `today` what this version sees."""

    name: str
    format: str
    entries: int
    unknown: int
    damaged: tuple[str, ...]
    rehearsed: bool
    agent: str
    model: str
    operator: str
    questioner: str
    started: str | None
    goal: str
    score: Score
    today: tuple[MomentRow, ...]
    recorded: tuple[MomentRow, ...]
    messages: tuple[MessageRow, ...]
    claims: tuple[ClaimRow, ...]
    claims_said: int
    jumps: tuple[JumpRow, ...]
    layers: tuple[LayerRow, ...]
    counts: Counts
    human: Human
    spent: Spent

    @property
    def flags(self) -> tuple[MomentRow, ...]:
        """The moments to draw: those of the time where there are any."""
        return self.recorded or self.today


@dataclass(frozen=True, slots=True)
class Report:
    """One session or a campaign. `redacted` counts what was taken out, by kind; None where it was left in."""

    title: str
    version: str
    bank_version: str
    sessions: tuple[SessionReport, ...]
    redacted: dict[str, int] | None = None
    schema_version: int = field(default=SCHEMA_VERSION)

    @property
    def rehearsed(self) -> bool:
        """Any of the sessions was."""
        return any(session.rehearsed for session in self.sessions)
