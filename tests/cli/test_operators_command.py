"""`kernelseek operators`: a broken operator is a line, an unknown one a sentence, a new one a package."""

import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import harness.operators
from harness.errors import JudgeError, RefusedRequest
from kernelseek_tui.cli import operator_text
from kernelseek_tui.cli.operators import operators
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.scaffold import ScaffoldError
from tests.harness.toy import Toy

TOY = Toy()
NO_BOUND = Toy()
NO_BOUND.bound = None  # type: ignore[method-assign,assignment]
UNFINISHED = object()
GROUP = harness.operators.GROUP
INSTALLED = (
    EntryPoint("toy", f"{__name__}:TOY", GROUP),
    EntryPoint("gone", "no_such_module_here.operator:OPERATOR", GROUP),
    EntryPoint("unfinished", f"{__name__}:UNFINISHED", GROUP),
    EntryPoint("evil\x1b[31m", "no:thing", GROUP),
)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (harness.operators, operator_text):
        monkeypatch.setattr(module, "entry_points", lambda group: INSTALLED)
    monkeypatch.setattr(EntryPoint, "load", lambda self: _load(self))


def _load(entry: EntryPoint) -> object:
    if entry.value.startswith("no"):
        raise ModuleNotFoundError("No module named 'no_such_module_here'")
    return globals()[entry.attr]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(operators, arguments, standalone_mode=False)


def test_list_has_a_line_for_the_broken_and_goes_on(installed: None) -> None:
    result = run("list")
    assert result.exception is None
    assert "a small matrix product" in result.stdout
    assert "sets: pair 2, one 1, many 5; baselines: " in result.stdout
    lines = result.stdout.splitlines()
    (gone,) = (line for line in lines if line.startswith("gone"))
    assert "broken: The operator gone (no_such_module_here.operator:OPERATOR) could not be loaded" in gone
    assert any(line.startswith("unfinished") and "broken: AttributeError" in line for line in lines)
    assert "\x1b" not in result.stdout
    assert "4 operators, 3 broken" in result.stderr


def test_list_as_json_has_everything(installed: None) -> None:
    found = {one["name"]: one for one in json.loads(run("list", "--json").stdout)}
    assert found["toy"]["sets"] == {"pair": 2, "one": 1, "many": 5}
    assert found["toy"]["error"] == ""
    assert found["toy"]["from"] == f"no package, {__name__}:TOY"
    assert "no_such_module_here" in found["gone"]["error"]


def test_the_real_ones_say_where_they_come_from() -> None:
    found = {one["name"]: one for one in json.loads(run("list", "--json").stdout)}
    assert found["rms_norm"]["from"].endswith(", kernels.rms_norm.operator:OPERATOR")
    assert found["rms_norm"]["from"].startswith("kernelseek-tui ")
    assert found["rms_norm"]["sets"]["full"] >= 20
    assert not any(one["error"] for one in found.values())


def test_show_says_the_five_slots(installed: None) -> None:
    text = run("show", "toy", "--set", "one").stdout
    assert "set one: 1 (toy 1)" in text
    assert "int64_t  rows   rows of x␊and out" in text
    assert "x float32 32x48, w float32 48x64 -> out float32 32x64" in text
    assert "bound: 1 B, 2 operations (float32); off the list, e.g. toy-32~r" in text
    assert "inputs: nominal, large (the first is timed)" in text
    assert "toy_reference.py, needs torch" in text
    assert "toy_start.cpp" in text


def test_show_as_json_is_the_same(installed: None) -> None:
    data = json.loads(run("show", "toy", "--json").stdout)
    assert data["sets"] == {
        "pair": ["toy-32", "toy-40"], "one": ["toy-32"], "many": [f"more-{n}" for n in range(2, 7)]
    }  # fmt: skip
    first = data["scenarios"][0]
    assert first["bound"] == {"bytes": 1, "operations": 2, "precision": "float32"}
    assert [one["shape"] for one in first["tensors"]] == [[32, 48], [48, 64], [32, 64]]
    assert first["params"]["scale"] == 0.1


def test_every_real_operator_can_be_shown() -> None:
    for name in ("attention", "rms_norm"):
        result = run("show", name)
        assert result.exception is None
        assert "reference: " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("show", "nope"), RefusedRequest, "no operator 'nope'; known operators: .*toy"),
        (("show", "toy", "--set", "x"), RefusedRequest, "no set 'x'; it has pair, one, many"),
        (("show", "gone"), JudgeError, "could not be loaded"),
        (("show", "unfinished"), JudgeError, "The operator unfinished is broken .AttributeError"),
        (("new", "toy"), ScaffoldError, "an operator toy already"),
        (("new", "Toy"), ScaffoldError, "cannot be an operator's name"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    installed: None, arguments: tuple[str, ...], error: type[Exception], words: str
) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, error)
    assert result.exc_info is not None
    assert re.search(words, str(result.exception)), str(result.exception)
    assert "\n" not in str(result.exception)


def test_new_writes_beside_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("new", "layer_norm")
    assert result.exception is None
    assert (tmp_path / "layer_norm" / "layer_norm_operator" / "start.cpp").is_file()
    assert "  layer_norm_operator/start.cpp" in result.stdout
    assert "kernelseek evaluate layer_norm_operator/start.cpp --operator layer_norm" in result.stdout
    again = run("new", "layer_norm")
    assert isinstance(again.exception, ScaffoldError)
    assert again.exception.exit_code is ExitCode.INPUT_REFUSED
