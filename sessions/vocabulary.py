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


class Category(StrEnum):
    """The eight question categories of the study (arXiv 2611.03517)."""

    MEASUREMENT_CHECK = "measurement-check"
    BOUND_DIFFERENCING = "bound-differencing"
    BENCHMARK_VALIDITY = "benchmark-validity"
    GAP_TRIAGE = "gap-triage"
    AGENT_PROCESS = "agent-process"
    CHALLENGE_A_LIMIT = "challenge-a-limit"
    STRATEGY_OPTIONS = "strategy-options"
    HYPOTHESIS_CHECK = "hypothesis-check"


class Act(StrEnum):
    """What a message of a person mainly does: the study's five acts (arXiv 2611.03517)."""

    DIRECTIVE = "directive"
    QUESTION = "question"
    APPROVAL = "approval"
    CORRECTION = "correction"
    GOAL = "goal"


class Form(StrEnum):
    """How a message is worded, whatever it does: an order may be put as a question."""

    INTERROGATIVE = "interrogative"
    IMPERATIVE = "imperative"
    DECLARATIVE = "declarative"


class Truth(StrEnum):
    """What later evidence showed of what was said at a moment; for rework, whether it paid."""

    WRONG = "WRONG"
    PARTLY_WRONG = "PARTLY_WRONG"
    WRONG_ACROSS_RUNS = "WRONG_ACROSS_RUNS"
    RIGHT = "RIGHT"
    REAL = "REAL"
    UNRESOLVED = "UNRESOLVED"
    NOT_A_MOMENT = "NOT_A_MOMENT"


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
