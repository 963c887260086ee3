"""The five slots by which an operator enters: scenarios, inputs, reference, baselines, bound.

Nothing here computes; an operator's folder implements `Operator` and registers it under the entry point
group `kernelseek.operators`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Role = Literal["input", "output"]
DTypeName = Literal["float32", "float64", "bfloat16", "float16", "int32"]
Precision = Literal["float32", "float64", "bfloat16", "float16"]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One tensor of a call, in the order the candidate receives them. Contiguous, row-major."""

    name: str
    role: Role
    dtype: DTypeName
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One point of the operator's matrix.

    `id` is stable and readable, `family` groups scenarios a reader expects to behave alike, `params`
    holds the integers and floats of `ks_params` (the operator's `params_struct` names them in order).
    """

    id: str
    family: str
    params: Mapping[str, int | float]


@dataclass(frozen=True, slots=True)
class Field:
    """One member of `ks_params`."""

    name: str
    ctype: Literal["int32_t", "int64_t", "float", "double"]
    doc: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """Something a ratio can be over.

    `source` is a file to the candidate ABI; a `.py` file is run by the Python worker under the configured
    interpreter, which must have the modules in `requires`, and its ratios are marked as across runners.
    `scenarios` are the ids it supports; empty means all.
    """

    name: str
    source: Path
    scenarios: frozenset[str] = frozenset()
    requires: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """The least a call must do: bytes that must cross memory, and floating-point operations.

    `precision` is that of the operands of the operations: it chooses the machine's ceiling.
    """

    bytes: int
    operations: int
    precision: Precision = "float32"


@dataclass(frozen=True, slots=True)
class ReferenceScript:
    """A self-contained Python file that imports none of our packages.

    It defines `reference(params: dict, inputs: dict[str, Tensor]) -> dict[str, Tensor]` in float64 and
    `trivial(params, inputs) -> dict[str, dict[str, Tensor]]`: outputs of kernels that do not do the work
    and must fail the gate for a scenario to be admitted. `requires` names the modules it needs; without
    torch among them the tensors are numpy arrays (bfloat16 widened to float32), and no torch is loaded.
    """

    path: Path
    requires: tuple[str, ...] = ("torch",)


@dataclass
class Slots:
    """What an operator is besides its four methods; see `Operator`.

    An operator may derive from it, and then holds only what it computes. `dataclasses.replace` gives one with
    other sets.
    """

    name: str
    summary: str
    params_struct: Sequence[Field]
    input_sets: Sequence[str]
    sets: Mapping[str, Sequence[Scenario]]
    default_set: str
    start: Path
    reference: ReferenceScript
    baselines: Sequence[Baseline]


class Operator(Protocol):
    """What is being made fast.

    `sets` maps a set's name (`demo`, `smoke`, ...) to scenarios, each id unique in the operator.
    `input_sets` names the kinds of inputs each scenario is checked on; the first is the timed one.
    """

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
        """The tensors of a call, inputs and outputs, in ABI order."""

    def make_inputs(self, scenario: Scenario, input_set: str, seed: int) -> dict[str, Array]:
        """Fresh inputs, by name; the same seed gives the same bytes."""

    def off_list(self, scenario: Scenario, seed: int) -> Scenario:
        """A scenario of the same kind and family whose sizes are not on any list, drawn from `seed`.

        The judge checks a few in every evaluation, so that a candidate cannot be right on the listed shapes
        alone. Within what the operator promises to a candidate, and no dearer than `scenario`. Its id is
        `scenario.id` with a suffix that says what was changed.
        """

    def bound(self, scenario: Scenario) -> Work:
        """The least a call must do, with actual lengths and masks."""
