"""Records made up for tests."""

from typing import Any

from bank.effects.record import Outcome, Record

WORDING = "0a1b2c3d"


def record(
    event: str = "e1", session: str = "s1", *, outcome: dict[str, Any] | None = None, **more: Any
) -> Record:
    given: dict[str, Any] = {
        "what": "asked",
        "session": session,
        "event": event,
        "index": 5,
        "kind": "plateau",
        "by": "bank",
        "model": "m1",
        "operator": "attention",
        "entry": "kq-host-901",
        "group": "host-and-launch-path",
        "wording": WORDING,
        "outcome": Outcome.model_validate(outcome or {}),
    }
    return Record.model_validate(given | more)


def unasked(
    event: str = "d1", session: str = "c1", *, outcome: dict[str, Any] | None = None, **more: Any
) -> Record:
    return record(
        event,
        session,
        outcome=outcome,
        **{"what": "matched", "entry": None, "group": None, "wording": None, "by": "none", **more},
    )
