"""A busy live screen in a terminal that goes away; run by `test_leaving.py` with the terminal as its own.

Writes "busy" into the file it is given, and "closed" when its session was ended in order.
"""

import asyncio
import sys
from pathlib import Path

from kernelseek_tui.app.live import show_live
from tests.kernelseek_tui.app.fakes import FakeFeed, story


class Busy(FakeFeed):
    """Draws something new all the time; ending it takes its while."""

    exit_code: int | None = None

    def __init__(self, mark: Path) -> None:
        super().__init__(story())
        self._mark = mark
        self._over = asyncio.Event()

    async def run(self, *, until_idle: bool) -> None:
        """Until it is closed."""
        number = 0
        try:
            while not self._over.is_set():
                number += 1
                self.activity = f"step {number}"
                for listener in self._activity_listeners:
                    listener()
                if number == 50:
                    self._mark.write_text("busy")
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.3)
        finally:
            self._mark.write_text("closed" if self._over.is_set() else "broken off")

    async def close(self) -> None:
        """End it."""
        self._over.set()


if __name__ == "__main__":
    asyncio.run(show_live(Busy(Path(sys.argv[1]))))
