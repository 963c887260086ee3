"""Binds the five slots: scenarios, inputs, reference, baselines, bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.operator import Array, Operator, ReferenceScript, Scenario, Slots, TensorSpec, Work
from kernels.rms_norm import baselines, bound, inputs, off_list, scenarios
from kernels.rms_norm.scenarios import Problem


@dataclass
class RmsNorm(Slots):
    """RMS norm, forward. `dataclasses.replace` gives one with other sets."""

    def tensors(self, scenario: Scenario) -> Sequence[TensorSpec]:
        """x, residual where there is one, weight, y, and the sum where there is a residual."""
        p = Problem.of(scenario)
        x = TensorSpec("x", "input", p.precision, p.shape)
        weight = TensorSpec("weight", "input", p.precision, (p.hidden,))
        y = TensorSpec("y", "output", p.precision, p.shape)
        if not p.residual:
            return x, weight, y
        residual = TensorSpec("residual", "input", p.precision, p.shape)
        return x, residual, weight, y, TensorSpec("sum", "output", p.precision, p.shape)

    def make_inputs(self, scenario: Scenario, input_set: str, seed: int) -> dict[str, Array]:
        """See `kernels.rms_norm.inputs`."""
        return inputs.make_inputs(Problem.of(scenario), input_set, seed)

    def off_list(self, scenario: Scenario, seed: int) -> Scenario:
        """See `kernels.rms_norm.off_list`."""
        return off_list.vary(scenario, seed)

    def bound(self, scenario: Scenario) -> Work:
        """See `kernels.rms_norm.bound`."""
        return bound.bound(Problem.of(scenario))


OPERATOR: Operator = RmsNorm(
    name="rms_norm",
    summary="forward, fp32 and bf16, with or without the residual's add, rows of any width",
    params_struct=scenarios.PARAMS_STRUCT,
    input_sets=inputs.INPUT_SETS,
    sets=scenarios.SETS,
    default_set="demo",
    start=baselines.START,
    reference=ReferenceScript(Path(__file__).with_name("reference.py"), requires=("numpy",)),
    baselines=baselines.BASELINES,
)
