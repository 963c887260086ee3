"""The six tests that need a reader, each with what to do and what to look at.

Vocabularies find careless entries. Of fifteen held-out questions that broke a rule in plain words a prototype
of the lints found three; the rest is for people. The tests themselves are a proposal, nobody has shown how
well they work.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bank.admission.lints import lint_entry
from bank.params import fill
from bank.question import Question

OTHER_DEVICE = "a two-socket CPU"
"""What stands for `{arch}` in the swap of the architecture."""


@dataclass(frozen=True, slots=True)
class HumanTest:
    """One test: `todo` says what to do and when it fails, `shown` gives the lines to do it on.

    `applies` is false for entries that the test has nothing to say about.
    """

    id: str
    title: str
    todo: str
    shown: Callable[[Question], tuple[str, ...]]
    applies: Callable[[Question], bool] = lambda entry: True


def _alone(entry: Question) -> tuple[str, ...]:
    return (fill(entry.question, {}),)


def _elsewhere(entry: Question) -> tuple[str, ...]:
    return (fill(entry.question, {"arch": OTHER_DEVICE}),)


def _measured(entry: Question) -> tuple[str, ...]:
    asked = entry.measurement
    return (
        fill(entry.question, {}),
        f"number: {asked.number}, in {asked.unit}",
        f"method: {asked.method} ({', '.join(asked.tools)})",
    )


def _moved(entry: Question) -> tuple[str, ...]:
    ends = tuple(f"if {end.if_}: {end.next.value if end.next else end.verdict}" for end in entry.outcomes)
    closure = ", refuses closure" if entry.refuses_closure else ""
    return (
        fill(entry.question, {}),
        f"moves: {entry.moves.from_.value} -> {entry.moves.to.value}{closure}",
        *ends,
    )


def _waived(entry: Question) -> tuple[str, ...]:
    said = {found.lint: found.message for found in lint_entry(entry)}
    return (
        fill(entry.question, {}),
        *(
            f"{lint}: {said.get(lint, 'found over the whole bank')}; waived by {excuse.by}: {excuse.reason}"
            for lint, excuse in entry.lint_ok.items()
        ),
    )


CHECKLIST: tuple[HumanTest, ...] = (
    HumanTest(
        "blind",
        "Blind answer",
        "Show this, and nothing else, to three readers or fresh models, and ask each for the single edit "
        "they would make. It fails when two name the same edit: the question leaks it.",
        _alone,
    ),
    HumanTest(
        "swap-operator",
        "Another operator",
        "Read it as if the kernel were a sort, and then a stencil. It fails when it stops making sense: it "
        "names an operator in disguise.",
        _alone,
    ),
    HumanTest(
        "swap-architecture",
        "Another architecture",
        f"Read it to somebody who works on {OTHER_DEVICE}. It fails when it means nothing there: the entry "
        "belongs to those of one architecture.",
        _elsewhere,
        lambda entry: not entry.architectures,
    ),
    HumanTest(
        "bound",
        "The number is defined",
        "Say what exactly is counted, and if there is a bound: which, and who measures it. It fails when two "
        "people could come to different numbers, or when the bound is a wish or, in a core entry, another "
        "implementation.",
        _measured,
    ),
    HumanTest(
        "moves",
        "It moves an agent",
        "Think of an agent that is stuck where the entry assumes it. It fails when either answer would leave "
        "it doing what it was doing. Only a trial shows whether it truly moves anyone.",
        _moved,
    ),
    HumanTest(
        "wording",
        "Waived warnings",
        "Read each warning that was waived, and the reason given. It fails when the reason is none.",
        _waived,
        lambda entry: bool(entry.lint_ok),
    ),
)
"""Every test, in the order in which they are made: the blind one first, before anything is known."""


def human_tests(entry: Question) -> tuple[HumanTest, ...]:
    """The tests an entry has to pass.

    The swap of the architecture is not for entries of one architecture, and without a waived warning there is
    no wording to judge.
    """
    return tuple(test for test in CHECKLIST if test.applies(entry))
