"""The list of bank entries."""

from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.app.item_list import ItemList, Write

EMPTY = "No entry passes these filters: 0 clears them."


class BankList(ItemList):
    """Two rows an entry."""

    def __init__(self, glyphs: Glyphs, write: Write) -> None:
        super().__init__(glyphs, write, EMPTY, id="bank-list")
