"""The event union: one frozen model a kind, told apart by `kind`.

A session is a list of these in order. Events from a live driver, an attached transcript and an archive
are the same; only `source` differs. Kinds we do not know are kept whole as `UnknownEvent`.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter

from sessions.vocabulary import DecisionKind, GapClass

SCHEMA_VERSION = 1
_NOT_KEPT: set[str] = set()


class _Small(BaseModel):
    """A model that does not keep which of its fields were given: that takes more room than all the fields.

    Nothing asks for it but `exclude_unset`, which has no meaning here.
    """

    def model_post_init(self, context: Any, /) -> None:
        """Forget them. Copies have sets of their own, so the shared one stays empty."""
        object.__setattr__(self, "__pydantic_fields_set__", _NOT_KEPT)


class Source(_Small):
    """Where an event was read from. `line` counts from 0, as `entry` does everywhere."""

    model_config = ConfigDict(frozen=True)

    file: str
    line: int = Field(ge=0)


class Event(_Small):
    """What every event carries.

    `id` is unique in its session and stable over re-reading. `time` is absent where the source has none.
    `parent` is the id of the event this one answers or belongs to. `agent` is the subagent's id, absent
    for the main agent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA_VERSION
    id: str
    time: datetime | None = None
    source: Source | None = None
    parent: str | None = None
    agent: str | None = None


class SessionStarted(Event):
    """A session began. `rehearsed` marks a scripted agent, on every screen and in every record.

    `candidate` is the file the agent is to make faster, where the session has one.
    """

    kind: Literal["session_started"] = "session_started"
    session: str
    agent_name: str
    model: str | None = None
    cwd: str | None = None
    workspace: str | None = None
    operator: str | None = None
    candidate: str | None = None
    task: str | None = None
    questioner: str | None = None
    rehearsed: bool = False
    versions: dict[str, str] = Field(default_factory=dict)


class SessionEnded(Event):
    """A session ended; `reason` is one sentence, `exit_code` the judge's verdict where there is one."""

    kind: Literal["session_ended"] = "session_ended"
    reason: str
    exit_code: int | None = None


class HumanMessage(Event):
    """Text a person wrote to the agent. `mid_turn`: written while the agent was working."""

    kind: Literal["human_message"] = "human_message"
    text: str
    mid_turn: bool = False


class AgentText(Event):
    """Text the agent said. Blocks of one model reply share `message`."""

    kind: Literal["agent_text"] = "agent_text"
    text: str
    message: str | None = None


class Thinking(Event):
    """The agent's visible reasoning."""

    kind: Literal["thinking"] = "thinking"
    text: str
    message: str | None = None


class ToolCall(Event):
    """The agent called a tool. `call` ties it to its result."""

    kind: Literal["tool_call"] = "tool_call"
    call: str
    tool: str
    input: dict[str, Any] = Field(default_factory=dict)
    message: str | None = None


class ToolResult(Event):
    """What a tool returned."""

    kind: Literal["tool_result"] = "tool_result"
    call: str
    output: str
    is_error: bool = False


class Edit(Event):
    """A file changed, as a unified diff where it is known. `candidate`: the file is the candidate."""

    kind: Literal["edit"] = "edit"
    path: str
    diff: str = ""
    candidate: bool = False
    sha256: str | None = None


class TurnEnded(Event):
    """The agent gave the word back and waits for a message."""

    kind: Literal["turn_ended"] = "turn_ended"
    reason: Literal["completed", "interrupted", "failed"] = "completed"
    detail: str = ""


class Subagent(Event):
    """A subagent started or ended; its own events carry `agent`."""

    kind: Literal["subagent"] = "subagent"
    subagent: str
    phase: Literal["started", "ended"]
    description: str = ""


class PermissionRequested(Event):
    """The agent's client asks whether a tool may be used. `request` is the client's id of the question.

    `always` is what the answer "always" would grant, in words; empty where it is not known.
    """

    kind: Literal["permission_requested"] = "permission_requested"
    request: str
    tool: str
    input: dict[str, Any] = Field(default_factory=dict)
    always: str = ""


class PermissionAnswered(Event):
    """The answer to the request `parent`. A denial's `message` is read by the agent; that of "always" says
    what was granted."""

    kind: Literal["permission_answered"] = "permission_answered"
    request: str
    answer: Literal["allow", "always", "deny"]
    message: str = ""
    by: str = "human"


class Usage(Event):
    """Tokens and money, counted once a model reply."""

    kind: Literal["usage"] = "usage"
    message: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None


class ScenarioResult(_Small):
    """One scenario of an evaluation. `ratio` is baseline time over candidate time: above 1 is faster.

    `status` is the judge's word (CORRECT, WRONG, UNSUPPORTED, ...); times are medians in nanoseconds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    family: str = ""
    status: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str | None = None
    baseline_ns: float | None = None
    candidate_ns: float | None = None
    bound_ns: float | None = None
    detail: str = ""


class Evaluation(Event):
    """One run of a judge or of a user's own benchmark, summarised.

    `source_kind` says who measured. Only `counts` evaluations (started by the owner of the session)
    count for completion. `record` is the path of the full record, `record_sha256` its hash.
    """

    kind: Literal["evaluation"] = "evaluation"
    evaluation: str
    source_kind: Literal["judge", "parsed"] = "judge"
    owner: str | None = None
    counts: bool = False
    candidate_sha256: str | None = None
    scenario_set: str = ""
    baseline: str = ""
    status: str
    exit_code: int | None = None
    geomean: float | None = None
    low: float | None = None
    high: float | None = None
    noise_floor: float | None = None
    scenarios: tuple[ScenarioResult, ...] = ()
    correct: int = 0
    total: int = 0
    unmet: tuple[str, ...] = ()
    detail: str = ""
    seconds: float | None = None
    record: str | None = None
    record_sha256: str | None = None


class GapClassified(Event):
    """What holds scenarios back, with the measurement that says so."""

    kind: Literal["gap_class"] = "gap_class"
    scenarios: tuple[str, ...]
    gap: GapClass
    measured: str


class GoalVerdict(Event):
    """Whether the goal holds; `unmet` names the clauses, `first_failing` the first failing ids.

    `met` is None where the judge could not tell.
    """

    kind: Literal["goal_verdict"] = "goal_verdict"
    met: bool | None = None
    unmet: tuple[str, ...] = ()
    first_failing: tuple[str, ...] = ()
    evaluation: str | None = None
    reason: str = ""


class Claim(Event):
    """The agent said that it is done or cannot go further, in `quote`."""

    kind: Literal["claim"] = "claim"
    claim: Literal["limit", "completion"]
    quote: str


class Evidence(_Small):
    """One event that raised a decision point, with the words or numbers that did."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    event: str
    quote: str


class DecisionPoint(Event):
    """A moment when a question is worth asking, with the events that raised it."""

    kind: Literal["decision_point"] = "decision_point"
    decision: DecisionKind
    evidence: tuple[Evidence, ...]
    confidence: float = Field(ge=0, le=1)
    reason: str
    detector_version: str = "1"


class Suggestion(_Small):
    """A question ranked for a moment, with the reasons for its place.

    `propensity`: the chance with which it came to its place. 1 where rules alone decide, less where it was
    drawn to be tried; absent in journals that were written before it was recorded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry: str
    group: str
    question: str
    score: float
    reasons: tuple[str, ...]
    propensity: float | None = None


class SuggestionsShown(Event):
    """Suggestions offered at the decision point `parent`."""

    kind: Literal["suggestions_shown"] = "suggestions_shown"
    suggestions: tuple[Suggestion, ...]
    bank_version: str


class SuggestionDismissed(Event):
    """A person put a suggestion or a whole decision point (`entry` absent) aside."""

    kind: Literal["suggestion_dismissed"] = "suggestion_dismissed"
    entry: str | None = None
    reason: str = ""


class QuestionAsked(Event):
    """A question went to the agent. `text` is exactly what was sent.

    `entry` is absent for a typed question; `edited`: the text differs from the entry's. `parent` is the
    decision point it answers, if any. `propensity`: the chance with which its questioner asked just this at
    that moment; absent where a person chose, and in journals that were written before it was recorded.
    """

    kind: Literal["question_asked"] = "question_asked"
    questioner: str
    text: str
    entry: str | None = None
    edited: bool = False
    propensity: float | None = None


class QuestionReceipt(Event):
    """What became of the question `parent`."""

    kind: Literal["question_receipt"] = "question_receipt"
    receipt: Literal["queued", "delivered", "own_turn", "failed"]
    detail: str = ""


class Note(Event):
    """A remark for the reader of the session: by the program, the questioner or a person."""

    kind: Literal["note"] = "note"
    text: str
    author: str = "kernelseek"


class ReaderProblem(Event):
    """A line that could not be read; it cost only itself. `line` counts from 0."""

    kind: Literal["reader_problem"] = "reader_problem"
    line: int
    what: str


class UnknownEvent(BaseModel):
    """A kind this version does not know. Written back as it was read."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: str
    id: str
    schema_version: int = SCHEMA_VERSION
    time: datetime | None = None
    source: Source | None = None
    parent: str | None = None
    agent: str | None = None


KNOWN: tuple[type[Event], ...] = (
    SessionStarted,
    SessionEnded,
    HumanMessage,
    AgentText,
    Thinking,
    ToolCall,
    ToolResult,
    Edit,
    TurnEnded,
    Subagent,
    PermissionRequested,
    PermissionAnswered,
    Usage,
    Evaluation,
    GapClassified,
    GoalVerdict,
    Claim,
    DecisionPoint,
    SuggestionsShown,
    SuggestionDismissed,
    QuestionAsked,
    QuestionReceipt,
    Note,
    ReaderProblem,
)

_KINDS = frozenset(str(model.model_fields["kind"].default) for model in KNOWN)


def _tag(value: Any) -> str:
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return kind if isinstance(kind, str) and kind in _KINDS else "unknown"


AnyEvent = Annotated[
    Annotated[SessionStarted, Tag("session_started")]
    | Annotated[SessionEnded, Tag("session_ended")]
    | Annotated[HumanMessage, Tag("human_message")]
    | Annotated[AgentText, Tag("agent_text")]
    | Annotated[Thinking, Tag("thinking")]
    | Annotated[ToolCall, Tag("tool_call")]
    | Annotated[ToolResult, Tag("tool_result")]
    | Annotated[Edit, Tag("edit")]
    | Annotated[TurnEnded, Tag("turn_ended")]
    | Annotated[Subagent, Tag("subagent")]
    | Annotated[PermissionRequested, Tag("permission_requested")]
    | Annotated[PermissionAnswered, Tag("permission_answered")]
    | Annotated[Usage, Tag("usage")]
    | Annotated[Evaluation, Tag("evaluation")]
    | Annotated[GapClassified, Tag("gap_class")]
    | Annotated[GoalVerdict, Tag("goal_verdict")]
    | Annotated[Claim, Tag("claim")]
    | Annotated[DecisionPoint, Tag("decision_point")]
    | Annotated[SuggestionsShown, Tag("suggestions_shown")]
    | Annotated[SuggestionDismissed, Tag("suggestion_dismissed")]
    | Annotated[QuestionAsked, Tag("question_asked")]
    | Annotated[QuestionReceipt, Tag("question_receipt")]
    | Annotated[Note, Tag("note")]
    | Annotated[ReaderProblem, Tag("reader_problem")]
    | Annotated[UnknownEvent, Tag("unknown")],
    Discriminator(_tag),
]

_ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


def parse_event(line: str | bytes) -> AnyEvent:
    """Read one journal line. Raises `pydantic.ValidationError` when it is not an event."""
    return _ADAPTER.validate_json(line)


def dump_event(event: AnyEvent) -> str:
    """One JSON object without a newline; `parse_event` gives the same event back."""
    if isinstance(event, UnknownEvent):
        return event.model_dump_json(exclude_unset=True)
    return event.model_dump_json(exclude_none=True)
