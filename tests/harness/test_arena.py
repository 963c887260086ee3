import fcntl
import itertools
import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from harness.arena import Arena, Violation
from harness.checks import Check
from harness.errors import JudgeError
from harness.operator import TensorSpec
from harness.protocol import Protocol
from harness.verdict import Status

SPECS = (
    TensorSpec("x", "input", "float32", (3, 5)),
    TensorSpec("index", "input", "int32", (7,)),
    TensorSpec("out", "output", "float64", (2, 3)),
)
INPUTS = {"x": np.arange(15, dtype=np.float32).reshape(3, 5), "index": np.arange(7, dtype=np.int32)}
WORKSPACE = 1000


@pytest.fixture
def arena() -> Iterator[Arena]:
    made = Arena(SPECS, Protocol())
    made.resize(WORKSPACE)
    made.set_inputs(INPUTS)
    made.prepare()
    yield made
    made.close()


def write(arena: Arena, at: int, data: bytes) -> None:
    """Write as another process would."""
    os.pwrite(arena.descriptor, data, at)


def place(arena: Arena, name: str) -> int:
    return next(p.offset for p, spec in zip(arena.places(), SPECS, strict=True) if spec.name == name)


def test_inputs_are_written_and_outputs_poisoned(arena: Arena) -> None:
    raw = os.pread(arena.descriptor, 60, place(arena, "x"))
    assert np.array_equal(np.frombuffer(raw, np.float32).reshape(3, 5), INPUTS["x"])
    assert arena.outputs()["out"].tobytes() == b"\xff" * 48
    assert arena.is_poison(arena.outputs()["out"])
    start, size = arena.workspace
    assert os.pread(arena.descriptor, size, start) == b"\xff" * WORKSPACE
    assert arena.violation() is None


def test_places_are_aligned_apart_and_row_major(arena: Arena) -> None:
    places = arena.places()
    assert [p.strides for p in places] == [(20, 4), (4,), (24, 8)]
    assert all(p.offset % 256 == 0 for p in places)
    offsets = [p.offset for p in places]
    assert all(later - earlier >= 4096 for earlier, later in itertools.pairwise(offsets))


def test_outputs_are_copies_of_what_was_written(arena: Arena) -> None:
    write(arena, place(arena, "out"), np.arange(6.0).tobytes())
    copy = arena.outputs()["out"]
    arena.prepare()
    assert copy.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("tensor", "offset", "words"),
    [
        ("x", -1, "between the start of the memory and output or input x"),
        ("x", 60, "between output or input x and output or input index"),
        ("out", 48, "between output or input out and the workspace"),
        ("", WORKSPACE, "after the workspace"),
        ("", WORKSPACE + 4000, "after the workspace"),
    ],
)
def test_a_byte_outside_is_seen_where_it_is(arena: Arena, tensor: str, offset: int, words: str) -> None:
    at = (place(arena, tensor) if tensor else arena.workspace[0]) + offset
    write(arena, at, b"\0")
    violation = arena.violation()
    assert violation is not None
    assert (violation.status, violation.check) == (Status.REDZONE, "red_zone")
    assert words in violation.evidence
    arena.mend()
    assert arena.violation() is None


def test_a_changed_input_is_seen_even_if_it_is_an_equal_number(arena: Arena) -> None:
    write(arena, place(arena, "x"), np.float32(-0.0).tobytes())
    violation = arena.violation()
    assert violation is not None
    assert violation.status is Status.MUTATED_INPUT
    assert "1 of 15 elements of the input x were changed, the first at (0, 0)" in violation.evidence
    arena.prepare()
    assert arena.violation() is None


def test_the_master_copy_is_private(arena: Arena) -> None:
    inputs = {name: value.copy() for name, value in INPUTS.items()}
    arena.set_inputs(inputs)
    inputs["x"][:] = 9
    arena.prepare()
    assert np.frombuffer(os.pread(arena.descriptor, 8, place(arena, "x")), np.float32).tolist() == [0, 1]


def test_inputs_that_do_not_fit_are_the_operators_fault(arena: Arena) -> None:
    with pytest.raises(JudgeError, match=r"float64 \(3, 5\) for the input x"):
        arena.set_inputs({**INPUTS, "x": INPUTS["x"].astype(np.float64)})
    with pytest.raises(JudgeError, match=r"nothing for the input index"):
        arena.set_inputs({"x": INPUTS["x"]})


def test_a_shape_no_call_can_have() -> None:
    with pytest.raises(JudgeError, match=r"shape \(0, 3\)"):
        Arena((TensorSpec("x", "input", "float32", (0, 3)),), Protocol())


def test_no_workspace_is_no_zone_of_its_own() -> None:
    made = Arena(SPECS, Protocol())
    made.resize(0)
    assert made.workspace == (0, 0)
    made.set_inputs(INPUTS)
    made.prepare()
    assert made.violation() is None
    made.close()


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="memory cannot be sealed here")
@pytest.mark.parametrize("size", [0, 1 << 30])
def test_nobody_can_resize_the_memory(arena: Arena, size: int) -> None:
    with pytest.raises(PermissionError):
        os.ftruncate(arena.descriptor, size)


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="memory cannot be sealed here")
def test_what_was_done_to_the_memory_before_it_was_given_its_size_is_known() -> None:
    def spoiled(what: Callable[[int], object], *off: Check) -> Violation | None:
        made = Arena(SPECS, Protocol(off=frozenset(off)))
        assert made.spoiled() is None
        what(made.descriptor)
        found = made.spoiled()
        if off:
            made.resize(0)
        made.close()
        return found

    for what, words in (
        (lambda fd: fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL), "was sealed"),
        (lambda fd: os.ftruncate(fd, 4096), "was given 4096 bytes"),
    ):
        found = spoiled(what)
        assert found is not None
        assert (found.status, found.check) == (Status.WRONG, Check.MAP)
        assert words in found.evidence
        assert spoiled(what, Check.MAP) is not None


def test_what_the_judge_did_to_it_itself_spoils_nothing(arena: Arena) -> None:
    assert arena.spoiled() is None


def test_what_a_side_did_not_ask_for_of_the_workspace_is_out_of_bounds(arena: Arena) -> None:
    arena.prepare(100)
    assert arena.violation() is None
    write(arena, arena.workspace[0] + 99, b"\0")
    assert arena.violation() is None
    write(arena, arena.workspace[0] + 100, b"\0")
    violation = arena.violation()
    assert violation is not None
    assert "after the workspace that was asked for" in violation.evidence
    arena.prepare(WORKSPACE)
    assert arena.violation() is None
