"""Everything that is taken out of a question has a kind that a draft may name."""

from bank.drafting.counting import counted
from bank.drafting.stripping import strip


def test_kinds_and_counts_without_a_word_of_it() -> None:
    text = "How slow are a/b.cu, /x/y.cu and [api-key] on an H100 with --fast `x`, s_1 and 4.5 us?"
    found = strip(text, ["s_1"])
    said = counted(found.taken)
    assert "2 names of files" in said
    assert "1 name of a device" in said
    for one in found.taken:
        assert one.words not in said
