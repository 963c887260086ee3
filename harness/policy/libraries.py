"""What a candidate's binary may need and may not ask for, as tables; docs/policy.md shows them.

Who asks for a name here gets a refusal that says the name. Who gets the same thing without a name (an inline
system call, a pointer found in memory) meets the filter of `native/contain.h` and `policy.runtime` instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from harness.checks import Check

ALLOWED = (
    "libstdc++.so.6",
    "libc++.so.1",
    "libc++abi.so.1",
    "libunwind.so.1",
    "libm.so.6",
    "libmvec.so.1",
    "libgcc_s.so.1",
    "libc.so.6",
    "ld-linux*.so.*",
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
)
"""What a binary may need (globs over the names it gives): the C++ library, libm and the C library, of which
older ones came in several files. libdl holds only the loader's functions, which are refused by name."""

ALWAYS_NEEDED = ("libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2")
"""What the compiler links in by itself; a goal cannot forbid it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Names that are refused for one reason. `names` are globs over a symbol without its version."""

    name: str
    check: Check
    why: str
    names: tuple[str, ...]


FORBIDDEN = (
    Group(
        "loader",
        Check.LOADER,
        "loads other code or looks for it",
        (
            *("dlopen", "dlmopen", "dlsym", "dlvsym", "dlclose", "dladdr", "dladdr1", "dlinfo"),
            *("dl_iterate_phdr", "_dl_*", "__libc_dl*", "_r_debug", "_rtld_global*"),
        ),
    ),
    Group(
        "system calls",
        Check.LOADER,
        "asks the system past the C library",
        ("syscall", "__syscall*", "prctl", "arch_prctl", "seccomp*"),
    ),
    Group(
        "memory",
        Check.LOADER,
        "changes what memory may be used for, shares it, or looks into another process",
        (
            *("mprotect", "__mprotect", "pkey_*", "remap_file_pages", "memfd_*", "shm_open", "shmget"),
            *("shmat", "ptrace", "process_vm_*", "process_madvise"),
        ),
    ),
    Group(
        "processes",
        Check.LIBRARIES,
        "starts or signals processes, or wakes this one",
        (
            *("fork", "_Fork", "__fork", "vfork", "__libc_fork", "clone", "clone3", "__clone*", "unshare"),
            *("setns", "exec[lv]*", "fexecve", "posix_spawn*", "system", "popen", "daemon", "wordexp"),
            *("forkpty", "kill", "killpg", "tkill", "tgkill", "sigqueue", "pthread_sigqueue", "pidfd_*"),
            *("setsid", "setpgid", "setpgrp", "timer_create", "setitimer", "alarm", "ualarm"),
        ),
    ),
    Group(
        "network",
        Check.LIBRARIES,
        "opens a network connection",
        (
            *("socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "getaddrinfo"),
            *("gethostby*", "send", "sendto", "sendmsg", "sendmmsg", "recv", "recvfrom", "recvmsg"),
        ),
    ),
    Group(
        "libraries",
        Check.LIBRARIES,
        "is another library's kernel",
        (
            *("cblas_*", "[sdcz]gemm_", "[sdcz]gemv_", "sbgemm_", "mkl_*", "MKL_*", "vml[SD]*", "dnnl_*"),
            *("_ZN4dnnl*", "libxsmm_*", "openblas_*", "bli_*", "xnn_*", "_ZN2at*", "_ZNK2at*", "_ZN3c10*"),
            *("_ZNK3c10*", "_ZN5torch*", "aoti_torch_*", "Py[A-Z_]*", "_Py[A-Z_]*", "cublas*", "cudnn*"),
            *("GOMP_*", "omp_*", "__kmpc_*"),
        ),
    ),
)
"""Every name that is refused. OpenMP is among the libraries: a call runs on the one core it is pinned to.
Files are no group: an honest kernel may print, and what it opens is the filter's matter."""

OF_THE_RUNNER = (
    *("clock_gettime", "clock_getres", "clock", "gettimeofday", "time", "getrusage", "malloc", "calloc"),
    *("realloc", "free", "memcpy", "memmove", "memset", "strlen", "read", "write", "mmap", "munmap"),
    *("close", "fcntl", "dlopen", "dlsym", "dlerror", "dl_iterate_phdr", "_exit", "exit", "abort", "prctl"),
    *("signal", "syscall", "__errno_location", "__libc_*", "__cxa_*", "_Unwind_*", "__tls_get_addr"),
    *("pthread_*", "_dl_*"),
)
"""Names of the runner and its libraries that a candidate may not define for others to find."""

CONSTRUCTORS = (
    *("_GLOBAL__sub_I_*", "_GLOBAL__sub_I.[0-9]*", "frame_dummy", "__cpu_indicator_init"),
    *("init_cpu_features*", "_init"),
)
"""What the compiler makes to be run at loading: static objects (with their `init_priority`), its own frame,
and which processor this is. `-fsanitize` and such are no flags of ours, so nothing else is honest."""


def forbids(glob: str, library: str) -> bool:
    """Whether one of a goal's `forbidden_libraries` names this library (`libopenblas.so.0`)."""
    return fnmatchcase(library, glob) or fnmatchcase(library.partition(".so")[0], glob)


def forbids_symbol(glob: str, symbol: str) -> bool:
    """Whether it names a symbol: `libmkl*` stands for `mkl*`, and `*blas*` for what has blas in its name."""
    stem = glob.removeprefix("lib").partition(".so")[0]
    if not stem.endswith("*"):
        stem = f"{stem}_*"
    return len(stem.strip("*_")) > 2 and fnmatchcase(symbol, stem)


def forbidden_by(globs: Sequence[str], needed: Sequence[str], undefined: Sequence[str]) -> str:
    """What of a binary a goal forbids, in a sentence; "" for nothing."""
    for glob in globs:
        found = next((one for one in needed if forbids(glob, one)), None)
        if found is not None:
            return f"The binary needs {found}, which the goal forbids ('{glob}')."
        found = next((one for one in undefined if forbids_symbol(glob, one)), None)
        if found is not None:
            return f"The binary asks for {found}, which the goal forbids ('{glob}')."
    return ""
