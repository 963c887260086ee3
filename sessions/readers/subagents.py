"""Which subagent an entry of a Claude Code session belongs to, and when subagents start and end.

A subagent is named by the id of the tool call that launched it: the one name that streams and transcripts
share. Where no call can be found the client's own agent id stands in, else the first entry's uuid.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

AGENT_TOOLS = frozenset({"Agent", "Task"})

_API_CALL = re.compile(r"(?:srv)?toolu_")
_CALL_ID = re.compile(r"<tool-use-id>\s*([^<\s]+)\s*</tool-use-id>")
_TASK_ID = re.compile(r"<task-id>\s*([^<\s]+)\s*</task-id>")
_LAUNCHED = "Async agent launched"


class Subagents:
    """The subagents of one session. Pure bookkeeping; the readers make the events.

    `main_agent`: entries with this agent id are the main agent's (a subagent's own file was opened).
    """

    def __init__(self, main_agent: str | None = None) -> None:
        self._main_agent = main_agent
        self._prompts: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._chains: dict[str, str] = {}
        self._open: dict[str, None] = {}
        self._ended: set[str] = set()

    def launched(self, call: str, tool: str, given: Mapping[str, Any]) -> bool:
        """A tool was called; true when that starts a subagent named `call`."""
        if tool not in AGENT_TOOLS or call in self._open:
            return False
        prompt = given.get("prompt")
        if isinstance(prompt, str) and prompt:
            self._prompts.setdefault(prompt, call)
        self._open[call] = None
        return True

    def alias(self, agent_id: str, call: str) -> None:
        """The client calls the subagent of `call` by `agent_id`."""
        self._aliases[agent_id] = call

    def known(self, name: str) -> str | None:
        """The subagent behind a call id or an agent id that starts or started one."""
        name = self._aliases.get(name, name)
        return name if name in self._open or name in self._ended else None

    def of(self, entry: Mapping[str, Any], text: str = "") -> str | None:
        """The subagent whose entry this is, None for the main agent. `text`: what a `user` entry says."""
        agent_id = entry.get("agentId") or entry.get("agent_id")
        parent = entry.get("parent_tool_use_id")
        if isinstance(agent_id, str) and agent_id:
            if agent_id == self._main_agent:
                return None
            if isinstance(parent, str) and parent in self._open:
                self._aliases.setdefault(agent_id, parent)
            return self._aliases.get(agent_id, agent_id)
        if isinstance(parent, str) and parent:
            if parent in self._open or parent in self._ended:
                return parent
            if _API_CALL.match(parent):
                return parent  # launched before this file begins, or in another one: never the main agent
            # Not a call we saw: an exporter's mark for "beside the main line". One running subagent can
            # be meant; otherwise the main agent's background work is, and that is the main agent's.
            return next(iter(self._open)) if len(self._open) == 1 else None
        if not entry.get("isSidechain") or self._main_agent is not None:
            return None
        return self._chain(entry, text)

    def _chain(self, entry: Mapping[str, Any], text: str) -> str:
        uuid, parent = str(entry.get("uuid")), str(entry.get("parentUuid"))
        name = self._chains.get(parent) or self._prompts.get(text)
        if name is None and len(self._open) == 1:
            name = next(iter(self._open))
        self._chains[uuid] = name or uuid
        return self._chains[uuid]

    def answered(self, call: str, output: str, result: object) -> bool:
        """A result of the launching call came; true when the subagent ended with it."""
        if isinstance(result, Mapping):
            agent_id = result.get("agentId")
            if isinstance(agent_id, str) and call in self._open:
                self._aliases.setdefault(agent_id, call)
            if result.get("isAsync"):
                return False
        return not output.startswith(_LAUNCHED) and self._end(call)

    def notified(self, text: str) -> str | None:
        """The subagent whose end a `<task-notification>` text tells, if it had not ended before."""
        return self.ended(found.group(1) for find in (_CALL_ID, _TASK_ID) if (found := find.search(text)))

    def ended(self, names: Iterable[object]) -> str | None:
        """End the first of these that is a running subagent; its name."""
        for name in names:
            known = self.known(name) if isinstance(name, str) else None
            if known is not None and self._end(known):
                return known
        return None

    def _end(self, name: str) -> bool:
        if name not in self._open:
            return False
        del self._open[name]
        self._ended.add(name)
        return True
