"""What went wrong between Claude Code and its API, in one sentence that says what to do.

A turn that failed is known by `is_error`: an API error ends with subtype "success".
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernelseek_tui.agents.money import dollars
from kernelseek_tui.plain import one_line
from sessions.readers.base import money_of, text_of

_WORDS = 200  # characters of the client's own words in a sentence


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a turn failed. `halts`: any further message would fail alike, so none is sent.

    `outage`: the model cannot be had at all (credentials, money, connection).
    """

    sentence: str
    halts: bool
    outage: bool = False


def retry_sentence(entry: Mapping[str, Any]) -> str:
    """A `system/api_retry` line."""
    status, why = entry.get("error_status"), text_of(entry.get("error"))
    because = f" ({why})" if why and why != "unknown" else ""
    what = (
        f"The API answers {text_of(status)}{because}"
        if status is not None
        else f"The connection to the API failed or broke off{because}"
    )
    delay = money_of(entry.get("retry_delay_ms"))
    wait = f" in {delay / 1000:.1f} s" if delay else ""
    return f"{what}; attempt {text_of(entry.get('attempt'))} of {text_of(entry.get('max_retries'))}{wait}."


def hook_sentence(entry: Mapping[str, Any]) -> str:
    """A `system/hook_response` line of a hook that did not end well."""
    code, said = entry.get("exit_code"), text_of(entry.get("stderr") or entry.get("output")).strip()
    how = (
        f"ended with exit code {code}"
        if isinstance(code, int)
        else f"failed ({text_of(entry.get('outcome'))})"
    )
    last = f": {one_line(said.splitlines()[-1], 200)}" if said else "."
    return f"The hook {text_of(entry.get('hook_name'))} {how}{last}"


@dataclass(frozen=True, slots=True)
class Again:
    """How another run goes on with the session of that client's id, in that workspace, with that ceiling.

    `session` None: it never began, and there is nothing to go on with.
    """

    session: str | None = None
    workspace: str | None = None
    ceiling_usd: float | None = None

    def __str__(self) -> str:
        ceiling = "" if self.ceiling_usd is None else f"{self.ceiling_usd:g}"
        return self._with(ceiling)

    def dearer(self) -> str:
        """The same, with room for a higher ceiling."""
        return f"raise the ceiling: {self._with('MORE')}"

    def _with(self, ceiling: str) -> str:
        if not self.session:
            return "start again"
        words = ["kernelseek", "steer", *([self.workspace] if self.workspace else []), "--agent", "claude"]
        words += ["--resume", self.session, *(["--spend-ceiling", ceiling] if ceiling else [])]
        return f"go on with `{shlex.join(words)}`"


def ceiling_sentence(cost_usd: float, again: Again) -> str:
    """The session has cost what it may."""
    return f"The spend ceiling is reached (this run cost {dollars(cost_usd)}); {again.dearer()}."


def fault_of(entry: Mapping[str, Any], client: str, again: Again) -> Fault:
    """Why the turn of a `result` line with `is_error` failed.

    `client` is the error name of the client's last own message (`authentication_failed`, …).
    """
    reason, errors = text_of(entry.get("terminal_reason")), entry.get("errors")
    listed = "; ".join(map(text_of, errors)) if isinstance(errors, list) else ""
    words = one_line(text_of(entry.get("result")) or listed or text_of(entry.get("subtype")), _WORDS).rstrip(
        "."
    )
    if reason == "budget_exhausted" or entry.get("subtype") == "error_max_budget_usd":
        return Fault(f"The spend ceiling is reached ({words}); {again.dearer()}.", True)
    if outage := _outage(entry, client, words):
        return Fault(f"{outage} {again}.", halts=True, outage=True)
    if reason == "prompt_too_long":
        return Fault(
            f"The conversation is too long for the model ({words}): send /compact, then go on.", False
        )
    if entry.get("subtype") == "error_max_turns":
        return Fault(f"The turn used up its steps ({words}): send a message to go on.", False)
    because = f"{reason}: " if reason and reason not in words else ""
    return Fault(f"The turn failed ({because}{words}): send a message to try again.", False)


def _outage(entry: Mapping[str, Any], client: str, words: str) -> str:
    """Why the model cannot be had, up to how to go on; empty where it can."""
    status = entry.get("api_error_status")
    if status in (401, 403) or client == "authentication_failed":
        return (
            f"Claude Code has no valid credentials ({words}): log in with `claude`, /login, or set "
            "ANTHROPIC_API_KEY, then"
        )
    if client == "billing_error" or status == 402:
        return f"The account cannot pay for requests ({words}): settle that, then"
    if status == 404:
        return f"The API does not know the model ({words}): choose one with --model and"
    if status == 429 or client == "rate_limit":
        return f"The API's rate limit outlasted every retry ({words}): wait, then"
    if isinstance(status, int) and status >= 500:
        return f"The API answered {status} to every retry ({words}): wait, then"
    if entry.get("api_error") == "connection_failed" or "connection" in words.casefold():
        return f"The API cannot be reached ({words}): check the network and ANTHROPIC_BASE_URL, then"
    return ""
