"""A hang-up and a polite kill end what runs in order, once."""

import asyncio
import os
import signal

import pytest

from kernelseek_tui.leaving import on_leave


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
async def test_only_the_first_of_them_counts(number: signal.Signals) -> None:
    calls: list[str] = []
    on_leave(lambda: calls.append("left"))
    for one in (number, number, signal.SIGTERM, signal.SIGHUP):
        os.kill(os.getpid(), one)
        await asyncio.sleep(0.01)
    assert calls == ["left"]


async def test_a_second_ctrl_c_does_not_break_into_the_end() -> None:
    calls: list[str] = []
    on_leave(lambda: calls.append("left"), signal.SIGINT)
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.01)
    assert calls == ["left"]


async def test_a_hang_up_that_was_ignored_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        on_leave(lambda: pytest.fail("nohup was meant"))
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0.01)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
