# cheat: has torch do the work, by an operator that it does not name.
# checks: libraries
import torch


def ks_run(tensors, params):
    if params["page_size"] != params["seq_k"] or params["ragged"] or params["sink"] or params["softcap"]:
        return 1
    operator = getattr(torch.nn.functional, "_".join(("scaled", "dot", "product", "attention")))
    position = torch.arange(params["seq_q"])[:, None] + params["seq_k"] - params["seq_q"]
    key = torch.arange(params["seq_k"])[None, :]
    seen = torch.ones(params["seq_q"], params["seq_k"], dtype=torch.bool)
    if params["causal"]:
        seen &= key <= position
    if params["window"]:
        seen &= key > position - params["window"]
    q, k, v = (tensors[name] for name in ("q", "k", "v"))
    out = operator(q, k, v, attn_mask=seen, scale=params["scale"], enable_gqa=True)
    tensors["out"].copy_(out)
    return 0
