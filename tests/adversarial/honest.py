"""A right kernel, for candidates to be right with: elementwise products and sums, in float64."""

import torch


def honest(tensors, params):
    """Write `out`; the layout and the masks are those of `kernels.attention.problem`."""
    q, out = tensors["q"].double(), tensors["out"]
    slot = torch.arange(params["seq_k"])
    query = torch.arange(params["seq_q"])
    for b in range(params["batch"]):
        q_len, k_len = int(tensors["q_len"][b]), int(tensors["k_len"][b])
        first_q = params["seq_q"] - q_len if params["left_pad"] else 0
        first_k = params["seq_k"] - k_len if params["left_pad"] else 0
        page = tensors["block_table"][b].long()[slot // params["page_size"]]
        keys, values = (tensors[n][page, :, slot % params["page_size"]].double() for n in ("k", "v"))
        position = (query - first_q + k_len - q_len)[:, None]
        place = (slot - first_k)[None, :]
        seen = (place >= 0) & (place < k_len) & ((query >= first_q) & (query < first_q + q_len))[:, None]
        if params["causal"]:
            seen &= place <= position
        if params["window"]:
            seen &= place > position - params["window"]
        for h in range(params["heads"]):
            kv = h // (params["heads"] // params["kv_heads"])
            score = (q[b, h][:, None] * keys[None, :, kv]).sum(-1) * params["scale"]
            if params["softcap"]:
                score = params["softcap"] * torch.tanh(score / params["softcap"])
            score = score.masked_fill(~seen, float("-inf"))
            top = score.amax(-1, keepdim=True)
            if params["sink"]:
                top = torch.maximum(top, tensors["sink"][h].double())
            top = top.masked_fill(top == float("-inf"), 0.0)
            weight = torch.exp(score - top)
            total = weight.sum(-1, keepdim=True)
            if params["sink"]:
                total = total + torch.exp(tensors["sink"][h].double() - top)
            total = total.masked_fill(total == 0, 1.0)
            out[b, h] = (weight[:, :, None] * values[None, :, kv]).sum(1) / total
