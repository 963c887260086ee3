"""What a process looked like before and after, compared without a process."""

from dataclasses import replace

from harness.checks import Check
from harness.policy.runtime import Process, Range, after_call, after_load, read_maps
from harness.verdict import Status

LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"
LIBM = "/usr/lib/x86_64-linux-gnu/libm.so.6"
MINE = "/cache/builds/1/library.so"
BEFORE = Process(
    files=frozenset({"/cache/runner", LIBC}),
    code=(Range(0x1000, 0x3000, False, "/cache/runner"), Range(0x10000, 0x20000, False, LIBC)),
    threads=1,
    descriptors={0: "/dev/null", 2: "pipe:[1]", 3: "socket:[2]", 5: "/memfd:arena (deleted)"},
)
LOADED = replace(
    BEFORE,
    files=BEFORE.files | {MINE, LIBM},
    code=(*BEFORE.code, Range(0x30000, 0x31000, False, MINE), Range(0x40000, 0x41000, False, LIBM)),
)


def test_maps_are_read_as_the_kernel_writes_them() -> None:
    files, code = read_maps(
        "555555554000-555555558000 r-xp 00000000 fe:00 42         /a folder/runner\n"
        "7ffff0000000-7ffff0021000 rw-p 00000000 00:00 0 \n"
        "7ffff1000000-7ffff1001000 rwxp 00000000 00:00 0 \n"
        "7ffff7d00000-7ffff7e00000 rw-s 00000000 00:01 7          /memfd:arena (deleted)\n"
        "7ffff7fbd000-7ffff7fc1000 r--p 00000000 00:00 0          [vvar]\n"
        "7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0          [vdso]\n"
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n"
    )
    assert files == {"/a folder/runner", "/memfd:arena (deleted)"}
    assert code == (
        Range(0x555555554000, 0x555555558000, False, "/a folder/runner"),
        Range(0x7FFFF1000000, 0x7FFFF1001000, True, ""),
        Range(0x7FFFF7FBD000, 0x7FFFF7FC1000, False, "[vvar]"),
        Range(0x7FFFF7FC1000, 0x7FFFF7FC3000, False, "[vdso]"),
    )


def test_memory_that_is_shared_is_no_file_and_as_code_it_is_code() -> None:
    for name in ("/dev/zero (deleted)", "/anon_hugepage (deleted)"):
        files, code = read_maps(
            f"7ffff7200000-7ffff7400000 rw-s 00000000 00:01 1          {name}\n"
            f"7ffff7400000-7ffff7600000 r-xs 00000000 00:01 1          {name}\n"
        )
        assert files == frozenset()
        (found,) = after_call(LOADED, replace(LOADED, code=(*LOADED.code, *code)), "ks_run")
        assert "2097152 bytes of memory became code" in found.evidence


def test_a_clock_that_is_taken_out_breaks_policy() -> None:
    clock = (Range(0x90000, 0x91000, False, "[vvar]"), Range(0x91000, 0x92000, False, "[vdso]"))
    before = replace(LOADED, code=(*LOADED.code, *clock))
    assert list(after_call(before, before, "ks_run")) == []
    (found,) = after_call(before, replace(before, code=(*LOADED.code, clock[1])), "ks_run")
    assert (found.status, found.check) == (Status.POLICY, Check.MAPPINGS)
    assert "the kernel's clock ([vvar]) was taken out" in found.evidence
    assert list(after_load(replace(BEFORE, code=(*BEFORE.code, *clock)), LOADED, MINE)) != []


def test_loading_a_library_and_what_it_needs_is_nothing_to_report() -> None:
    assert list(after_load(BEFORE, LOADED, MINE)) == []


def test_loading_more_breaks_policy() -> None:
    for name in ("/usr/lib/x86_64-linux-gnu/libopenblas.so.0", "/tmp/libm.so.6", "/etc/passwd"):
        (found,) = after_load(BEFORE, replace(LOADED, files=LOADED.files | {name}), MINE)
        assert (found.status, found.check) == (Status.POLICY, Check.MAPPINGS)
        assert name in found.evidence


def test_memory_that_became_code_breaks_policy() -> None:
    for new in (Range(0x50000, 0x51000, False, ""), Range(0x30000, 0x31000, True, MINE)):
        (found,) = after_call(LOADED, replace(LOADED, code=(*LOADED.code[:3], new)), "ks_run")
        assert (found.status, found.check) == (Status.POLICY, Check.MAPPINGS)
        assert "4096 bytes of memory became code" in found.evidence
    (found,) = after_load(
        BEFORE, replace(LOADED, code=(*LOADED.code, Range(0x9000, 0xA000, False, ""))), MINE
    )
    assert found.check is Check.MAPPINGS


def test_a_file_that_was_mapped_in_a_call_breaks_policy() -> None:
    now = replace(LOADED, files=LOADED.files | {"/usr/lib/libx.so"})
    now = replace(now, code=(*LOADED.code, Range(0x9000, 0xA000, False, "/usr/lib/libx.so")))
    (found,) = after_call(LOADED, now, "ks_run")
    assert (found.status, found.check) == (Status.POLICY, Check.MAPPINGS)
    assert found.evidence.startswith("In ks_run the process mapped /usr/lib/libx.so;")


def test_code_that_was_split_or_unmapped_is_nothing_to_report() -> None:
    split = (Range(0x1000, 0x2000, False, "/cache/runner"), Range(0x2000, 0x3000, False, "/cache/runner"))
    assert list(after_call(LOADED, replace(LOADED, code=(*split, *LOADED.code[1:3])), "ks_run")) == []


def test_threads_and_descriptors_that_are_left_are_wrong() -> None:
    (thread,) = after_call(LOADED, replace(LOADED, threads=3), "ks_run")
    assert (thread.status, thread.check) == (Status.WRONG, Check.THREADS)
    assert "2 threads" in thread.evidence
    opened = {**LOADED.descriptors, 6: "/etc/pass\nwd"}
    closed = {number: link for number, link in LOADED.descriptors.items() if number != 5}
    replaced = {**LOADED.descriptors, 3: "pipe:[9]"}
    for descriptors, words in (
        (opened, "6 (/etc/pass?wd)"),
        (closed, "were closed: 5 (/memfd:arena (deleted))"),
        (replaced, "3 (pipe:[9])"),
    ):
        (found,) = after_call(LOADED, replace(LOADED, descriptors=descriptors), "ks_run")
        assert (found.status, found.check) == (Status.WRONG, Check.DESCRIPTORS)
        assert words in found.evidence
