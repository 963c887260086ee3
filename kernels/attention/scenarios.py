"""The sets of attention's scenarios. Those of `demo` and `smoke` are fp32, contiguous and not padded.

Sizes are chosen so that one call of the start takes 5 to 20 ms on one core; for `full` see
`kernels.attention.full`.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from harness.operator import Scenario
from kernels.attention.full import FULL
from kernels.attention.naming import scenario
from kernels.attention.problem import PARAMS_STRUCT, Problem

__all__ = ["DEMO", "PARAMS_STRUCT", "SETS", "SMOKE", "Problem"]

_scenario = partial(scenario, say_batch=False)

DEMO = (
    _scenario("mha", heads=24, kv_heads=24, d=64, q=64, k=96),
    _scenario("gqa", heads=24, kv_heads=4, d=128, q=64, k=64, causal=True),
    _scenario("window", heads=4, kv_heads=4, d=96, q=192, k=192, causal=True, window=128),
    _scenario("window", heads=4, kv_heads=2, d=64, q=256, k=256, causal=True, window=160),
)

SMOKE = (
    *DEMO,
    _scenario("mha", heads=20, kv_heads=20, d=80, q=64, k=128),
    _scenario("mha", heads=16, kv_heads=16, d=128, q=96, k=96, causal=True),
    _scenario("mha", heads=16, kv_heads=16, d=64, q=128, k=128, batch=2, causal=True),
    _scenario("gqa", heads=16, kv_heads=2, d=64, q=96, k=192),
    _scenario("gqa", heads=20, kv_heads=4, d=96, q=64, k=160, causal=True),
    _scenario("window", heads=8, kv_heads=2, d=128, q=64, k=192, causal=True, window=64),
    _scenario("decode", heads=24, kv_heads=4, d=128, q=1, k=512, batch=2, causal=True),
    _scenario("decode", heads=24, kv_heads=24, d=64, q=4, k=512, causal=True),
)

SETS: Mapping[str, tuple[Scenario, ...]] = MappingProxyType(
    {"demo": DEMO, "smoke": SMOKE, "full": (*SMOKE, *FULL)}
)
