from kernelseek_tui.review.readded import Readded, changed_lines
from sessions import events as ev


def _edit(old: list[str], new: list[str], path: str = "k.cu") -> ev.Edit:
    body = "".join(f"-{line}\n" for line in old) + "".join(f"+{line}\n" for line in new)
    diff = f"--- {path}\n+++ {path}\n@@ -1,{len(old)} +1,{len(new)} @@\n{body}"
    return ev.Edit(id="e", path=path, diff=diff)


def _all(*edits: ev.Edit) -> Readded:
    found = Readded()
    for edit in edits:
        found.take(edit)
    return found


def test_a_line_deleted_and_put_back_is_re_added() -> None:
    found = _all(_edit(["float acc = 0;"], ["half acc = 0;"]), _edit(["half acc = 0;"], ["float acc = 0;"]))
    assert (found.raw.added, found.raw.again) == (2, 1)
    assert (found.filtered.added, found.filtered.again) == (2, 1)


def test_another_file_is_another_history() -> None:
    found = _all(_edit(["float acc = 0;"], []), _edit([], ["float acc = 0;"], "other.cu"))
    assert found.raw.again == 0


def test_the_filter_leaves_short_lines_and_moved_ones_out() -> None:
    braces = _all(_edit(["}", "12345678"], []), _edit([], ["}", "12345678"]))
    assert (braces.raw.again, braces.filtered.added) == (2, 0)
    moved = _edit(["float acc = 0;", "x"], ["y", "float acc = 0;"])
    found = _all(_edit(["float acc = 0;"], []), moved)
    assert found.raw.again == 1
    assert found.filtered.added == 0


def test_white_space_is_normalised_in_the_filtered_share_only() -> None:
    found = _all(_edit(["float  acc = 0;"], []), _edit([], ["    float acc = 0;"]))
    assert (found.raw.again, found.filtered.again) == (0, 1)


def test_hunks_are_counted_out() -> None:
    diff = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n --- kept\n--- gone\n+++ come\n\\ No newline at end of file\n"
    assert changed_lines(diff) == (["-- gone"], ["++ come"])
    assert changed_lines("--- a\n+++ a\n") == ([], [])
    assert changed_lines("no diff at all") == ([], [])


def test_edits_without_a_diff_are_counted_apart() -> None:
    found = _all(ev.Edit(id="e", path="a"), _edit([], ["a line of text"]))
    assert (found.edits, found.diffs) == (2, 1)
    assert Readded().raw.share is None
