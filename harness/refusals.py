"""What a runner's process is refused for, in words. Pure."""

import signal

from harness.arena import Violation
from harness.checks import Check
from harness.protocol import LOST_CHANNEL, LoadFailure
from harness.verdict import Status


def died(what: str, code: int, said: str) -> Violation:
    """How a process ended in `what`: its return code (negative: a signal), and what it said last."""
    if code == LOST_CHANNEL:
        return forged(what)
    if code == -signal.SIGSYS:
        return Violation(
            Status.WRONG,
            Check.SYSTEM_CALLS,
            f"In {what} the system was asked for what a candidate may not do: start a process, leave its "
            "group, set a timer that signals, signal another process, stop itself, resize or seal the "
            "judge's memory, speak on the judge's channel, open a file to write, make or remove one, "
            "open a socket, or make memory into code.",
        )
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return Violation(Status.CRASH, Check.PROCESS_ALIVE, f"The process died of {name} in {what}{said}.")
    return Violation(
        Status.EXITED,
        Check.PROCESS_ALIVE,
        f"The process ended itself with exit code {code} in {what} instead of returning{said}.",
    )


def printable(text: str) -> str:
    """Outside text as it can be shown."""
    return "".join(ch if ch.isprintable() else "?" for ch in text)


def awake(what: str) -> Violation:
    """It ran while it had to stand still."""
    return Violation(
        Status.WRONG, Check.STOPPED, f"The process {what}; between its calls a candidate may not run."
    )


def forged(what: str) -> Violation:
    """Somebody else than the runner spoke, or closed the channel."""
    return Violation(
        Status.WRONG,
        Check.CHANNEL,
        f"The process wrote to the judge's channel or closed it in {what}; only the runner may.",
    )


def load_violation(status: int, text: str) -> Violation:
    """The library is none to the ABI; `status` is a `LoadFailure`."""
    clean = printable(text)[:300]
    if status == LoadFailure.NO_SYMBOL:
        words = f"The candidate does not define {clean} with C linkage."
    elif status == LoadFailure.WRONG_ABI:
        words = f"ks_abi_version returned {clean}, which is not this judge's KS_ABI_VERSION."
    else:
        words = f"The built candidate could not be loaded: {clean}."
    return Violation(Status.WRONG, Check.ABI, words)
