"""A user's own patterns, from `recognisers.toml` in the state folder: docs/score-logs.md has the fields."""

import re
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sessions.errors import RefusedInput
from sessions.events import ToolCall
from sessions.home import home
from sessions.layers import command_text
from sessions.recognisers.lines import LONGEST, MOST
from sessions.recognisers.protocol import Recognised, Row
from sessions.recognisers.words import NS, finite, half_step

FILE = "recognisers.toml"
MAX_BYTES = 256 * 1024
_ROW_GROUPS = frozenset({"scenario", "ratio", "baseline", "candidate", "bound", "fraction"})
_ROW_FIGURES = ("ratio", "baseline", "candidate")


class Pattern(BaseModel):
    """One way of printing. Expressions are searched for in each line; named groups are the figures."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    command: str = ""
    row: str = ""
    score: str = ""
    right: str = ""
    wrong: str = ""
    baseline: str = ""
    unit: Literal["ns", "us", "ms", "s"] = "ms"

    @field_validator("command", "row", "score", "right", "wrong")
    @classmethod
    def _expression(cls, text: str) -> str:
        try:
            re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"no regular expression: {error}") from None
        return text

    @field_validator("row")
    @classmethod
    def _groups(cls, text: str) -> str:
        groups = set(re.compile(text).groupindex)
        if text and not groups & (_ROW_GROUPS - {"scenario"}):
            raise ValueError("name a group of it ratio, fraction, baseline or candidate")
        return text

    @field_validator("score")
    @classmethod
    def _value(cls, text: str) -> str:
        if text and "value" not in re.compile(text).groupindex:
            raise ValueError("name a group of it value")
        return text

    @cached_property
    def compiled(self) -> dict[str, re.Pattern[str]]:
        """The expressions that are given."""
        names = ("command", "row", "score", "right", "wrong")
        return {name: re.compile(text) for name in names if (text := getattr(self, name))}


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    pattern: tuple[Pattern, ...] = ()


class Patterned:
    """The recogniser that a pattern makes. With a `command` it claims the calls that match it."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self._find = pattern.compiled

    @property
    def name(self) -> str:
        """The pattern's name."""
        return self.pattern.name

    def claims(self, call: ToolCall) -> bool:
        """Whether the call's command is one that the pattern is for."""
        command = command_text(call.tool, call.input)
        return command is not None and "command" in self._find and self._matches(command)

    def look(self, text: str, call: ToolCall | None) -> Recognised | None:
        """What the pattern finds in the output of a call that it is for."""
        if "command" in self._find and (call is None or not self.claims(call)):
            return None
        rows: dict[str, Row] = {}
        score: float | None = None
        right = wrong = ""
        for line in text.split("\n")[-MOST:]:
            if not line or len(line) > LONGEST:
                continue
            if (found := self._search("row", line)) is not None:
                row = self._row(found, len(rows))
                if row is not None:
                    rows[row.id] = row
            if (found := self._search("score", line)) is not None:
                score = _value(found, "value") or score
            right = line if self._search("right", line) is not None else right
            wrong = line if self._search("wrong", line) is not None else wrong
        if not rows and score is None and not right and not wrong:
            return None
        return Recognised(
            status="WRONG" if wrong else "CORRECT" if right else "",
            rows=tuple(rows.values()),
            geomean=score,
            label=self.name if score is not None else "",
            over=self.pattern.baseline,
            quote=(wrong or right).strip()[:240],
        )

    def _row(self, found: re.Match[str], number: int) -> Row | None:
        scale = NS[self.pattern.unit]
        groups = found.groupdict()
        ratio, fraction = _value(found, "ratio"), _value(found, "fraction")
        ours, base, bound = (_value(found, name) for name in ("candidate", "baseline", "bound"))
        no_ratio = (groups.get("ratio") or "").strip()[:40] if ratio is None else ""
        if ratio is None and fraction is None and ours is None and not no_ratio:
            return None
        over = self.pattern.baseline or "baseline"
        return Row(
            id=(groups.get("scenario") or f"row {number + 1}").strip()[:120],
            ratio=ratio,
            over=self.pattern.baseline,
            fraction=fraction,
            candidate_ns=None if ours is None else ours * scale,
            baselines={} if base is None else {over: base * scale},
            bound_ns=None if bound is None else bound * scale,
            no_ratio=no_ratio,
            slack=sum(half_step(groups[name] or "") for name in _ROW_FIGURES if name in groups),
        )

    def _matches(self, command: str) -> bool:
        return self._find["command"].search(command[:20_000]) is not None

    def _search(self, what: str, line: str) -> re.Match[str] | None:
        return self._find[what].search(line) if what in self._find else None


def _value(found: re.Match[str], name: str) -> float | None:
    text = found.groupdict().get(name)
    value = finite(text) if text else None
    return value if value is not None and value > 0 else None


def load(path: Path | None = None) -> tuple[Patterned, ...]:
    """The patterns of a file (default: the state folder's); none where there is no file.

    Raises `RefusedInput` with what is wrong in it.
    """
    path = path or home() / FILE
    try:
        if not path.is_file():
            return ()
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise RefusedInput(f"{path} is larger than {MAX_BYTES} bytes, so it is no pattern file.")
        given = _File.model_validate(tomllib.loads(data.decode("utf-8")))
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RefusedInput(f"{path}: {where}: {first['msg'].removeprefix('Value error, ')}.") from None
    except (ValueError, RecursionError) as error:  # no TOML, or no UTF-8
        raise RefusedInput(f"{path} is no TOML file: {error}.") from None
    return tuple(Patterned(one) for one in given.pattern)
