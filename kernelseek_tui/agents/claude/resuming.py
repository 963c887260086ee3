"""Which session `--resume` names, looked up before anything of ours is begun."""

import os
import re
from collections.abc import Mapping

from kernelseek_tui.attach.discover import client_home
from sessions.errors import RefusedInput

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

WHERE = (
    "it is the `session` in the first line of that session's journal here, and the name of the client's own "
    "transcript, {}/projects/*/ID.jsonl"
)


def is_client_id(text: str) -> bool:
    """Whether `text` is an id as Claude Code gives them.

    The client takes a title, too, but a hook is bound to an id.
    """
    return _UUID.fullmatch(text) is not None


def where_ids_stand(environment: Mapping[str, str] = os.environ) -> str:
    """Where a person finds the id of a session, as the end of a sentence."""
    return WHERE.format(client_home(environment))


def check_there(session: str, environment: Mapping[str, str] = os.environ) -> None:
    """Raises `RefusedInput` where the client keeps no session of that id (it finds those of any folder)."""
    home = client_home(environment)
    if not any((home / "projects").glob(f"*/{session}.jsonl")):
        raise RefusedInput(
            f"Claude Code keeps no session {session}: there is no {home}/projects/*/{session}.jsonl; the id "
            "of a session is the name of such a file."
        )
