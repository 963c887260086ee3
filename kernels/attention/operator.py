"""Binds the five slots: scenarios, inputs, reference, baselines, bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.operator import Array, Operator, ReferenceScript, Scenario, Slots, TensorSpec, Work
from kernels.attention import baselines, bound, inputs, off_list, problem, scenarios
from kernels.attention.problem import Problem


@dataclass
class Attention(Slots):
    """Attention, forward. `dataclasses.replace` gives one with other sets."""

    def tensors(self, scenario: Scenario) -> Sequence[TensorSpec]:
        """Always the same eight, the output among them; see `kernels.attention.problem`."""
        p = Problem.of(scenario)
        return (
            TensorSpec("q", "input", p.dtype_name, p.q_shape),
            TensorSpec("k", "input", p.dtype_name, p.kv_shape),
            TensorSpec("v", "input", p.dtype_name, p.kv_shape),
            TensorSpec("out", "output", p.dtype_name, p.q_shape),
            TensorSpec("q_len", "input", "int32", (p.batch,)),
            TensorSpec("k_len", "input", "int32", (p.batch,)),
            TensorSpec("block_table", "input", "int32", (p.batch, p.pages_per_sequence)),
            TensorSpec("sink", "input", "float32", (p.heads,)),
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
    summary=(
        "forward, fp32 and bf16, MHA, GQA and MQA, causal, sliding window, softcap, sink, ragged and "
        "left-padded, contiguous and paged KV, prefill, chunked prefill and decode"
    ),
    params_struct=problem.PARAMS_STRUCT,
    input_sets=inputs.INPUT_SETS,
    sets=scenarios.SETS,
    default_set="demo",
    start=baselines.START,
    reference=ReferenceScript(Path(__file__).with_name("reference.py")),
    baselines=baselines.BASELINES,
)
