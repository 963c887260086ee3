"""The file that declares a benchmark: written once, found from below, refused in a sentence."""

from pathlib import Path

import pytest

from kernelseek_tui.own_benchmark.declared import (
    FILE,
    OwnBenchmarkError,
    declare,
    find_benchmark,
    read_benchmark,
)


def write(root: Path, text: str) -> None:
    (root / FILE).parent.mkdir(parents=True, exist_ok=True)
    (root / FILE).write_text(text)


def test_what_is_declared_is_found_from_any_folder_below(tmp_path: Path) -> None:
    below = tmp_path / "repo" / "a" / "b"
    below.mkdir(parents=True)
    made = declare(tmp_path / "repo", tmp_path / "home", "python bench.py")
    found = find_benchmark(below, tmp_path / "home")
    assert found == made
    assert made.command.command == "python bench.py"
    assert made.results == tmp_path / "home" / "benchmarks" / made.id
    assert made.id.startswith("repo-")
    assert find_benchmark(tmp_path, tmp_path / "home") is None


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    declare(tmp_path, tmp_path / "home", "one")
    with pytest.raises(OwnBenchmarkError, match="is there already"):
        declare(tmp_path, tmp_path / "home", "two")
    assert read_benchmark(tmp_path, tmp_path / "home").command.command == "one"


def test_the_hints_in_the_file_are_right_when_their_marks_are_taken_off(tmp_path: Path) -> None:
    declare(tmp_path, tmp_path / "home", "one")
    text = (tmp_path / FILE).read_text()
    for table, other in (("json", "pattern"), ("pattern", "json")):
        begin = text.index(f"# [benchmark.{table}]")
        end = text.index(f"# [benchmark.{other}]") if begin < text.index(f"# [benchmark.{other}]") else None
        shown = "\n".join(line.removeprefix("# ") for line in text[begin:end].splitlines() if line != "#")
        write(tmp_path, text + "\n" + shown)
        command = read_benchmark(tmp_path, tmp_path / "home").command
        assert (command.json_ is not None, command.pattern is not None) == (
            table == "json",
            table == "pattern",
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not toml [", "is not TOML"),
        ('id = "a"', "benchmark"),
        ('id = "a"\n[benchmark]\ncommand = ""', "benchmark.command"),
        ('id = "a"\n[benchmark]\ncommand = "x"\nmore = 1', "benchmark.more"),
        ('id = "a"\n[benchmark]\ncommand = "x"\nseconds = 0', "benchmark.seconds"),
        ('id = "../a"\n[benchmark]\ncommand = "x"', "no plain name"),
        (
            'id = "a"\n[benchmark]\ncommand = "x"\n[benchmark.pattern]\nname = "p"\nrow = "("',
            "benchmark.pattern",
        ),
        (
            'id = "a"\n[benchmark]\ncommand = "x"\n[benchmark.json]\nratio = "r"\n'
            '[benchmark.pattern]\nname = "p"\nscore = "(?P<value>1)"',
            "not both",
        ),
        ("#" * (65 << 10), "is over 64 KB"),
    ],
)
def test_a_file_that_is_refused_names_what_is_wrong(tmp_path: Path, text: str, words: str) -> None:
    write(tmp_path, text)
    with pytest.raises(OwnBenchmarkError, match=words) as refused:
        find_benchmark(tmp_path, tmp_path / "home")
    assert refused.value.exit_code == 3
    assert "\n" not in str(refused.value)
