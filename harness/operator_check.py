"""Whether an operator keeps its contract, for the tests of operators, ours and other people's.

from harness.operator_check import check_operator

def test_the_contract() -> None:
    assert check_operator(OPERATOR) == ()
"""

import contextlib
import copy
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.errors import JudgeError
from harness.judge import evaluate
from harness.operator import Operator, Scenario
from harness.operator_contract import (
    Fault,
    Faults,
    check_binding,
    check_bound,
    check_inputs,
    check_reference,
    check_scenarios,
    listed,
)
from harness.record.record import ScenarioRecord
from harness.request import EvaluationRequest
from harness.sides import spread
from harness.verdict import Status

OFF_LIST = 3
"""How many shapes beside the lists the judge is shown, as well as the listed ones."""
SEED = 20
CHECKED = "checked"


def check_operator(
    operator: Operator,
    sets: Sequence[str] | None = None,
    *,
    judged: bool = True,
    python: str | None = None,
    cache: Path | None = None,
) -> tuple[Fault, ...]:
    """What is wrong with an operator, in one sentence each; an empty tuple when nothing is.

    Ids, parameters, tensors and off-list shapes are looked at for all sets; inputs and bound, and with
    `judged` the start, the reference and the trivial kernels, for the scenarios of `sets` (None: all) and a
    few off-list ones. `judged` has the judge build the start and check it, untimed, as it would check any
    candidate: it needs a compiler, and the reference's modules under `python` (None: this interpreter). It is
    left out where something simpler is wrong. `cache` is where builds are kept; by default nowhere.
    """
    faults = Faults()
    with faults.during("scenarios", "reading the operator"):
        check_binding(operator, faults)
        check_scenarios(operator, faults)
        check_reference(operator, faults)
        unknown = [name for name in sets or () if name not in operator.sets]
        if unknown:
            faults.add("scenarios", f"there is no set {', '.join(unknown)}")
        if not faults.found:
            scenarios = listed(operator, sets)
            scenarios += [operator.off_list(one, SEED) for one in spread(scenarios, OFF_LIST)]
            check_bound(operator, scenarios, faults)
            check_inputs(operator, scenarios, faults)
    if judged and not faults.found:
        with _cache(cache) as folder:
            _judge(operator, scenarios, python, folder, faults)
    return tuple(faults.found)


@contextlib.contextmanager
def _cache(cache: Path | None) -> Iterator[Path]:
    """A new folder by default: what was admitted before must be admitted again."""
    if cache is not None:
        yield cache
        return
    with tempfile.TemporaryDirectory(prefix="kernelseek-operator-") as folder:
        yield Path(folder)


def _judge(
    operator: Operator, scenarios: Sequence[Scenario], python: str | None, cache: Path, faults: Faults
) -> None:
    twin = copy.copy(operator)
    try:
        twin.sets = {CHECKED: tuple(scenarios)}
    except AttributeError:  # a frozen dataclass, say
        object.__setattr__(twin, "sets", {CHECKED: tuple(scenarios)})
    request = EvaluationRequest(
        operator=operator.name,
        candidate=operator.start,
        scenario_set=CHECKED,
        cache=cache,
        python=python,
        check_only=True,
    )
    try:
        record = evaluate(request, operator=twin)
    except JudgeError as error:
        faults.add(_slot_of(str(error)), str(error))
        return
    for one in record.scenarios:
        slot = _slot(one)
        if slot:
            faults.add(slot, f"{one.id}: {one.evidence}")


def _slot(one: ScenarioRecord) -> str:
    """The slot that a scenario's status points at; "" where all is well."""
    if one.status is Status.CORRECT:
        return ""
    if one.status is Status.NOT_ADMITTED:
        return "inputs"
    if one.status is Status.INVALID_REFERENCE and one.evidence.startswith("No reference"):
        return "reference"
    return "start"


def _slot_of(message: str) -> str:
    """The slot that the judge's own sentence is about."""
    about = {"The start": "start", "The reference": "reference", "The baseline": "baselines"}
    return next((slot for words, slot in about.items() if message.startswith(words)), "judge")
