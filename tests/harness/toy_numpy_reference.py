import numpy as np


def reference(params, inputs):
    return {"out": params["scale"] * (inputs["x"].astype(np.float64) @ inputs["w"].astype(np.float64))}


def trivial(params, inputs):
    out = reference(params, inputs)["out"]
    return {"zeros": {"out": out * 0}, "column_mean": {"out": np.broadcast_to(out.mean(0), out.shape)}}
