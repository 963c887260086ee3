"""A Python candidate is imported once; what it lacks is said, and whose fault that is."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.candidate import freeze, frozen_path, language_of
from harness.children import Children, children
from harness.errors import JudgeError, RefusedRequest
from harness.python.build import PythonBuild, build_python, place_script
from harness.python.interpreter import probe
from harness.python.runner import PythonRunner

pytest.importorskip("torch")

GOOD = b"import torch\n\ndef ks_run(tensors, params):\n    return 0\n"


@pytest.fixture(scope="module")
def mine() -> Iterator[Children]:
    with children() as ours:
        yield ours


def build(source: bytes, cache: Path, mine: Children, python: str = sys.executable) -> PythonBuild:
    return build_python(source, python=python, cache=cache, children=mine, seconds=120.0)


def test_the_language_is_in_the_name_and_survives_freezing(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(GOOD)
    frozen = freeze(path, tmp_path / "candidates")
    assert (frozen.language, language_of(Path("a.cpp"))) == ("python", "c++")
    assert frozen.path.suffix == ".py"
    assert frozen_path(tmp_path / "candidates", frozen.sha256) == frozen.path
    assert frozen_path(tmp_path, frozen.sha256).suffix == ".cpp"


@pytest.mark.slow
def test_the_same_source_is_imported_once(tmp_path: Path, mine: Children) -> None:
    first, second = (build(GOOD, tmp_path, mine) for _ in range(2))
    assert first.output is not None
    assert first.output == second.output
    assert (first.cached, second.cached) == (False, True)
    assert first.sha256 == second.sha256
    assert "torch" in first.compiler
    first.output.write_bytes(GOOD + b"# changed\n")
    assert not build(GOOD, tmp_path, mine).cached


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "words"),
    [
        (b"raise RuntimeError('not today')\n", "RuntimeError: not today"),
        (b"import sys\nsys.exit(0)\n", "SystemExit: 0"),
        (b"import os\nos._exit(0)\n", "it ended the process while it was imported"),
        (b"import os\nos._exit(3)\n", "it ended with exit code 3"),
        (b"x = 1\n", "it does not define ks_run(tensors, params)"),
        (b"def ks_run(:\n", "SyntaxError: invalid syntax (kernel.py, line 1)"),
    ],
)
def test_one_that_cannot_be_imported_is_a_result(
    source: bytes, words: str, tmp_path: Path, mine: Children
) -> None:
    made = build(source, tmp_path, mine)
    assert made.output is None
    assert made.returncode != 0
    assert words in made.why
    assert words.replace("kernel.py", "mine.py") in replace(made, shown="mine.py").why


def last_words(said: bytes) -> str:
    """What a worker that ended is quoted with."""
    runner = object.__new__(PythonRunner)
    ours, theirs = os.pipe()
    runner._stderr = ours
    os.write(theirs, said)
    os.close(theirs)
    try:
        return runner._last_words()
    finally:
        os.close(ours)


def test_what_torchs_profiler_keeps_on_stderr_is_nobodys_last_words() -> None:
    noise = b"USDT:2026-11-29 23:32:59 10276:10276 SyncActivityProfilerHandler.cpp:52] profiler_start.\n"
    assert last_words(noise) == ""
    assert last_words(noise + b"Fatal Python error: mine\n") == "; it said: Fatal Python error: mine"
    assert last_words(b"INFO: it was I\n") == "; it said: INFO: it was I"


def test_a_baseline_says_what_its_interpreter_lacks(tmp_path: Path, mine: Children) -> None:
    with pytest.raises(RefusedRequest, match=r"needs no_such_module_here, which .* does not have"):
        place_script(
            GOOD,
            name="b",
            requires=("torch", "no_such_module_here"),
            python=sys.executable,
            cache=tmp_path,
            children=mine,
        )


def test_what_is_no_python_is_said(tmp_path: Path, mine: Children) -> None:
    with pytest.raises(JudgeError, match="cannot be started"):
        probe(str(tmp_path / "python"), (), mine)
    with pytest.raises(JudgeError, match="is no Python"):
        probe("/bin/echo", (), mine)
