"""The judge's channel, its memory and its clock, from inside a held process: each other way ends it.

One library has all the ways; the first input says which one a call takes.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from harness.arena import Arena
from harness.checks import Check
from harness.children import Children, children
from harness.device import CpuDevice
from harness.params import pack_params, params_header
from harness.protocol import Held, Op, Protocol, Reply
from harness.runner import Call, Runner, RunnerDied
from harness.verdict import Status
from tests.harness.toy import FIRST, Toy, candidate

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this protection is Linux's")

KILLED = {
    "read": "read(channel(), bytes, 1);",
    "write": "write(channel(), bytes, 1);",
    "readv": "readv(channel(), &part, 1);",
    "writev": "writev(channel(), &part, 1);",
    "pwritev2": "pwritev2(channel(), &part, 1, 0, 0);",
    "send": "asked(SYS_sendto, channel(), bytes, 1);",
    "recv": "asked(SYS_recvfrom, channel(), bytes, 1);",
    "recvmsg": "asked(SYS_recvmsg, channel(), nullptr, 0);",
    "dup": "dup(channel());",
    "dup2": "dup2(channel(), 200);",
    "duplicate by fcntl": "fcntl(channel(), F_DUPFD, 200);",
    "ioctl": "int n; ioctl(channel(), FIONREAD, &n);",
    "splice from": "splice(channel(), nullptr, 2, nullptr, 1, 0);",
    "splice to": "splice(0, nullptr, channel(), nullptr, 1, 0);",
    "sendfile": "sendfile(channel(), 0, nullptr, 1);",
    "read on a thread": "std::thread([] { read(channel(), bytes, 1); }).join();",
    "seal": "fcntl(0, 1033, 1);",
    "stop": "raise(SIGSTOP);",
    "stop a thread": "pthread_kill(pthread_self(), SIGTSTP);",
    "go on": "raise(SIGCONT);",
    "filter": "asked(SYS_seccomp, 0, nullptr, 0);",
}
ALLOWED = {
    "nothing": "",
    "another descriptor": "char c; if (read(0, &c, 1) != 0 || write(2, &c, 0) != 0) return 7;",
    "asynchronous": "if (asked(SYS_io_setup, 8, bytes, 0) != -1 || errno != ENOSYS) return 7;",
    "the kernel's clock stays": "if (clock_replaced()) return 7;",
    "a signal that is handled": "signal(SIGUSR1, [](int) {}); raise(SIGUSR1);",
}
LOOKS = "int n = 0; if (ioctl(channel(), FIONREAD, &n) != 0 || n != 8) return 7;"
WAYS = {**KILLED, **ALLOWED, "look at what waits": LOOKS}
ABOVE = """
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <initializer_list>
#include <thread>
static char bytes[64];
static iovec part = {bytes, 1};
static long asked(long number, long a, void *b, long c) { return syscall(number, a, b, c, 0, 0); }
static int channel() {
  for (int fd = 3; fd < 64; ++fd)
    if (lseek(fd, 0, SEEK_CUR) < 0 && errno == ESPIPE) return fd;
  return -1;
}
static bool clock_replaced() {
  char *code = reinterpret_cast<char *>(getauxval(AT_SYSINFO_EHDR));
  for (char *at : {code, code - 4096})
    if (mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) return true;
  return false;
}
"""
CASES = "".join(f"case {number}: {{ {code} break; }}\n" for number, code in enumerate(WAYS.values()))
SOURCE = candidate(above=ABOVE, before=f"switch (int(static_cast<float *>(t[0].data)[0])) {{\n{CASES}}}")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Children, Path]]:
    with children() as mine:
        yield mine, tmp_path_factory.mktemp("place")


@contextmanager
def running(place: tuple[Children, Path], way: str, *off: Check) -> Iterator[tuple[Runner, Arena]]:
    toy, folder = Toy(), place[1]
    device = CpuDevice(place[0], folder, folder / "cache", Protocol(call_seconds=5.0, off=frozenset(off)))
    made = device.build_library(SOURCE.encode(), params_header(toy.params_struct))
    assert made.output is not None, made.log
    arena = device.arena(toy.tensors(FIRST))
    runner: Runner | None = None
    try:
        runner = device.runner(made.output, pack_params(toy.params_struct, FIRST.params), arena, timed=False)
        arena.resize(runner.workspace_wanted)
        runner.map()
        inputs = toy.make_inputs(FIRST, "nominal", 1)
        inputs["x"][0, 0] = list(WAYS).index(way)
        arena.set_inputs(inputs)
        arena.prepare()
        yield runner, arena
    finally:
        if runner is not None:
            runner.close()
        arena.close()


@pytest.mark.parametrize("way", KILLED)
def test_speaking_on_the_channel_sealing_and_stopping_end_the_process(
    way: str, place: tuple[Children, Path]
) -> None:
    with running(place, way) as (runner, _), pytest.raises(RunnerDied) as died:
        runner.run()
    assert (died.value.violation.status, died.value.violation.check) == (Status.WRONG, Check.SYSTEM_CALLS)


@pytest.mark.parametrize("way", ALLOWED)
def test_what_has_nothing_to_do_with_it_goes_on(way: str, place: tuple[Children, Path]) -> None:
    with running(place, way) as (runner, _):
        if "clock" in way and Held.CODE not in runner.held:
            pytest.skip("this kernel cannot seal memory")
        assert [runner.run().status for _ in range(2)] == [0, 0]
        assert runner.run_many(3).status == 0


def test_a_token_waits_in_the_channel_until_the_call_is_over(place: tuple[Children, Path]) -> None:
    with running(place, "look at what waits", Check.SYSTEM_CALLS) as (runner, _):
        assert [runner.run().status, runner.run_many(2).status] == [0, 0]


@pytest.mark.parametrize("more", [Runner.run, lambda runner: runner.run_many(2)], ids=["one", "many"])
def test_a_call_cannot_have_taken_longer_than_the_judge_waited(
    more: Callable[[Runner], Call], place: tuple[Children, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(place, "nothing") as (runner, _):
        honest = runner._ask

        def asked(op: Op, payload: bytes, what: str) -> tuple[Reply, str, int, int | None]:
            reply, text, waited, after = honest(op, payload, what)
            return replace(reply, ns=waited + more_ns), text, waited, after

        monkeypatch.setattr(runner, "_ask", asked)
        more_ns = 0
        more(runner)
        more_ns = 2000
        with pytest.raises(RunnerDied) as died:
            more(runner)
        assert (died.value.violation.status, died.value.violation.check) == (Status.WRONG, Check.CLOCK)


def test_the_kernel_would_end_a_candidate_before_the_judge(place: tuple[Children, Path]) -> None:
    with running(place, "nothing") as (runner, _):
        assert Path(f"/proc/{runner.pid}/oom_score_adj").read_text().strip() == "1000"
