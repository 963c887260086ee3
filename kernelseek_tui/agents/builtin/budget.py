"""What a built-in agent may spend: tokens always, money where the model's price is known.

Prices are a dated list (`prices.yaml`), not a bill. Pure but for reading that list.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field

from kernelseek_tui.agents.money import dollars

PRICES = Path(__file__).with_name("prices.yaml")
DEFAULT_TOKENS = 50_000_000
"""All tokens of a session, read from the cache or not: a bound for runaways, about a day of steady work."""

NEXT = (
    "This session cannot be resumed, but what it did to the candidate stays; to go on from there, start a "
    "new session"
)

_DATED = re.compile(r"-20\d{6}$")
_MILLION = 1e6


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a reply. `given` is what was neither read from the cache nor written to it."""

    given: int = 0
    made: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def prompt(self) -> int:
        """All of the request."""
        return self.given + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        """Request and reply."""
        return self.prompt + self.made


class _Rates(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_write: float = Field(ge=0)
    cache_read: float = Field(ge=0)

    def cost(self, tokens: Tokens) -> float:
        return (
            tokens.given * self.input
            + tokens.made * self.output
            + tokens.cache_write * self.cache_write
            + tokens.cache_read * self.cache_read
        ) / _MILLION


class _LongPrompt(_Rates):
    tokens: int = Field(gt=0)


class Price(_Rates):
    """Dollars for a million tokens; `above` holds for requests of more than its `tokens`."""

    above: _LongPrompt | None = None

    def of(self, tokens: Tokens) -> float:
        """Dollars for one reply."""
        if self.above is not None and tokens.prompt > self.above.tokens:
            return self.above.cost(tokens)
        return self.cost(tokens)


class Prices(BaseModel):
    """The list, with where it is from and its date."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    as_of: date
    models: dict[str, Price]

    def find(self, model: str) -> Price | None:
        """The price of a model, a dated name (`…-20251101`) included; None where it is not known."""
        return self.models.get(_DATED.sub("", model))


@lru_cache(maxsize=1)
def load_prices() -> Prices:
    """The list that is shipped."""
    return Prices.model_validate(yaml.safe_load(PRICES.read_text(encoding="utf-8")))


@dataclass(slots=True)
class Budget:
    """Counts what `model` spends. `dollars` None: no ceiling on money."""

    model: str
    dollars: float | None = None
    tokens: int = DEFAULT_TOKENS
    spent_tokens: int = 0
    spent_dollars: float = 0.0
    prices: Prices = field(default_factory=load_prices)

    @property
    def price(self) -> Price | None:
        """The model's price, where it is known."""
        return self.prices.find(self.model)

    def warning(self) -> str | None:
        """What a person who set a ceiling has to know before anything is spent."""
        if self.dollars is None or self.price is not None:
            return None
        return (
            f"The price of {self.model} is not in the list of {self.prices.as_of}, so the ceiling of "
            f"{dollars(self.dollars)} cannot be kept; the agent stops at {self.tokens:,} tokens instead."
        )

    def count(self, tokens: Tokens) -> float | None:
        """Count one reply; its cost in dollars, None where the price is unknown."""
        self.spent_tokens += tokens.total
        if self.price is None:
            return None
        cost = self.price.of(tokens)
        self.spent_dollars += cost
        return cost

    def halt(self) -> str | None:
        """Why nothing more may be spent; None while something may."""
        if self.dollars is not None and self.price is not None and self.spent_dollars >= self.dollars:
            return (
                f"The spend ceiling is reached: {dollars(self.spent_dollars)} of {dollars(self.dollars)}, at "
                f"prices of {self.prices.as_of}. {NEXT} with a higher --spend-ceiling."
            )
        if self.spent_tokens >= self.tokens:
            return f"The token ceiling is reached: {self.spent_tokens:,} of {self.tokens:,} tokens. {NEXT}."
        return None
