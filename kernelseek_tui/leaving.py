"""A closed terminal and a polite kill end a session in order, as its own quit key does."""

import asyncio
import signal
from collections.abc import Callable


def on_leave(leave: Callable[[], object], *more: signal.Signals) -> None:
    """Call `leave` on the running loop, once, at the first SIGHUP, SIGTERM or of `more`; others do nothing.

    A terminal that closes sends its hang-up twice as a rule, from itself and from the kernel, and the second
    must not break into what the first began. A hang-up that was ignored at our start (`nohup`) stays ignored.
    """
    loop = asyncio.get_running_loop()
    left = False

    def once() -> None:
        nonlocal left
        if not left:
            left = True
            leave()

    for number in (signal.SIGHUP, signal.SIGTERM, *more):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, once)
