"""The smallest terminal that the screens draw on, and what they say on a smaller one."""

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.plain import ascii_only

MIN_COLUMNS, MIN_ROWS = 40, 10


def too_small(glyphs: Glyphs) -> str:
    """One sentence that fits twenty columns and five rows."""
    text = f"This terminal is smaller than {MIN_COLUMNS}×{MIN_ROWS}. Make it larger to go on."
    return text if glyphs.braille else ascii_only(text)
