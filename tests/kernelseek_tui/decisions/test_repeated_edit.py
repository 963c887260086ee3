from kernelseek_tui.decisions.repeated_edit import RepeatedEdit
from sessions import events as ev
from tests.kernelseek_tui.decisions.told import Told

OLD = [f"float old_value_{n} = load(pointer + {n});" for n in range(10)]
NEW = [f"float4 new_value_{n} = load4(pointer + {n});" for n in range(10)]


def change(told: Told, removed: list[str], added: list[str], path: str = "attn.cu") -> str:
    lines = [" kept", *(f"-{line}" for line in removed), *(f"+{line}" for line in added)]
    text = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n" + "\n".join(lines) + "\n"
    return told.take(ev.Edit(id=told.next_id, path=path, diff=text))


def test_lines_that_were_taken_out_come_back() -> None:
    told = Told(RepeatedEdit())
    first = change(told, OLD, NEW)
    assert told.findings == []
    back = change(told, NEW, OLD)
    (finding,) = told.findings
    assert [evidence.event for evidence in finding.evidence] == [back, first]
    assert "10 of 20" in finding.reason
    change(told, OLD, NEW)
    assert len(told.findings) == 2


def test_new_lines_are_no_repeat() -> None:
    told = Told(RepeatedEdit())
    change(told, OLD, NEW)
    change(told, NEW, [line.replace("new", "newer") for line in NEW])
    assert told.findings == []


def test_another_file_has_lines_of_its_own() -> None:
    told = Told(RepeatedEdit())
    change(told, OLD, NEW)
    change(told, NEW, OLD, path="gemm.cu")
    assert told.findings == []


def test_white_space_does_not_make_a_line_new() -> None:
    told = Told(RepeatedEdit())
    change(told, OLD, NEW)
    change(told, NEW, [f"    {line}" for line in OLD])
    assert len(told.findings) == 1


def test_braces_comments_and_moved_lines_do_not_count() -> None:
    trivial = ["}", "{", "// a comment of some length", "    );"] * 5
    told = Told(RepeatedEdit())
    change(told, trivial, NEW)
    change(told, NEW, trivial)
    change(told, OLD, OLD)
    assert told.findings == []


def test_files_that_are_no_kernel_do_not_count() -> None:
    told = Told(RepeatedEdit())
    change(told, OLD, NEW, path="notes.md")
    change(told, NEW, OLD, path="notes.md")
    assert told.findings == []


def test_a_stated_return_needs_less() -> None:
    told = Told(RepeatedEdit())
    change(told, OLD[:3], NEW[:3])
    said = told.says("Slower. I revert to the original version.")
    change(told, NEW[:3], OLD[:3])
    (finding,) = told.findings
    assert said in [evidence.event for evidence in finding.evidence]


def test_a_return_that_was_not_made_is_none() -> None:
    told = Told(RepeatedEdit())
    change(told, OLD[:3], NEW[:3])
    told.says("Should I revert to the original version?")
    change(told, NEW[:3], [line + " // x" for line in NEW[:3]])
    assert told.findings == []


def test_words_are_all_there_is_in_a_record_without_edits() -> None:
    told = Told(RepeatedEdit())
    told.says("Worse: I revert to the previous version.")
    assert told.findings == []
    told.says("Now I put the batched path back.")
    assert len(told.findings) == 1


def test_long_diffs_end() -> None:
    told = Told(RepeatedEdit())
    change(told, [f"value_{n} = {n};" for n in range(30_000)], ["x" * 100_000])
    assert told.findings == []
