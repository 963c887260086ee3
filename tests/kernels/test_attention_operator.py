import subprocess
import sys
from importlib.metadata import entry_points

from harness.operator import Operator
from kernels.attention.operator import OPERATOR


def test_is_found_by_its_entry_point() -> None:
    (found,) = (e for e in entry_points(group="kernelseek.operators") if e.name == OPERATOR.name)
    assert found.load() is OPERATOR


def test_its_files_are_there_and_its_default_set_exists() -> None:
    operator: Operator = OPERATOR
    assert operator.start.is_file()
    assert operator.reference.path.is_file()
    assert operator.default_set in operator.sets
    assert len({b.name for b in operator.baselines}) == len(operator.baselines)
    assert operator.baselines[0].name == "start"
    assert operator.baselines[0].source == operator.start
    assert all(b.source.is_file() for b in operator.baselines)


def test_importing_it_loads_no_torch() -> None:
    code = "import sys, kernels.attention.operator; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_reference_imports_none_of_our_packages() -> None:
    imports = [line for line in OPERATOR.reference.path.read_text().splitlines() if "import " in line]
    assert imports == ["import torch"]
