"""Binds the five slots: scenarios, inputs, reference, baselines, bound."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.operator import Array, Baseline, Field, Operator, ReferenceScript, Scenario, TensorSpec, Work
from kernels.attention import baselines, bound, inputs, off_list, scenarios
from kernels.attention.scenarios import Problem


@dataclass
class Attention:
    """Attention, forward. `dataclasses.replace` gives one with other sets."""

    name: str
    summary: str
    params_struct: Sequence[Field]
    input_sets: Sequence[str]
    sets: Mapping[str, Sequence[Scenario]]
    default_set: str
    start: Path
    reference: ReferenceScript
    baselines: Sequence[Baseline]

    def tensors(self, scenario: Scenario) -> Sequence[TensorSpec]:
        """Q, k, v, then the output, which has q's shape."""
        p = Problem.of(scenario)
        return (
            TensorSpec("q", "input", "float32", p.q_shape),
            TensorSpec("k", "input", "float32", p.kv_shape),
            TensorSpec("v", "input", "float32", p.kv_shape),
            TensorSpec("out", "output", "float32", p.q_shape),
        )

    def make_inputs(self, scenario: Scenario, input_set: str, seed: int) -> dict[str, Array]:
        """See `kernels.attention.inputs`."""
        return inputs.make_inputs(Problem.of(scenario), input_set, seed)

    def off_list(self, scenario: Scenario, seed: int) -> Scenario:
        """See `kernels.attention.off_list`."""
        return off_list.vary(scenario, seed)

    def bound(self, scenario: Scenario) -> Work:
        """See `kernels.attention.bound`."""
        return bound.bound(Problem.of(scenario))


OPERATOR: Operator = Attention(
    name="attention",
    summary="forward, fp32, MHA and GQA, causal and sliding window, contiguous KV",
    params_struct=scenarios.PARAMS_STRUCT,
    input_sets=inputs.INPUT_SETS,
    sets=scenarios.SETS,
    default_set="demo",
    start=baselines.START,
    reference=ReferenceScript(Path(__file__).with_name("reference.py")),
    baselines=baselines.BASELINES,
)
