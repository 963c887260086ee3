"""Scenarios and their ids, which say what a scenario is and never change."""

from dataclasses import asdict
from types import MappingProxyType

from harness.operator import Scenario
from kernels.attention.problem import BFLOAT16, FLOAT32, Problem


def scenario(
    family: str,
    *,
    heads: int,
    kv_heads: int,
    d: int,
    q: int,
    k: int,
    batch: int = 1,
    causal: bool = False,
    window: int = 0,
    page: int = 0,
    ragged: bool = False,
    left: bool = False,
    softcap: float = 0,
    sink: bool = False,
    bf16: bool = False,
    say_batch: bool = True,
) -> Scenario:
    """A scenario whose id is made of its family and its parameters, other than the number of heads.

    `q`, `k`, `d`: queries and keys a sequence, head dim; `page`: keys a page, 0 contiguous. `say_batch` False
    leaves the batch out of the id.
    """
    sharing = "mha" if heads == kv_heads else "mqa" if kv_heads == 1 else "gqa"
    words = [
        family,
        sharing if sharing != family else "",
        "causal" if causal else "",
        f"d{d}",
        f"q{q}",
        f"k{k}",
        f"w{window}" if window else "",
        f"c{softcap:g}" if softcap else "",
        "sink" if sink and family != "sink" else "",
        "ragged" if ragged and not left and family != "ragged" else "",
        "left" if left and family != "left" else "",
        f"p{page}" if page else "",
        f"b{batch}" if batch > 1 and say_batch else "",
        "bf16" if bf16 else "",
    ]
    problem = Problem(
        batch=batch,
        heads=heads,
        kv_heads=kv_heads,
        seq_q=q,
        seq_k=k,
        head_dim=d,
        causal=int(causal),
        window=window,
        scale=d**-0.5,
        page_size=page,
        ragged=int(ragged or left),
        left_pad=int(left),
        softcap=float(softcap),
        sink=int(sink),
        dtype=BFLOAT16 if bf16 else FLOAT32,
    )
    return Scenario("-".join(filter(None, words)), family, MappingProxyType(asdict(problem)))
