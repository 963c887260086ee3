"""The tables of the first layer map: which names give away what a command or an edit does, and why."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sessions.vocabulary import Activity, Layer


@dataclass(frozen=True, slots=True)
class CommandRule:
    """A program (and words among its arguments) that gives away what a command does.

    `piped`: the words count wherever they stand in the pipeline ("ncu ... | grep DRAM").
    """

    activity: Activity
    layers: tuple[Layer, ...]
    program: re.Pattern[str]
    words: re.Pattern[str] | None
    why: str
    piped: bool = False


@dataclass(frozen=True, slots=True)
class PathRule:
    """A file name that gives away what an edit changes. `folders`: the folder's name is enough."""

    activity: Activity
    layers: tuple[Layer, ...]
    name: re.Pattern[str]
    folders: frozenset[str]
    why: str


def _rule(
    activity: Activity,
    layers: Iterable[Layer],
    program: str,
    words: str | None,
    why: str,
    piped: bool = False,
) -> CommandRule:
    return CommandRule(
        activity,
        tuple(layers),
        re.compile(rf"(?:{program})\Z", re.IGNORECASE),
        re.compile(words, re.IGNORECASE) if words else None,
        why,
        piped,
    )


_MEMORY_WORDS = (
    r"dram|l1tex|lts__|sector|bank.?conflict|smsp__.*(?:ld|st)\b|memoryworkload|mem[_-]|memory"
    r"|cache|\bllc\b|\bdtlb|bandwidth|--set[ =](?:full|detailed|roofline)"
)
_PYTHON = r"python[0-9.]*|pypy[0-9.]*"

# For one program the first matching rule speaks. In a chain the earliest rule of the table names the
# activity, so the more telling come first, and every program's layers are visited.
COMMAND_RULES: tuple[CommandRule, ...] = (
    _rule(
        Activity.PROFILE,
        (Layer.KERNEL, Layer.MEMORY),
        r"ncu|nv-nsight-cu-cli|rocprof(?:v[0-9])?|rocprof-compute|omniperf|vtune|likwid-perfctr",
        _MEMORY_WORDS,
        "a counter profiler asked about memory looks at the memory system as well",
        piped=True,
    ),
    _rule(
        Activity.PROFILE,
        (Layer.KERNEL, Layer.MEMORY),
        r"perf",
        rf"\bperf\s+(?:mem|c2c)\b|\bperf\s+(?:stat|record)\b.*(?:{_MEMORY_WORDS})",
        "perf asked about caches or memory",
    ),
    _rule(
        Activity.PROFILE,
        (Layer.KERNEL,),
        r"ncu|nv-nsight-cu-cli|rocprof(?:v[0-9])?|rocprof-compute|omniperf|vtune|likwid-perfctr",
        None,
        "counter profilers look inside kernels",
    ),
    _rule(
        Activity.PROFILE,
        (Layer.KERNEL,),
        r"perf",
        r"\bperf\s+(?:stat|record|report|annotate|top)\b",
        "perf's counting and sampling modes look inside the code that runs",
    ),
    _rule(
        Activity.PROFILE,
        (Layer.KERNEL, Layer.MEMORY),
        r"valgrind",
        r"cachegrind|--cache-sim",
        "a cache simulator looks at memory accesses",
    ),
    _rule(
        Activity.PROFILE,
        (Layer.KERNEL,),
        _PYTHON,
        r"torch\.profiler|torch\.autograd\.profiler|\bprofil\w*\.py|/profil\w*\.py|\btriton\.profiler|\bproton\b",
        "a script that profiles kernels by name or library",
    ),
    _rule(
        Activity.HOST_TRACE,
        (Layer.HOST,),
        r"nsys|strace|ltrace|py-spy|viztracer|austin|scalene|bpftrace|pyinstrument",
        None,
        "timelines and call traces show the launch path, not the kernel",
    ),
    _rule(
        Activity.HOST_TRACE,
        (Layer.HOST,),
        r"perf",
        r"\bperf\s+(?:trace|sched)\b",
        "perf trace and perf sched show system calls and waiting",
    ),
    _rule(
        Activity.HOST_TRACE,
        (Layer.HOST,),
        _PYTHON,
        r"\bcProfile\b|-m\s+(?:viztracer|pyinstrument|scalene|profile)\b",
        "Python's own profilers time host code",
    ),
    _rule(
        Activity.DISASSEMBLE,
        (Layer.BUILD,),
        r"cuobjdump|nvdisasm|(?:llvm-)?objdump|roc-obj\S*|c\+\+filt",
        None,
        "reading machine code checks what the compiler made",
    ),
    _rule(
        Activity.DISASSEMBLE,
        (Layer.BUILD,),
        r"nvcc|hipcc|gcc|g\+\+|clang(?:\+\+)?|cc|c\+\+",
        r"\s-S\b|\s--?ptx\b|\s--?cubin\b|-save-temps|--keep\b|-fopt-info|-Rpass|--resource-usage"
        r"|-Xptxas[= ]\S*-v",
        "asking the compiler for its output is reading the build",
    ),
    _rule(
        Activity.DISASSEMBLE,
        (Layer.BUILD,),
        r"grep|rg|cat|less|head|tail|sed|awk|wc",
        r"\.(?:sass|ptx|cubin)\b",
        "looking through SASS or PTX",
    ),
    _rule(
        Activity.BENCHMARK_RUN,
        (),
        r"kernelseek",
        r"\bkernelseek\s+evaluate\b",
        "the judge measures; it is not a place where work happens",
    ),
    _rule(
        Activity.BENCHMARK_RUN,
        (),
        rf"{_PYTHON}|bash|sh",
        r"(?:^|[\s/])(?:\w*bench\w*|check|evaluate|eval|run_eval|time_\w+|perf_\w+"
        r"|\w*_(?:perf|speed|latency|throughput|timing))\.(?:py|sh)\b"
        r"|-m\s+(?:timeit|\S*bench\S*)|\btriton\.testing\b|do_bench",
        "scripts named after what they measure",
    ),
    _rule(
        Activity.BENCHMARK_RUN,
        (),
        r"pytest|py\.test",
        r"-k\s+\S*(?:perf|bench|speed)|bench",
        "tests that measure",
    ),
    _rule(
        Activity.BENCHMARK_RUN,
        (),
        _PYTHON,
        r"-m\s+pytest\b.*(?:-k\s+\S*(?:perf|bench|speed)|bench)",
        "tests that measure",
    ),
    _rule(
        Activity.BENCHMARK_RUN,
        (),
        r"evaluate(?:\.\w+)?|\w*bench\w*(?:\.\w+)?|hyperfine|nvbench\S*",
        None,
        "a program named after what it measures",
    ),
    _rule(
        Activity.BENCHMARK_RUN,
        (),
        r"make|ninja|cargo",
        r"\b(?:bench|benchmark|perf|evaluate)\b",
        "a build target that measures",
    ),
    _rule(
        Activity.BUILD,
        (Layer.BUILD,),
        r"nvcc|hipcc|gcc(?:-[0-9]+)?|g\+\+(?:-[0-9]+)?|clang(?:\+\+)?(?:-[0-9]+)?|cc|c\+\+|ptxas|ninja|make"
        r"|cmake|meson|bazel|ccache",
        None,
        "compilers and build tools",
    ),
    _rule(
        Activity.BUILD,
        (Layer.BUILD,),
        r"pip[0-9.]*|uv|cargo|go",
        r"\binstall\b.*(?:\s-e\b|--editable|\s\.(?:\s|$))|\b(?:cargo|go)\s+build\b",
        "installing the project builds its extensions",
    ),
    _rule(
        Activity.BUILD,
        (Layer.BUILD,),
        _PYTHON,
        r"\bsetup\.py\s+(?:build|install|develop)|-m\s+(?:pip\s+install\b.*(?:\s-e\b|\s\.(?:\s|$))|build\b)"
        r"|cpp_extension|load_inline",
        "Python that compiles extensions",
    ),
    _rule(
        Activity.READ,
        (Layer.MEMORY,),
        r"grep|rg|awk|sed|cat",
        r"dram__|l1tex__|lts__",
        "looking through a profile for counters of the memory system",
    ),
    _rule(
        Activity.READ,
        (),
        r"cat|head|tail|less|more|ls|tree|grep|rg|ag|find|fd|wc|diff|stat|file|nl|bat|jq|nvidia-smi|lscpu",
        None,
        "looking only",
    ),
    _rule(Activity.READ, (), r"sed", r"\s-n\b", "sed -n prints lines"),
    _rule(
        Activity.READ, (), r"git", r"\bgit\s+(?:diff|log|show|status|blame|grep)\b", "git's reading commands"
    ),
)

# Asked for its version or options a program does nothing, and a target that only tidies up builds nothing.
NOTHING_DONE = re.compile(
    r"\S+(?:\s.*)?\s(?:--version|--help|--query-metrics\S*|--list-\w+)\b"
    r"|\S+\s+(?:-h|-V|-v|help|version)\s*(?:\d?>.*)?\Z"
    r"|(?:\S*/)?(?:g?make|ninja)\b(?!.*\s(?:all|install)\b).*\s(?:dist)?clean\s*(?:\d?>.*)?\Z",
    re.IGNORECASE | re.DOTALL,
)

_CODE = r"\.(?:py|c|cc|cpp|cxx|h|hh|hpp|rs|mojo|cu|cuh|hip|cl|metal|ptx)\Z"

# In order; a candidate named by the session goes before all of them.
PATH_RULES: tuple[PathRule, ...] = (
    PathRule(
        Activity.BENCHMARK_EDIT,
        (Layer.BENCHMARK,),
        re.compile(
            r"(?:^|[_\-.])(?:\w*bench\w*|tests?|test\w+|checks?|reference|ref|scenarios?|tolerances?|conftest"
            r"|shapes|baselines?|evaluate|oracle|correctness)(?:[_\-.]|$)",
            re.IGNORECASE,
        ),
        frozenset({"test", "tests", "bench", "benchmark", "benchmarks", "scenarios", "reference"}),
        "changes what is measured, or what counts as right",
    ),
    PathRule(
        Activity.KERNEL_EDIT,
        (Layer.KERNEL,),
        re.compile(r"\.(?:cu|cuh|hip|cl|metal|ptx|sass)\Z", re.IGNORECASE),
        frozenset(),
        "device code by its extension",
    ),
    PathRule(
        Activity.KERNEL_EDIT,
        (Layer.KERNEL,),
        re.compile(
            rf"(?=.*{_CODE})(?:^|[_\-.])(?:\w*kernels?|candidate\w*|solution\w*|\w*attn|\w*attention|\w*gemm\w*"
            r"|\w*matmul\w*|\w*softmax|\w*norm|conv[123]d\w*|topk|moe|triton\w*|cutlass\w*|cute|rope|quant|fused"
            r"|flash\w*)(?:[_\-.0-9]|$)",
            re.IGNORECASE,
        ),
        frozenset({"kernels", "csrc", "candidates"}),
        "a source file named after a kernel",
    ),
    PathRule(
        Activity.OTHER_EDIT,
        (Layer.BUILD,),
        re.compile(
            r"(?:^|/)(?:CMakeLists\.txt|Makefile|setup\.py|meson\.build|build\.ninja|BUILD)\Z|\.cmake\Z"
        ),
        frozenset(),
        "how things are compiled",
    ),
)
CODE_NAME = re.compile(_CODE, re.IGNORECASE)

RECOGNISABLE: frozenset[Layer] = frozenset(
    [layer for rule in COMMAND_RULES for layer in rule.layers]
    + [layer for rule in PATH_RULES for layer in rule.layers]
)
"""Layers that the map knows a sign of. Of the others nothing follows from a session without them."""
