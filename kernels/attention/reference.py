"""The truth attention is measured against, and the kernels that must not pass for it.

Self-contained: run by path in a process of its own, under any interpreter that has torch. Inputs q
`[batch, heads, seq_q, head_dim]`, k and v `[batch, kv_heads, seq_k, head_dim]`; output `out` like q.
Query i stands at position `i + seq_k - seq_q`; a row that sees no key is zero.
"""

import torch

MAX_SCORES = 1 << 23
"""Scores held at once: 64 MiB in float64."""


def reference(params: dict, inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """softmax(scale * q k^T + mask) v in float64."""
    return {"out": _attention(params, inputs, _visible(params))}


def trivial(params: dict, inputs: dict[str, torch.Tensor]) -> dict[str, dict[str, torch.Tensor]]:
    """Outputs of kernels that skip the work, by name; only those that differ from the work here."""
    q, k, v = (inputs[name].to(torch.float64) for name in ("q", "k", "v"))
    visible = _visible(params)
    group = params["heads"] // params["kv_heads"]
    mean = v.mean(dim=2, keepdim=True).repeat_interleave(group, dim=1).expand_as(q)
    outputs = {"zeros": torch.zeros_like(q), "column_mean": mean.clone(), "copy_q": q.clone()}
    if params["seq_k"] > 16:
        kept = torch.arange(params["seq_k"]) < params["seq_k"] - 16
        outputs["drop_last_16_keys"] = _attention(params, inputs, visible & kept)
    if not bool(visible.all()):
        outputs["ignore_mask"] = _attention(params, inputs, torch.ones_like(visible))
    if params["kv_heads"] > 1:
        shifted = {"q": q, "k": k.roll(1, dims=1), "v": v.roll(1, dims=1)}
        outputs["next_kv_head"] = _attention(params, shifted, visible)
    return {name: {"out": out} for name, out in outputs.items()}


def _visible(params: dict) -> torch.Tensor:
    position = (torch.arange(params["seq_q"]) + params["seq_k"] - params["seq_q"])[:, None]
    key = torch.arange(params["seq_k"])[None, :]
    visible = torch.ones(params["seq_q"], params["seq_k"], dtype=torch.bool)
    if params["causal"]:
        visible &= key <= position
    if params["window"]:
        visible &= key > position - params["window"]
    return visible


def _attention(params: dict, inputs: dict[str, torch.Tensor], visible: torch.Tensor) -> torch.Tensor:
    q, k, v = (inputs[name].to(torch.float64) for name in ("q", "k", "v"))
    group = params["heads"] // params["kv_heads"]
    rows = max(1, MAX_SCORES // params["seq_k"])
    out = torch.zeros_like(q)
    for b in range(params["batch"]):
        for h in range(params["heads"]):
            key, value = k[b, h // group], v[b, h // group]
            for i in range(0, params["seq_q"], rows):
                hidden = ~visible[i : i + rows]
                scores = (q[b, h, i : i + rows] @ key.T * params["scale"]).masked_fill(hidden, float("-inf"))
                # masked again, because the softmax of a row that sees no key is NaN and such a row is zero
                out[b, h, i : i + rows] = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0) @ value
    return out
