"""Small sessions of ours, so that a test shows only what it is about."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.home import sessions_folder
from sessions.journal import Journal

BEGAN = datetime(2026, 11, 29, 14, 0, tzinfo=UTC)


def started(**changes: Any) -> ev.SessionStarted:
    return ev.SessionStarted(
        **{"id": "", "session": "s", "agent_name": "rehearsal", "time": BEGAN, "rehearsed": True, **changes}
    )


def evaluation(geomean: float | None = 2.0, **changes: Any) -> ev.Evaluation:
    return ev.Evaluation(
        **{
            "id": "",
            "time": BEGAN + timedelta(minutes=1),
            "evaluation": "v1",
            "status": "CORRECT",
            "exit_code": 10,
            "baseline": "start",
            "scenario_set": "demo",
            "geomean": geomean,
            "correct": 2,
            "total": 2,
            **changes,
        }
    )


def record(session: str, events: Iterable[ev.AnyEvent]) -> Path:
    """A session in the program's folder; returns its folder."""
    with Journal.of(session) as journal:
        for event in events:
            journal.append(event)
    return sessions_folder() / session
