"""What a built candidate asks for is examined by name; honest C++ passes whole."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.build import find_compiler
from harness.checks import Check
from harness.policy.binary import Binary, examine
from harness.policy.libraries import ALLOWED, FORBIDDEN, forbidden_by, forbids, forbids_symbol

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="binaries are ELF on Linux only")
DOCUMENT = Path(__file__).parents[3] / "docs" / "policy.md"

HONEST = """
#include <cmath>
#include <future>
#include <iostream>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>
static std::vector<float> table(100, 1.0f);
static std::once_flag once;
thread_local std::vector<double> scratch;
extern "C" int ks_run(float *x) {
  std::call_once(once, [] { table[3] = 2; });
  scratch.resize(10);
  std::mt19937 random(std::random_device{}());
  std::cerr << random() << std::endl;
  std::thread worker([x] { x[0] = std::exp(x[1]); });
  worker.join();
  if (std::async(std::launch::async, [] { return 3; }).get() != 3) throw std::runtime_error("x");
  return static_cast<int>(table[3]);
}
"""


def library(folder: Path, source: str, *flags: str) -> Path:
    (folder / "library.cpp").write_text(source)
    command = [find_compiler()[0], "-std=c++17", "-O2", "-fPIC", "-shared", "library.cpp", "-o", "library.so"]
    subprocess.run([*command, *flags], cwd=folder, check=True, capture_output=True)
    return folder / "library.so"


def examined(folder: Path, source: str, *flags: str, forbidden: tuple[str, ...] = ()) -> Binary:
    return examine(library(folder, source, *flags), forbidden)


@linux
def test_what_the_language_offers_is_honest(tmp_path: Path) -> None:
    found = examined(tmp_path, HONEST)
    assert found.examined
    assert found.findings == ()
    assert found.flags == ()
    assert "libstdc++.so.6" in found.needed or "libc++.so.1" in found.needed
    assert any("thread" in name for name in found.undefined)


@linux
def test_statics_in_an_order_of_the_authors_are_the_compilers(tmp_path: Path) -> None:
    statics = "static std::vector<int> first __attribute__((init_priority(200))) = {1, 2};\n"
    assert examined(tmp_path, "#include <vector>\n" + statics + HONEST).findings == ()


RUN = 'extern "C" int ks_run(float *x) '
BAD = {
    "loader": ("#include <dlfcn.h>\n" + RUN + '{ return !dlopen("x", 1); }', Check.LOADER, "dlopen"),
    "raw call": ("#include <unistd.h>\n" + RUN + "{ return syscall(39); }", Check.LOADER, "syscall"),
    "protection": (
        "#include <sys/mman.h>\n" + RUN + "{ return mprotect(x, 4096, 7); }",
        Check.LOADER,
        "mprotect",
    ),
    "process": (
        "#include <stdlib.h>\n#include <unistd.h>\n" + RUN + '{ return fork() + system("x"); }',
        Check.LIBRARIES,
        "fork, system",
    ),
    "network": (
        "#include <sys/socket.h>\n" + RUN + "{ return socket(2, 1, 0); }",
        Check.LIBRARIES,
        "socket",
    ),
    "blas": (
        'extern "C" void cblas_sgemm(); ' + RUN + "{ cblas_sgemm(); return 0; }",
        Check.LIBRARIES,
        "cblas_sgemm",
    ),
    "torch": (
        "namespace at { void matmul(); } " + RUN + "{ at::matmul(); return 0; }",
        Check.LIBRARIES,
        "_ZN2at6matmulEv",
    ),
    "constructor": (
        '__attribute__((constructor)) static void early() { asm("nop"); } ' + RUN + "{ return 0; }",
        Check.CONSTRUCTORS,
        "early",
    ),
    "exported constructor": (
        '__attribute__((constructor)) void early() { asm("nop"); } ' + RUN + "{ return 0; }",
        Check.CONSTRUCTORS,
        "early",
    ),
    "own table": (
        'static void early() {} __attribute__((section(".init_array"), used)) static void (*at)() = early; '
        + RUN
        + "{ return 0; }",
        Check.CONSTRUCTORS,
        "early",
    ),
    "ifunc": (
        'extern "C" void *choose() { return nullptr; } void chosen() __attribute__((ifunc("choose"))); '
        + RUN
        + "{ chosen(); return 0; }",
        Check.CONSTRUCTORS,
        "choose",
    ),
    "interposed": (
        'struct timespec; extern "C" int clock_gettime(int, timespec *) { return 0; } '
        + RUN
        + "{ return 0; }",
        Check.LOADER,
        "defines clock_gettime",
    ),
    "stack": (
        'asm(".section .note.GNU-stack,\\"x\\",@progbits\\n.text"); ' + RUN + "{ return 0; }",
        Check.LOADER,
        "stack",
    ),
}


@linux
@pytest.mark.parametrize("name", BAD)
def test_a_forbidden_name_is_refused_by_a_named_check(name: str, tmp_path: Path) -> None:
    source, check, words = BAD[name]
    (finding,) = examined(tmp_path, source).findings
    assert finding.check is check
    assert words in finding.evidence


@linux
def test_other_libraries_and_places_are_refused(tmp_path: Path) -> None:
    flags = ("-Wl,--no-as-needed", "-l:libresolv.so.2", "-Wl,-rpath,/tmp")
    found = examined(tmp_path, RUN + "{ return 0; }", *flags)
    assert [one.check for one in found.findings] == [Check.LIBRARIES, Check.LOADER]
    assert "libresolv.so.2" in found.findings[0].evidence
    assert re.search(r"DT_R(UN)?PATH", found.findings[1].evidence)


@linux
def test_a_system_call_in_the_code_is_only_flagged(tmp_path: Path) -> None:
    code = 'asm volatile("syscall")' if find_machine() == "x86_64" else 'asm volatile("svc #0")'
    found = examined(tmp_path, RUN + "{ " + code + "; return 0; }")
    assert found.findings == ()
    assert [flag.code for flag in found.flags] == ["system_call_opcode"]


def find_machine() -> str:
    import platform

    return platform.machine()


@linux
def test_a_goal_forbids_more(tmp_path: Path) -> None:
    source = 'extern "C" void quickmath_sum(); ' + RUN + "{ quickmath_sum(); return 0; }"
    path = library(tmp_path, source)
    assert examine(path).findings == ()
    (finding,) = examine(path, ["libquickmath*"]).findings
    assert finding.check is Check.LIBRARIES
    assert "quickmath_sum, which the goal forbids ('libquickmath*')" in finding.evidence


@linux
def test_a_damaged_file_is_refused_and_none_is_a_crash(tmp_path: Path) -> None:
    whole = library(tmp_path, RUN + "{ return 0; }").read_bytes()
    damaged = tmp_path / "damaged.so"
    for cut in (4, 40, 70, len(whole) // 3, len(whole) - 200):
        damaged.write_bytes(whole[:cut])
        assert [one.check for one in examine(damaged).findings] == [Check.LOADER], cut


def test_what_is_no_elf_is_not_examined_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "library.dylib"
    path.write_bytes(b"\xcf\xfa\xed\xfe" + bytes(100))
    found = examine(path)
    assert not found.examined
    assert found.findings == ()
    assert [flag.code for flag in found.flags] == ["binary_not_examined"]


def test_globs_name_libraries_and_their_symbols() -> None:
    assert forbids("*blas*", "libopenblas.so.0")
    assert forbids("libmkl*", "libmkl_rt.so.2")
    assert forbids("libfoo", "libfoo.so.1")
    assert not forbids("libmkl*", "libm.so.6")
    assert forbids_symbol("libmkl*", "mkl_sgemm")
    assert forbids_symbol("*blas*", "cblas_sgemm")
    assert forbids_symbol("libfoo.so*", "foo_run")
    assert not forbids_symbol("libm*", "memcpy")
    assert forbidden_by(("*blas*",), ("libc.so.6",), ("cblas_sgemm",)).endswith("goal forbids ('*blas*').")
    assert forbidden_by(("*blas*",), ("libc.so.6",), ("memcpy",)) == ""


def test_the_document_has_every_group_and_library() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| (.+?) \| (.+) \|$", text, re.MULTILINE)
    told = {name: (check, why, tuple(re.findall(r"`([^`]+)`", names))) for name, check, why, names in rows}
    assert told == {group.name: (str(group.check), group.why, group.names) for group in FORBIDDEN}
    line = next(line for line in text.splitlines() if line.startswith("Allowed:"))
    assert tuple(re.findall(r"`([^`]+)`", line)) == ALLOWED
