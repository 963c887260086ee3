"""What `kernelseek operators` says of an operator: as data, and as lines."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from harness.errors import JudgeError, RefusedRequest
from harness.operator import Operator, Scenario, TensorSpec
from harness.operators import GROUP, load_operator

OFF_LIST_SEED = 1


def origins() -> list[tuple[str, str]]:
    """Names of the installed operators and where each comes from, in order; a name once."""
    found: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        found.setdefault(entry.name, _from(entry))
    return list(found.items())


def _from(entry: EntryPoint) -> str:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "no package"
    return f"{package}, {entry.value}"


def described(name: str, where: str) -> dict[str, Any]:
    """An operator in a few words; `error` says why it is broken, "" where it is not."""
    told: dict[str, Any] = {"name": name, "summary": "", "sets": {}, "default_set": "", "baselines": []}
    error = ""
    try:
        operator = load_operator(name)
        told |= {
            "summary": operator.summary,
            "sets": {key: len(scenarios) for key, scenarios in operator.sets.items()},
            "default_set": operator.default_set,
            "baselines": [one.name for one in operator.baselines],
        }
    except JudgeError as broken:
        error = str(broken)
    except Exception as broken:  # someone else's object: what it raises is this operator's line
        error = f"{type(broken).__name__}: {broken}"
    return {**told, "from": where, "error": error}


def details(name: str, set_name: str | None) -> dict[str, Any]:
    """The five slots of an operator.

    Raises `RefusedRequest` for an unknown operator or set, `JudgeError` for one that is broken.
    """
    operator = load_operator(name)
    try:
        if set_name is not None and set_name not in operator.sets:
            raise RefusedRequest(
                f"The operator {name} has no set {set_name!r}; it has {', '.join(operator.sets)}."
            )
        chosen = operator.sets if set_name is None else {set_name: operator.sets[set_name]}
        scenarios = {one.id: one for scenarios in chosen.values() for one in scenarios}
        return {
            "name": name,
            "summary": operator.summary,
            "default_set": operator.default_set,
            "params": [
                {"name": field.name, "ctype": field.ctype, "doc": field.doc}
                for field in operator.params_struct
            ],
            "sets": {key: [one.id for one in scenarios] for key, scenarios in chosen.items()},
            "scenarios": [_scenario(operator, one) for one in scenarios.values()],
            "input_sets": list(operator.input_sets),
            "reference": {
                "path": str(operator.reference.path),
                "requires": list(operator.reference.requires),
            },
            "start": str(operator.start),
            "baselines": [
                {
                    "name": one.name,
                    "source": str(one.source),
                    "requires": list(one.requires),
                    "scenarios": sorted(one.scenarios) or "all",
                }
                for one in operator.baselines
            ],
        }
    except JudgeError:
        raise
    except Exception as error:  # someone else's object: what it raises is one sentence here
        words = " ".join(f"{type(error).__name__}: {error}".split())
        raise JudgeError(f"The operator {name} is broken ({words}); its author has to mend it.") from error


def _scenario(operator: Operator, one: Scenario) -> dict[str, Any]:
    work = operator.bound(one)
    return {
        "id": one.id,
        "family": one.family,
        "params": dict(one.params),
        "tensors": [_tensor(spec) for spec in operator.tensors(one)],
        "bound": {"bytes": work.bytes, "operations": work.operations, "precision": work.precision},
        "off_list": operator.off_list(one, OFF_LIST_SEED).id,
    }


def _tensor(spec: TensorSpec) -> dict[str, Any]:
    return {"name": spec.name, "role": spec.role, "dtype": spec.dtype, "shape": list(spec.shape)}


def plain_details(data: Mapping[str, Any]) -> Iterator[str]:
    """`details` in lines for a reader."""
    yield f"{data['name']}: {data['summary']}"
    yield ""
    yield "scenarios"
    for name, ids in data["sets"].items():
        default = ", the default" if name == data["default_set"] else ""
        families = _counted([one["family"] for one in data["scenarios"] if one["id"] in set(ids)])
        yield f"  set {name}: {len(ids)}{default} ({families})"
    yield "  ks_params:"
    yield from _table([(f["ctype"], f["name"], f["doc"]) for f in data["params"]], "    ")
    for one in data["scenarios"]:
        yield f"  {one['id']}"
        yield f"    {_tensors(one['tensors'], 'input')} -> {_tensors(one['tensors'], 'output')}"
        bound = one["bound"]
        yield (
            f"    bound: {_bytes(bound['bytes'])}, {_count(bound['operations'])} operations "
            f"({bound['precision']}); off the list, e.g. {one['off_list']}"
        )
    yield ""
    yield f"inputs: {', '.join(data['input_sets'])} (the first is timed)"
    reference = data["reference"]
    yield f"reference: {reference['path']}, needs {', '.join(reference['requires']) or 'numpy'}"
    yield f"start: {data['start']}"
    for one in data["baselines"]:
        needs = f", needs {', '.join(one['requires'])}" if one["requires"] else ""
        which = "all scenarios" if one["scenarios"] == "all" else f"{len(one['scenarios'])} scenarios"
        yield f"baseline {one['name']}: {one['source']}, {which}{needs}"


def _counted(words: Sequence[str]) -> str:
    return ", ".join(f"{word} {words.count(word)}" for word in dict.fromkeys(words))


def _table(rows: Sequence[tuple[str, ...]], indent: str) -> Iterator[str]:
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(len(rows[0]) if rows else 0)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield (indent + "  ".join(cells)).rstrip()


def _tensors(tensors: Sequence[Mapping[str, Any]], role: str) -> str:
    chosen = [one for one in tensors if one["role"] == role]
    return ", ".join(f"{one['name']} {one['dtype']} {'x'.join(map(str, one['shape']))}" for one in chosen)


def _bytes(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


def _count(count: int) -> str:
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return str(count)
