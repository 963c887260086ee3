"""`docs/drivers.md`, made of the marks on the tests: `python -m tests.drivers_table` writes it.

A cell says "yes" only where a test is marked `@pytest.mark.shows(DRIVER, FEATURE, …)`; with
`client="stand-in"` the test's client is a program of ours that speaks like the real one.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "drivers.md"
DRIVERS = ("rehearsal", "claude owned", "claude attached", "builtin")
FEATURES = {
    "stream": "its events arrive while it works",
    "partial text": "text is shown while it is being written",
    "interrupt": "a running turn, command included, is stopped and the session lives on",
    "mid-turn message": "a message reaches it at the next tool boundary",
    "permissions": "what it wants to use is asked for and can be denied in words",
    "resume": "a session that ended, or was killed, goes on",
    "fork": "a copy of a session goes on",
    "usage": "tokens and money are counted once a reply",
    "attach": "a session that was started before is watched and questioned",
    "goal hook": "it is sent back when it stops before the goal",
}
CLIENTS = ("real", "stand-in")
MODELS = {"rehearsal": "none: a script"}
SCRIPTED = "scripted"

HEAD = """\
# What was shown of each driver

Made of the marks on the tests by `python -m tests.drivers_table`; a test fails when this page says anything
else.

**None of this was ever run against a real model.** Every model behind these tests was scripted, on loopback.
They show that a client does what the driver asks of it, and nothing about how a model takes a question.

"yes" means that the test named below passes only if it works, with the real client; "yes, stand-in" that the
client was a program of ours that speaks as the real one was recorded. "–" means that no test shows it: the
driver does not offer it, or nobody has shown that it does.
"""

REST = """
## What an agent may use unasked

On the screen you are asked before a tool is used. The key for "always" grants the rule that the client
itself suggests, for this session only; the prompt, the screen's answer and the journal say which rule
that is (`Bash(touch x *)`; file edits and common file commands; …). It is the client that applies it: a
command that its rule does not fit, for a redirection say, is asked for again.

Headless nobody can be asked. With `--allow-all` everything is allowed. Without it (claude and builtin
alike) is allowed what stays in the workspace; the rest is denied in words that the agent reads, each
denial is a line of the log, and their number is told at the end:

- reading files of the workspace;
- editing its files, but none whose name, or whose folder's, begins with a dot (`.claude`, `.kernelseek`,
  `.git`);
- `kernelseek evaluate`, `kernelseek goal`, `kernelseek bank`;
- programs that look: `cat head tail wc ls grep nproc lscpu pwd echo stat size objdump`;
- compilers: `c++ g++ gcc cc clang clang++ nvcc hipcc` (`$CXX`, `${CXX:-c++}` and the like too), and running
  a program that was built in the workspace, by its path (`./probe`); no scripts, no makefiles;
- `rm mkdir cp mv touch`.

Every path among the arguments has to lie in the workspace, links followed; of the programs that change
something, in no folder that begins with a dot. Commands may be joined with `&&`, `||`, `;`, `|`. What a
shell could make more of (variables, assignments, substitution, redirection into files, here-documents,
names with `*`, `?` or `[`, another folder by `cd`, several lines) is denied, and so is what runs in the
background. A new file is made with the editor's tool.

This is manners and no sandbox: the candidate and whatever is built beside it are native code that runs
with your rights, here as in every evaluation, and such a program can do whatever you can. Where that is too
much, run it all in a container.

## How an owned Claude Code is held to the goal

By a stop hook in the settings that this one process is started with; no file of the project is touched.
Those settings also say `"disableAllHooks": false`, which stands above the project's and the user's own
(tried with 2.1.332, the project's file written before the start and in mid-session). Where one of them
says otherwise, the session begins with a note, since the other hooks that are set up then run as well.
Managed settings stand above ours. So every run of the hook leaves word, and a turn that ends without it
is told in the journal; the session then looks where the goal stands itself and sends the agent back with
the unmet clauses, as a message of `goal`, by the same limits as the hook. An interrupt, and a turn in
which no model spoke (`/compact`), are no such stop.

## When the owner is killed

Whatever ends the owner, a guard beside it sees its pipe close and ends the client with what it started:
its process group, and on Linux what left the group but kept a mark in its environment. A program that left
the group with a cleared environment (`env -i setsid`) lives on. A client that still works,
because the guard was killed too, is found by the next `steer` in that workspace, which names its
processes and begins nothing (Linux).
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """One test that shows one feature of one driver."""

    driver: str
    feature: str
    client: str
    test: str


class BadMark(Exception):  # noqa: N818 - it is one
    """A mark that cannot be read; the message says where."""


def collect(folder: Path = ROOT / "tests") -> list[Shown]:
    """What the marks say, in the order of files and lines. Raises `BadMark`."""
    return [shown for path in sorted(folder.rglob("test_*.py")) for shown in _in_file(path, folder.parent)]


def _in_file(path: Path, root: Path) -> Iterator[Shown]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = f"{path.relative_to(root).as_posix()}::{node.name}"
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.shows":
                yield from _read(mark, name)


def _read(mark: ast.Call, test: str) -> Iterator[Shown]:
    try:
        driver, *features = [ast.literal_eval(argument) for argument in mark.args]
        options = {str(word.arg): ast.literal_eval(word.value) for word in mark.keywords}
    except ValueError as error:
        raise BadMark(f"{test}: the mark's words have to stand in it") from error
    client = options.pop("client", "real")
    known = driver in DRIVERS and features and set(features) <= set(FEATURES) and client in CLIENTS
    if not known or options or not test.rpartition("::")[2].startswith("test_"):
        raise BadMark(f"{test}: {ast.unparse(mark)} is no mark of drivers_table.py")
    for feature in features:
        yield Shown(driver, feature, client, test)


def render(shown: list[Shown]) -> str:
    """The page."""
    lines = [HEAD, "| | " + " | ".join(DRIVERS) + " |", "| --- " * (len(DRIVERS) + 1) + "|"]
    for feature, meaning in FEATURES.items():
        cells = [_cell([s for s in shown if (s.driver, s.feature) == (d, feature)]) for d in DRIVERS]
        lines.append(f"| **{feature}**: {meaning} | " + " | ".join(cells) + " |")
    lines += ["", "## By which test", "", "| driver | feature | client | model | test |", "| --- " * 5 + "|"]
    for driver in DRIVERS:
        for feature in FEATURES:
            for one in shown:
                if (one.driver, one.feature) == (driver, feature):
                    model = MODELS.get(driver, SCRIPTED)
                    lines.append(f"| {driver} | {feature} | {one.client} | {model} | `{one.test}` |")
    lines += [
        "",
        "Tests in `tests/agents` run by `make test-agents` (Claude Code 2.1.332 from npm), the others",
    ]
    return "\n".join(lines) + " by `make test`.\n" + REST


def _cell(shown: list[Shown]) -> str:
    if not shown:
        return "–"
    return "yes" if any(one.client == "real" for one in shown) else "yes, stand-in"


if __name__ == "__main__":
    PAGE.write_text(render(collect()), encoding="utf-8")
