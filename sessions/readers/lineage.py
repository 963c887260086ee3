"""Whose session a rollout's rows are: a forked session's file begins with its parent's history."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sessions.readers.base import mapping_of, name_of, text_of, time_of

_RESTAMPED = timedelta(seconds=2)  # a copied history is written at once, with the time of the copying
_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\Z")


class Lineage:
    """Follows head lines and turns. `inherited`: what is read now was said in the parent's session.

    The client stamps copied rows with the time of the copying, but their turns keep their names, which tell
    when they were made.
    """

    def __init__(self) -> None:
        self.session: str | None = None
        self.parent: str | None = None
        self.inherited = False
        self.subagent = False
        self._born: datetime | None = None

    def opens(self, payload: Mapping[str, Any], time: datetime | None) -> bool:
        """A head line; false where it only resumes the session, or is a parent's or grandparent's."""
        session = name_of(payload.get("id")) or text_of(payload.get("session_id"))
        if self.session is not None and (session == self.session or self.parent):
            self.inherited |= session != self.session
            return False
        source = mapping_of(payload.get("source"))
        spawned = mapping_of(mapping_of(source.get("subagent")).get("thread_spawn"))
        forked = name_of(payload.get("forked_from_id"))
        self.session = session
        self.parent = forked or name_of(spawned.get("parent_thread_id")) or None
        self.inherited = bool(forked)
        self.subagent = "subagent" in source or payload.get("thread_source") == "subagent"
        self._born = _minted(session) or time_of(payload.get("timestamp")) or time
        return True

    def turn(self, payload: Mapping[str, Any], time: datetime | None) -> None:
        """A turn begins: one that was made after the session is its own."""
        if not self.inherited or self._born is None:
            return
        minted = _minted(text_of(payload.get("turn_id")))
        if minted is not None:
            self.inherited = minted < self._born
        elif time is not None:
            self.inherited = time - self._born <= _RESTAMPED


def _minted(name: str) -> datetime | None:
    """When a UUID of version 7 was made; None for other names."""
    found = _UUID7.fullmatch(name)
    if not found:
        return None
    return datetime.fromtimestamp(int(found.group(1) + found.group(2), 16) / 1000, UTC)
