"""The truth attention is measured against, and the kernels that must not pass for it.

Self-contained: run by path in a process of its own, under any interpreter that has torch. Inputs: q
`[batch, heads, seq_q, head_dim]`, k and v `[pages, kv_heads, page_size, head_dim]`, q_len and k_len
`[batch]`, block_table `[batch, pages a sequence]`, sink `[heads]`; output: `out`, like q. Of a sequence's
q_len queries and k_len keys (the first ones of the padded extent; with left_pad the last ones), query i
stands at position `i + k_len - q_len`; a row that sees no key is zero, and so is a padded one.
"""

import torch

MAX_SCORES = 1 << 23
"""Scores held at once: 64 MiB in float64."""
TAIL = 16


def reference(params: dict, inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """softmax(softcap(scale * q k^T) + mask, sink) v in float64."""
    return {"out": _attention(params, _Call(params, inputs))}


def trivial(params: dict, inputs: dict[str, torch.Tensor]) -> dict[str, dict[str, torch.Tensor]]:
    """Outputs of kernels that skip the work, by name; only those that differ from the work here."""
    call = _Call(params, inputs)
    visible = call.visible
    most = int(visible.sum(-1).max()) if visible.numel() else 0
    outputs = {"zeros": torch.zeros_like(call.q), "copy_q": call.q.masked_fill(~call.rows, 0.0)}
    if most > 1 or params["sink"]:
        outputs["column_mean"] = _attention({**params, "scale": 0.0, "sink": 0}, call)
    if most > 1:
        outputs["first_key_only"] = _attention(
            {**params, "sink": 0}, call, visible & (visible.cumsum(-1) == 1)
        )
    if params["seq_k"] > TAIL:
        last = (call.first_k + call.k_len)[:, None, None]
        outputs["drop_last_16_keys"] = _attention(params, call, visible & (call.key < last - TAIL))
    if bool((call.valid & ~visible).any()):
        outputs["ignore_mask"] = _attention(params, call, call.valid)
    if params["kv_heads"] > 1:
        shifted = {**inputs, "k": inputs["k"].roll(1, dims=1), "v": inputs["v"].roll(1, dims=1)}
        outputs["next_kv_head"] = _attention(params, _Call(params, shifted))
    if params["page_size"] != params["seq_k"]:
        shifted = {**inputs, "block_table": (inputs["block_table"] + 1) % len(inputs["k"])}
        outputs["neighbour_page"] = _attention(params, _Call(params, shifted))
    if params["ragged"]:
        full = {
            **inputs,
            "q_len": torch.full_like(inputs["q_len"], params["seq_q"]),
            "k_len": torch.full_like(inputs["k_len"], params["seq_k"]),
        }
        outputs["ignore_lengths"] = _attention(params, _Call(params, full))
    if params["sink"]:
        outputs["no_sink"] = _attention({**params, "sink": 0}, call)
    if params["softcap"]:
        outputs["no_softcap"] = _attention({**params, "softcap": 0.0}, call)
    return {name: {"out": out} for name, out in outputs.items()}


class _Call:
    """A call's tensors in float64, keys and values of a sequence side by side, and its masks.

    Masks are `[batch, seq_q, seq_k]` or broadcast to it: `valid` where neither query nor key is padding,
    `visible` where the query also sees the key; `rows` `[batch, 1, seq_q, 1]` where the query is no
    padding.
    """

    def __init__(self, params: dict, inputs: dict[str, torch.Tensor]) -> None:
        self.q = inputs["q"].to(torch.float64)
        self.sink = inputs["sink"].to(torch.float64)
        slot = torch.arange(params["seq_k"])
        pages = inputs["block_table"].long()[:, slot // params["page_size"]]
        rows = (slot % params["page_size"]).expand_as(pages)
        self.k, self.v = (
            inputs[name].to(torch.float64)[pages, :, rows].transpose(1, 2) for name in ("k", "v")
        )
        self.q_len, self.k_len = inputs["q_len"].long(), inputs["k_len"].long()
        left = params["left_pad"]
        first_q = params["seq_q"] - self.q_len if left else torch.zeros_like(self.q_len)
        self.first_k = params["seq_k"] - self.k_len if left else torch.zeros_like(self.k_len)
        query = torch.arange(params["seq_q"])[None, :, None]
        self.key = slot[None, None, :]
        is_query = (query >= first_q[:, None, None]) & (query < (first_q + self.q_len)[:, None, None])
        is_key = (self.key >= self.first_k[:, None, None]) & (
            self.key < (self.first_k + self.k_len)[:, None, None]
        )
        self.rows = is_query[:, None]
        self.valid = is_query & is_key
        # Both counted from the sequence's first key.
        position = query - (first_q - self.k_len + self.q_len)[:, None, None]
        place = self.key - self.first_k[:, None, None]
        self.visible = self.valid.clone()
        if params["causal"]:
            self.visible &= place <= position
        if params["window"]:
            self.visible &= place > position - params["window"]


def _attention(params: dict, call: _Call, visible: torch.Tensor | None = None) -> torch.Tensor:
    visible = call.visible if visible is None else visible
    group = params["heads"] // params["kv_heads"]
    chunk = max(1, MAX_SCORES // (params["seq_k"] * params["heads"]))
    out = torch.zeros_like(call.q)
    for b in range(params["batch"]):
        key, value = (t[b].repeat_interleave(group, dim=0) for t in (call.k, call.v))
        for i in range(0, params["seq_q"], chunk):
            hidden = ~visible[b, None, i : i + chunk]
            scores = call.q[b, :, i : i + chunk] @ key.transpose(1, 2) * params["scale"]
            if params["softcap"]:
                scores = params["softcap"] * torch.tanh(scores / params["softcap"])
            scores = scores.masked_fill(hidden, float("-inf"))
            if params["sink"]:
                sink = call.sink[:, None, None].expand(-1, scores.shape[1], 1)
                scores = torch.cat([scores, sink], dim=-1)
            weights = torch.softmax(scores, dim=-1)[..., : params["seq_k"]]
            # masked again, because the softmax of a row that sees no key is NaN and such a row is zero
            out[b, :, i : i + chunk] = weights.masked_fill(hidden, 0.0) @ value
    return out
