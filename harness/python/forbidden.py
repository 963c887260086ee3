"""Operators of torch that do a candidate's work for it, by the start of their names in `aten`.

Seen in a checked call by what torch dispatches, so also inside a C++ extension.
"""

from collections.abc import Sequence

FORBIDDEN_OPERATORS = (
    *("mm", "bmm", "mv", "dot", "vdot", "matmul", "addmm", "addbmm", "baddbmm", "addmv", "_addmm"),
    *("linear", "_int_mm", "_scaled_mm", "_grouped_mm", "sspaddmm", "mkl_linear", "mkldnn_linear"),
    *(
        "_weight_int4pack_mm",
        "_weight_int8pack_mm",
        "inner",
        "chain_matmul",
        "linalg_",
        "_linalg",
        "cdist",
        "_cdist",
        "_euclidean_dist",
    ),
    *(
        "convolution",
        "_convolution",
        "mkldnn_convolution",
        "conv1d",
        "conv2d",
        "conv3d",
        "_slow_conv2d_forward",
    ),
    *("scaled_dot_product", "_scaled_dot_product", "_flash_attention", "_efficient_attention"),
    *("_native_multi_head_attention", "_transformer_encoder", "_fused_sdp", "flex_attention"),
    *("rms_norm", "_fused_rms_norm", "native_layer_norm", "layer_norm", "native_group_norm"),
    *("_sparse_mm", "_sparse_addmm", "sparse_sampled_addmm", "quantized_", "fbgemm_", "xnnpack"),
)
"""Whole names, or starts that end at an underscore: `mm` stands for `mm` and `mm_out`, not for `mmu`."""


def forbidden_among(operators: Sequence[str]) -> list[str]:
    """Those of the operators that are forbidden."""
    return [name for name in operators if any(_is(name, one) for one in FORBIDDEN_OPERATORS)]


def _is(name: str, one: str) -> bool:
    return name == one or (name.startswith(one) and (one.endswith("_") or name[len(one)] == "_"))
