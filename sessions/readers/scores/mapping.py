"""The mapping file: how the columns of anybody's score log are meant. Its fields: docs/score-logs.md."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sessions.errors import RefusedInput

RIGHT = ("true", "1", "yes", "y", "pass", "passed", "correct", "ok", "keep", "discard")
MAX_BYTES = 64 * 1024


class Baseline(BaseModel):
    """The row that the others are compared with: the first measured one in which `column` is `value`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    value: str


class Mapping(BaseModel):
    """A mapping as it stands in the file. With `ratio` the `score` is one over a baseline already."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: str = Field(min_length=1)
    direction: Literal["higher", "lower"]
    ratio: bool = False
    unit: Literal["ns", "us", "ms", "s", ""] = ""
    baseline: Baseline | None = None
    baseline_column: str = ""
    series: tuple[str, ...] = ()
    scenario: str = ""
    correct: str = ""
    correct_values: tuple[str, ...] = RIGHT
    time: str = ""
    name: str = ""
    note: str = ""

    @model_validator(mode="after")
    def _one_baseline(self) -> "Mapping":
        given = [
            name
            for name, there in (
                ("ratio", self.ratio),
                ("baseline", self.baseline is not None),
                ("baseline_column", bool(self.baseline_column)),
            )
            if there
        ]
        if len(given) > 1:
            raise ValueError(f"give one of {' and '.join(given)}, not both")
        if self.ratio and self.direction == "lower":
            raise ValueError("a ratio is baseline over candidate, so its direction is higher")
        return self


@dataclass(frozen=True, slots=True)
class Named:
    """A mapping with the file it came of."""

    path: Path
    mapping: Mapping


def load(path: Path) -> Named:
    """Read a mapping file. Raises `RefusedInput` with what is wrong in it."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise RefusedInput(f"{path} is larger than {MAX_BYTES} bytes, so it is no mapping file.")
        given: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
        return Named(path, Mapping.model_validate(given))
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise RefusedInput(f"{path.name}: {where + ': ' if where else ''}{what}.") from None
    except (ValueError, RecursionError) as error:  # no TOML, or no UTF-8
        raise RefusedInput(f"{path.name} is no TOML file: {error}.") from None
