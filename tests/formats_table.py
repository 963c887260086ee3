"""The table in `docs/formats.md`, made of the recorded files: `python -m tests.formats_table` writes it."""

from pathlib import Path

from sessions.errors import RefusedInput
from sessions.readers.registry import FORMATS
from sessions.transcript import open_transcript
from tests.cases import CASES

PAGE = Path(__file__).parents[1] / "docs" / "formats.md"
MARK = "<!-- What follows is made by `python -m tests.formats_table`; a test compares it. -->\n"


def formats() -> str:
    """One line a format."""
    rows = [f"| `{one.name}` | {one.title} |" for one in FORMATS]
    return "\n".join(["| format | what it is |", "| --- | --- |", *rows]) + "\n"


def recorded() -> str:
    """One line a recorded file: what it was read as, or the sentence that refused it."""
    assert CASES is not None
    rows = ["| file | format | entries | unknown | damaged |", "| --- | --- | ---: | ---: | ---: |"]
    for folder in ("agents", "traces"):
        rows += [_row(path, CASES) for path in sorted((CASES / folder).rglob("*")) if path.is_file()]
    return "\n".join(rows) + "\n"


def _row(path: Path, root: Path) -> str:
    name = f"`{path.relative_to(root).as_posix()}`"
    try:
        found = open_transcript(path)
    except RefusedInput as refusal:
        words = str(refusal).replace(str(root), "...").replace("|", "\\|")
        return f"| {name} | refused: {words} | | | |"
    unknown = sum(found.unknown.values())
    return f"| {name} | {found.format.name} | {found.entries:,} | {unknown:,} | {found.damaged:,} |"


def written() -> str:
    """The page as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    head = text[: text.index(MARK) + len(MARK)]
    return f"{head}\n{formats()}\n## What was found in the recorded files\n\n{recorded()}"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
