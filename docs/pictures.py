"""Makes the pictures of the docs: `python docs/pictures.py JOURNAL [--report]`.

Opens the replay screen on a session's journal without a terminal, goes to a decision point (`--moment N`,
from 1), and writes `docs/images/screen.svg`. With `--report`, the score curve of the session's report goes to
`docs/images/curve.svg` instead and, where `chromium` is on the path, a picture of the HTML page to
`docs/images/report.png`.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from bank.bank import Bank
from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.replay import ReplayFeed
from kernelseek_tui.reports import html, svg
from kernelseek_tui.reports.build import report_of, session_report

IMAGES = Path(__file__).parent / "images"
SIZE = (150, 42)
SPEED = 16
PAGE = (1120, 1500)
"""Pixels of the report's picture: its head, the curve and the first moments."""


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


def report_pictures(journal: Path) -> list[Path]:
    """The report's curve, and the page itself where there is a browser."""
    bank = Bank.load()
    session = session_report(journal, bank)
    made = [IMAGES / "curve.svg"]
    made[0].write_text(svg.curve(session, alone=True) + "\n", encoding="utf-8")
    chromium = shutil.which("chromium")
    if chromium is None:
        return made
    made.append(IMAGES / "report.png")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(html.render(report_of([session], bank)), encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        options += ["--no-sandbox"] if os.geteuid() == 0 else []  # its sandbox refuses root
        size = f"--window-size={PAGE[0]},{PAGE[1]}"
        command = [chromium, *options, size, f"--screenshot={made[1]}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
    return made


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--moment", type=int, default=1)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    IMAGES.mkdir(exist_ok=True)
    if options.report:
        print(*report_pictures(options.journal), sep="\n")
        return
    path = IMAGES / "screen.svg"
    path.write_text(asyncio.run(picture(options.journal, options.moment)), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
