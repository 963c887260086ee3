"""What a draft has where nobody said anything: plain, true of many questions, and there to be edited."""

from collections.abc import Iterable

from bank.errors import BankError
from bank.question import Architecture, Category, Group, Moves, Outcome
from sessions.vocabulary import Activity, DecisionKind, Layer

NOT_WRITTEN = "Not written yet: the words that were used cannot stand in a bank"
"""In the place of a question whose words carry an answer or are too many. It breaks Q02 until replaced."""

NO_OUTCOME = "Not written yet: nothing is known of where an answer leads"
"""In the place of outcomes where no other layer is known. Without a layer and a verdict it breaks Q14."""

PREFIXES: dict[Group, str] = {
    Group.SCOPE: "scope",
    Group.BOUNDS: "bounds",
    Group.MEASUREMENT: "measure",
    Group.BENCHMARK: "bench",
    Group.HOST: "host",
    Group.ROUTING: "routing",
    Group.DATA: "data",
    Group.RESOURCES: "build",
    Group.LIMITS: "limits",
    Group.NUMERICS: "numerics",
}
UPSTREAM = "upstream"

LAYERS: dict[Group, Layer] = {
    Group.SCOPE: Layer.ROUTING,
    Group.BOUNDS: Layer.BENCHMARK,
    Group.MEASUREMENT: Layer.BENCHMARK,
    Group.BENCHMARK: Layer.BENCHMARK,
    Group.HOST: Layer.HOST,
    Group.ROUTING: Layer.ROUTING,
    Group.DATA: Layer.MEMORY,
    Group.RESOURCES: Layer.BUILD,
    Group.LIMITS: Layer.PROCESS,
    Group.NUMERICS: Layer.NUMERICS,
}
"""The layer that a group's entries mostly move to."""

CATEGORIES: dict[Group, Category] = {
    Group.SCOPE: Category.GAP_TRIAGE,
    Group.BOUNDS: Category.BOUND_DIFFERENCING,
    Group.MEASUREMENT: Category.MEASUREMENT_CHECK,
    Group.BENCHMARK: Category.BENCHMARK_VALIDITY,
    Group.HOST: Category.GAP_TRIAGE,
    Group.ROUTING: Category.GAP_TRIAGE,
    Group.DATA: Category.BOUND_DIFFERENCING,
    Group.RESOURCES: Category.BOUND_DIFFERENCING,
    Group.LIMITS: Category.AGENT_PROCESS,
    Group.NUMERICS: Category.BENCHMARK_VALIDITY,
}

_OF_CATEGORY: dict[Category, Group] = {
    Category.MEASUREMENT_CHECK: Group.MEASUREMENT,
    Category.BOUND_DIFFERENCING: Group.BOUNDS,
    Category.BENCHMARK_VALIDITY: Group.BENCHMARK,
    Category.GAP_TRIAGE: Group.SCOPE,
    Category.AGENT_PROCESS: Group.LIMITS,
    Category.CHALLENGE_A_LIMIT: Group.LIMITS,
    Category.STRATEGY_OPTIONS: Group.LIMITS,
    Category.HYPOTHESIS_CHECK: Group.LIMITS,
}
_OF_LAYER: dict[Layer, Group] = {
    Layer.HOST: Group.HOST,
    Layer.ROUTING: Group.ROUTING,
    Layer.MEMORY: Group.DATA,
    Layer.BUILD: Group.RESOURCES,
    Layer.NUMERICS: Group.NUMERICS,
    Layer.BENCHMARK: Group.BENCHMARK,
}
_ABOUT_THE_WORK = frozenset({Category.MEASUREMENT_CHECK, Category.BENCHMARK_VALIDITY, Category.AGENT_PROCESS})

CLAIMS = frozenset({DecisionKind.CLAIMED_LIMIT, DecisionKind.CLAIMED_COMPLETION})
"""Moments at which a question refuses closure."""

TOOLS: dict[Activity, str] = {
    Activity.HOST_TRACE: "timeline-profiler",
    Activity.PROFILE: "counter-profiler",
    Activity.DISASSEMBLE: "disassembler",
    Activity.BENCHMARK_RUN: "harness",
}
"""The ordinary tool that an activity shows."""


def group_for(moves: Moves, category: Category | None) -> tuple[Group, str]:
    """A group for a question that had none, and the reason in words.

    What is asked decides where it is about measuring or about the agent's own work; else the layer moved to.
    """
    if category in _ABOUT_THE_WORK and category is not None:
        return _OF_CATEGORY[category], f"it is a question of the category {category.value}"
    if moves.to is not moves.from_ and moves.to in _OF_LAYER:
        return _OF_LAYER[moves.to], f"the work went to the layer {moves.to.value}"
    if category is not None:
        return _OF_CATEGORY[category], f"it is a question of the category {category.value}"
    return Group.LIMITS, "neither its words nor what followed say more"


def outcomes_for(moves: Moves, refuses_closure: bool) -> tuple[Outcome, ...]:
    """Two outcomes that follow from the moves; a gap where nothing moves and nothing is claimed."""
    if moves.from_ is moves.to and not refuses_closure:
        return (Outcome.model_validate({"if": NO_OUTCOME}),)
    if moves.from_ is moves.to:
        return (
            Outcome.model_validate(
                {"if": "the reading speaks against what was claimed", "verdict": "reopen"}
            ),
            Outcome.model_validate({"if": "the reading bears it out", "verdict": "stand"}),
        )
    otherwise = {"verdict": "stand"} if refuses_closure else {"next": moves.from_}
    return (
        Outcome.model_validate({"if": "the reading accounts for what is missing", "next": moves.to}),
        Outcome.model_validate({"if": "it does not", **otherwise}),
    )


def prefix_for(group: Group, needs_upstream: bool, architectures: tuple[Architecture, ...]) -> str:
    """The word in the ids of such entries: a family's name, `upstream`, or the group's."""
    if architectures:
        return architectures[0].value
    return UPSTREAM if needs_upstream else PREFIXES[group]


def next_id(prefix: str, taken: Iterable[str]) -> str:
    """The id behind the highest of a prefix: ids are never used again, so gaps stay gaps.

    Raises `BankError` when all three-digit numbers are used up.
    """
    head = f"kq-{prefix}-"
    numbers = [
        int(name[len(head) :]) for name in taken if name.startswith(head) and name[len(head) :].isdigit()
    ]
    number = max(numbers, default=0) + 1
    if number > 999:
        raise BankError(f"no id is left for {head}, give one of another kind with --id", lint="Q21")
    return f"{head}{number:03d}"
