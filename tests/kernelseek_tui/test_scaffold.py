"""A new operator passes its own tests as it is written, and they notice when a slot is broken."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import harness
from harness.operator import Operator
from harness.operator_check import check_operator
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.scaffold import ScaffoldError, files, package_of, write

ROOT = Path(harness.__file__).parents[1]
NAME = "scaled_rows"
PACKAGE = package_of(NAME)


def operator_in(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Operator:
    """The operator of a folder, imported; each test has a name of its own."""
    monkeypatch.syspath_prepend(str(folder))
    operator: Operator = importlib.import_module(f"{package_of(name)}.operator").OPERATOR
    return operator


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_it_passes_its_own_tests_as_written(tmp_path: Path) -> None:
    write(NAME, tmp_path / "new")
    done = python(tmp_path / "new", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed, 1 skipped" in done.stdout  # the entry point, without an installation


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("scenarios.py", '_scenario("square", 360', '_scenario("sq/uare", 360', "scenarios: the id 'sq/uare"),
        (
            "off_list.py",
            "scenario.family, asdict(varied)",
            "scenario.family, scenario.params",
            "scenarios: off_list of",
        ),
        (
            "inputs.py",
            "default_rng([seed, ",
            "default_rng([0, ",
            "inputs: wide-r4-c32768, nominal: another seed",
        ),
        (
            "operator.py",
            '"x", "input", "float32"',
            '"x", "input", "float64"',
            "inputs: wide-r4-c32768, nominal: x is",
        ),
        (
            "reference.py",
            "import numpy as np",
            "import numpy as np\nimport scipy",
            "reference: reference.py imports scipy",
        ),
        (
            "baselines.py",
            '"start", START',
            '"start", START.parent / "fast.cpp"',
            "baselines: start is the file",
        ),
        ("bound.py", "bytes=2 *", "bytes=20 *", "bound: wide-r4-c32768 asks for"),
    ],
)
def test_a_broken_slot_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, said: str
) -> None:
    name = f"broken_{Path(file).stem}"
    write(name, tmp_path)
    path = tmp_path / package_of(name) / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    faults = check_operator(operator_in(tmp_path, name, monkeypatch), ["demo"], judged=False)
    assert any(said in str(fault) for fault in faults), [str(fault) for fault in faults]


@pytest.mark.slow
def test_a_wrong_start_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("broken_start", tmp_path)
    start = tmp_path / package_of("broken_start") / "start.cpp"
    start.write_text(start.read_text().replace("double sum = 0.0", "double sum = 0.01"))
    operator = operator_in(tmp_path, "broken_start", monkeypatch)
    (narrow,) = (one for one in operator.sets["demo"] if one.family == "narrow")
    operator.sets = {"demo": (narrow,)}
    faults = [str(fault) for fault in check_operator(operator)]
    assert faults
    assert all(fault.startswith(f"start: {narrow.id}") for fault in faults), faults


def test_every_word_is_filled_in_and_the_project_names_the_entry_point() -> None:
    made = files(NAME)
    assert not [path for path, text in made.items() if re.search("@[A-Z]+@", text)]
    assert {path.split("/")[0] for path in made} == {"README.md", "pyproject.toml", "tests", PACKAGE}
    project = tomllib.loads(made["pyproject.toml"])["project"]
    assert project["entry-points"]["kernelseek.operators"] == {NAME: f"{PACKAGE}.operator:OPERATOR"}
    assert project["name"] == "kernelseek-scaled-rows"
    assert f'name="{NAME}"' in made[f"{PACKAGE}/operator.py"]
    assert "class ScaledRows(Slots):" in made[f"{PACKAGE}/operator.py"]
    for path, text in made.items():
        assert max(map(len, text.splitlines())) <= 120, path
        assert text.endswith("\n")
        if path.endswith(".py"):
            compile(text, path, "exec")


@pytest.mark.parametrize(
    "name", ["", "Softmax", "2d", "a-b", "a b", "_a", "a_", "a__b", "../x", "class", "ä", "a" * 41, "x\n"]
)
def test_a_bad_name_is_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScaffoldError, match="cannot be an operator's name") as caught:
        write(name, tmp_path / "new")
    assert caught.value.exit_code is ExitCode.USAGE
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["torch", "harness", "con", "com1", "numpy", "json", "kernelseek_tui"])
def test_a_name_that_is_something_elses_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScaffoldError, match=f"choose another, like my_{name}") as caught:
        write(name, tmp_path / "new")
    assert caught.value.exit_code is ExitCode.USAGE
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_that_name_is_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "my_rows").mkdir()
    assert write("my_rows", tmp_path / "my_rows")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "tests").symlink_to("elsewhere")
    with pytest.raises(ScaffoldError, match=r"already holds README.md, tests \(nothing") as caught:
        write(NAME, tmp_path)
    assert caught.value.exit_code is ExitCode.INPUT_REFUSED
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md", "tests"]
    assert (tmp_path / "README.md").read_text() == "mine"


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("")
    with pytest.raises(ScaffoldError, match="is not a folder; name one, or one that does not exist yet"):
        write(NAME, tmp_path / "new")


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / PACKAGE).write_text("a file where the package has to be")
    with pytest.raises(ScaffoldError, match="cannot be written") as caught:
        write(NAME, tmp_path / "there")
    assert caught.value.exit_code is ExitCode.STORAGE
    assert [path.name for path in (tmp_path / "there").iterdir()] == [PACKAGE]


def test_files_beside_it_stay(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    written = write(NAME, tmp_path)
    assert all(path.is_file() for path in written)
    assert (tmp_path / "notes.txt").read_text() == "mine"
