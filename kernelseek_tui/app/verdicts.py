"""Commands whose exit code is the judge's verdict: that the goal is unmet is an answer and no failure."""

import re

from kernelseek_tui.exit_codes import ExitCode
from sessions import events as ev

_ASKS = re.compile(r"\bkernelseek\s+(?:evaluate\b|goal\s+check\b)")
_CODE = re.compile(r"Exit code (\d{1,3})\b")

WORDS = {
    int(ExitCode.NOT_MET): "measured: all correct, the goal is not met",
    int(ExitCode.AMBIGUOUS): "measured: all correct, the goal is ambiguous",
}
"""What the exit codes say that a tool reports as an error although the judge did its work."""


def asks_the_judge(call: ev.ToolCall) -> bool:
    """The command runs `kernelseek evaluate` or `kernelseek goal check`."""
    command = call.input.get("command")
    return isinstance(command, str) and _ASKS.search(command) is not None


def verdict_code(result: ev.ToolResult) -> int | None:
    """The exit code of such a command where it is in `WORDS`; None for success and for real failures."""
    match = _CODE.match(result.output)
    code = int(match[1]) if match else 0
    return code if result.is_error and code in WORDS else None
