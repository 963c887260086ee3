"""One bank entry: the schema of `entries/*.yaml`. Unknown keys are refused."""

from datetime import date
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

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


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Moves(_Strict):
    """The layer an agent is assumed to be in, and the one the question takes it to."""

    from_: Layer = Field(alias="from")
    to: Layer


class Measurement(_Strict):
    """What settles the question: a method with ordinary tools, and the number it gives."""

    method: str
    tools: tuple[str, ...] = Field(min_length=1)
    number: str
    unit: str


class Outcome(_Strict):
    """What an answer leads to: the next layer, or a verdict on the claim."""

    if_: str = Field(alias="if")
    next: Layer | None = None
    verdict: Literal["reopen", "stand"] | None = None


class Related(_Strict):
    """A link to another entry."""

    id: str
    type: Literal["derived", "merged", "obsolete", "similar"]


class Provenance(_Strict):
    """Where an entry comes from."""

    kind: Literal["written", "mined", "promoted"]
    date: date
    author: str
    ai_assisted: bool


class Lesson(_Strict):
    """A public source and the one-line lesson taken from it, in our own words."""

    ref: str
    lesson: str
    seen: date


class Question(_Strict):
    """A bank entry. `question` is the text an agent gets; everything else is for people and the ranker."""

    id: str = Field(pattern=r"^kq-[a-z]+-\d{3}$")
    group: Group
    question: str = Field(min_length=1)
    decision_kinds: tuple[DecisionKind, ...] = Field(min_length=1)
    category: tuple[Category, ...] = Field(min_length=1)
    moves: Moves
    refuses_closure: bool = False
    needs_reference: bool = False
    params: tuple[Literal["arch"], ...] = ()
    measurement: Measurement
    outcomes: tuple[Outcome, ...]
    answered_when: str
    status: Literal["experimental", "test", "stable", "deprecated"] = "experimental"
    related: tuple[Related, ...] = ()
    provenance: Provenance
    sources: tuple[Lesson, ...] = ()
    lint_ok: dict[str, str] = Field(default_factory=dict)

    @field_validator("question")
    @classmethod
    def _one_printable_line(cls, text: str) -> str:
        # the text is typed into an agent: a line break or an escape would act there
        if not text.isprintable():
            raise ValueError("a question is one line of printable text")
        return text
