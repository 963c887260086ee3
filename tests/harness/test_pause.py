"""A runner that is not asked stands still, and the judge looks whether it did."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness import outside
from harness.arena import Arena
from harness.checks import Check
from harness.children import Children, children
from harness.device import CpuDevice
from harness.params import pack_params, params_header
from harness.protocol import Held, Protocol
from harness.runner import Runner, RunnerDied
from harness.verdict import Status
from tests.harness.toy import FIRST, Toy, candidate

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="these protections are Linux's")

# A thread that is left would be refused at once; here the stop itself is tried.
PROTOCOL = Protocol(call_seconds=5.0, off=frozenset({Check.THREADS}))


@contextmanager
def running(source: str, folder: Path) -> Iterator[tuple[Runner, Arena]]:
    toy = Toy()
    with children() as mine:
        device = CpuDevice(mine, folder, folder / "cache", PROTOCOL)
        made = device.build_library(source.encode(), params_header(toy.params_struct))
        assert made.output is not None, made.log
        arena = device.arena(toy.tensors(FIRST))
        runner = device.runner(made.output, pack_params(toy.params_struct, FIRST.params), arena, timed=True)
        arena.resize(runner.workspace_wanted)
        runner.map()
        arena.set_inputs(toy.make_inputs(FIRST, "nominal", 1))
        arena.prepare()
        yield runner, arena
        runner.close()
        arena.close()


SPINS = candidate(
    above="#include <thread>",
    before="static bool once = false; if (!once) { once = true; "
    "std::thread([] { for (volatile int i = 0;; i = i + 1) {} }).detach(); }",
)


def test_a_thread_that_goes_on_after_its_call_is_stopped_with_the_process(tmp_path: Path) -> None:
    with running(SPINS, tmp_path) as (runner, _):
        runner.run()
        before = outside.cpu_ns(runner.pid)
        time.sleep(0.05)
        assert outside.cpu_ns(runner.pid) == before
        assert outside.stands_still(runner.pid)
        runner.run()


def test_one_that_was_woken_in_its_pause_is_refused(tmp_path: Path) -> None:
    with running(SPINS, tmp_path) as (runner, _):
        runner.run()
        before = outside.cpu_ns(runner.pid)
        assert before is not None
        os.kill(runner.pid, signal.SIGCONT)
        deadline = time.monotonic() + 20
        while (outside.cpu_ns(runner.pid) or 0) < before + 5_000_000 and time.monotonic() < deadline:
            time.sleep(0.005)
        with pytest.raises(RunnerDied) as died:
            runner.run()
        assert (died.value.violation.status, died.value.violation.check) == (Status.WRONG, "stopped")
        assert "while it had to stand still" in died.value.violation.evidence
        with pytest.raises(RunnerDied) as again:
            runner.run()
        assert again.value.violation == died.value.violation


def test_an_honest_call_says_what_it_used_and_is_sealed(tmp_path: Path) -> None:
    with running(candidate(), tmp_path) as (runner, _):
        assert Held.SYSTEM_CALLS in runner.held
        call = runner.run()
        assert call.status == 0
        assert call.cpu_ns is None or call.cpu_ns > 0


@pytest.mark.parametrize(
    "code",
    [
        "kill(getppid(), SIGSTOP);",
        "setsid();",
        'execl("/bin/true", "true", (char *)nullptr);',
        'system("true");',
        "fcntl(2, F_SETSIG, SIGCONT);",
    ],
)
def test_what_a_candidate_may_not_ask_the_system_for(tmp_path: Path, code: str) -> None:
    above = "#include <fcntl.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>"
    source = candidate(above=above, before=f"if (p->rows > 0) {{ {code} }}")
    with running(source, tmp_path) as (runner, _), pytest.raises(RunnerDied) as died:
        runner.run()
    assert (died.value.violation.status, died.value.violation.check) == (Status.WRONG, "system_calls")


def test_an_abort_and_a_thread_are_no_forbidden_calls(tmp_path: Path) -> None:
    above = "#include <stdlib.h>\n#include <thread>"
    source = candidate(above=above, before="std::thread([] {}).join();", after="abort();")
    with running(source, tmp_path) as (runner, _), pytest.raises(RunnerDied) as died:
        runner.run()
    assert died.value.violation.status is Status.CRASH
    assert "SIGABRT" in died.value.violation.evidence


def test_a_process_that_left_its_group_is_found_and_ended() -> None:
    leaves = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    time.sleep(60)\n"
        "    os._exit(0)\n"
        "print('left', flush=True)\n"
    )
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from harness.children import children\n"
        "with children(adopts=True) as mine:\n"
        "    one = mine.spawn([sys.executable, '-c', sys.argv[1]], cwd=Path('.'), env={}, stdout=-1)\n"
        "    assert one.stdout.readline() == b'left\\n'\n"
        "    one.wait()\n"
        "    (stray,) = mine.strays(one.pid)\n"
        "    print(stray)\n"
        "assert not mine.strays(one.pid)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, leaves],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    assert not Path(f"/proc/{int(done.stdout)}").exists()


def test_a_child_of_the_caller_is_none_of_ours() -> None:
    other = subprocess.Popen(["sleep", "30"])
    try:
        mine = Children()
        assert mine.strays(0) == set()
    finally:
        other.kill()
        other.wait()


def test_one_that_closes_the_judges_channel_did_not_end_by_itself(tmp_path: Path) -> None:
    closes = "for (int descriptor = 3; descriptor < 64; ++descriptor) close(descriptor);"
    with running(candidate(above="#include <unistd.h>", before=closes), tmp_path) as (runner, _):
        with pytest.raises(RunnerDied) as died:
            runner.run()
        assert (died.value.violation.status, died.value.violation.check) == (Status.WRONG, "channel")
        assert "closed it in ks_run" in died.value.violation.evidence
