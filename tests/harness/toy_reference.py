def reference(params, inputs):
    return {"out": params["scale"] * (inputs["x"].double() @ inputs["w"].double())}


def trivial(params, inputs):
    out = reference(params, inputs)["out"]
    return {"zeros": {"out": out * 0}, "column_mean": {"out": out.mean(0, keepdim=True).expand_as(out)}}
