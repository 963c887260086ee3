"""The first layer map, by example: every rule has a command or path that meets it."""

from typing import Any

import pytest

from sessions.commands import split
from sessions.layer_rules import COMMAND_RULES, PATH_RULES
from sessions.layers import command_text, edited_path, is_candidate, place
from sessions.vocabulary import Activity, Layer

A, K, M, B, H = Activity, Layer.KERNEL, Layer.MEMORY, Layer.BUILD, Layer.HOST

COMMANDS: list[tuple[str, Activity, tuple[Layer, ...]]] = [
    ("nvcc -O3 -arch=sm_90 k.cu -o k", A.BUILD, (B,)),
    ("CXX=clang++ cmake -B build . && ninja -C build", A.BUILD, (B,)),
    ("g++-13 -O3 x.cpp", A.BUILD, (B,)),
    ("make -j8", A.BUILD, (B,)),
    ("pip install -e .", A.BUILD, (B,)),
    ("uv pip install --editable .", A.BUILD, (B,)),
    ("python setup.py build_ext --inplace", A.BUILD, (B,)),
    ("pip install numpy", A.OTHER, ()),
    ("ncu ./k", A.PROFILE, (K,)),
    ("ncu --set full ./k", A.PROFILE, (K, M)),
    ("ncu --page raw --import r.ncu-rep 2>&1 | grep DRAM | head", A.PROFILE, (K, M)),
    ("ncu ./k; ls cache", A.PROFILE, (K,)),
    ("grep dram__bytes_read.sum r.txt", A.READ, (M,)),
    ("ncu --version", A.OTHER, ()),
    ("nvcc --version && gcc -v", A.OTHER, ()),
    ("nvcc -V", A.OTHER, ()),
    ("ncu --help | head", A.READ, ()),
    ("make clean", A.OTHER, ()),
    ("make -C build clean 2>/dev/null", A.OTHER, ()),
    ("make clean all", A.BUILD, (B,)),
    ("make clean && make", A.BUILD, (B,)),
    ("python benchmark.py --help", A.OTHER, ()),
    ("srun -p gpu --gres=gpu:1 ncu --metrics dram__bytes_read.sum ./k", A.PROFILE, (K, M)),
    ("docker run --rm --gpus all -v $PWD:/w image python3 /w/bench.py", A.BENCHMARK_RUN, ()),
    ("docker build -t image .", A.OTHER, ()),
    ("conda run -n t nsys profile ./k", A.HOST_TRACE, (H,)),
    ("conda run -n t --no-capture-output python bench.py", A.BENCHMARK_RUN, ()),
    ("bash -c 'ncu ./a'", A.PROFILE, (K,)),
    ('cd x && bash -lc "nvcc k.cu -o k && ncu ./k | grep DRAM"', A.PROFILE, (B, K, M)),
    ("bash -c 'bash -c \"nsys profile ./a\"'", A.HOST_TRACE, (H,)),
    ("gpu-lock-exec python benchmark.py", A.BENCHMARK_RUN, ()),
    ("python test_perf.py", A.BENCHMARK_RUN, ()),
    ("nice -n 10 make -j8", A.BUILD, (B,)),
    ("timeout -k 5 600 python bench.py", A.BENCHMARK_RUN, ()),
    ("echo ncu ./k", A.OTHER, ()),
    ("sudo apt install cmake", A.OTHER, ()),
    ("sudo ncu --metrics dram__bytes_read.sum ./k", A.PROFILE, (K, M)),
    ("perf stat ./k", A.PROFILE, (K,)),
    ("perf stat -e cache-misses ./k", A.PROFILE, (K, M)),
    ("perf mem record ./k", A.PROFILE, (K, M)),
    ("valgrind --tool=cachegrind ./k", A.PROFILE, (K, M)),
    ("rocprofv3 --stats ./k", A.PROFILE, (K,)),
    ("python scratch/profile_decode.py", A.PROFILE, (K,)),
    ("perf trace ./k", A.HOST_TRACE, (H,)),
    ("nsys profile -o out python run.py", A.HOST_TRACE, (H,)),
    ("strace -c ./k", A.HOST_TRACE, (H,)),
    ("py-spy record -o x.svg -- python run.py", A.HOST_TRACE, (H,)),
    ("python -m cProfile run.py", A.HOST_TRACE, (H,)),
    ("cuobjdump --dump-sass k.o | grep FFMA", A.DISASSEMBLE, (B,)),
    ("objdump -d k.so | head", A.DISASSEMBLE, (B,)),
    ("nvcc -O3 --ptx k.cu", A.DISASSEMBLE, (B,)),
    ("grep -c HMMA k.sass", A.DISASSEMBLE, (B,)),
    ("kernelseek evaluate candidate.cpp --json", A.BENCHMARK_RUN, ()),
    ("cd repo && timeout 600 uv run python benchmark.py", A.BENCHMARK_RUN, ()),
    ("uv run python check.py 2>&1 | tail -5", A.BENCHMARK_RUN, ()),
    ("./evaluate --candidate attn.cu", A.BENCHMARK_RUN, ()),
    ("pytest tests -k perf", A.BENCHMARK_RUN, ()),
    ("python -m pytest benchmarks/test_gemm.py", A.BENCHMARK_RUN, ()),
    ("./bench_decode 128", A.BENCHMARK_RUN, ()),
    ("make bench", A.BENCHMARK_RUN, ()),
    ("make && ./evaluate", A.BENCHMARK_RUN, (B,)),
    ("nvcc k.cu -o k && ncu ./k", A.PROFILE, (B, K)),
    ("cat kernel.cu", A.READ, ()),
    ("git diff HEAD~1", A.READ, ()),
    ("sed -n 1,20p k.cu", A.READ, ()),
    ("sed -i s/64/128/ k.cu", A.KERNEL_EDIT, (K,)),
    ("cat > k.cu <<'EOF'\nncu nsys make\nEOF", A.KERNEL_EDIT, (K,)),
    ("echo x > notes.txt", A.OTHER, ()),
    ("./k > log.txt 2>&1", A.OTHER, ()),
    ("git commit -m 'run ncu; make; nsys'", A.OTHER, ()),
    ("", A.OTHER, ()),
    ("echo 'unclosed", A.OTHER, ()),
]


@pytest.mark.parametrize(("command", "activity", "layers"), COMMANDS)
def test_commands(command: str, activity: Activity, layers: tuple[Layer, ...]) -> None:
    given = {"command": command}
    assert place("Bash", given) == (activity, layers)


def test_every_command_rule_is_met_by_an_example() -> None:
    met = {
        rule.why
        for line, _, _ in COMMANDS
        for command in split(line)
        for rule in COMMAND_RULES
        if rule.program.match(command.program) and (rule.words is None or rule.words.search(command.text))
    }
    assert {rule.why for rule in COMMAND_RULES} == met


PATHS: list[tuple[str, Activity, tuple[Layer, ...]]] = [
    ("/w/attn.cu", A.KERNEL_EDIT, (K,)),
    ("/w/KernelBench-Hard/problems/06/solution.py", A.KERNEL_EDIT, (K,)),
    ("csrc/decode.cpp", A.KERNEL_EDIT, (K,)),
    ("fused_moe.py", A.KERNEL_EDIT, (K,)),
    ("tests/test_gemm.py", A.BENCHMARK_EDIT, (Layer.BENCHMARK,)),
    ("reference.py", A.BENCHMARK_EDIT, (Layer.BENCHMARK,)),
    ("bench/run.py", A.BENCHMARK_EDIT, (Layer.BENCHMARK,)),
    ("scenarios.yaml", A.BENCHMARK_EDIT, (Layer.BENCHMARK,)),
    ("tolerance.toml", A.BENCHMARK_EDIT, (Layer.BENCHMARK,)),
    ("CMakeLists.txt", A.OTHER_EDIT, (B,)),
    ("normalize_text.py", A.OTHER_EDIT, ()),
    ("checkpoint.py", A.OTHER_EDIT, ()),
    ("README.md", A.OTHER_EDIT, ()),
]


@pytest.mark.parametrize(("path", "activity", "layers"), PATHS)
def test_paths(path: str, activity: Activity, layers: tuple[Layer, ...]) -> None:
    given = {"file_path": path, "content": "x"}
    assert place("Write", given) == (activity, layers)


def test_every_path_rule_is_met_by_an_example() -> None:
    met = {activity for _, activity, layers in PATHS if layers}
    assert {rule.activity for rule in PATH_RULES} == met


def test_the_candidate_goes_first() -> None:
    given = {"file_path": "/w/check.py", "content": "x"}
    assert place("Write", given, candidate="check.py")[0] is A.KERNEL_EDIT
    assert place("Bash", {"command": "cat > check.py <<E\nE"}, "/w/check.py")[0] is A.KERNEL_EDIT


@pytest.mark.parametrize(
    ("tool", "given", "activity"),
    [
        ("Read", {"file_path": "k.cu"}, A.READ),
        ("read", {"filePath": "k.cu"}, A.READ),
        ("ReadFile", {"path": "k.cu"}, A.READ),
        ("str_replace_based_edit_tool", {"command": "view", "path": "k.cu"}, A.READ),
        (
            "str_replace_based_edit_tool",
            {"command": "str_replace", "path": "k.cu", "old_str": "a"},
            A.KERNEL_EDIT,
        ),
        ("Shell", {"command": "ncu ./k"}, A.PROFILE),
        ("shell", {"command": ["bash", "-lc", "ls"]}, A.READ),
        ("shell", {"command": ["bash", "-lc", "cd w && ncu ./k | grep 'DRAM'"]}, A.PROFILE),
        ("Shell", {"raw": '{"command": "nvcc k.cu"}'}, A.BUILD),
        ("Shell", {"raw": '{"command": "nvcc k.c'}, A.OTHER),
        ("StrReplaceFile", {"path": "k.cu", "edit": {"old": "a", "new": "b"}}, A.KERNEL_EDIT),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/k.cu\n"}, A.KERNEL_EDIT),
        ("Edit", {"input": "/w/solution.py"}, A.KERNEL_EDIT),
        ("void", {"filePath": "/w/solution.py", "oldString": "a", "newString": "b"}, A.KERNEL_EDIT),
        ("Agent", {"prompt": "run ncu", "description": "x"}, A.OTHER),
        ("TodoWrite", {"todos": []}, A.OTHER),
        ("mcp__files__edit", {"path": "k.cu", "new_str": "x"}, A.KERNEL_EDIT),
        ("Bash", {}, A.OTHER),
        ("Bash", {"command": None}, A.OTHER),
        ("", {}, A.OTHER),
    ],
)
def test_tools_of_other_agents(tool: str, given: dict[str, Any], activity: Activity) -> None:
    assert place(tool, given)[0] is activity


def test_paths_and_commands_are_only_taken_from_tools_that_have_them() -> None:
    assert edited_path("Bash", {"command": "x", "file_path": "k.cu", "content": "y"}) is None
    assert edited_path("WebFetch", {"url": "x"}) is None
    assert command_text("Edit", {"command": "ls"}) is None


@pytest.mark.parametrize(
    ("path", "candidate", "same"),
    [
        ("/w/a/candidate.cpp", "candidate.cpp", True),
        ("candidate.cpp", "/w/a/candidate.cpp", True),
        ("/w/b/candidate.cpp", "/w/a/candidate.cpp", False),
        ("/w/other.cpp", "candidate.cpp", False),
        ("x", None, False),
        ("", "candidate.cpp", False),
    ],
)
def test_is_candidate(path: str, candidate: str | None, same: bool) -> None:
    assert is_candidate(path, candidate) is same
