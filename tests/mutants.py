"""How many small faults in the judge's arithmetic the fast tests would notice: `python -m tests.mutants`.

Every function of the files below is changed in one place at a time (mutmut), in a copy of the project, and
the pure tests are run against each change. What no test notices survives; docs/measured/mutants.md lists it
with the reason it may, from tests/mutants.toml. Ends with 1 where less than 90 % is noticed or a survivor
has no reason.
"""

import argparse
import ast
import difflib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
REASONS = ROOT / "tests" / "mutants.toml"
REPORT = ROOT / "docs" / "measured" / "mutants.md"
WANTED = 0.9
FILES = (
    "harness/correctness/gate.py",
    "harness/timing/statistics.py",
    "harness/timing/samples.py",
    "harness/aggregate.py",
    "harness/goal.py",
    "harness/goal_check.py",
    "harness/record/record.py",
    "harness/record/files.py",
)
TESTS = (
    "tests/harness/correctness/test_gate.py",
    "tests/harness/correctness/test_gate_exact.py",
    "tests/harness/timing/test_statistics.py",
    "tests/harness/timing/test_statistics_exact.py",
    "tests/harness/timing/test_timing.py",
    "tests/harness/timing/test_samples_exact.py",
    "tests/harness/timing/test_clocks.py",
    "tests/harness/test_aggregate.py",
    "tests/harness/test_aggregate_exact.py",
    "tests/harness/test_verdict.py",
    "tests/harness/test_goal.py",
    "tests/harness/test_goal_sentences.py",
    "tests/harness/test_record_files.py",
    "tests/harness/verify/test_verify.py",
    "tests/harness/verify/test_verify_rules.py",
)
_SURVIVED = frozenset({0, 5, 33})
_CONFIG = """
[tool.mutmut]
source_paths = ["harness"]
only_mutate = {files}
also_copy = ["kernels", "sessions", "bank", "kernelseek_tui", "tests"]
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-m", "not slow"]
max_stack_depth = -1
"""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no test noticed: in which function, which line became which."""

    function: str
    was: str
    became: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why changes of a function may survive, for those whose new line matches the expression."""

    function: str
    became: re.Pattern[str]
    words: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all, write the report; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("files", nargs="*", default=FILES, help="files to change; default: all")
    parser.add_argument(
        "--report", type=Path, help=f"where the table goes; default: {REPORT.relative_to(ROOT)}"
    )
    parser.add_argument("--children", type=int, default=2, help="tests side by side")
    options = parser.parse_args(arguments)
    files = [name for name in options.files if (ROOT / name).is_file()]
    with tempfile.TemporaryDirectory(prefix="kernelseek-mutants-") as name:
        place = Path(name)
        _copy(place, files)
        _run(place, options.children)
        counts, survivors = _results(place, files)
    text, good = report(counts, survivors, read_reasons(REASONS))
    target = options.report or (REPORT if options.files == FILES else None)
    if target is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    print(text)
    return 0 if good else 1


def read_reasons(path: Path) -> list[Reason]:
    """The reasons on file."""
    found = tomllib.loads(path.read_text(encoding="utf-8")).get("survivor", []) if path.is_file() else []
    return [Reason(one["function"], re.compile(one["became"]), one["reason"]) for one in found]


def report(
    counts: dict[str, Counter[str]], survivors: Sequence[Survivor], reasons: Sequence[Reason]
) -> tuple[str, bool]:
    """The report as Markdown, and whether enough was noticed and every survivor has its reason."""
    lines = [
        "# Changes that the fast tests notice",
        "",
        "Written by `make mutants`. Each function is changed in one place at a time; a change is noticed "
        "when a test fails or runs into its time limit.",
        "",
        "| file | changes | noticed | share |",
        "| --- | ---: | ---: | ---: |",
    ]
    whole: Counter[str] = Counter()
    for name, count in counts.items():
        whole += count
        lines.append(f"| {name} | {count.total()} | {count['noticed']} | {_share(count):.1%} |")
    lines += [f"| all | {whole.total()} | {whole['noticed']} | {_share(whole):.1%} |", ""]
    explained: dict[str, list[Survivor]] = {}
    bare: list[Survivor] = []
    for one in survivors:
        words = next(
            (r.words for r in reasons if r.function == one.function and r.became.search(one.became)), None
        )
        if words is None:
            bare.append(one)
        else:
            explained.setdefault(words, []).append(one)
    if explained:
        lines += ["## Not noticed, and why that may be", ""]
        for words, group in explained.items():
            lines += [f"{words}", "", *(_shown(one) for one in group), ""]
    if bare:
        lines += ["## Not noticed, without a reason", "", *(_shown(one) for one in bare), ""]
    return "\n".join(lines).rstrip() + "\n", not bare and _share(whole) >= WANTED


def _share(count: Counter[str]) -> float:
    return count["noticed"] / count.total() if count.total() else 0.0


def _shown(one: Survivor) -> str:
    return f"- `{one.function}`: `{one.was}` → `{one.became}`"


def _copy(place: Path, files: Sequence[str]) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        source = ROOT / name
        if source.is_file() and not name.startswith("docs/"):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place / name)
    tests = [name for name in TESTS if (ROOT / name).is_file()]
    with (place / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(_CONFIG.format(files=json.dumps(list(files)), tests=json.dumps(tests)))


def _run(place: Path, children: int) -> None:
    log = place / "log.txt"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "mutmut", "run", "--max-children", str(children)],
            cwd=place,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    began = time.monotonic()
    try:
        while process.poll() is None:
            time.sleep(5)
            done = re.findall(r"(\d+)/(\d+) ", log.read_text(errors="replace")[-400:])
            if done and (at := int(done[-1][0])):
                left = (time.monotonic() - began) / at * (int(done[-1][1]) - at)
                print(
                    f"\r{at} of {done[-1][1]} changes, about {left / 60:.0f} min left ",
                    end="",
                    file=sys.stderr,
                )
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        raise SystemExit(
            f"mutmut ended with {process.returncode}:\n{log.read_text(errors='replace')[-3000:]}"
        )


def _results(place: Path, files: Sequence[str]) -> tuple[dict[str, Counter[str]], list[Survivor]]:
    counts: dict[str, Counter[str]] = {}
    survivors: list[Survivor] = []
    for name in files:
        meta = place / "mutants" / f"{name}.meta"
        codes: dict[str, int] = json.loads(meta.read_text())["exit_code_by_key"]
        counts[name] = Counter("survived" if code in _SURVIVED else "noticed" for code in codes.values())
        survivors += _differences(place / "mutants" / name, [key for key in codes if codes[key] in _SURVIVED])
    return counts, survivors


def _differences(path: Path, keys: Sequence[str]) -> Iterator[Survivor]:
    """What was changed, from the copies of each function that mutmut wrote beside one another."""
    source = path.read_text(encoding="utf-8")
    lines = source.split("\n")  # cut once: ast.get_source_segment would do it for each of thousands
    functions = {
        node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for key in keys:
        module, _, name = key.rpartition(".")
        stem = name.rpartition("__mutmut_")[0]
        one, other = functions.get(f"{stem}__mutmut_orig", ""), functions.get(name, "")
        changed = [
            line
            for line in difflib.unified_diff(one.splitlines()[1:], other.splitlines()[1:], n=0, lineterm="")
            if line[:3] not in ("---", "+++", "@@ ")
        ]
        was = " ".join(line[1:].strip() for line in changed if line.startswith("-"))
        became = " ".join(line[1:].strip() for line in changed if line.startswith("+"))
        plain = stem.removeprefix("x_").replace("xǁ", "").replace("ǁ", ".")
        yield Survivor(f"{module}.{plain}", was, became)


if __name__ == "__main__":
    raise SystemExit(main())
