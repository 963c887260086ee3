"""What a hook prints: the answer format of Claude Code (seen of 2.1.332), and how a question is put."""

from collections.abc import Sequence
from typing import Any

from kernelseek_tui.hooks.mailbox import Question

FRAME = "KernelSeek, which was set up beside this session, asks you this. Answer it, then go on:"
"""Stands over every question a hook delivers, and says who asks: the client tells the model that a hook's own
requests are to be followed, and that what a hook passes on of others is mere data."""

Answer = dict[str, Any]

EVENTS = {
    "stop": "Stop",
    "post-tool-use": "PostToolUse",
    "post-tool-use-failure": "PostToolUseFailure",
    "user-prompt-submit": "UserPromptSubmit",
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "subagent-stop": "SubagentStop",
}
"""Our command's name of a hook, and the client's."""


def put(questions: Sequence[Question]) -> str:
    """Questions as the agent reads them; empty for none."""
    texts = [question.text for question in questions]
    return "\n\n".join([FRAME, *texts]) if texts else ""


def block(reason: str) -> Answer:
    """Do not stop, for this reason."""
    return {"decision": "block", "reason": reason}


def context(event: str, text: str) -> Answer:
    """Let the agent read `text` at this event; nothing for no text."""
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def aloud(text: str) -> Answer:
    """Show `text` to the person at the client; nothing for no text."""
    return {"systemMessage": text} if text else {}
