"""What coding clients wrap around words before a model reads them, taken off again.

A message of a human reaches a model as a plain text, as one with a line before and after it, inside a
`<system-reminder>`, inside a message of the role `system` (newer models), or as what a hook said. Each of
these is heard once; everything else that a client adds (file contents, lists of skills, dates, notes about
interrupts) is not addressed to the agent and is passed over. The wrappings are those of Claude Code 2.1.332,
recorded from its requests.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Where = Literal["prompt", "mid_turn", "hook", "context", "denial"]
"""Where words stood: a prompt of its own, a message during a turn, what a hook said at a tool boundary or at
the end of a turn, what a hook added to a prompt, the reason given with a denied permission."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words meant for the agent, and where they stood."""

    where: Where
    text: str


SUMMARY_STARTS = "This session is being continued from a previous conversation"
ASKED_TO_SUMMARIZE = re.compile(
    r"\s*(CRITICAL: Respond with TEXT ONLY\b|Your task is to create a detailed summary of )"
)
ASIDE = re.compile(r"\s*(\[SUGGESTION MODE\b|The user stepped away and is coming back\. Recap )")
"""The client asks something on the side, in a copy of the conversation."""

PLACEHOLDERS = frozenset({"No response requested.", "(no content)"})
"""Texts that a client puts into the mouth of an agent that said nothing."""

_REMINDER = re.compile(r"<system-reminder>\s*(.*?)\s*</system-reminder>", re.DOTALL)
_REMINDERS_AT_END = re.compile(
    r"(?:\s*<system-reminder>(?:(?!<system-reminder>).)*?</system-reminder>)+\s*\Z", re.DOTALL
)
_MID_TURN = re.compile(
    r"The user sent a new message while you were working:\n(.*?)"
    r"(?:\n\n[^\n]*\b[Aa]ddress the (?:message above|user's message)[^\n]*)?\s*\Z",
    re.DOTALL,
)
_FEEDBACK = re.compile(
    r"(?:The text below is the output of a hook[^\n]*\n+)?Stop hook feedback:\n(.*)\Z", re.DOTALL
)
_HOOK = re.compile(
    r"(?:\A|(?<=\n\n))(?P<event>\w+)(?::\S+)? hook "
    r"(?:(?P<context>additional context): |blocking error from command:? \"(?:(?!\n\n).)*?\": )",
    re.DOTALL,
)
_NOTE_OF_THE_CLIENT = re.compile(
    r"\n\n(?=# Environment\n|The following |You are powered by |Today's date |The date has changed|"
    r"<total_tokens>|The task tools |Available agent types|Attribution for )"
)
_COMMAND_PREFIX = re.compile(r"\A\[[^\]\n]+\]: ")
_CLIENT_TAG = re.compile(
    r"\s*<(command-name|command-message|command-args|local-command-\w+|bash-input|bash-stdout|bash-stderr|"
    r"user-memory-input|ide_\w+|task-notification|new-diagnostics|total_tokens)\b"
)
_NOT_WORDS = re.compile(
    r"\s*(\[Request interrupted by user[^\]]*\]|Continue from where you left off\.|\[Tool [^\]]*\])\s*\Z"
)
_WITH_A_PROMPT = frozenset({"SessionStart", "UserPromptSubmit"})


def words_in(text: str) -> tuple[Words, ...]:
    """The words meant for the agent in one text block of a user message."""
    heard = list(_reminders(text))
    plain = _REMINDER.sub("", text).strip()
    if not plain or _CLIENT_TAG.match(plain) or _NOT_WORDS.match(plain):
        return tuple(heard)
    return (*(_addressed(plain) or (Words("prompt", plain),)), *heard)


def words_of_system(text: str) -> tuple[Words, ...]:
    """The words meant for the agent in a message of the role `system`."""
    return _addressed(text)


def split_result(text: str) -> tuple[str, tuple[Words, ...]]:
    """A tool's output without the reminders that the client put behind it, and the words in these.

    Only reminders at the very end are the client's: a command may print such tags as well.
    """
    match = _REMINDERS_AT_END.search(text)
    if not match:
        return text, ()
    return text[: match.start()], tuple(_reminders(match.group()))


def once(words: Iterable[Words]) -> tuple[Words, ...]:
    """The words of one gap between two replies, each once.

    A Stop hook's reason comes in two wrappings. What hooks added to a prompt belongs to the last prompt.
    """
    kept: list[Words] = []
    context: list[str] = []
    for one in words:
        if one.where == "context":
            if one.text not in context:
                context.append(one.text)
        elif one.where != "hook" or not any(_same(one, other) for other in kept):
            kept.append(one)
    if not context:
        return tuple(kept)
    for index in reversed(range(len(kept))):
        if kept[index].where in ("prompt", "mid_turn"):
            kept[index] = Words(kept[index].where, "\n\n".join([kept[index].text, *context]))
            return tuple(kept)
    return (*kept, *(Words("context", text) for text in context))


def _same(one: Words, other: Words) -> bool:
    return other.where == "hook" and (one.text in other.text or other.text in one.text)


def _reminders(text: str) -> Iterator[Words]:
    for match in _REMINDER.finditer(text):
        yield from _addressed(match.group(1))


def _addressed(text: str) -> tuple[Words, ...]:
    """What is addressed to the agent in a client's own words; empty where nothing is."""
    text = text.strip()
    if mid_turn := _MID_TURN.match(text):
        return _said("mid_turn", mid_turn.group(1))
    if feedback := _FEEDBACK.match(text):
        return _said("hook", _COMMAND_PREFIX.sub("", feedback.group(1).strip()))
    headers = list(_HOOK.finditer(text))
    found: list[Words] = []
    for header, following in zip(headers, [*headers[1:], None], strict=False):
        body = text[header.end() : following.start() if following else len(text)]
        body = _NOTE_OF_THE_CLIENT.split(body, maxsplit=1)[0].strip()
        with_prompt = header["context"] and header["event"] in _WITH_A_PROMPT
        found += _said("context" if with_prompt else "hook", _COMMAND_PREFIX.sub("", body))
    return tuple(found)


def _said(where: Where, text: str) -> tuple[Words, ...]:
    return (Words(where, text.strip()),) if text.strip() else ()
