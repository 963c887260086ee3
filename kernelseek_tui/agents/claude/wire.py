"""What is written to a long-lived Claude Code, and what it asks for: lines of JSON, without any I/O.

The protocol has no published specification. What stands here was measured with the version in
`claude_process.MINIMUM`, against a scripted model.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kernelseek_tui.agents.protocol import AgentSpec, PermissionChoice, Priority

_ALWAYS = (
    *("-p", "--verbose"),
    *("--input-format", "stream-json", "--output-format", "stream-json"),
    *("--include-partial-messages", "--include-hook-events"),
    *("--replay-user-messages", "--forward-subagent-text"),
)

DENIED = "The user does not allow this."


@dataclass(frozen=True, slots=True)
class Asked:
    """The client asks whether a tool may be used. `event` is the id of the event that says so.

    `suggestions` are the client's own ideas of a rule that would answer such questions from now on.
    """

    request: str
    tool: str
    input: Mapping[str, Any]
    suggestions: tuple[Mapping[str, Any], ...] = ()
    call: str | None = None
    event: str = ""


def arguments(
    spec: AgentSpec,
    *,
    session: str | None = None,
    spend_ceiling_usd: float | None = None,
    settings: Mapping[str, Any] | None = None,
) -> list[str]:
    """The command line after the binary. `session` is the id that a new session or a fork is to have.

    `settings` (hooks and the like) are given to this one process: no file of the project is touched.
    """
    made = [*_ALWAYS]
    made += (
        ["--permission-prompt-tool", "stdio"] if spec.ask_permission else ["--dangerously-skip-permissions"]
    )
    if spec.model:
        made += ["--model", spec.model]
    if spec.resume:
        made += ["--resume", spec.resume, *(["--fork-session"] if spec.fork else [])]
    if session and (spec.fork or not spec.resume):
        made += ["--session-id", session]
    if spend_ceiling_usd is not None:
        made += ["--max-budget-usd", f"{spend_ceiling_usd:.6g}"]
    if settings is not None:
        made += ["--settings", json.dumps(settings)]
    return made


def message(text: str, uuid: str, priority: Priority) -> bytes:
    """A message of the human; the client tells by `uuid` what becomes of it."""
    content = {"role": "user", "content": text}
    return _line(type="user", message=content, uuid=uuid, priority=priority)


def interrupt(request: str) -> bytes:
    """Stop the current turn, a running tool included. What is queued stays queued."""
    return _line(type="control_request", request_id=request, request={"subtype": "interrupt"})


def answer(asked: Asked, choice: PermissionChoice, words: str = "") -> bytes:
    """The answer to a permission request. A denial's `words` reach the model as the tool's result."""
    if choice == "deny":
        decision: dict[str, Any] = {"behavior": "deny", "message": words or DENIED}
    else:
        decision = {"behavior": "allow", "updatedInput": dict(asked.input)}
        if choice == "always" and (rule := lasting(asked.suggestions)):
            decision["updatedPermissions"] = [rule]
    response = {"subtype": "success", "request_id": asked.request, "response": decision}
    return _line(type="control_response", response=response)


def refuse(request: str, why: str) -> bytes:
    """Tell the client that a request of its is not answered, so that it does not wait."""
    response = {"subtype": "error", "request_id": request, "error": why}
    return _line(type="control_response", response=response)


def lasting(suggestions: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What "always" allows: the client's first suggested rule, else its first suggestion, for this session.

    The client would write a rule into the project's settings file; nobody was asked about that.
    """
    rules = [one for one in suggestions if one.get("type") == "addRules"]
    for suggestion in (*rules, *suggestions):
        return {**suggestion, "destination": "session"}
    return None


def granted(suggestions: Sequence[Mapping[str, Any]]) -> str:
    """What "always" really grants, in words: `lasting` as a person reads it."""
    rule = lasting(suggestions)
    if rule is None:
        return "this once only: the client offers no rule"
    return f"{_in_words(rule)}, in this session"


def _in_words(rule: Mapping[str, Any]) -> str:
    what = rule.get("type")
    rules, folders = rule.get("rules"), rule.get("directories")
    if what == "addRules" and isinstance(rules, list):
        named = [_rule_in_words(one) for one in rules if isinstance(one, dict)]
        if named:
            return ", ".join(named)
    if what == "addDirectories" and isinstance(folders, list):
        return f"work in {', '.join(map(str, folders))}"
    if what == "setMode":
        mode = str(rule.get("mode"))
        edits = "edits and common file commands (rm, mv, cp, sed, ...) in the folders it works in"
        return {"acceptEdits": edits}.get(mode, f"the client's mode {mode}")
    return json.dumps({key: value for key, value in rule.items() if key != "destination"}, ensure_ascii=False)


def _rule_in_words(rule: Mapping[str, Any]) -> str:
    tool, content = str(rule.get("toolName") or "a tool without a name"), rule.get("ruleContent")
    return f"{tool}({content})" if content else f"every {tool}"


def asked(entry: Mapping[str, Any], event: str) -> Asked | None:
    """The permission request in a `control_request`; None for any other request."""
    request, name = entry.get("request"), entry.get("request_id")
    if not isinstance(request, dict) or not isinstance(name, str) or request.get("subtype") != "can_use_tool":
        return None
    given, call, found = (
        request.get("input"),
        request.get("tool_use_id"),
        request.get("permission_suggestions"),
    )
    return Asked(
        request=name,
        tool=str(request.get("tool_name") or "a tool without a name"),
        input=given if isinstance(given, dict) else {"input": given},
        suggestions=tuple(one for one in found if isinstance(one, dict)) if isinstance(found, list) else (),
        call=call if isinstance(call, str) else None,
        event=event,
    )


def _line(**fields: Any) -> bytes:
    # ASCII: no U+2028 or lone surrogate of a message can end or spoil the line.
    return json.dumps(fields, ensure_ascii=True).encode("ascii") + b"\n"
