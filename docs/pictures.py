"""Makes the pictures of the docs: `python docs/pictures.py [JOURNAL] [--report | --bank]`.

Opens the replay screen on a session's journal (by default a recorded rehearsal that comes along) without a
terminal, goes to a decision point (`--moment N`, from 1; by default the first plateau), and writes
`docs/images/screen.svg`. With `--report`, the score curve of the session's report goes to
`docs/images/curve.svg` instead and, where `chromium` is on the path, a picture of the HTML page to
`docs/images/report.png`. With `--bank`, the browser of the shipped bank, as `b` opens it at that decision
point, goes to `docs/images/bank.svg`.
"""

import argparse
import asyncio
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from bank.bank import Bank
from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.bank_screen import BankScreen
from kernelseek_tui.app.following_screen import FollowingScreen
from kernelseek_tui.app.replay_screen import ReplayScreen
from kernelseek_tui.replay import ReplayFeed
from kernelseek_tui.reports import html, svg
from kernelseek_tui.reports.build import report_of, session_report
from sessions.archive.exporting import redactor_here
from sessions.vocabulary import DecisionKind

JOURNAL = Path(__file__).parents[1] / "sessions/archive/bundled/rehearsed-attention-bank.jsonl.xz"
IMAGES = Path(__file__).parent / "images"
SIZE = (150, 42)
SPEED = 16
PAGE = (1120, 1500)
"""Pixels of the report's picture: its head, the curve and the first moments."""


async def picture(journal: Path, moment: int | None, bank: bool = False) -> str:
    """The screen at the moment, or the bank opened over it, as SVG."""
    feed = ReplayFeed(journal)
    app = KernelSeekApp(lambda glyphs: ReplayScreen(feed, glyphs, None, SPEED))
    async with app.run_test(size=SIZE) as pilot:
        while not feed.look_done:
            await asyncio.sleep(0.05)
        await app.workers.wait_for_complete()
        screen = app.screen
        while isinstance(screen, FollowingScreen) and screen.followed < len(feed.events):
            await asyncio.sleep(0.05)
        flagged = sorted({item.index for item in feed.moments})
        stalls = [item.index for item in feed.moments if item.decision.decision is DecisionKind.PLATEAU]
        if moment is None:
            moment = flagged.index(stalls[0]) + 1 if stalls else 1
        await pilot.press("home", *["n"] * moment)
        await pilot.pause()
        if bank:
            await pilot.press("b")
            while not (isinstance(app.screen, BankScreen) and app.screen.known.read):
                await asyncio.sleep(0.05)
            await pilot.press("down", "down")
            await pilot.pause()
        svg = app.export_screenshot(title="kernelseek replay")
    # Runs of spaces are part of the picture; some renderers fold them without this.
    return dotted(svg.replace("<text ", '<text xml:space="preserve" '))


_TEXT = re.compile(
    r'<text [^>]*?(class="[^"]*") x="([0-9.]+)" y="([0-9.]+)" textLength="([0-9.]+)"[^>]*>([^<]*)</text>'
)
_BRAILLE = re.compile("[\u00a0\u2800-\u28ff]+")
_PLACES = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of a braille letter's dots, by bit (Unicode, U+2800 block)."""
_ABOVE, _ROW, _DOT = 18.5, 24.4, 3.0
"""From a row's base line up to its top, its height, and the size of a dot, in the picture's units."""


def dotted(svg: str) -> str:
    """Curves of braille letters drawn as dots.

    Such letters come from another font than the rest, mostly a wider one, and some renderers do not fit a run
    of letters into its length: the curve would run past its frame.
    """
    return _TEXT.sub(_dots, svg)


def _dots(run: re.Match[str]) -> str:
    letters = run[5].replace("&#160;", "\u00a0")
    if not _BRAILLE.fullmatch(letters):
        return run[0]
    left, top, cell = float(run[2]), float(run[3]) - _ABOVE, float(run[4]) / len(letters)
    path = [
        f"M{left + (at + (2 * across + 1) / 4) * cell - _DOT / 2:.1f} "
        f"{top + (2 * down + 1) / 8 * _ROW - _DOT / 2:.1f}h{_DOT:g}v{_DOT:g}h-{_DOT:g}z"
        for at, letter in enumerate(letters)
        for bit, (across, down) in enumerate(_PLACES)
        if letter != "\u00a0" and (ord(letter) - 0x2800) >> bit & 1
    ]
    return f'<path {run[1]} d="{"".join(path)}"/>'


def report_pictures(journal: Path) -> list[Path]:
    """The report's curve, and the page itself where there is a browser."""
    bank = Bank.load()
    redactor = redactor_here()
    session = session_report(journal, bank, redactor=redactor)
    made = [IMAGES / "curve.svg"]
    made[0].write_text(svg.curve(session, alone=True) + "\n", encoding="utf-8")
    chromium = shutil.which("chromium")
    if chromium is None:
        return made
    made.append(IMAGES / "report.png")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(html.render(report_of([session], bank, redactor)), encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        options += ["--no-sandbox"] if os.geteuid() == 0 else []  # its sandbox refuses root
        size = f"--window-size={PAGE[0]},{PAGE[1]}"
        command = [chromium, *options, size, f"--screenshot={made[1]}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
    return made


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path, nargs="?", default=JOURNAL)
    parser.add_argument("--moment", type=int)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--bank", action="store_true")
    options = parser.parse_args()
    IMAGES.mkdir(exist_ok=True)
    if options.report:
        print(*report_pictures(options.journal), sep="\n")
        return
    if options.bank:
        path = IMAGES / "bank.svg"
        with (
            tempfile.TemporaryDirectory() as home
        ):  # what this machine has on record is no part of the picture
            os.environ["KERNELSEEK_HOME"] = home
            os.environ.pop("KERNELSEEK_BANK", None)
            made = asyncio.run(picture(options.journal, options.moment, bank=True))
        path.write_text(made, encoding="utf-8")
        print(path)
        return
    path = IMAGES / "screen.svg"
    path.write_text(asyncio.run(picture(options.journal, options.moment)), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
