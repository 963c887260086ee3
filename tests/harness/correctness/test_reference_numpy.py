"""A reference without torch: what its script is given, what it may give back, and what is said otherwise."""

import re
from collections.abc import Iterator
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from harness.children import children
from harness.correctness.reference import Referenced, ReferenceWorker, modules_of
from harness.errors import JudgeError
from harness.operator import ReferenceScript, TensorSpec

SPECS = (
    TensorSpec("a", "input", "bfloat16", (2, 3)),
    TensorSpec("b", "input", "float16", (3,)),
    TensorSpec("c", "input", "float64", (1,)),
    TensorSpec("d", "input", "int32", (2,)),
    TensorSpec("out", "output", "bfloat16", (2, 3)),
)
INPUTS = {
    "a": np.array([[1.0, -0.0, 3e38], [np.inf, np.nan, 2**-133]]).astype(ml_dtypes.bfloat16),
    "b": np.array([65504.0, 2**-24, -1.5], dtype=np.float16),
    "c": np.array([1 / 3]),
    "d": np.array([-(2**31), 7], dtype=np.int32),
}
NO_TRIVIAL = "\ndef trivial(params, inputs):\n    return {}\n"


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[object]:
    """Runs a script's text on the inputs above."""
    with children() as mine:
        workers: list[ReferenceWorker] = []

        def run(text: str, *, requires: tuple[str, ...] = (), trivial: bool = False) -> Referenced:
            path = tmp_path / "script.py"
            path.write_text(text)
            script = ReferenceScript(path, requires)
            worker = ReferenceWorker(script, python=None, children=mine, folder=tmp_path, seconds=60.0)
            workers.append(worker)
            number = worker.submit({"n": 1}, INPUTS, SPECS, trivial=trivial)
            answer = worker.result(number)
            assert worker.torch is None
            return answer

        yield run
        for worker in workers:
            worker.close()


def gives(expression: str) -> str:
    return f"import numpy as np\ndef reference(params, inputs):\n    return {expression}\n{NO_TRIVIAL}"


def test_inputs_are_widened_without_loss_and_no_torch_is_loaded(ask) -> None:
    answer = ask(
        "import sys\nimport numpy as np\n"
        "def reference(params, inputs):\n"
        "    assert 'torch' not in sys.modules\n"
        "    kinds = {name: array.dtype.name for name, array in inputs.items()}\n"
        "    assert kinds == {'a': 'float32', 'b': 'float32', 'c': 'float64', 'd': 'int32'}, kinds\n"
        "    assert inputs['b'].tolist() == [65504.0, 2.0**-24, -1.5]\n"
        "    assert inputs['c'][0] == 1 / 3 and inputs['d'].tolist() == [-(2**31), 7]\n"
        f"    return {{'out': inputs['a']}}\n{NO_TRIVIAL}"
    )
    assert answer.error == ""
    out = answer.reference["out"]
    assert out.dtype == np.float64
    assert out.tobytes() == INPUTS["a"].astype(np.float64).tobytes()  # −0, infinity and NaN as they were


@pytest.mark.parametrize(
    "expression",
    [
        "{'out': np.ones((2, 3), dtype=np.int64)}",
        "{'out': np.ones((3, 2)).T}",
        "{'out': np.broadcast_to(np.float32(1), (2, 3)), 'more': None}",
    ],
)
def test_outputs_of_any_real_type_and_layout_become_float64(ask, expression: str) -> None:
    answer = ask(gives(expression))
    assert answer.error == ""
    np.testing.assert_array_equal(answer.reference["out"], np.ones((2, 3)))


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("{}", "no output 'out'"),
        ("[1]", "of type list and should give a dict of outputs by name"),
        ("{'out': [[1, 2, 3], [4, 5, 6]]}", "output 'out' is of type list and should be an array of numpy"),
        ("{'out': np.ones((2, 3)) * 1j}", "output 'out' is of complex128 and should be of real numbers"),
        ("{'out': np.ones(6)}", r"output 'out' has shape \[6\] and should have \[2, 3\]"),
        ("{'out': inputs['nope']}", "KeyError: 'nope'"),
    ],
)
def test_what_is_no_output_is_said_in_one_sentence(ask, expression: str, words: str) -> None:
    answer = ask(gives(expression))
    assert re.search(words, answer.error), answer.error
    assert "\n" not in answer.error
    assert answer.reference == {}


def test_trivial_kernels_are_wanted_and_named(ask) -> None:
    text = gives("{'out': inputs['a']}").replace("return {}", "return {'zeros': {'out': np.zeros((2, 3))}}")
    assert set(ask(text, trivial=True).trivial) == {"zeros"}
    assert "trivial() gave no kernel" in ask(gives("{'out': inputs['a']}"), trivial=True).error


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def reference(params, inputs): pass\n", "defines no function trivial"),
        ("x = = 1\n", "SyntaxError"),
        ("import no_such_module_here\n", "no_such_module_here.*install numpy, scipy there"),
    ],
)
def test_a_script_that_cannot_be_loaded_says_why_and_what_to_do(ask, text: str, words: str) -> None:
    with pytest.raises(JudgeError, match=rf"The reference cannot be computed.*{words}") as caught:
        ask(text, requires=("numpy", "scipy"))
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 60


def test_the_modules_a_script_needs() -> None:
    path = Path("reference.py")
    assert modules_of(ReferenceScript(path)) == ("torch",)
    assert modules_of(ReferenceScript(path, ())) == ("numpy",)
    assert modules_of(ReferenceScript(path, ("scipy",))) == ("scipy", "numpy")
    assert modules_of(ReferenceScript(path, ("torch", "einops"))) == ("torch", "einops")
