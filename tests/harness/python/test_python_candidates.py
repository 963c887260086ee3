"""Honest Python: an extension, a Triton kernel, and torch as a baseline."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.build import find_compiler
from harness.checks import Check
from harness.operator import Operator, Scenario
from harness.protocol import Protocol
from harness.python.build import PythonBuild
from harness.python.policy import examine_python
from harness.verdict import Outcome
from kernels.attention.baselines import TORCH_SCENARIOS
from kernels.attention.operator import OPERATOR
from tests.harness.conftest import Bench
from tests.harness.python.conftest import MASKED, SMALL

HERE = Path(__file__).parent
RULES = Protocol(call_seconds=30.0, warmup_ns=200_000, aa_scenarios=1)
KEPT = Path.home() / ".cache" / "kernelseek" / "tests"
"""An extension takes half a minute to build, so it is kept."""


@pytest.mark.judge
def test_an_honest_extension_is_accepted_and_timed(attended: Bench) -> None:
    record = attended.judge(HERE / "extension_kernel.py", operator=SMALL, protocol=RULES, cache=KEPT)
    assert record.status is Outcome.CORRECT, record.summary
    assert record.language == "python"
    assert "libtorch_cpu.so" in record.build.needed
    assert record.env.torch
    (scenario,) = record.scenarios
    assert scenario.timing is not None
    assert scenario.timing.cross_runner


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed here")
def test_triton_on_a_cpu_is_checked_and_never_timed(attended: Bench) -> None:
    record = attended.judge(HERE / "triton_kernel.py", operator=SMALL, protocol=RULES)
    assert record.status is Outcome.CORRECT, record.summary
    assert record.env.triton
    (scenario,) = record.scenarios
    assert scenario.timing is None
    assert "Triton's interpreter" in scenario.detail


@pytest.mark.slow
def test_torch_is_a_baseline_across_runners_where_it_does_the_same(attended: Bench) -> None:
    wanted = {"mqa-d64-q96-k192", "decode-mha-causal-d64-q4-k512", "sink-gqa-d96-q80-k128"}
    some: tuple[Scenario, ...] = tuple(one for one in OPERATOR.sets["full"] if one.id in wanted)
    operator: Operator = replace(OPERATOR, sets={"some": some}, default_set="some")  # type: ignore[type-var]
    record = attended.judge(OPERATOR.start, operator=operator, protocol=RULES, baseline="torch")
    assert record.status is Outcome.CORRECT, record.summary
    assert record.aggregate.geomean is None
    assert "2 of 3" in record.aggregate.reason
    for scenario in record.scenarios:
        assert (scenario.timing is not None) == (scenario.id in TORCH_SCENARIOS)
        assert scenario.timing is None or scenario.timing.cross_runner
        assert scenario.timing is not None or "torch does not support" in scenario.detail


def test_torch_supports_what_is_plain() -> None:
    assert {one.id for one in OPERATOR.sets["demo"]} <= TORCH_SCENARIOS
    assert not any(word in one for one in TORCH_SCENARIOS for word in ("ragged", "paged", "sink", "softcap"))
    assert MASKED.id not in TORCH_SCENARIOS


def test_an_extension_that_asks_torch_for_the_work_is_refused(tmp_path: Path) -> None:
    """As `at::matmul` in a shim does, without torch's headers."""
    source = (
        "namespace at { struct Tensor; namespace _ops { struct matmul { static void call(Tensor &); }; } }\n"
        "void work(at::Tensor &t) { at::_ops::matmul::call(t); }\n"
    )
    (tmp_path / "shim.cpp").write_text(source)
    extension = tmp_path / "shim.so"
    compiler, _ = find_compiler()
    command = [compiler, "-shared", "-fPIC", str(tmp_path / "shim.cpp"), "-o", str(extension)]
    subprocess.run(command, check=True, timeout=60)
    made = PythonBuild(None, "", (), "", 0, 0.0, False, "", extensions=(extension,))
    if not sys.platform.startswith("linux"):
        pytest.skip("only ELF files are examined")
    (finding,) = examine_python(made).findings
    assert finding.check is Check.LIBRARIES
    assert "matmul" in finding.evidence
