"""The text editor that models know as `str_replace_based_edit_tool` (`text_editor_20250728`).

Commands `view`, `create`, `str_replace`, `insert`, inside the workspace only. Replacements are exact: a text
that is not there, or there more than once, is an error that says so, and the file stays as it was.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kernelseek_tui.agents.lines.files import Files, RefusedError, ToolOutcome

NAME = "str_replace_based_edit_tool"
MAX_SHOWN = 30_000
"""Characters of a file or a listing that one `view` shows."""

_NEEDS = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str"),
    "insert": ("path", "insert_line", "insert_text"),
}


def edits(arguments: Mapping[str, Any]) -> bool:
    """Whether the call would change a file."""
    return arguments.get("command") != "view"


class Editor:
    """The editor over `files`."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def target(self, arguments: Mapping[str, Any]) -> Path:
        """The file a call is about. Raises `RefusedError` for a call that cannot be done by anyone."""
        command = arguments.get("command")
        if not isinstance(command, str) or command not in _NEEDS:
            raise RefusedError(f"The editor has no command {command!r}; it has {', '.join(_NEEDS)}.")
        for name in _NEEDS[command]:
            wanted = int if name == "insert_line" else str
            value = arguments.get(name)
            if not isinstance(value, wanted) or isinstance(value, bool):
                what = "missing" if value is None else f"a {type(value).__name__}"
                raise RefusedError(f"{command} needs {name!r}, a {wanted.__name__}; it is {what}.")
        return self._files.inside(arguments["path"])

    def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Do a call. Whatever goes wrong is an outcome with `is_error`."""
        try:
            path = self.target(arguments)
            match arguments["command"]:
                case "view":
                    return ToolOutcome(self._view(path, arguments.get("view_range")))
                case "create":
                    return self._create(path, arguments["file_text"])
                case "str_replace":
                    return self._replace(path, arguments["old_str"], arguments.get("new_str") or "")
                case _:
                    return self._insert(path, arguments["insert_line"], arguments["insert_text"])
        except RefusedError as error:
            problem = str(error)
        except OSError as error:
            problem = f"{error.filename}: {error.strerror}."
        except UnicodeError:
            problem = f"{arguments['path']} is not UTF-8 text; the editor leaves it alone."
        return ToolOutcome(f"Error: {problem}", is_error=True)

    def _view(self, path: Path, view_range: object) -> str:
        if path.is_dir():
            return _cut("\n".join(_listing(path, self._files.workspace)), "list a folder in it instead")
        lines = _lines(self._files.read(path, errors="replace"))
        first, last = 1, len(lines)
        if view_range is not None:
            first, last = _range(view_range, len(lines))
        shown = "\n".join(f"{number:6}\t{lines[number - 1]}" for number in range(first, last + 1))
        return _cut(shown, "use view_range to see the rest") if shown else "The file is empty."

    def _create(self, path: Path, text: str) -> ToolOutcome:
        there = path.exists()
        before = self._files.read_if_there(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        done = self._files.save(path, before, text)
        name = done.change.path if done.change else path.name
        return ToolOutcome(
            f"The file {name} has been {'overwritten' if there else 'made'}.", change=done.change
        )

    def _replace(self, path: Path, old: str, new: str) -> ToolOutcome:
        text = self._files.read(path)
        if not old:
            raise RefusedError("old_str is empty; use insert or create.")
        if old == new:
            raise RefusedError("old_str and new_str are the same; nothing was changed.")
        places = list(_places(text, old))
        if not places:
            raise RefusedError(
                f"old_str was not found in {path.name}. It must match exactly, spaces and line ends too."
            )
        if len(places) > 1:
            at = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:10])
            raise RefusedError(
                f"old_str was found {len(places)} times in {path.name} (lines {at}); add lines around it "
                "until it is the only one."
            )
        return self._files.save(path, text, text.replace(old, new))

    def _insert(self, path: Path, line: int, more: str) -> ToolOutcome:
        text = self._files.read(path)
        count = len(_lines(text))
        if not 0 <= line <= count:
            raise RefusedError(f"insert_line is {line}; {path.name} has {count} lines: give 0 to {count}.")
        place = 0
        for _ in range(line):
            end = text.find("\n", place)
            place = len(text) if end < 0 else end + 1
        head = text[:place] if not place or text[place - 1] == "\n" else text[:place] + "\n"
        more = more if more.endswith("\n") else more + "\n"
        return self._files.save(path, text, head + more + text[place:])


def _lines(text: str) -> list[str]:
    """Lines as an editor numbers them: a last newline begins none."""
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def _places(text: str, old: str) -> Iterator[int]:
    place = text.find(old)
    while place >= 0:
        yield place
        place = text.find(old, place + 1)


def _range(given: object, count: int) -> tuple[int, int]:
    if not (isinstance(given, list) and len(given) == 2 and all(type(number) is int for number in given)):
        raise RefusedError("view_range is two line numbers, [first, last]; -1 as last is the file's end.")
    first, last = given
    last = count if last == -1 else last
    if not 1 <= first <= last or first > count:
        raise RefusedError(f"view_range [{first}, {given[1]}] is not in the file; it has {count} lines.")
    return first, min(last, count)


def _listing(folder: Path, workspace: Path) -> Iterator[str]:
    """The folder and what is in it, two levels deep, without hidden names and without following links."""
    yield f"{folder.relative_to(workspace)}/"
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        deeper = path.is_dir() and not path.is_symlink()
        yield f"{path.relative_to(workspace)}{'/' if deeper else ''}"
        if deeper:
            inner = (item for item in sorted(path.iterdir()) if not item.name.startswith("."))
            yield from (str(item.relative_to(workspace)) for item in inner)


def _cut(text: str, advice: str) -> str:
    if len(text) <= MAX_SHOWN:
        return text
    kept = text[:MAX_SHOWN].rsplit("\n", 1)[0] if "\n" in text[:MAX_SHOWN] else text[:MAX_SHOWN]
    return f"{kept}\n… {len(text) - len(kept)} characters left out; {advice} …"
