"""Numbers on the command line: `nan` and `inf` are floats to Python and never what anybody meant."""

import math
from typing import Any

import click


class Finite(click.FloatRange):
    """A finite number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises `click.BadParameter`."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail("has to be a finite number", param, ctx)
        return number
