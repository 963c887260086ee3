"""What `full` has beyond `smoke`: every feature on its own, and the combinations that models are served with.

Sizes are chosen so that one call of the start takes about 2 to 8 ms on one core.

| family | what its scenarios have in common |
| --- | --- |
| mha, gqa, mqa | plain attention: as many KV heads as query heads, fewer, one |
| window, softcap, sink | that feature, in prefill |
| ragged, left | sequences of different lengths, padded at the end or at the beginning |
| paged | prefill into a paged KV cache |
| chunk | a chunk of a prefill: fewer queries than keys |
| decode | one to four queries a sequence |
"""

from functools import partial

from kernels.attention.naming import scenario

_mha = partial(scenario, "mha")
_gqa = partial(scenario, "gqa")
_mqa = partial(scenario, "mqa", kv_heads=1)
_window = partial(scenario, "window", causal=True)
_softcap = partial(scenario, "softcap")
_sink = partial(scenario, "sink", sink=True)
_ragged = partial(scenario, "ragged", ragged=True)
_left = partial(scenario, "left", left=True, causal=True)
_paged = partial(scenario, "paged", causal=True)
_chunk = partial(scenario, "chunk", causal=True)
_decode = partial(scenario, "decode", causal=True)

FULL = (
    _mha(heads=4, kv_heads=4, d=64, q=128, k=128, bf16=True),
    _mha(heads=6, kv_heads=6, d=96, q=160, k=160, causal=True),
    _mha(heads=3, kv_heads=3, d=128, q=128, k=128, causal=True, bf16=True),
    _mha(heads=4, kv_heads=4, d=192, q=128, k=128, causal=True),
    _mha(heads=2, kv_heads=2, d=256, q=96, k=96, causal=True, bf16=True),
    _mha(heads=4, kv_heads=4, d=64, q=64, k=256, batch=2),
    _gqa(heads=8, kv_heads=2, d=64, q=96, k=96, causal=True, bf16=True),
    _gqa(heads=8, kv_heads=2, d=128, q=80, k=80, causal=True, bf16=True),
    _gqa(heads=4, kv_heads=2, d=96, q=64, k=128, bf16=True),
    _gqa(heads=4, kv_heads=2, d=192, q=80, k=80, causal=True, bf16=True),
    _gqa(heads=6, kv_heads=2, d=256, q=96, k=96, causal=True),
    _gqa(heads=8, kv_heads=4, d=128, q=96, k=96, batch=2, causal=True),
    _mqa(heads=6, d=64, q=96, k=192),
    _mqa(heads=4, d=128, q=112, k=112, causal=True, bf16=True),
    _mqa(heads=4, d=192, q=128, k=128, causal=True),
    _mqa(heads=4, d=256, q=128, k=128, causal=True),
    _window(heads=4, kv_heads=4, d=64, q=192, k=192, window=64, bf16=True),
    _window(heads=4, kv_heads=2, d=128, q=192, k=192, window=48, bf16=True),
    _window(heads=4, kv_heads=1, d=96, q=128, k=128, window=40),
    _window(heads=2, kv_heads=1, d=192, q=128, k=128, window=32),
    _window(heads=4, kv_heads=2, d=256, q=128, k=128, window=32, bf16=True),
    _softcap(heads=4, kv_heads=4, d=128, q=96, k=96, causal=True, softcap=30),
    _softcap(heads=4, kv_heads=2, d=64, q=80, k=160, softcap=20, bf16=True),
    _softcap(heads=3, kv_heads=1, d=192, q=96, k=96, causal=True, softcap=30, bf16=True),
    _softcap(heads=4, kv_heads=2, d=256, q=80, k=80, causal=True, softcap=50, bf16=True),
    _softcap(heads=4, kv_heads=2, d=256, q=96, k=96, causal=True, window=24, softcap=50, bf16=True),
    _sink(heads=8, kv_heads=1, d=64, q=112, k=112, causal=True, bf16=True),
    _sink(heads=8, kv_heads=1, d=64, q=160, k=160, causal=True, window=48, bf16=True),
    _sink(heads=4, kv_heads=4, d=128, q=128, k=128, causal=True),
    _sink(heads=4, kv_heads=2, d=96, q=80, k=128),
    _ragged(heads=4, kv_heads=4, d=64, q=96, k=96, batch=4, bf16=True),
    _ragged(heads=4, kv_heads=4, d=64, q=128, k=128, batch=3, causal=True),
    _ragged(heads=4, kv_heads=4, d=64, q=48, k=192, batch=3),
    _ragged(heads=4, kv_heads=1, d=128, q=96, k=96, batch=4, causal=True, bf16=True),
    _ragged(heads=4, kv_heads=2, d=192, q=64, k=64, batch=4, causal=True),
    _ragged(heads=2, kv_heads=1, d=256, q=80, k=80, batch=4, causal=True, softcap=50, bf16=True),
    _ragged(heads=8, kv_heads=2, d=64, q=96, k=96, batch=3, causal=True, sink=True, window=32, bf16=True),
    _left(heads=4, kv_heads=2, d=128, q=96, k=96, batch=4, bf16=True),
    _left(heads=4, kv_heads=4, d=64, q=128, k=128, batch=3),
    _left(heads=4, kv_heads=2, d=96, q=96, k=96, batch=4, bf16=True),
    _left(heads=8, kv_heads=2, d=64, q=96, k=96, batch=3, sink=True, bf16=True),
    _left(heads=2, kv_heads=1, d=256, q=96, k=96, batch=4, window=24, softcap=50, bf16=True),
    _left(heads=8, kv_heads=2, d=128, q=1, k=1024, batch=4, bf16=True),
    _left(heads=2, kv_heads=1, d=192, q=96, k=96, batch=4),
    _paged(heads=4, kv_heads=1, d=128, q=112, k=112, page=16, bf16=True),
    _paged(heads=4, kv_heads=2, d=128, q=96, k=96, page=16, batch=4, ragged=True, bf16=True),
    _paged(heads=4, kv_heads=4, d=64, q=160, k=160, page=32),
    _paged(heads=3, kv_heads=1, d=192, q=160, k=160, page=64, ragged=True, batch=2, bf16=True),
    _paged(heads=2, kv_heads=1, d=256, q=112, k=112, page=16, bf16=True),
    _paged(heads=4, kv_heads=2, d=96, q=144, k=144, page=64),
    _paged(heads=4, kv_heads=2, d=128, q=192, k=192, page=16, window=48, bf16=True),
    _paged(
        heads=8,
        kv_heads=1,
        d=64,
        q=144,
        k=144,
        page=16,
        window=32,
        sink=True,
        batch=2,
        ragged=True,
        bf16=True,
    ),
    _paged(heads=2, kv_heads=1, d=256, q=112, k=112, page=32, softcap=50, bf16=True),
    _chunk(heads=4, kv_heads=1, d=128, q=48, k=208, bf16=True),
    _chunk(heads=4, kv_heads=4, d=96, q=64, k=224),
    _chunk(heads=4, kv_heads=1, d=192, q=48, k=224),
    _chunk(heads=4, kv_heads=1, d=128, q=32, k=256, page=16, batch=3, ragged=True, bf16=True),
    _chunk(heads=8, kv_heads=2, d=64, q=32, k=256, page=64, sink=True, bf16=True),
    _chunk(heads=2, kv_heads=1, d=256, q=48, k=192, page=16, window=128, bf16=True),
    _chunk(heads=4, kv_heads=2, d=128, q=24, k=400, page=128, batch=2, ragged=True),
    _chunk(heads=8, kv_heads=2, d=64, q=96, k=288, page=64, window=96),
    _decode(heads=8, kv_heads=2, d=128, q=1, k=1024, batch=8, page=16, ragged=True, bf16=True),
    _decode(heads=16, kv_heads=2, d=128, q=1, k=2048, bf16=True),
    _decode(heads=16, kv_heads=1, d=64, q=1, k=1024, batch=4, page=64),
    _decode(heads=12, kv_heads=12, d=96, q=1, k=1024, batch=2, bf16=True),
    _decode(heads=8, kv_heads=4, d=256, q=1, k=1024, batch=2, page=16, window=512, softcap=50, bf16=True),
    _decode(heads=16, kv_heads=2, d=64, q=1, k=1024, batch=4, page=16, ragged=True, sink=True, bf16=True),
    _decode(heads=8, kv_heads=2, d=128, q=4, k=768, batch=4, page=64, ragged=True, bf16=True),
    _decode(heads=6, kv_heads=2, d=192, q=2, k=768, batch=3, ragged=True),
    _decode(heads=4, kv_heads=4, d=128, q=3, k=768, batch=4, page=128, ragged=True),
)
