"""The text editor a model edits with: exact, inside the workspace, and never half done."""

import os

import pytest

from kernelseek_tui.agents.builtin.editor import MAX_SHOWN, Editor
from kernelseek_tui.agents.lines.files import MAX_FILE_BYTES, Files


@pytest.fixture
def editor(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\nthree\n")
    return Editor(Files(tmp_path, "a.txt"))


def do(editor, command, path="a.txt", **more):
    return editor.run({"command": command, "path": path, **more})


@pytest.mark.parametrize(
    ("view_range", "shown"),
    [
        (None, "     1\tone\n     2\ttwo\n     3\tthree"),
        ([2, 3], "     2\ttwo\n     3\tthree"),
        ([3, -1], "     3\tthree"),
        ([1, 99], "     1\tone\n     2\ttwo\n     3\tthree"),
    ],
)
def test_view_numbers_the_lines(editor, view_range, shown):
    done = do(editor, "view", view_range=view_range)
    assert (done.output, done.is_error, done.change) == (shown, False, None)


@pytest.mark.parametrize("view_range", [[0, 2], [3, 2], [4, 5], [2, 0], [1], ["1", 2], "1-2", [True, 2]])
def test_a_range_that_is_not_there_is_refused(editor, view_range):
    assert do(editor, "view", view_range=view_range).is_error


def test_view_of_a_folder_lists_two_levels_and_follows_no_link(editor, tmp_path):
    (tmp_path / "sub" / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / ".hidden").touch()
    (tmp_path / "out").symlink_to(tmp_path.parent)
    assert do(editor, "view", ".").output.splitlines() == ["./", "a.txt", "out", "sub/", "sub/deep"]


def test_long_files_and_empty_ones_say_so(editor, tmp_path):
    (tmp_path / "long").write_text("word\n" * MAX_SHOWN)
    done = do(editor, "view", "long")
    assert len(done.output) < MAX_SHOWN + 100
    assert "use view_range" in done.output
    (tmp_path / "empty").touch()
    assert do(editor, "view", "empty").output == "The file is empty."


def test_create_makes_folders_and_says_when_it_overwrites(editor, tmp_path):
    assert do(editor, "create", "sub/new.txt", file_text="x\n").output.endswith("has been made.")
    assert (tmp_path / "sub" / "new.txt").read_text() == "x\n"
    done = do(editor, "create", file_text="other\n")
    assert done.output.endswith("has been overwritten.")
    assert "-one" in done.change.diff
    assert done.change.candidate


def test_str_replace_is_exact(editor, tmp_path):
    done = do(editor, "str_replace", old_str="two\n", new_str="2\n")
    assert done.change.path == "a.txt"
    assert (tmp_path / "a.txt").read_bytes() == b"one\n2\nthree\n"
    assert not do(editor, "str_replace", old_str="2\n").is_error  # without new_str it is taken out
    assert (tmp_path / "a.txt").read_bytes() == b"one\nthree\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("four", "x", "was not found in a.txt"),
        ("two\r\n", "x", "was not found"),
        ("o", "x", "found 2 times in a.txt (lines 1, 2)"),
        ("one", "one", "are the same"),
        ("", "x", "is empty"),
    ],
)
def test_a_replacement_that_is_not_exact_and_unique_leaves_the_file_alone(editor, tmp_path, old, new, words):
    done = do(editor, "str_replace", old_str=old, new_str=new)
    assert done.is_error
    assert words in done.output
    assert (tmp_path / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_places_that_overlap_are_two(editor, tmp_path):
    (tmp_path / "b").write_text("aaa")
    assert "found 2 times" in do(editor, "str_replace", "b", old_str="aa", new_str="x").output


@pytest.mark.parametrize(
    ("line", "more", "after"),
    [
        (0, "zero", "zero\none\ntwo\nthree\n"),
        (1, "1.5\n", "one\n1.5\ntwo\nthree\n"),
        (3, "four", "one\ntwo\nthree\nfour\n"),
    ],
)
def test_insert_goes_after_the_line(editor, tmp_path, line, more, after):
    do(editor, "insert", insert_line=line, insert_text=more)
    assert (tmp_path / "a.txt").read_text() == after


def test_insert_after_a_last_line_without_an_end_begins_a_new_one(editor, tmp_path):
    (tmp_path / "b").write_text("one")
    do(editor, "insert", "b", insert_line=1, insert_text="two")
    assert (tmp_path / "b").read_text() == "one\ntwo\n"
    assert "has 2 lines" in do(editor, "insert", "b", insert_line=3, insert_text="x").output


def test_line_ends_are_kept(editor, tmp_path):
    (tmp_path / "b").write_bytes(b"one\r\ntwo\r\n")
    do(editor, "str_replace", "b", old_str="one", new_str="1")
    do(editor, "insert", "b", insert_line=1, insert_text="x\r\n")
    assert (tmp_path / "b").read_bytes() == b"1\r\nx\r\ntwo\r\n"


def test_what_is_no_text_file_is_left_alone(editor, tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in do(editor, "str_replace", "binary", old_str="a", new_str="b").output
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in do(editor, "view", "pipe").output
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert "more than a tool reads" in do(editor, "view", "huge").output
    assert "No such file" in do(editor, "view", "absent").output
    assert "directory" in do(editor, "str_replace", ".", old_str="a", new_str="b").output
    (tmp_path / "loop").symlink_to("loop")
    assert do(editor, "view", "loop").is_error
