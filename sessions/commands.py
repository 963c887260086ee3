"""Shell command lines taken apart as far as the layer map needs: programs, arguments, files written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1")
# Quoted text stays whole, so that a `;` in an argument does not end a command.
_PIECE = re.compile(
    r"(?P<quoted>'[^']*'|\"(?:\\.|[^\"\\])*\")|(?P<escape>\\.)|(?P<end>&&|\|\|?|;|\n|(?<!>)&(?!>))|(?P<other>[^'\"\\&|;\n]+|.)",
    re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=\S*")
_REDIRECT = re.compile(r"(?<![0-9&>])>{1,2}\s*(?P<path>[^\s>&|;()<]+)")
_IN_PLACE = re.compile(r"^(?:sed|perl)\b.*?\s-p?i\S*\s")

# Programs that only run another one, once their own options and figures are taken off.
_WRAPPERS = frozenset(
    {"sudo", "nohup", "time", "nice", "ionice", "stdbuf", "env", "exec", "command", "timeout", "taskset"}
    | {"numactl", "xargs", "setsid", "chrt"}
)
# The same with options that take words: what they run is looked for by name. Local ones ("gpu-lock-exec",
# "with-gpu", "run_on_node.sh") are told by theirs.
_RUNNERS = frozenset(
    {("uv", "run"), ("poetry", "run"), ("pixi", "run"), ("conda", "run"), ("mamba", "run"), ("pipenv", "run")}
    | {(box, verb) for box in ("docker", "podman", "apptainer", "singularity") for verb in ("run", "exec")}
)
_RUNNER_NAME = re.compile(
    r"(?:srun|salloc|mpirun|mpiexec|torchrun|flock|parallel|compute-sanitizer|gpu-lock\S*|with[-_]\S+"
    r"|\S*[-_](?:exec|run|lock|wrap(?:per)?)(?:\.sh)?|run[-_]\S+)\Z"
)
_STARTS = re.compile(
    r"(?:python[0-9.]*|pypy[0-9.]*|(?:ba|z|da)?sh|pytest|py\.test|ncu|nsys|perf|strace|valgrind|vtune|rocprof\w*"
    r"|py-spy|nvcc|hipcc|gcc|g\+\+|clang(?:\+\+)?|make|cmake|ninja|kernelseek|hyperfine|cuobjdump|objdump"
    r"|nvdisasm)\Z"
)
_FIGURES = re.compile(r"(?:0x)?[0-9][0-9a-f,.:-]*[smhd]?\Z")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_MAX_NESTED = 3  # shells within shells
MAX_COMMAND = 20_000  # characters looked at: a rule matches names at the front, not a pasted file


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program with its arguments. `program` is the base name, `text` all of it, `writes` its files.

    `pipeline` is the text of all commands that are piped into one another with this one.
    """

    program: str
    text: str
    writes: tuple[str, ...] = ()
    pipeline: str = ""


@lru_cache(maxsize=64)  # everybody who looks at a call, and then at its result, asks for the same
def split(command: str) -> tuple[SimpleCommand, ...]:
    """The simple commands of a shell line, in order; those of a `bash -c` stand in its place.

    Bodies of here-documents are left out: they are data.
    """
    return tuple(_split(command[:MAX_COMMAND], 0))


def _split(command: str, nested: int) -> Iterator[SimpleCommand]:
    for pipeline in _pipelines(_without_heredocs(command)):
        whole = " | ".join(part.strip() for part in pipeline)
        for part in pipeline:
            words = _unwrapped(part.strip().strip("(){}").split())
            inner = _shell_text(words) if nested < _MAX_NESTED else None
            if inner is not None:
                yield from (
                    replace(found, pipeline=found.pipeline + " | " + whole)
                    for found in _split(inner, nested + 1)
                )
            elif words:
                yield _simple(words, whole)


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


def _pipelines(command: str) -> Iterator[list[str]]:
    current: list[str] = []
    parts: list[str] = []
    for piece in _PIECE.finditer(command):
        if piece.lastgroup == "end":
            parts.append("".join(current))
            current = []
            if piece.group() != "|":
                yield parts
                parts = []
        elif piece.group() != "\\\n":
            current.append(piece.group())
    yield [*parts, "".join(current)]


def _unwrapped(words: list[str]) -> list[str]:
    """The command without the programs that only run it."""
    while words:
        name = _base_name(words[0])
        if _ASSIGNMENT.fullmatch(words[0]):
            words = words[1:]
        elif name in _WRAPPERS:
            words = _after_options(words[1:])
        elif (len(words) > 1 and (name, words[1]) in _RUNNERS) or _RUNNER_NAME.match(name):
            rest = words[2:] if len(words) > 1 and (name, words[1]) in _RUNNERS else words[1:]
            start = next((place for place, word in enumerate(rest) if _starts(word)), None)
            if start is None and words[1:] == rest:
                return words  # a script with a name like that may be what is run
            words = _after_options(rest) if start is None else rest[start:]
        else:
            break
    return words


def _starts(word: str) -> bool:
    return word.startswith("./") or _STARTS.match(_base_name(word)) is not None


def _shell_text(words: list[str]) -> str | None:
    """What `bash -c '...'` runs."""
    if not words or _base_name(words[0]) not in _SHELLS:
        return None
    flag = next((place for place, word in enumerate(words[1:4], 1) if re.fullmatch(r"-[a-z]*c", word)), None)
    if flag is None or flag + 1 >= len(words):
        return None
    text = " ".join(words[flag + 1 :])
    quote = text[0]
    if quote not in "'\"":
        return text
    end = text.rfind(quote)
    inner = text[1:end] if end > 0 else text[1:]
    return inner.replace('\\"', '"') if quote == '"' else inner.replace("'\"'\"'", "'")


def _simple(words: list[str], whole: str) -> SimpleCommand:
    text = " ".join(words)
    program = _base_name(words[0])
    return SimpleCommand(program, text, tuple(_written(program, words, text)), whole)


def _base_name(word: str) -> str:
    return word.strip("'\"").rsplit("/", 1)[-1]


def _after_options(words: list[str]) -> list[str]:
    while words and (words[0].startswith("-") or _FIGURES.match(words[0])):
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
