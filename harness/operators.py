"""Finds operators by the entry point group `kernelseek.operators`."""

from importlib.metadata import entry_points

from harness.errors import JudgeError, RefusedRequest
from harness.operator import Operator

GROUP = "kernelseek.operators"


def operator_names() -> list[str]:
    """The names of all installed operators."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def load_operator(name: str) -> Operator:
    """The operator of that name. Raises `RefusedRequest` if it is unknown, `JudgeError` if it is broken."""
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            try:
                operator: Operator = entry.load()
            except Exception as error:  # someone else's module: whatever it raises is one sentence here
                raise JudgeError(
                    f"The operator {name} ({entry.value}) could not be loaded: "
                    f"{type(error).__name__}: {error}."
                ) from error
            return operator
    known = ", ".join(operator_names()) or "none is installed"
    raise RefusedRequest(f"There is no operator {name!r}; known operators: {known}.")
