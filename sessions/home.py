"""Where sessions live: `KERNELSEEK_HOME`, else the user's state folder of this platform."""

import os
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_state_path

from sessions.errors import RefusedInput

JOURNAL = "events.jsonl"

_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def home(environment: Mapping[str, str] | None = None) -> Path:
    """The folder that holds all state of the program. It need not exist yet."""
    chosen = (os.environ if environment is None else environment).get("KERNELSEEK_HOME")
    return Path(chosen).expanduser().absolute() if chosen else user_state_path("kernelseek")


def sessions_folder() -> Path:
    """The folder with one folder a session."""
    return home() / "sessions"


def is_session_id(text: str) -> bool:
    """Whether `text` may be a session's id: a plain file name that cannot leave the sessions folder."""
    return _SAFE_ID.fullmatch(text) is not None


def session_folder(session: str) -> Path:
    """The folder of one session. Raises `RefusedInput` for an id that could leave the sessions folder."""
    if not is_session_id(session):
        raise RefusedInput(
            f"{session!r} is no session id: use letters, digits, dot, dash and underscore, at most 128."
        )
    return sessions_folder() / session


def journal_path(session: str) -> Path:
    """The journal of one session."""
    return session_folder(session) / JOURNAL


def new_session_id(now: datetime | None = None) -> str:
    """A session id that sorts by time, e.g. `20261129-141652-3f9a1c`."""
    return f"{now or datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
