"""One bank entry: the schema of `entries/*.yaml`. Unknown keys are refused."""

from datetime import date
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from sessions.vocabulary import Category as Category
from sessions.vocabulary import DecisionKind, Layer


class Group(StrEnum):
    """The ten groups, from scope and triage to numerics."""

    SCOPE = "scope-and-triage"
    BOUNDS = "bounds-and-differencing"
    MEASUREMENT = "measurement-integrity"
    BENCHMARK = "benchmark-validity"
    HOST = "host-and-launch-path"
    ROUTING = "routing-and-distribution"
    DATA = "data-movement-and-overlap"
    RESOURCES = "resources-and-generated-code"
    LIMITS = "limits-hypotheses-and-process"
    NUMERICS = "numerics-and-correctness"


class Architecture(StrEnum):
    """The families that entries may be written for. A device's family is told by `bank.devices`."""

    HOPPER = "hopper"
    BLACKWELL = "blackwell"
    AMPERE = "ampere"
    CDNA = "cdna"
    CPU = "cpu"


def _printable(text: str) -> str:
    # All of it reaches terminals, and the question an agent: a line break or an escape would act there.
    if not text.isprintable():
        raise ValueError("it is not one line of printable text")
    return text


Id = Annotated[str, Field(pattern=r"^kq-[a-z]+-[0-9]{3}$", max_length=40)]
Word = Annotated[str, Field(max_length=100), AfterValidator(_printable)]
Phrase = Annotated[str, Field(max_length=300), AfterValidator(_printable)]
Sentence = Annotated[str, Field(max_length=600), AfterValidator(_printable)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


Parameter = Literal["arch", "scenarios"]
"""What a question's text may leave open; `bank.params` says what is put there."""


class Moves(_Strict):
    """The layer an agent is assumed to be in, and the one the question takes it to."""

    from_: Layer = Field(alias="from")
    to: Layer


class Measurement(_Strict):
    """What settles the question: a method with ordinary tools, and the number it gives."""

    method: Sentence
    tools: tuple[Word, ...] = Field(min_length=1)
    number: Phrase
    unit: Word


class Outcome(_Strict):
    """What an answer leads to: the next layer, or a verdict on the claim."""

    if_: Phrase = Field(alias="if")
    next: Layer | None = None
    verdict: Literal["reopen", "stand"] | None = None


class Related(_Strict):
    """A link to another entry."""

    id: Word
    type: Literal["derived", "merged", "obsolete", "similar"]


class Provenance(_Strict):
    """Where an entry comes from."""

    kind: Literal["written", "mined", "promoted"]
    date: date
    author: Word
    ai_assisted: bool


class Lesson(_Strict):
    """A public source and the one-line lesson taken from it, in our own words."""

    ref: Phrase
    lesson: Phrase
    seen: date


class Evidence(_Strict):
    """What one asking led to in a recorded session, as `kernelseek bank new --from` read it there.

    `session` and `event` are ids, never paths. `before`: where the agent had been working; `after`: the
    layers it measured from then on, else the one it worked in. `number`: a measured number came back.
    `change`: the best score of the window over the best before it, absent where either is missing; `matched`:
    the median of the same at moments of that kind in that session at which nothing was asked. `claim`: what
    became of the claim it was asked about. `rehearsed`: the agent was a scripted one, which shows nothing of
    real ones.
    """

    session: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")
    event: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$")
    before: Layer | None = None
    after: tuple[Layer, ...] = ()
    number: bool
    change: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    matched: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    claim: Literal["withdrawn", "upheld", "refuted", "open", "fallen_before"] | None = None
    rehearsed: bool = False


class Excuse(_Strict):
    """Why a warning about the wording stands, who looked at it, and the text that was looked at.

    `text` is the question's `text_hash` of that day: when the question changes, the excuse is void.
    """

    reason: Phrase = Field(min_length=1)
    by: Word = Field(min_length=1)
    text: str = Field(pattern=r"^[0-9a-f]{8}$")


def text_hash(question: str) -> str:
    """Eight hex digits of the SHA-256 of a question's text: what reviews and excuses are tied to."""
    return sha256(question.encode()).hexdigest()[:8]


class Question(_Strict):
    """A bank entry. `question` is the text an agent gets; everything else is for people and the ranker.

    `needs_upstream`: it compares with an implementation by others, which must be at hand. `architectures`:
    it is about devices of these families only; empty for core entries, which serve every device.
    """

    id: Id
    group: Group
    question: Sentence = Field(min_length=1)
    decision_kinds: tuple[DecisionKind, ...] = Field(min_length=1)
    category: tuple[Category, ...] = Field(min_length=1)
    moves: Moves
    refuses_closure: bool = False
    needs_upstream: bool = False
    architectures: tuple[Architecture, ...] = ()
    params: tuple[Parameter, ...] = ()
    measurement: Measurement
    outcomes: tuple[Outcome, ...]
    answered_when: Phrase
    status: Literal["experimental", "test", "stable", "deprecated"] = "experimental"
    related: tuple[Related, ...] = ()
    provenance: Provenance
    sources: tuple[Lesson, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    lint_ok: dict[Word, Excuse] = Field(default_factory=dict)

    @property
    def core(self) -> bool:
        """It serves every device, with nothing to compare with."""
        return not self.needs_upstream and not self.architectures
