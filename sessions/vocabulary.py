"""The words that sessions, bank, decisions and screens share."""

from enum import StrEnum


class Layer(StrEnum):
    """Where in the system work happens."""

    KERNEL = "kernel"
    MEMORY = "memory"
    BUILD = "build"
    HOST = "host"
    ROUTING = "routing"
    NUMERICS = "numerics"
    BENCHMARK = "benchmark"
    PROCESS = "process"


class DecisionKind(StrEnum):
    """A kind of moment when a question is worth asking."""

    SCOPE = "scope"
    PLATEAU = "plateau"
    CLAIMED_LIMIT = "claimed_limit"
    CLAIMED_COMPLETION = "claimed_completion"
    SUSPICIOUS_WIN = "suspicious_win"
    EXPLAINED_ANOMALY = "explained_anomaly"
    REPEATED_EDIT = "repeated_edit"
    AGENT_LOOP = "agent_loop"


class GapClass(StrEnum):
    """What holds a scenario back, decided before code is touched."""

    HOST = "host"
    ROUTING = "routing"
    KERNEL = "kernel"


class Activity(StrEnum):
    """What a tool call does, as far as its name and command tell."""

    READ = "read"
    KERNEL_EDIT = "kernel_edit"
    BENCHMARK_EDIT = "benchmark_edit"
    OTHER_EDIT = "other_edit"
    BUILD = "build"
    BENCHMARK_RUN = "benchmark_run"
    PROFILE = "profile"
    DISASSEMBLE = "disassemble"
    HOST_TRACE = "host_trace"
    OTHER = "other"


FILES_ONLY = frozenset({Activity.READ, Activity.KERNEL_EDIT, Activity.BENCHMARK_EDIT, Activity.OTHER_EDIT})
"""Activities that read or write files and run nothing."""
