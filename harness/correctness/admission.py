"""Whether a scenario can tell work from no work: its trivial kernels must fail the gate, its start pass.

Decided once per scenario, operator and gate, and kept in the cache.
"""

import contextlib
import hashlib
import inspect
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from harness.correctness.gate import Limits, StartError, check
from harness.correctness.reference import Truth
from harness.dtypes import numpy_dtype
from harness.operator import Array, Operator, Scenario, TensorSpec
from harness.protocol import Protocol


def operator_sha256(operator: Operator) -> str:
    """The hash of an operator's sources: its start, its reference, and the Python files beside its class."""
    digest = hashlib.sha256()
    paths = {operator.start.resolve(), operator.reference.path.resolve()}
    with contextlib.suppress(TypeError, OSError):
        paths.update(Path(inspect.getfile(type(operator))).resolve().parent.glob("*.py"))
    for path in sorted(paths):
        data = path.read_bytes()
        digest.update(path.name.encode() + b"\0" + len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


@dataclass
class Trial:
    """What the input sets of one scenario have shown so far: which trivial kernels failed the gate on one."""

    failed: dict[str, bool] = field(default_factory=dict)

    def add(
        self,
        trivial: Mapping[str, Truth],
        reference: Truth,
        specs: Sequence[TensorSpec],
        allowed: Mapping[str, Limits],
        start: Mapping[str, StartError],
        protocol: Protocol,
    ) -> None:
        """Hold one input set's trivial outputs to the candidate's own limits."""
        for name, outputs in trivial.items():
            as_stored: dict[str, Array] = {
                spec.name: outputs[spec.name].astype(numpy_dtype(spec.dtype))
                for spec in specs
                if spec.role == "output"
            }
            passed = check(as_stored, reference, specs, allowed, start, protocol).passed
            self.failed[name] = self.failed.get(name, False) or not passed

    def survivors(self) -> list[str]:
        """Trivial kernels that passed on every input set; none may."""
        return sorted(name for name, failed in self.failed.items() if not failed)


def _plain(protocol: Protocol) -> dict[str, object]:
    return {key: value for key, value in asdict(protocol).items() if key != "off"}


class Admissions:
    """The admissions that are known, one small file each."""

    def __init__(self, cache: Path, operator: Operator, operator_hash: str, protocol: Protocol) -> None:
        self._folder = cache / "admissions"
        self._base = [operator.name, operator_hash, list(operator.input_sets), _plain(protocol)]

    def known(self, scenario: Scenario) -> tuple[str, ...] | None:
        """The trivial kernels that failed when the scenario was admitted; None: it has to be tried."""
        try:
            names = json.loads(self._path(scenario).read_text())
        except (OSError, ValueError):
            return None
        good = isinstance(names, list) and all(isinstance(name, str) for name in names)
        return tuple(names) if good else None

    def keep(self, scenario: Scenario, trial: Trial) -> None:
        """Remember an admission. A cache that cannot be written is no reason to stop."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
            with os.fdopen(descriptor, "w") as file:
                json.dump(sorted(trial.failed), file)
            Path(name).replace(self._path(scenario))

    def _path(self, scenario: Scenario) -> Path:
        what = json.dumps([*self._base, scenario.id, dict(scenario.params)], sort_keys=True)
        return self._folder / f"{hashlib.sha256(what.encode()).hexdigest()}.json"
