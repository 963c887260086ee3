"""One asking, or one moment where nothing was asked, with what followed within its window.

A record holds no text of the session: hashes, counts, ids and names of models and operators only.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sessions.vocabulary import Layer

MEASURED_BY = 2
"""Version of what is measured and how: records of another one are measured again."""

LARGEST = 300.0
"""The largest change of a score, as a logarithm: factors of such changes, and of two of them, are numbers."""
MOST = 1 << 53
"""The largest count; no session comes near."""

Count = Annotated[int, Field(ge=0, le=MOST)]
Change = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]

What = Literal["asked", "own_words", "program", "matched"]
Claim = Literal["withdrawn", "upheld", "refuted", "open", "fallen_before"]
Ended = Literal["evaluations", "calls", "message", "end"]


class Outcome(BaseModel):
    """What followed within the window that begins when the agent had the question.

    `calls`: tool calls until a number was on record, None where none was. `measured`: layers that calls of
    the window measured; `first_measured` those of them that none had measured before, `first_visited` those
    that none had even touched. `new_number`: a number came back from a layer of `first_measured`. `before`
    and `after`: the layer most visited lately, and within the window. `claim`: what became of the claim that
    the moment was about. `base`: the best score before; `changes`: after each comparable evaluation of the
    window, the natural logarithm of the best so far over `base`, empty where either is missing. `regression`:
    an evaluation of the window was wrong, or slower beyond its interval than the last one before; None where
    nothing was evaluated. `ended`: what ended the window.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: Count | None = None
    measured: tuple[Layer, ...] = ()
    first_measured: tuple[Layer, ...] = ()
    first_visited: tuple[Layer, ...] = ()
    new_number: bool = False
    before: Layer | None = None
    after: Layer | None = None
    claim: Claim | None = None
    base: float | None = Field(default=None, allow_inf_nan=False)
    origin: str = "none"
    changes: tuple[Change, ...] = ()
    evaluations: Count = 0
    regression: Literal["none", "wrong", "slower"] | None = None
    ended: Ended = "end"

    @property
    def answered(self) -> bool:
        """A number came back."""
        return self.calls is not None

    @property
    def change(self) -> float | None:
        """The change of the best score over the whole window, as a logarithm."""
        return self.changes[-1] if self.changes else None


class Record(BaseModel):
    """One entry of the bank in one message (`asked`), a person's own words, a message of the program itself
    (`program`), or a decision point at which nothing was asked (`matched`).

    `event` is the id of the question, or of the decision point, in its session; `index` its place. `kind` is
    the decision point's. `text`: hash of what was sent; `wording`: hash of the bank's question where that was
    sent as it stands, parameters filled. `together`: entries in the message; of several nothing tells which
    one the agent took up. `asks`: the text is a question. `tokens` are estimated, of the whole message.
    `silent`: why nothing was asked. `bank` and `detector` are the versions of the time, `program` the one
    that measured.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: What
    session: str
    event: str
    index: Count
    kind: str | None = None
    rehearsed: bool = False
    by: str = ""
    agent: str = ""
    model: str = ""
    operator: str = ""
    entry: str | None = None
    group: str | None = None
    text: str = ""
    wording: str | None = None
    edited: bool = False
    together: int = Field(default=1, ge=1, le=MOST)
    asks: bool = True
    tokens: Count = 0
    propensity: float | None = Field(default=None, allow_inf_nan=False)
    silent: str = ""
    bank: str = ""
    detector: str = ""
    program: str = ""
    measured_by: int = MEASURED_BY
    outcome: Outcome
