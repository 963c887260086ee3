from dataclasses import replace
from pathlib import Path

import pytest

from harness import build as building
from harness.build import build, find_compiler
from harness.building import _shown
from harness.candidate import freeze
from harness.children import children
from harness.errors import JudgeError
from harness.params import params_header
from tests.harness.toy import START, Toy, candidate

HEADER = params_header(Toy().params_struct)


def test_the_same_source_is_built_once_and_another_anew(tmp_path: Path) -> None:
    with children() as mine:
        made = [
            build(source.encode(), name="library", cache_dir=tmp_path, children=mine, params_header=HEADER)
            for source in (START.read_text(), START.read_text(), candidate(above="// other"))
        ]
    assert [one.cached for one in made] == [False, True, False]
    assert made[0].output == made[1].output != made[2].output
    assert made[0].sha256 == made[1].sha256
    assert made[0].command[0] == find_compiler()[0]
    assert "-O3" in made[0].command
    assert made[0].compiler in find_compiler()[1]
    left = [entry.name for entry in (tmp_path / "builds").iterdir() if entry.name.startswith(".")]
    assert left == []


def test_the_header_is_part_of_the_address(tmp_path: Path) -> None:
    source = b'#include "ks_params.h"\nextern "C" int size() { return sizeof(ks_params); }\n'
    other = params_header(Toy().params_struct[:2])
    with children() as mine:
        first, second = (
            build(source, name="library", cache_dir=tmp_path, children=mine, params_header=header)
            for header in (HEADER, other)
        )
    assert first.key != second.key
    assert not second.cached


def test_warnings_are_no_errors_and_errors_are_quoted(tmp_path: Path) -> None:
    source = b"int unused() { int x; return 0; }\nint broken() { return missing; }\n"
    with children() as mine:
        made = build(source, name="library", cache_dir=tmp_path, children=mine, params_header=HEADER)
    assert made.output is None
    assert made.returncode != 0
    assert len(made.errors()) == 1
    assert made.errors()[0].startswith("library.cpp:2:")
    named = replace(made, shown="mine.cpp")
    assert named.errors()[0].startswith("mine.cpp:2:")
    assert named.why.startswith("mine.cpp:2:")
    assert "missing" in made.errors()[0]


def test_a_failed_build_is_tried_again(tmp_path: Path) -> None:
    with children() as mine:
        for _ in range(2):
            made = build(b"x", name="library", cache_dir=tmp_path, children=mine, params_header=HEADER)
            assert made.output is None
            assert not made.cached
    assert list((tmp_path / "builds").iterdir()) == []


def test_a_machine_without_a_compiler_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    find_compiler.cache_clear()
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    try:
        with pytest.raises(JudgeError, match=r"install g\+\+.*CXX") as none:
            find_compiler()
        assert none.value.exit_code == 60
        monkeypatch.setenv("CXX", "nvc++")
        with pytest.raises(JudgeError, match=r"CXX names the compiler 'nvc\+\+'"):
            find_compiler()
    finally:
        find_compiler.cache_clear()


def test_a_command_with_odd_characters_survives_the_shell() -> None:
    words = building._escape(["g++", "-I/a b/c", "it's", "$HOME"])
    assert words == "g++ '-I/a b/c' 'it'\\''s' '$$HOME'"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('#include "{outside}"\n', "outside.h"),
        ('# 1 "/usr/include/x.h" 1 3\n#include "{outside}"\n', "a line marker"),
        ('#pragma GCC system_header\n#include "{outside}"\n', "outside.h"),
        ('asm(".pushsection .rodata\\n.incbin \\"{outside}\\"\\n.popsection");\n', ".incbin"),
        ('asm(".pushsection .rodata\\n.inc" "bin \\"{outside}\\"\\n.popsection");\n', "outside.h"),
    ],
)
def test_a_file_of_elsewhere_is_found_whichever_way_it_was_read(
    tmp_path: Path, text: str, named: str
) -> None:
    outside = tmp_path / "outside.h"
    outside.write_text("// not covered by the candidate's hash\n")
    if "bin" in text and named == "outside.h" and "clang" in find_compiler()[1].lower():
        pytest.skip("this assembler writes no list of what it read")
    source = (text.replace("{outside}", str(outside)) + "#include <vector>\nint x;\n").encode()
    with children() as mine:
        made = build(source, name="library", cache_dir=tmp_path, children=mine, params_header=HEADER)
    assert made.output is None
    assert [Path(name).name for name in made.foreign] == [named]


def test_a_built_file_that_was_changed_is_built_again(tmp_path: Path) -> None:
    def make() -> building.Build:
        with children() as mine:
            return build(
                START.read_bytes(), name="library", cache_dir=tmp_path, children=mine, params_header=HEADER
            )

    first = make()
    assert first.output is not None
    with first.output.open("ab") as file:
        file.write(b"forged")
    second = make()
    assert not second.cached
    assert second.sha256 == first.sha256
    assert make().cached


def test_a_source_that_takes_all_there_is_ends_as_a_failed_build(tmp_path: Path) -> None:
    source = b'#include "/dev/zero"\n'
    with children() as mine:
        made = build(source, name="library", cache_dir=tmp_path, children=mine, params_header=HEADER)
    assert made.output is None
    assert made.why


def test_a_frozen_copy_goes_by_the_workspaces_name_and_a_file_by_its_own(tmp_path: Path) -> None:
    mine = tmp_path / "mine.cpp"
    mine.write_text(candidate())
    frozen = freeze(mine, tmp_path / "candidates")
    assert _shown(frozen) == "mine.cpp"
    assert _shown(freeze(frozen.path, tmp_path / "candidates")) == "candidate.cpp"
