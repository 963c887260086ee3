"""What a runner's process is kept from, tried in processes: honest code goes through, other calls end it."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.checks import Check
from harness.children import Children, children
from harness.device import CpuDevice
from harness.params import pack_params, params_header
from harness.protocol import Held, Protocol
from harness.runner import Runner, RunnerDied
from harness.verdict import Status
from tests.harness.toy import FIRST, Toy, candidate

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this protection is Linux's")

ALL = Held.SYSTEM_CALLS | Held.FILES | Held.CODE


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Children, Path]]:
    with children() as mine:
        yield mine, tmp_path_factory.mktemp("place")


@contextmanager
def running(
    place: tuple[Children, Path], above: str, before: str, off: Sequence[Check] = ()
) -> Iterator[Runner]:
    toy, folder = Toy(), place[1]
    device = CpuDevice(place[0], folder, folder / "cache", Protocol(call_seconds=5.0, off=frozenset(off)))
    made = device.build_library(
        candidate(above=above, before=before).encode(), params_header(toy.params_struct)
    )
    assert made.output is not None, made.log
    arena = device.arena(toy.tensors(FIRST))
    runner: Runner | None = None
    try:
        runner = device.runner(made.output, pack_params(toy.params_struct, FIRST.params), arena, timed=False)
        arena.resize(runner.workspace_wanted)
        runner.map()
        arena.set_inputs(toy.make_inputs(FIRST, "nominal", 1))
        arena.prepare()
        yield runner
    finally:
        if runner is not None:
            runner.close()
        arena.close()


HONEST = """
std::call_once(once, [] { table[3] = 2; });
std::cerr << std::mt19937(std::random_device{}())() << std::locale().name() << std::endl;
std::vector<std::thread> all;
for (int i = 0; i < 8; ++i) all.emplace_back([] { std::vector<char> v(10000000); v[5] = 1; });
for (auto &one : all) one.join();
void *large = malloc(600000000);
memset(large, 0, 1000);
free(large);
try { throw std::runtime_error("x"); } catch (const std::exception &) {}
if (std::thread::hardware_concurrency() == 0) return 7;
fprintf(stderr, "%f", double(table[3]));
"""
INCLUDES = "".join(
    f"#include <{name}>\n"
    for name in (
        "cstdio",
        "cstdlib",
        "cstring",
        "iostream",
        "mutex",
        "random",
        "stdexcept",
        "thread",
        "vector",
    )
)


def test_honest_code_goes_through_however_much_of_the_library_it_uses(place: tuple[Children, Path]) -> None:
    above = INCLUDES + "static std::vector<float> table(100, 1.0f);\nstatic std::once_flag once;\n"
    with running(place, above, HONEST) as runner:
        assert runner.held | Held.FILES | Held.CODE == ALL
        assert [runner.run().status for _ in range(3)] == [0, 0, 0]


CALLS = {
    "write": ("fcntl.h", 'open("made", O_WRONLY | O_CREAT, 0666);'),
    "remove": ("unistd.h", 'unlink("made");'),
    "socket": ("sys/socket.h", "socket(AF_INET, SOCK_STREAM, 0);"),
    "memory file": ("sys/mman.h", 'memfd_create("x", 0);'),
    "code": ("sys/mman.h", "mmap(nullptr, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"),
    "handler for going on": ("signal.h", "signal(SIGCONT, [](int) {});"),
    "alarm": ("unistd.h", "alarm(1);"),
    "all memory is code": ("sys/personality.h", "personality(READ_IMPLIES_EXEC);"),
    "undumpable": ("sys/prctl.h", "prctl(PR_SET_DUMPABLE, 0);"),
    "clock": ("sys/timex.h", "timex now{}; adjtimex(&now);"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_no_kernel_needs_ends_the_process(name: str, place: tuple[Children, Path]) -> None:
    header, code = CALLS[name]
    with running(place, f"#include <{header}>", code) as runner, pytest.raises(RunnerDied) as died:
        runner.run()
    assert (died.value.violation.status, died.value.violation.check) == (Status.WRONG, Check.SYSTEM_CALLS)
    assert not (place[1] / "made").exists()


def test_nothing_of_the_machine_can_be_read_and_the_runner_not_changed(place: tuple[Children, Path]) -> None:
    above = (
        "#include <fcntl.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n#include <time.h>\n"
        "static int reads(const char *path) { return open(path, O_RDONLY) >= 0; }\n"
        'static const int early = reads("/etc/passwd") | 2 * reads("/proc/self/maps");\n'
    )
    before = (
        'if (early || reads("/etc/ld.so.cache")) return 7;\n'
        "const long page = reinterpret_cast<long>(&clock_gettime) & -4096;\n"
        "if (mprotect(reinterpret_cast<void *>(page), 4096, PROT_READ | PROT_WRITE) == 0) return 8;\n"
    )
    with running(place, above, before) as runner:
        if runner.held != ALL:
            pytest.skip("this kernel has no Landlock or cannot seal memory")
        assert runner.run().status == 0


OTHERS = {
    "file": (
        "#include <fcntl.h>\n#include <sys/mman.h>\n#include <unistd.h>",
        'int f = open("/etc/ld.so.cache", O_RDONLY); mmap(nullptr, 4096, 1, MAP_PRIVATE, f, 0); close(f);',
        Check.MAPPINGS,
    ),
    "descriptor": ("#include <unistd.h>", "dup(2);", Check.DESCRIPTORS),
    "thread": (
        "#include <chrono>\n#include <thread>",
        "std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();",
        Check.THREADS,
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_a_call_leaves_behind_is_seen_from_outside(name: str, place: tuple[Children, Path]) -> None:
    above, code, check = OTHERS[name]
    off = [Check.SYSTEM_CALLS] if name == "file" else []
    with running(place, above, code, off) as runner, pytest.raises(RunnerDied) as died:
        runner.run()
    assert died.value.violation.check == check
    with running(place, above, code, [*off, check]) as runner:
        assert runner.run().status == 0


@pytest.mark.parametrize(
    ("above", "check"),
    [
        ("#include <unistd.h>\nstatic const int taken = dup(2);", Check.DESCRIPTORS),
        ("#include <unistd.h>\nstatic const int given = close(2);", Check.DESCRIPTORS),
        (
            "#include <sys/mman.h>\n"
            "static void *const code = mmap(nullptr, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);",
            Check.MAPPINGS,
        ),
    ],
)
def test_what_loading_leaves_behind_is_seen_too(
    above: str, check: Check, place: tuple[Children, Path]
) -> None:
    with pytest.raises(RunnerDied) as died, running(place, above, ""):
        pass
    assert died.value.violation.check == check
    assert "load" in died.value.violation.evidence
