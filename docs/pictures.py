"""Makes the pictures of the docs: `python docs/pictures.py JOURNAL`.

Opens the replay screen on a session's journal without a terminal, goes to a decision point (`--moment N`,
from 1), and writes `docs/images/screen.svg`.
"""

import argparse
import asyncio
from pathlib import Path

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.replay import ReplayFeed

IMAGES = Path(__file__).parent / "images"
SIZE = (150, 42)
SPEED = 16


async def picture(journal: Path, moment: int) -> str:
    """The screen at the moment, as SVG."""
    feed = ReplayFeed(journal)
    app = KernelSeekApp(lambda glyphs: ReplayScreen(feed, glyphs, None, SPEED))
    async with app.run_test(size=SIZE) as pilot:
        while not feed.look_done:
            await asyncio.sleep(0.05)
        await app.workers.wait_for_complete()
        await pilot.press("home", *["n"] * moment)
        await pilot.pause()
        svg = app.export_screenshot(title="kernelseek replay")
    # Runs of spaces are part of the picture; some renderers fold them without this.
    return svg.replace("<text ", '<text xml:space="preserve" ')


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--moment", type=int, default=1)
    options = parser.parse_args()
    IMAGES.mkdir(exist_ok=True)
    path = IMAGES / "screen.svg"
    path.write_text(asyncio.run(picture(options.journal, options.moment)), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
