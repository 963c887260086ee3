"""What a call of attention is given, and what its parameters mean.

Tensors, in ABI order: q `[batch, heads, seq_q, head_dim]`, k and v `[pages, kv_heads, page_size, head_dim]`,
out like q, then `q_len` and `k_len` `[batch]`, `block_table` `[batch, pages a sequence]` (int32) and `sink`
`[heads]` (float32). All are contiguous and row-major; q, k, v and out have the dtype of the problem.

- Query head h reads KV head `h // (heads // kv_heads)`.
- Key slot s of sequence b lies in page `block_table[b, s // page_size]`, row `s % page_size`. Contiguous is
  the special case of one page a sequence: page_size is seq_k, pages is batch, block_table is `[[0], [1],
  …]`.
- The first `q_len[b]` rows and `k_len[b]` slots of a sequence count; with `left_pad` the last ones. Each is
  from 0 to seq_q or seq_k, and is seq_q or seq_k where the problem is not ragged. Whatever else lies in q,
  k or v means nothing, may be large, and is finite; entries of the table that no slot in use needs name
  pages that exist.
- Which keys a query sees: `kernels.attention.mask`. A padded row of out is zero, and so is a row that sees
  no key.
- A score is `scale * q·k`, then with `softcap` > 0 `softcap * tanh(score / softcap)`, then masked. With
  `sink`, `sink[h]` is one more logit under the softmax's sum, with no value.
"""

from dataclasses import dataclass

from harness.operator import DTypeName, Field, Precision, Scenario

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
    Field("page_size", "int32_t", "keys a page of the KV cache; seq_k: contiguous"),
    Field("ragged", "int32_t", "1: lengths in q_len and k_len may be less than seq_q and seq_k"),
    Field("left_pad", "int32_t", "1: the rows that count stand at the end, not at the beginning"),
    Field("softcap", "float", "scores become softcap * tanh(score / softcap); 0: they stay"),
    Field("sink", "int32_t", "1: sink[head] is one more logit in the softmax's sum"),
    Field("dtype", "int32_t", "of q, k, v and out, as in ks.h: 0 float32, 3 bfloat16"),
)

FLOAT32 = 0
BFLOAT16 = 3
DTYPE_NAMES: dict[int, DTypeName] = {FLOAT32: "float32", BFLOAT16: "bfloat16"}
_PRECISIONS: dict[int, Precision] = {FLOAT32: "float32", BFLOAT16: "bfloat16"}
_FLOATS = frozenset(field.name for field in PARAMS_STRUCT if field.ctype == "float")


@dataclass(frozen=True, slots=True)
class Problem:
    """The parameters of one call, by the names of `ks_params`. A `page_size` of 0 becomes seq_k."""

    batch: int
    heads: int
    kv_heads: int
    seq_q: int
    seq_k: int
    head_dim: int
    causal: int
    window: int
    scale: float
    page_size: int = 0
    ragged: int = 0
    left_pad: int = 0
    softcap: float = 0.0
    sink: int = 0
    dtype: int = FLOAT32

    def __post_init__(self) -> None:
        if not self.page_size:
            object.__setattr__(self, "page_size", self.seq_k)

    @classmethod
    def of(cls, scenario: Scenario) -> "Problem":
        """The problem a scenario's parameters state."""
        numbers = {f.name: scenario.params[f.name] for f in PARAMS_STRUCT}
        return cls(**{name: float(n) if name in _FLOATS else int(n) for name, n in numbers.items()})  # type: ignore[arg-type]

    @property
    def group(self) -> int:
        """Query heads that share a KV head."""
        return self.heads // self.kv_heads

    @property
    def paged(self) -> bool:
        """Whether a sequence may take more than one page, at places that the table names."""
        return self.page_size != self.seq_k

    @property
    def pages_per_sequence(self) -> int:
        """Entries of the table for one sequence."""
        return -(-self.seq_k // self.page_size)

    @property
    def pages(self) -> int:
        """Pages of the cache: those of all sequences and, where it is paged, a quarter more for nobody."""
        used = self.batch * self.pages_per_sequence
        return used + -(-used // 4) if self.paged else used

    @property
    def q_shape(self) -> tuple[int, int, int, int]:
        """Shape of q and of the output."""
        return self.batch, self.heads, self.seq_q, self.head_dim

    @property
    def kv_shape(self) -> tuple[int, int, int, int]:
        """Shape of k and of v."""
        return self.pages, self.kv_heads, self.page_size, self.head_dim

    @property
    def dtype_name(self) -> DTypeName:
        """The dtype of q, k, v and the output."""
        return DTYPE_NAMES[self.dtype]

    @property
    def precision(self) -> Precision:
        """The same, as that of the operations."""
        return _PRECISIONS[self.dtype]
