from kernelseek_tui.review.reading_share import ReadingShare
from sessions import events as ev
from tests.kernelseek_tui.review.followed import Followed


def _share(told: Followed) -> ReadingShare:
    return told.review.reading


def _read(told: Followed, path: str, output: str) -> None:
    call = f"r{len(told.events)}"
    told.take(ev.ToolCall(id=told.next_id, call=call, tool="Read", input={"file_path": path}))
    told.result(output, call)


def test_the_candidate_is_own_source_from_the_start() -> None:
    told = Followed()
    told.take(ev.SessionStarted(id="s", session="s", agent_name="a", candidate="/w/k.cu"))
    _read(told, "/w/k.cu", "x" * 30)
    _read(told, "/w/README.md", "y" * 70)
    assert (_share(told).own, _share(told).total, _share(told).share) == (30, 100, 0.3)


def test_a_file_is_own_once_it_was_written() -> None:
    told = Followed()
    told.run("cat probe.py", "x" * 10)
    assert _share(told).own == 0
    told.run("cat > probe.py <<'E'\nx\nE", "")
    told.run("sed -n 1,9p probe.py", "x" * 10)
    assert _share(told).own == 10


def test_of_several_files_each_counts_a_part() -> None:
    told = Followed()
    told.run("echo x > a.cu", "")
    told.run("cat a.cu other.cu", "x" * 10)
    assert _share(told).own == 5


def test_a_build_or_benchmark_that_names_it_reads_nothing_of_it() -> None:
    told = Followed()
    told.run("echo x > a.cu", "")
    told.run("nvcc a.cu -o a && ./bench", "x" * 10)
    assert _share(told).own == 0
    assert _share(told).total == 10


def test_the_same_name_in_another_folder_is_another_file() -> None:
    told = Followed()
    told.take(ev.Edit(id="e", path="/w/mine/k.cu"))
    _read(told, "/w/upstream/k.cu", "x" * 10)
    assert _share(told).own == 0
    _read(told, "mine/k.cu", "x" * 10)
    assert _share(told).own == 10


def test_a_result_before_its_call_and_a_repeated_one_count_once() -> None:
    told = Followed()
    told.result("x" * 10, "late")
    told.take(ev.ToolCall(id=told.next_id, call="late", tool="Read", input={"file_path": "a"}))
    told.result("x" * 10, "late")
    assert (_share(told).total, _share(told).results) == (10, 1)


def test_bytes_not_characters() -> None:
    told = Followed()
    told.run("ls", "é")
    assert _share(told).total == 2


def test_nothing_read_is_no_share() -> None:
    assert ReadingShare().share is None
