"""The committed table says what today's readers find in every recorded file."""

from tests.cases import needs_cases
from tests.formats_table import MARK, PAGE, formats, written


def test_the_page_lists_every_format() -> None:
    assert formats() in PAGE.read_text(encoding="utf-8").partition(MARK)[2]


@needs_cases
def test_the_table_is_what_is_found() -> None:
    assert PAGE.read_text(encoding="utf-8") == written()
