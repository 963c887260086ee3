"""The points of RMS norm's matrix, and what their parameters mean.

`v = x + residual` where there is one, else `x`; `y = v / sqrt(mean(v²) + eps) * weight`, the mean over the
last axis; with `unit_offset` the factor is `1 + weight`. x, residual, y and sum are `[rows, hidden]`, weight
is `[hidden]`, all of one dtype, contiguous, row-major. `sum` is v rounded to that dtype. The reference
normalises v as it was before; the start, like most libraries, the rounded sum: either is within the gate.

Any `rows` and `hidden` from 1 on is promised. Families:

- prefill: many rows as wide as a model
- decode: few such rows, as when tokens are generated
- heads: very many short rows, as when queries and keys are normalised head by head
- odd: widths that are no multiple of 16

Sizes of `demo` and `smoke` are chosen so that one call of the start takes 2 to 8 ms on one core; `full` has
shorter ones as well (a single row of decode is some ten microseconds, whatever runs it).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Literal

from harness.operator import Field, Scenario
from harness.protocol import DTYPES

PARAMS_STRUCT = (
    Field("rows", "int32_t", "rows, each normalised on its own"),
    Field("hidden", "int32_t", "elements of a row, any number"),
    Field("dtype", "int32_t", "of every tensor, as in ks.h: 0 float32, 3 bfloat16"),
    Field("residual", "int32_t", "1: x, residual, weight, y, sum; 0: x, weight, y"),
    Field("unit_offset", "int32_t", "1: the factor is 1 + weight; 0: weight"),
    Field("eps", "float", "added to the mean of the squares"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """The parameters of one call, by the names of `ks_params`."""

    rows: int
    hidden: int
    dtype: int
    residual: int
    unit_offset: int
    eps: float

    @classmethod
    def of(cls, scenario: Scenario) -> "Problem":
        """The problem a scenario's parameters state."""
        p = scenario.params
        whole = {f.name: int(p[f.name]) for f in PARAMS_STRUCT if f.ctype == "int32_t"}
        return cls(**whole, eps=float(p["eps"]))

    @property
    def precision(self) -> Literal["float32", "bfloat16"]:
        """The dtype of every tensor, by name."""
        return "bfloat16" if self.dtype == DTYPES["bfloat16"] else "float32"

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of every tensor but the weight."""
        return self.rows, self.hidden


def _scenario(
    family: str,
    rows: int,
    hidden: int,
    *,
    bf16: bool = False,
    residual: bool = False,
    unit_offset: bool = False,
    eps: float = 1e-6,
) -> Scenario:
    words = [
        family,
        "bf16" if bf16 else "fp32",
        f"r{rows}",
        f"h{hidden}",
        "add" if residual else "",
        "offset" if unit_offset else "",
    ]
    dtype = DTYPES["bfloat16" if bf16 else "float32"]
    problem = Problem(rows, hidden, dtype, int(residual), int(unit_offset), eps)
    return Scenario("-".join(filter(None, words)), family, MappingProxyType(asdict(problem)))


# Widths of published models, e.g. 768 BERT base, 1152 Gemma 3 1B, 2880 gpt-oss, 3584 Qwen 2.5 7B, 4096 Llama
# 3 8B, 7168 DeepSeek V3, 16384 Llama 3.1 405B; heads of 64, 128 and 256.
DEMO = (
    _scenario("prefill", 128, 4096, eps=1e-5),
    _scenario("prefill", 192, 2304, bf16=True, residual=True, unit_offset=True),
    _scenario("decode", 32, 16384, bf16=True, eps=1e-5),
    _scenario("heads", 4096, 128),
)

SMOKE = (
    *DEMO,
    _scenario("prefill", 160, 2880, bf16=True, eps=1e-5),
    _scenario("prefill", 64, 5120, residual=True),
    _scenario("decode", 36, 7168, residual=True),
    _scenario("decode", 32, 8192, bf16=True, residual=True, eps=1e-5),
    _scenario("heads", 2048, 256, bf16=True, unit_offset=True),
    _scenario("odd", 350, 1531, bf16=True),
    _scenario("odd", 131, 3001, residual=True, eps=1e-5),
)

FULL = (
    *SMOKE,
    _scenario("prefill", 300, 768, residual=True, eps=1e-12),
    _scenario("prefill", 384, 1152, bf16=True, unit_offset=True),
    _scenario("prefill", 128, 3584, bf16=True, residual=True),
    _scenario("prefill", 64, 7168, unit_offset=True),
    _scenario("decode", 1, 4096, eps=1e-5),
    _scenario("decode", 1, 16384, bf16=True, residual=True, eps=1e-5),
    _scenario("decode", 4, 7168, bf16=True),
    _scenario("decode", 16, 12288, residual=True, unit_offset=True),
    _scenario("decode", 3, 5120, bf16=True, residual=True),
    _scenario("heads", 8192, 64, bf16=True),
    _scenario("heads", 3000, 128, unit_offset=True),
    _scenario("heads", 2500, 192, residual=True),
    _scenario("odd", 4001, 77, bf16=True, residual=True),
    _scenario("odd", 100, 4100, unit_offset=True),
    _scenario("odd", 7, 10007, bf16=True),
)

SETS: Mapping[str, tuple[Scenario, ...]] = MappingProxyType({"demo": DEMO, "smoke": SMOKE, "full": FULL})
