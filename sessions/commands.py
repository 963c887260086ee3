"""Shell command lines taken apart as far as the layer map needs: programs, arguments, files written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1")
# Quoted text stays whole, so that a `;` in an argument does not end a command.
_PIECE = re.compile(
    r"(?P<quoted>'[^']*'|\"(?:\\.|[^\"\\])*\")|(?P<escape>\\.)|(?P<end>&&|\|\|?|;|\n|&(?!>))|(?P<other>[^'\"\\&|;\n]+|.)",
    re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=\S*")
_REDIRECT = re.compile(r"(?<![0-9&>])>{1,2}\s*(?P<path>[^\s>&|;()<]+)")
_IN_PLACE = re.compile(r"^(?:sed|perl)\b.*?\s-p?i\S*\s")

# Programs that only run another one; the number says how many arguments of their own follow them.
_WRAPPERS = {
    "sudo": 0,
    "nohup": 0,
    "time": 0,
    "nice": 0,
    "stdbuf": 0,
    "env": 0,
    "exec": 0,
    "command": 0,
    "timeout": 1,
    "taskset": 1,
    "numactl": 0,
    "xargs": 0,
    "setsid": 0,
}
_RUNNERS = {("uv", "run"), ("poetry", "run"), ("pixi", "run"), ("conda", "run"), ("pipenv", "run")}
MAX_COMMAND = 20_000  # characters looked at: a rule matches names at the front, not a pasted file


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program with its arguments. `program` is the base name, `text` all of it, `writes` its files."""

    program: str
    text: str
    writes: tuple[str, ...] = ()


def split(command: str) -> list[SimpleCommand]:
    """The simple commands of a shell line, in order. Bodies of here-documents are left out: they are data."""
    return [found for part in _parts(_without_heredocs(command[:MAX_COMMAND])) if (found := _simple(part))]


def _without_heredocs(command: str) -> str:
    if "<<" not in command:
        return command
    kept: list[str] = []
    waiting: list[str] = []
    for line in command.split("\n"):
        if waiting:
            if line.strip() == waiting[0]:
                waiting.pop(0)
            continue
        kept.append(line)
        waiting = [match.group(2) for match in _HEREDOC.finditer(line)]
    return "\n".join(kept)


def _parts(command: str) -> Iterator[str]:
    current: list[str] = []
    for piece in _PIECE.finditer(command):
        if piece.lastgroup == "end":
            yield "".join(current)
            current = []
        elif piece.group() != "\\\n":
            current.append(piece.group())
    yield "".join(current)


def _simple(part: str) -> SimpleCommand | None:
    words = part.strip().strip("(){}").split()
    while words:
        name = _base_name(words[0])
        if _ASSIGNMENT.fullmatch(words[0]):
            words = words[1:]
        elif name in _WRAPPERS:
            words = _after_options(words[1:])[_WRAPPERS[name] :]
        elif len(words) > 1 and (name, words[1]) in _RUNNERS:
            words = _after_options(words[2:])
        else:
            break
    if not words:
        return None
    text = " ".join(words)
    program = _base_name(words[0])
    return SimpleCommand(program, text, tuple(_written(program, words, text)))


def _base_name(word: str) -> str:
    return word.strip("'\"").rsplit("/", 1)[-1]


def _after_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[1:]
    return words


def _written(program: str, words: list[str], text: str) -> Iterator[str]:
    for match in _REDIRECT.finditer(text):
        path = match.group("path").strip("'\"")
        if path and not path.startswith(("/dev/", "&")):
            yield path
    if program == "tee":
        yield from (word.strip("'\"") for word in words[1:] if not word.startswith("-"))
    elif _IN_PLACE.match(text):
        yield words[-1].strip("'\"")
