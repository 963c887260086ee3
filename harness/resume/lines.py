"""The lines of a broken evaluation: what each says, how it is signed, and which of them hold. Pure.

    {"mac":"…","line":{…}}

A line is signed under a key and the evaluation's name (`resume.partial`), so one of another candidate, judge,
machine, boot or key is none; and with the signature of the line before it, so that lines of two attempts
cannot be put together. A scenario's seed stays secret until the record is written: a line carries it under
the key.
"""

import hashlib
import hmac
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.record.parts import Finite, Resumed
from harness.record.record import ScenarioRecord
from harness.record.samples import SameAgainstSame

MAX_AGE = timedelta(hours=1)
"""What was measured longer ago was measured beside other neighbours, in other weather."""
_AHEAD = timedelta(minutes=1)
_HEAD, _MIDDLE, _TAIL = b'{"mac":"', b'","line":', b"}"
_MAC_DIGITS = 64


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime
    run: datetime


class CheckedLine(_Line):
    """A scenario that is right: its record without a timing, and what its timing needs.

    `start` holds the start's errors on the timed input set by output (`gate.StartError`), `sealed` the
    scenario's seed (`seal`).
    """

    kind: Literal["checked"] = "checked"
    record: ScenarioRecord
    sealed: str = Field(pattern=r"^[0-9a-f]{16}$")
    start: dict[str, dict[str, Finite]]
    start_ns: int
    candidate_ns: int


class TimedLine(_Line):
    """A scenario that is timed, with the baseline against itself where that was measured there."""

    kind: Literal["timed"] = "timed"
    record: ScenarioRecord
    aa: SameAgainstSame | None = None


class EndingLine(_Line):
    """The record of that name is about to be written to `path`: once it is there, these lines are used up."""

    kind: Literal["ending"] = "ending"
    eval_id: str
    path: str


Line = CheckedLine | TimedLine | EndingLine
_LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="kind")])
_OfScenario = TypeVar("_OfScenario", CheckedLine, TimedLine)


@dataclass
class Found:
    """The lines that hold, by scenario, the signatures of all that were read, in order, and how many lines
    do not hold, by reason."""

    checked: dict[str, CheckedLine] = field(default_factory=dict)
    timed: dict[str, TimedLine] = field(default_factory=dict)
    ending: EndingLine | None = None
    macs: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def head(self) -> str:
        """What the next line follows; "" at the beginning."""
        return self.macs[-1] if self.macs else ""

    @property
    def count(self) -> int:
        """How many finished steps there are."""
        return len(self.checked) + len(self.timed)

    def forget(self) -> None:
        """Use none of them."""
        self.checked, self.timed, self.ending, self.macs = {}, {}, None, []

    def resumed(self) -> tuple[Resumed, ...]:
        """The runs they are of, the oldest first."""
        checked, timed = list(self.checked.values()), list(self.timed.values())
        return tuple(
            Resumed(
                started=run,
                checked=sum(one.run == run for one in checked),
                timed=sum(one.run == run for one in timed),
            )
            for run in sorted({one.run for one in (*checked, *timed)})
        )


def encode(line: Line, key: bytes, name: str, before: str = "") -> tuple[bytes, str]:
    """A line as it is written, newline included, and its signature. `before`: that of the line before."""
    body = line.model_dump_json().encode()
    mac = _mac(key, name, before, body)
    return _HEAD + mac + _MIDDLE + body + _TAIL + b"\n", mac.decode()


def decode(data: bytes, key: bytes, name: str, now: datetime) -> Found:
    """What a file holds. Whatever the bytes are, this raises nothing, and gives back no line that `encode`
    did not make under that key and name, after those before it."""
    found = Found()
    for raw in data.split(b"\n"):
        line = _verified(raw, key, name, found.head)
        if line is None:
            found.dropped["damaged or out of place"] += bool(raw)
            continue
        found.macs.append(raw[len(_HEAD) :][:_MAC_DIGITS].decode())
        if not now - MAX_AGE <= line.at <= now + _AHEAD:
            found.dropped[f"not of the last {MAX_AGE // timedelta(minutes=1)} minutes"] += 1
        elif isinstance(line, CheckedLine):
            _once(line, found.checked, found.dropped)
        elif isinstance(line, TimedLine):
            _once(line, found.timed, found.dropped)
        else:
            found.ending = line
    for one in found.timed.keys() - found.checked.keys():
        del found.timed[one]
        found.dropped["without the check it rests on"] += 1
    found.dropped += Counter()  # leaves out what is zero
    return found


def seal(seed: int, key: bytes, *what: str) -> str:
    """A seed that only the key opens (`unseal`); `what` must never be the same for two seeds."""
    return f"{seed ^ _pad(key, *what):016x}"


def unseal(sealed: str, key: bytes, *what: str) -> int:
    """The seed again."""
    return int(sealed, 16) ^ _pad(key, *what)


def now() -> datetime:
    """The time as lines say it."""
    return datetime.now(UTC)


def _once(line: _OfScenario, into: dict[str, _OfScenario], dropped: Counter[str]) -> None:
    """The first line of a scenario holds; the judge says none twice."""
    if line.record.id in into:
        dropped["said twice"] += 1
    else:
        into[line.record.id] = line


def _verified(raw: bytes, key: bytes, name: str, before: str) -> Line | None:
    start = len(_HEAD) + _MAC_DIGITS
    mac, rest = raw[len(_HEAD) : start], raw[start:]
    if not raw.startswith(_HEAD) or not rest.startswith(_MIDDLE) or not rest.endswith(_TAIL):
        return None
    body = rest[len(_MIDDLE) : -len(_TAIL)]
    if not hmac.compare_digest(mac, _mac(key, name, before, body)):
        return None
    try:
        return _LINE.validate_json(body)
    except ValidationError:  # signed and still none: made by sources that changed under a running judge
        return None


def _mac(key: bytes, name: str, before: str, body: bytes) -> bytes:
    text = b"\0".join([name.encode(), before.encode(), body])
    return hmac.new(key, text, hashlib.sha256).hexdigest().encode()


def _pad(key: bytes, *what: str) -> int:
    text = "\0".join(["seed", *what]).encode()
    return int.from_bytes(hmac.new(key, text, hashlib.sha256).digest()[:8], "big")
