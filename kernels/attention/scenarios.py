"""The points of attention's matrix, and what their parameters mean.

Layout: q and out are `[batch, heads, seq_q, head_dim]`, k and v `[batch, kv_heads, seq_k, head_dim]`,
fp32, contiguous, row-major. Query head h reads KV head `h // (heads // kv_heads)`. The last query is
aligned with the last key (see `kernels.attention.mask`).

Sizes are chosen so that one call of the start takes 5 to 20 ms on one core.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

from harness.operator import Field, Scenario

PARAMS_STRUCT = (
    Field("batch", "int32_t", "independent sequences"),
    Field("heads", "int32_t", "query heads, a multiple of kv_heads"),
    Field("kv_heads", "int32_t", "key and value heads"),
    Field("seq_q", "int32_t", "queries a sequence"),
    Field("seq_k", "int32_t", "keys a sequence"),
    Field("head_dim", "int32_t", "elements of one head's row"),
    Field("causal", "int32_t", "1: a query sees no key after its own position"),
    Field("window", "int32_t", "a query sees the last `window` positions up to its own; 0: no limit"),
    Field("scale", "float", "factor of the scores before the softmax"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """The parameters of one call, by the names of `ks_params`."""

    batch: int
    heads: int
    kv_heads: int
    seq_q: int
    seq_k: int
    head_dim: int
    causal: int
    window: int
    scale: float

    @classmethod
    def of(cls, scenario: Scenario) -> "Problem":
        """The problem a scenario's parameters state."""
        numbers = {f.name: scenario.params[f.name] for f in PARAMS_STRUCT}
        return cls(**{name: float(n) if name == "scale" else int(n) for name, n in numbers.items()})  # type: ignore[arg-type]

    @property
    def q_shape(self) -> tuple[int, int, int, int]:
        """Shape of q and of the output."""
        return self.batch, self.heads, self.seq_q, self.head_dim

    @property
    def kv_shape(self) -> tuple[int, int, int, int]:
        """Shape of k and of v."""
        return self.batch, self.kv_heads, self.seq_k, self.head_dim


def _scenario(
    family: str,
    kind: str = "",
    *,
    heads: int,
    kv_heads: int,
    d: int,
    q: int,
    k: int,
    batch: int = 1,
    causal: bool = False,
    window: int = 0,
) -> Scenario:
    words = [
        family,
        kind,
        "causal" if causal else "",
        f"d{d}",
        f"q{q}",
        f"k{k}",
        f"w{window}" if window else "",
    ]
    problem = Problem(batch, heads, kv_heads, q, k, d, int(causal), window, d**-0.5)
    return Scenario("-".join(filter(None, words)), family, MappingProxyType(asdict(problem)))


DEMO = (
    _scenario("mha", heads=24, kv_heads=24, d=64, q=64, k=96),
    _scenario("gqa", heads=24, kv_heads=4, d=128, q=64, k=64, causal=True),
    _scenario("window", "mha", heads=4, kv_heads=4, d=96, q=192, k=192, causal=True, window=128),
    _scenario("window", "gqa", heads=4, kv_heads=2, d=64, q=256, k=256, causal=True, window=160),
)

SMOKE = (
    *DEMO,
    _scenario("mha", heads=20, kv_heads=20, d=80, q=64, k=128),
    _scenario("mha", heads=16, kv_heads=16, d=128, q=96, k=96, causal=True),
    _scenario("mha", heads=16, kv_heads=16, d=64, q=128, k=128, batch=2, causal=True),
    _scenario("gqa", heads=16, kv_heads=2, d=64, q=96, k=192),
    _scenario("gqa", heads=20, kv_heads=4, d=96, q=64, k=160, causal=True),
    _scenario("window", "gqa", heads=8, kv_heads=2, d=128, q=64, k=192, causal=True, window=64),
    _scenario("decode", "gqa", heads=24, kv_heads=4, d=128, q=1, k=512, batch=2, causal=True),
    _scenario("decode", "mha", heads=24, kv_heads=24, d=64, q=4, k=512, causal=True),
)

SETS: Mapping[str, tuple[Scenario, ...]] = MappingProxyType({"demo": DEMO, "smoke": SMOKE})
