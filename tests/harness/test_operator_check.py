"""An operator that is right passes, and each way of being wrong is named with its slot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.operator import Array, Baseline, Field, ReferenceScript, Scenario, TensorSpec, Work
from harness.operator_check import check_operator
from tests.harness.toy import FIRST, HERE, SECOND, START, Toy

NUMPY = ReferenceScript(HERE / "toy_numpy_reference.py", requires=("numpy",))


def toy(**slots: object) -> Toy:
    return Toy(**{"reference": NUMPY, "sets": {"pair": (FIRST, SECOND)}, **slots})  # type: ignore[arg-type]


def renamed(id_: str) -> Mapping[str, Sequence[Scenario]]:
    return {"pair": (FIRST, replace(SECOND, id=id_))}


def without(name: str) -> Mapping[str, Sequence[Scenario]]:
    params = {key: value for key, value in SECOND.params.items() if key != name}
    return {"pair": (FIRST, replace(SECOND, params=params))}


class Sloppy(Toy):
    """Overrides one method by a function of the right answer and the arguments."""

    def __init__(self, method: str, change: Callable[..., object]) -> None:
        super().__init__(reference=NUMPY, sets={"pair": (FIRST, SECOND)})
        right = getattr(self, method)
        setattr(self, method, lambda *arguments: change(right(*arguments), *arguments))


COUNT = iter(range(10**6))


def _stale(made: dict[str, Array], *_: object) -> dict[str, Array]:
    return _stale.kept.setdefault("inputs", made)  # type: ignore[attr-defined,no-any-return]


_stale.kept = {}  # type: ignore[attr-defined]

SLOTS: dict[str, tuple[Toy, str, str]] = {
    "name": (toy(name="Two Words"), "scenarios", "'Two Words' is not like rms_norm"),
    "summary": (toy(summary="a\nb"), "scenarios", "summary is not one line"),
    "default set": (toy(default_set="nope"), "scenarios", "'nope' is none of its sets: pair"),
    "empty set": (toy(sets={"pair": ()}), "scenarios", "the set pair is empty"),
    "id twice": (toy(sets=renamed(FIRST.id)), "scenarios", "the id toy-32 is twice in the set pair"),
    "id with a path": (toy(sets=renamed("../x")), "scenarios", "cannot be part of a file's name"),
    "one id, two problems": (
        toy(sets={"pair": (FIRST,), "other": (replace(SECOND, id=FIRST.id),)}),
        "scenarios",
        "stands for different parameters in two sets",
    ),
    "params missing": (toy(sets=without("inner")), "scenarios", "gives no value for inner"),
    "params too many": (
        toy(params_struct=Toy().params_struct[:-1]),
        "scenarios",
        "has scale, which ks_params has no member for",
    ),
    "params that do not fit": (
        toy(sets={"pair": (replace(FIRST, params={**FIRST.params, "cols": 2**40}),)}),
        "scenarios",
        "do not fit",
    ),
    "field twice": (
        toy(params_struct=(*Toy().params_struct, Field("rows", "int32_t", ""))),
        "scenarios",
        "a name twice",
    ),
    "no output": (Sloppy("tensors", lambda specs, _: specs[:2]), "scenarios", "toy-32 has no output"),
    "empty shape": (
        Sloppy("tensors", lambda specs, _: (TensorSpec("x", "input", "float32", (0, 2)), *specs[1:])),
        "scenarios",
        "which no call can have",
    ),
    "tensors raise": (
        Sloppy("tensors", lambda *_: {}["x"]),
        "scenarios",
        "tensors of toy-32 raised KeyError: 'x'",
    ),
    "off list is listed": (
        Sloppy("off_list", lambda other, one, _: replace(other, params=one.params)),
        "scenarios",
        "whose parameters are listed",
    ),
    "off list wavers": (
        Sloppy("off_list", lambda other, *_: replace(other, id=f"{other.id}-{next(COUNT)}")),
        "scenarios",
        "another scenario for the same seed",
    ),
    "off list has the same id": (
        Sloppy("off_list", lambda other, one, _: replace(other, id=one.id)),
        "scenarios",
        "is not it and a suffix",
    ),
    "off list is of another family": (
        Sloppy("off_list", lambda other, *_: replace(other, family="x")),
        "scenarios",
        "is of the family x",
    ),
    "off list ignores its seed": (
        Sloppy("off_list", lambda _, one, seed: Toy().off_list(one, 1)),
        "scenarios",
        "whatever the seed",
    ),
    "no input set": (toy(input_sets=()), "inputs", "names no set of inputs"),
    "input missing": (
        Sloppy("make_inputs", lambda made, *_: {"x": made["x"]}),
        "inputs",
        "toy-32, nominal: made x and",
    ),
    "input of another dtype": (
        Sloppy("make_inputs", lambda made, *_: {**made, "w": made["w"].astype(np.float64)}),
        "inputs",
        "w is float64 (48, 64) and should be float32 (48, 64)",
    ),
    "inputs of no seed": (
        Sloppy("make_inputs", lambda made, one, name, _: Toy().make_inputs(one, name, 1)),
        "inputs",
        "another seed gives the same bytes",
    ),
    "inputs of chance": (
        Sloppy("make_inputs", lambda made, *_: {**made, "x": made["x"] + np.float32(next(COUNT))}),
        "inputs",
        "the same seed does not give the same bytes",
    ),
    "inputs handed out twice": (
        Sloppy("make_inputs", lambda made, one, *_: _stale(made)),
        "inputs",
        "does not give the same bytes",
    ),
    "no reference": (toy(reference=ReferenceScript(HERE / "nope.py")), "reference", "there is no file"),
    "reference needs more than it says": (
        toy(reference=replace(NUMPY, path=HERE / "toy.py")),
        "reference",
        "toy.py imports harness; it runs alone",
    ),
    "reference without a function": (
        toy(reference=replace(NUMPY, path=HERE / "conftest.py")),
        "reference",
        "defines no function reference",
    ),
    "reference is no Python": (toy(reference=replace(NUMPY, path=START)), "reference", "is not Python"),
    "no start": (toy(start=HERE / "nope.cpp"), "start", "there is no file"),
    "baseline twice": (
        toy(baselines=(Baseline("start", START), Baseline("start", START))),
        "baselines",
        "is there twice: start, start",
    ),
    "baseline gone": (
        toy(baselines=(Baseline("fast", HERE / "nope.cpp"),)),
        "baselines",
        "which is not there",
    ),
    "baseline of unknown scenarios": (
        toy(baselines=(Baseline("fast", START, frozenset({"nope"})),)),
        "baselines",
        "declares the scenario nope",
    ),
    "bound of nothing": (
        Sloppy("bound", lambda *_: Work(0, 1)),
        "bound",
        "asks for 0 bytes and 1 operations",
    ),
    "bound of too much": (
        Sloppy("bound", lambda *_: Work(10**9, 1)),
        "bound",
        "asks for 1000000000 bytes and all its tensors hold",
    ),
}


@pytest.mark.parametrize("broken", SLOTS)
def test_each_way_of_being_wrong_is_named(broken: str) -> None:
    _stale.kept.clear()  # type: ignore[attr-defined]
    operator, slot, words = SLOTS[broken]
    faults = check_operator(operator, judged=False)
    assert any(fault.slot == slot and words in fault.text for fault in faults), [str(f) for f in faults]


def test_one_that_is_right_has_no_fault() -> None:
    assert check_operator(Toy(reference=NUMPY), judged=False) == ()


def test_an_unknown_set_is_a_fault() -> None:
    assert "there is no set nope" in str(check_operator(toy(), ["nope"], judged=False)[0])


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def variant(folder: Path, name: str, old: str, new: str) -> Path:
    source = HERE / name
    text = source.read_text()
    assert old in text
    path = folder / name
    path.write_text(text.replace(old, new))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "old", "new", "slot", "words"),
    [
        ("toy_start.cpp", "sum = 0", "sum = 1", "start", "The start fails on the input set"),
        ("toy_start.cpp", "KS_OK;", "KS_NOPE;", "start", "does not build"),
        ("toy_numpy_reference.py", "out * 0}", "out}", "inputs", "zeros passes the gate"),
        ("toy_numpy_reference.py", '["scale"] *', '["scale"] * np.nan *', "reference", "not finite"),
        ("toy_numpy_reference.py", '["scale"]', '["skale"]', "reference", "KeyError: 'skale'"),
        (
            "toy_numpy_reference.py",
            "import numpy as np",
            "import numpy as np\n1 / 0",
            "reference",
            "division by zero",
        ),
    ],
)
def test_what_only_the_judge_can_see(
    tmp_path: Path, cache: Path, name: str, old: str, new: str, slot: str, words: str
) -> None:
    path = variant(tmp_path, name, old, new)
    operator = toy(start=path) if path.suffix == ".cpp" else toy(reference=replace(NUMPY, path=path))
    faults = check_operator(operator, cache=cache)
    assert any(fault.slot == slot and words in fault.text for fault in faults), [str(f) for f in faults]


@pytest.mark.slow
def test_the_judge_agrees_with_one_that_is_right(cache: Path) -> None:
    operator = toy()
    assert check_operator(operator, cache=cache) == ()
    assert set(operator.sets) == {"pair"}  # the judge was shown a twin
