"""What a record says about the machine and about the judge itself."""

import hashlib
import os
import platform
from functools import cache
from pathlib import Path

import numpy as np

from harness.machine import cpu_name
from harness.protocol import Protocol
from harness.record.parts import Environment, ProtocolConstants


@cache
def harness_sha256() -> str:
    """The hash of the judge's own sources, so that two records can be told to come from one judge."""
    folder = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.cpp"), *folder.rglob("*.h")]):
        data = path.read_bytes()
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def environment(
    *,
    torch: str | None,
    triton: str | None = None,
    reference_python: str,
    affinity: tuple[int, ...],
    priority: int,
    containment: tuple[str, ...],
) -> Environment:
    """This machine, with what the reference worker said of its torch."""
    return Environment(
        platform=platform.platform(),
        kernel=platform.release(),
        cpu=cpu_name(),
        cores=os.cpu_count() or 1,
        affinity=affinity,
        priority=priority,
        containment=containment,
        python=platform.python_version(),
        numpy=np.__version__,
        torch=torch,
        triton=triton,
        reference_python=reference_python,
    )


def constants(protocol: Protocol, blocks: int) -> ProtocolConstants:
    """The protocol as the record carries it."""
    names = ProtocolConstants.model_fields.keys() - {"blocks", "off"}
    return ProtocolConstants(
        blocks=blocks, off=tuple(sorted(protocol.off)), **{name: getattr(protocol, name) for name in names}
    )
