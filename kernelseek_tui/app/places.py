"""What a reader types to go somewhere: `120`, `turn 7`, `40%`."""

import re

from kernelseek_tui.app.turns import Turns

_FORMS = re.compile(
    r"^\s*(?:(?P<turn>t(?:urn)?)\s*)?(?P<number>\d{1,12}(?:\.\d+)?)\s*(?P<percent>%)?\s*$", re.I
)


def place(text: str, count: int, turns: Turns) -> int | str:
    """The entry that `text` means among `count`, or one sentence about what is wrong with it."""
    match = _FORMS.match(text)
    if match is None:
        return "Type an event number (120), a turn (turn 7) or a percentage (40%)."
    if not count:
        return "Nothing has been read yet."
    number = float(match["number"])
    if match["percent"]:
        if number > 100:
            return "A percentage goes from 0 to 100."
        return round((count - 1) * number / 100)
    if match["turn"]:
        if not 1 <= number <= len(turns.starts):
            return f"There are turns 1 to {len(turns.starts)}." if turns.starts else "There are no turns."
        return turns.starts[int(number) - 1]
    if not 1 <= number <= count:
        return f"There are events 1 to {count}."
    return int(number) - 1
