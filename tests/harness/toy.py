"""A small matrix product to judge the judge with: 64-bit rows, a float of scale, one output."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.operator import Array, Baseline, Field, ReferenceScript, Scenario, TensorSpec, Work

HERE = Path(__file__).parent
START = HERE / "toy_start.cpp"
REFERENCE = ReferenceScript(HERE / "toy_reference.py")
FIRST = Scenario("toy-32", "toy", {"rows": 32, "inner": 48, "cols": 64, "scale": 0.1})
SECOND = Scenario("toy-40", "toy", {"rows": 40, "inner": 64, "cols": 48, "scale": 3.0})
MORE = tuple(
    Scenario(f"more-{n}", "more", {"rows": n, "inner": 8, "cols": 8, "scale": 1.0}) for n in range(2, 7)
)


@dataclass
class Toy:
    """The operator; tests replace single slots of it."""

    name: str = "toy"
    summary: str = "a small matrix product"
    params_struct: Sequence[Field] = (
        Field("rows", "int64_t", "rows of x\nand out"),
        Field("inner", "int32_t", "columns of x"),
        Field("cols", "int32_t", ""),
        Field("scale", "float", "factor of the product"),
    )
    input_sets: Sequence[str] = ("nominal", "large")
    sets: Mapping[str, Sequence[Scenario]] = field(
        default_factory=lambda: {"pair": (FIRST, SECOND), "one": (FIRST,), "many": MORE}
    )
    default_set: str = "pair"
    start: Path = START
    reference: ReferenceScript = REFERENCE
    baselines: Sequence[Baseline] = ()
    inputs_factor: float = 1.0

    def tensors(self, scenario: Scenario) -> Sequence[TensorSpec]:
        p = {name: int(scenario.params[name]) for name in ("rows", "inner", "cols")}
        return (
            TensorSpec("x", "input", "float32", (p["rows"], p["inner"])),
            TensorSpec("w", "input", "float32", (p["inner"], p["cols"])),
            TensorSpec("out", "output", "float32", (p["rows"], p["cols"])),
        )

    def make_inputs(self, scenario: Scenario, input_set: str, seed: int) -> dict[str, Array]:
        rng = np.random.default_rng(seed)
        scale = self.inputs_factor * (100.0 if input_set == "large" else 1.0)
        return {
            spec.name: (scale * rng.standard_normal(spec.shape)).astype(np.float32)
            for spec in self.tensors(scenario)
            if spec.role == "input"
        }

    def off_list(self, scenario: Scenario, seed: int) -> Scenario:
        rng = np.random.default_rng(seed)
        params = dict(scenario.params)
        params["rows"] = max(1, int(params["rows"]) - int(rng.integers(0, 2)))
        params["cols"] = int(params["cols"]) - int(rng.integers(1, 4))
        return Scenario(f"{scenario.id}~r{params['rows']}c{params['cols']}", scenario.family, params)

    def bound(self, scenario: Scenario) -> Work:
        return Work(bytes=1, operations=2)


def candidate(*, before: str = "", after: str = "", above: str = "", result: str = "KS_OK") -> str:
    """The start with code put before and after its work, above its functions, and another return value."""
    source = START.read_text()
    opening = "float *out = (float *)t[2].data, *row = (float *)workspace;"
    assert opening in source
    source = source.replace(opening, f"{opening}\n{before}").replace(
        "  return KS_OK;\n", f"{after}\n  return {result};\n"
    )
    return source.replace('extern "C" int ks_abi_version', f'{above}\nextern "C" int ks_abi_version', 1)
