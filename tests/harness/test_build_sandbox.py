"""Compilers work in a sandbox: they read the system's folders and write in their own."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.build import Build, build, build_sandbox, find_compiler
from harness.children import Children, children
from harness.params import params_header
from harness.sandbox import Sandbox, what_holds
from tests.harness.toy import START, Toy

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this sandbox is Linux's")
HEADER = params_header(Toy().params_struct)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sandbox, Children, Path]]:
    cache = tmp_path_factory.mktemp("cache")
    with children() as mine:
        made = build_sandbox(cache_dir=cache, children=mine)
        if made is None or "landlock" not in made.holds:
            pytest.skip("this kernel has no Landlock")
        yield made, mine, cache


def make(held: tuple[Sandbox, Children, Path], source: bytes, *, any_file: bool = False) -> Build:
    sandbox = None if any_file else held[0]
    return build(
        source,
        name="library",
        cache_dir=held[2],
        children=held[1],
        params_header=HEADER,
        sandbox=sandbox,
        any_file=any_file,
    )


def test_an_honest_source_is_built_and_the_report_says_what_held_the_compiler(
    held: tuple[Sandbox, Children, Path],
) -> None:
    made, again = (make(held, START.read_bytes()) for _ in range(2))
    assert made.output is not None, made.log
    assert made.sandbox == again.sandbox == held[0].holds == ("landlock", "no-network")
    assert again.cached


@pytest.mark.parametrize(
    "text",
    [
        '#include "{outside}"\n',
        'asm(".pushsection .rodata\\n.inc" "bin \\"{outside}\\"\\n.popsection");\n',
    ],
)
def test_a_file_of_elsewhere_cannot_even_be_read(
    text: str, held: tuple[Sandbox, Children, Path], tmp_path: Path
) -> None:
    outside = tmp_path / "outside.h"
    outside.write_text("// secret\n")
    source = text.replace("{outside}", str(outside)).encode()
    made = make(held, source)
    assert made.output is None
    assert made.returncode != 0
    assert made.foreign == (str(outside),)
    assert "secret" not in made.log
    assert make(held, source, any_file=True).output is not None
    assert make(held, source).output is None  # what was built with that off is no cache for it


def test_a_file_that_is_not_there_is_a_plain_error(held: tuple[Sandbox, Children, Path]) -> None:
    made = make(held, b'#include "missing.h"\n')
    assert made.foreign == ()
    assert "missing.h" in made.why


def test_what_runs_in_it_writes_in_its_folder_only_and_opens_no_connection(
    held: tuple[Sandbox, Children, Path], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()

    def run(command: str) -> int:
        words = [str(held[0].program), str(work), "--", "/bin/sh", "-c", command]
        return subprocess.run(words, cwd=work, capture_output=True, check=False, timeout=20).returncode

    assert run("echo x > inside && mv inside moved && cat moved > /dev/null") == 0
    assert run(f"echo x > {tmp_path}/outside") != 0
    assert run(f"mv moved {tmp_path}/outside") != 0
    assert run("cat /etc/passwd") != 0
    assert [path.name for path in tmp_path.iterdir()] == ["work"]
    connect = "import socket; socket.socket()"
    words = [
        str(held[0].program),
        str(work),
        sys.prefix,
        sys.base_prefix,
        "--",
        sys.executable,
        "-c",
        connect,
    ]
    answer = subprocess.run(words, cwd=work, capture_output=True, check=False, timeout=20, text=True)
    assert "PermissionError" in answer.stderr


def test_a_compiler_that_needs_more_than_is_left_to_it_works_without(
    held: tuple[Sandbox, Children, Path], tmp_path: Path
) -> None:
    (tmp_path / "needed").write_text("")
    for folder, line, holds in (("whole", "", held[0].holds), ("odd", f"cat {tmp_path}/needed && ", ())):
        compiler = tmp_path / folder / "bin" / "g++"
        compiler.parent.mkdir(parents=True)
        compiler.write_text(f'#!/bin/sh\n{line}exec {find_compiler()[0]} "$@"\n')
        compiler.chmod(0o755)
        assert what_holds(held[0].program, str(compiler)) == holds


def test_an_ordinary_user_is_held_as_root_is(held: tuple[Sandbox, Children, Path]) -> None:
    import os

    if os.getuid() != 0:
        pytest.skip("only root can try it as somebody else")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = Path(shutil.copy(held[0].program, folder))
        program.chmod(0o755)
        answer = subprocess.run(
            [program], user=65534, cwd="/", capture_output=True, text=True, check=True, timeout=20
        )
    assert tuple(answer.stdout.split()) == held[0].holds
