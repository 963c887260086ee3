"""The page of the drivers says what the marks on the tests say, and marks are only what they can be."""

from pathlib import Path

import pytest

from tests.drivers_table import DRIVERS, PAGE, BadMark, collect, render


def test_the_page_is_what_the_marks_say() -> None:
    again = "run `python -m tests.drivers_table`"
    assert PAGE.read_text(encoding="utf-8") == render(collect()), again


def test_every_driver_is_shown_to_stream() -> None:
    assert {one.driver for one in collect() if one.feature == "stream"} == set(DRIVERS)


def test_a_marked_test_that_is_gone_is_gone_from_the_page() -> None:
    shown = [one for one in collect() if one.feature != "fork"]
    row = next(line for line in render(shown).splitlines() if line.startswith("| **fork**"))
    assert "yes" not in row


@pytest.mark.parametrize(
    "mark",
    [
        'shows("codex", "stream")',
        'shows("builtin", "telepathy")',
        'shows("builtin")',
        'shows("builtin", "stream", client="imagined")',
        'shows("builtin", "stream", model="real")',
        "shows(DRIVER, FEATURE)",
    ],
)
def test_a_mark_that_says_nothing_known_is_an_error(tmp_path: Path, mark: str) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_one.py").write_text(f"@pytest.mark.{mark}\ndef test_it():\n    pass\n")
    with pytest.raises(BadMark, match=r"test_one\.py::test_it"):
        collect(folder)


def test_a_mark_on_what_is_no_test_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_one.py").write_text('@pytest.mark.shows("builtin", "stream")\ndef helper():\n    pass\n')
    with pytest.raises(BadMark):
        collect(folder)
