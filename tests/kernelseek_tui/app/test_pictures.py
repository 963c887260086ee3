"""The pictures of the docs: a curve stays inside its frame, whatever fonts a reader has."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

from kernelseek_tui.app.chart import curve

DOCS = Path(__file__).resolve().parents[3] / "docs"


def pictures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pictures", DOCS / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_of(letters: str, left: float, base: float) -> str:
    words = letters.replace(" ", "&#160;")
    return (
        f'<text xml:space="preserve" class="r1" x="{left}" y="{base}" textLength="{12.2 * len(letters):.1f}" '
        f'clip-path="url(#line)">{words}</text>'
    )


def test_curves_are_drawn_as_dots_inside_their_cells() -> None:
    rows = curve([1.0, 2.9, 2.8, 2.9], 40, 4)
    drawn = pictures().dotted("".join(run_of(row, 100.0, 20 + 24.4 * at) for at, row in enumerate(rows)))
    assert "<text" not in drawn
    dots = [(float(x), float(y)) for x, y in re.findall(r"M([0-9.]+) ([0-9.]+)h3", drawn)]
    assert len(dots) == sum(
        bin(ord(letter) - 0x2800).count("1") for row in rows for letter in row if letter > " "
    )
    assert all(100 <= x <= 100 + 40 * 12.2 - 3 for x, _ in dots)
    assert all(1.5 <= y <= 1.5 + 4 * 24.4 - 3 for _, y in dots)
    assert 'class="r1"' in drawn


def test_other_words_stay_words() -> None:
    text = run_of("history of 6", 10, 20)
    assert pictures().dotted(text) == text


def test_the_picture_in_the_docs_was_made_so() -> None:
    drawn = (DOCS / "images" / "screen.svg").read_text(encoding="utf-8")
    assert "h3v3h-3z" in drawn
    assert not re.search("[\u2801-\u28ff]", drawn)


def test_the_session_that_the_pictures_show_comes_along() -> None:
    assert pictures().JOURNAL.is_file()
