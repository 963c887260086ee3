"""What each slot of an operator has to guarantee, looked at one by one without building or judging anything.

`harness.operator_check` puts them together and lets the judge have its say.
"""

import ast
import contextlib
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.dtypes import numpy_dtype
from harness.errors import JudgeError
from harness.operator import Operator, Scenario, TensorSpec
from harness.params import pack_params
from harness.protocol import DTYPES, MAX_RANK
from harness.sides import START, spread

NAME = re.compile(r"[a-z][a-z0-9_]*")
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~=-]*")
"""What an id is made of: it is part of file names and of globs."""
MAX_ID = 120
LARGEST_SEED = 2**64 - 1
OFF_LIST_SEEDS = (0, 1, 2, 3, 4, 5, 6, LARGEST_SEED)
SEEDED = 8
"""Of how many scenarios the inputs are drawn again, which is most of the time that a check takes."""
OURS = frozenset({"sessions", "harness", "kernels", "bank", "kernelseek_tui"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: in which slot (or `start`, or `judge`), and a sentence that says what."""

    slot: str
    text: str

    def __str__(self) -> str:
        return f"{self.slot}: {self.text}"


@dataclass
class Faults:
    """Collects faults, and turns what an operator's own code raises into one."""

    found: list[Fault] = field(default_factory=list)

    def add(self, slot: str, text: str) -> None:
        """One more."""
        self.found.append(Fault(slot, text))

    @contextlib.contextmanager
    def during(self, slot: str, what: str) -> Iterator[None]:
        """Whatever is raised inside is a fault of `slot`."""
        try:
            yield
        except Exception as error:  # someone else's code: whatever it raises is a sentence here
            words = " ".join(str(error).split())
            self.add(slot, f"{what} raised {type(error).__name__}: {words}"[:400])


def listed(operator: Operator, sets: Sequence[str] | None = None) -> list[Scenario]:
    """The scenarios of these sets (None: of all), each id once."""
    names = list(operator.sets) if sets is None else sets
    return list({one.id: one for name in names for one in operator.sets[name]}.values())


def check_binding(operator: Operator, faults: Faults) -> None:
    """Names, sets and files."""
    if not NAME.fullmatch(operator.name):
        faults.add("scenarios", f"the operator's name {operator.name!r} is not like rms_norm: a-z, 0-9, _")
    if not operator.summary.strip() or "\n" in operator.summary:
        faults.add("scenarios", "the operator's summary is not one line of text")
    if operator.default_set not in operator.sets:
        known = ", ".join(operator.sets) or "none"
        faults.add("scenarios", f"the default set {operator.default_set!r} is none of its sets: {known}")
    for name, scenarios in operator.sets.items():
        if not scenarios:
            faults.add("scenarios", f"the set {name} is empty")
    if not operator.input_sets or len(set(operator.input_sets)) != len(operator.input_sets):
        faults.add("inputs", "input_sets names no set of inputs, or one of them twice")
    if not operator.start.is_file():
        faults.add("start", f"there is no file {operator.start}")
    names = [one.name for one in operator.baselines]
    if len(set(names)) != len(names):
        faults.add("baselines", f"a name is there twice: {', '.join(names)}")
    ids = {one.id for one in listed(operator)}
    for baseline in operator.baselines:
        if not baseline.source.is_file():
            faults.add("baselines", f"{baseline.name} is the file {baseline.source}, which is not there")
        if baseline.name == START and baseline.source != operator.start:
            faults.add("baselines", f"the baseline {START} is {baseline.source}, not the operator's start")
        for unknown in sorted(baseline.scenarios - ids)[:1]:
            faults.add("baselines", f"{baseline.name} declares the scenario {unknown}, which is on no list")


def check_scenarios(operator: Operator, faults: Faults) -> None:
    """Ids, params and tensors of every set, and the shapes beside them."""
    fields = [one.name for one in operator.params_struct]
    if len(set(fields)) != len(fields) or not all(name.isidentifier() for name in fields):
        faults.add("scenarios", f"params_struct has a name twice, or one that C++ cannot have: {fields}")
    again = {name: [one.id for one in scenarios] for name, scenarios in operator.sets.items()}
    seen: dict[str, Scenario] = {}
    for name, scenarios in operator.sets.items():
        ids = [one.id for one in scenarios]
        if ids != again[name]:
            faults.add("scenarios", f"the ids of the set {name} are others when it is read again")
        for twice in sorted({one for one in ids if ids.count(one) > 1}):
            faults.add("scenarios", f"the id {twice} is twice in the set {name}")
        for one in scenarios:
            known = seen.setdefault(one.id, one)
            if dict(known.params) != dict(one.params):
                faults.add("scenarios", f"the id {one.id} stands for different parameters in two sets")
    for one in seen.values():
        _check_scenario(operator, one, faults)
    if not faults.found:
        params = [dict(one.params) for one in seen.values()]
        for one in seen.values():
            with faults.during("scenarios", f"off_list of {one.id}"):
                _check_off_list(operator, one, params, faults)


def _check_scenario(operator: Operator, one: Scenario, faults: Faults) -> None:
    if not SAFE.fullmatch(one.id) or len(one.id) > MAX_ID:
        faults.add(
            "scenarios",
            f"the id {one.id!r} cannot be part of a file's name: letters, digits and ._+~=- up to {MAX_ID}",
        )
    if not one.family.strip():
        faults.add("scenarios", f"{one.id} belongs to no family")
    try:
        pack_params(operator.params_struct, one.params)
    except JudgeError as error:
        faults.add("scenarios", f"{one.id} does not fill ks_params: {error}")
    extra = sorted(set(one.params) - {field.name for field in operator.params_struct})
    if extra:
        faults.add("scenarios", f"{one.id} has {', '.join(extra)}, which ks_params has no member for")
    with faults.during("scenarios", f"tensors of {one.id}"):
        _check_tensors(operator.tensors(one), one.id, faults)


def _check_tensors(specs: Sequence[TensorSpec], id_: str, faults: Faults) -> None:
    names = [spec.name for spec in specs]
    if len(set(names)) != len(names) or not all(name.isidentifier() for name in names):
        faults.add("scenarios", f"{id_} has a tensor's name twice, or one that is no identifier: {names}")
    for role in ("input", "output"):
        if not any(spec.role == role for spec in specs):
            faults.add("scenarios", f"{id_} has no {role}")
    for spec in specs:
        good = 1 <= len(spec.shape) <= MAX_RANK and all(extent > 0 for extent in spec.shape)
        if not good or spec.dtype not in DTYPES:
            faults.add("scenarios", f"{id_} has the tensor {spec}, which no call can have")


def _check_off_list(
    operator: Operator, one: Scenario, params: list[dict[str, int | float]], faults: Faults
) -> None:
    drawn = [operator.off_list(one, seed) for seed in OFF_LIST_SEEDS]
    for seed, other in zip(OFF_LIST_SEEDS, drawn, strict=True):
        if operator.off_list(one, seed) != other:
            faults.add("scenarios", f"off_list of {one.id} gives another scenario for the same seed {seed}")
        if dict(other.params) in params:
            faults.add("scenarios", f"off_list of {one.id} gives {other.id}, whose parameters are listed")
        if not other.id.startswith(one.id) or other.id == one.id:
            faults.add(
                "scenarios", f"off_list of {one.id} has the id {other.id}, which is not it and a suffix"
            )
        if other.family != one.family:
            faults.add("scenarios", f"off_list of {one.id} is of the family {other.family}")
        dearer = operator.bound(other).operations > operator.bound(one).operations
        if dearer:
            faults.add("scenarios", f"off_list of {one.id} gives {other.id}, which is more work")
        _check_scenario(operator, other, faults)
        if faults.found:
            return
    if len({other.id for other in drawn}) == 1:
        faults.add("scenarios", f"off_list of {one.id} gives {drawn[0].id} whatever the seed")


def check_inputs(operator: Operator, scenarios: Sequence[Scenario], faults: Faults) -> None:
    """Names, shapes and dtypes of every set of inputs; for a few scenarios what the seed decides, too."""
    seeded = {one.id for one in spread(scenarios, SEEDED)}
    for one in scenarios:
        for name in operator.input_sets:
            before = len(faults.found)
            with faults.during("inputs", f"make_inputs of {one.id}, {name},"):
                _check_input_set(operator, one, name, one.id in seeded, faults)
            if len(faults.found) > before:
                break


def _check_input_set(operator: Operator, one: Scenario, name: str, seeded: bool, faults: Faults) -> None:
    specs = [spec for spec in operator.tensors(one) if spec.role == "input"]
    made = operator.make_inputs(one, name, LARGEST_SEED)
    where = f"{one.id}, {name}"
    if set(made) != {spec.name for spec in specs}:
        faults.add("inputs", f"{where}: made {', '.join(sorted(made))} and its inputs have other names")
        return
    for spec in specs:
        array = made[spec.name]
        if not isinstance(array, np.ndarray):
            faults.add("inputs", f"{where}: {spec.name} is no array of numpy")
            return
        if array.shape != spec.shape or array.dtype != numpy_dtype(spec.dtype):
            is_, should = f"{array.dtype} {array.shape}", f"{spec.dtype} {spec.shape}"
            faults.add("inputs", f"{where}: {spec.name} is {is_} and should be {should}")
            return
    if not seeded:
        return
    first = {key: array.tobytes() for key, array in made.items()}
    for array in made.values():
        if array.flags.writeable:
            array[...] = 0  # another call must not see what became of these
    if {
        key: array.tobytes() for key, array in operator.make_inputs(one, name, LARGEST_SEED).items()
    } != first:
        faults.add("inputs", f"{where}: the same seed does not give the same bytes")
    elif {key: array.tobytes() for key, array in operator.make_inputs(one, name, 1).items()} == first:
        faults.add("inputs", f"{where}: another seed gives the same bytes")


def check_reference(operator: Operator, faults: Faults) -> None:
    """The script stands alone: it imports what `requires` names and Python's own modules."""
    path = operator.reference.path
    if not path.is_file():
        faults.add("reference", f"there is no file {path}")
        return
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as error:
        faults.add("reference", f"{path.name} is not Python: {error}")
        return
    for name in sorted(_imports(tree)):
        if name in OURS:
            faults.add(
                "reference", f"{path.name} imports {name}; it runs alone, under an interpreter without it"
            )
        elif name not in sys.stdlib_module_names and name not in (*operator.reference.requires, "numpy"):
            faults.add(
                "reference", f"{path.name} imports {name or 'its neighbours'}, which requires does not name"
            )
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name in ("reference", "trivial"):
        if name not in defined:
            faults.add("reference", f"{path.name} defines no function {name}(params, inputs)")


def _imports(tree: ast.AST) -> set[str]:
    """Top-level modules that are imported; "" for a relative import."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("" if node.level else (node.module or "").partition(".")[0])
    return names


def check_bound(operator: Operator, scenarios: Sequence[Scenario], faults: Faults) -> None:
    """A floor is above nothing, and not above what all tensors hold."""
    for one in scenarios:
        with faults.during("bound", f"bound of {one.id}"):
            work = operator.bound(one)
            held = sum(
                int(np.prod(spec.shape)) * numpy_dtype(spec.dtype).itemsize for spec in operator.tensors(one)
            )
            if work.bytes < 1 or work.operations < 1:
                faults.add("bound", f"{one.id} asks for {work.bytes} bytes and {work.operations} operations")
            elif work.bytes > held:
                faults.add("bound", f"{one.id} asks for {work.bytes} bytes and all its tensors hold {held}")
