"""The format of a rehearsal script: an agent's side of a conversation, written down.

A script is YAML, version 1. It knows model replies made of text and tool calls, tool results and human
messages, and nothing of who plays it: our player process, or a loopback server that speaks a vendor's API.

    version: 1, name, operator, candidate       # what it is about; the file that `edit` changes
    edits: FILE                                 # beside the script: {edits: {name: [{old, new}]}}
    losses: {host: {layer: host, words: {strong: [outside the kernel], weak: [launch*, idle]}}}
    topics: {noise: {strong: [run to run], weak: []}}               # other subjects of messages
    variants: [{found: host, blind: routing}, …]                    # seed modulo their number picks one
    variables: {geomean: not measured}                              # first values
    rest: TEXT                                  # said where a turn would end without a word
    start: STATE                                # what the first message starts
    on_message: [{bears: "{{blind}}", limit: 1, enter: "turn_to_{{blind}}"}, {when: working, say: Noted.}]
    states:
      opening:
        hold: true                              # messages wait until this state is over
        turns:
          - {say: I measure the start., call: {tool: Bash, input: {command: …}}, capture: {geomean: REGEX}}
          - {say: "It is {{geomean}}. Now the fix.", edit: fix_host}
        next: [{seen: REGEX, go: done}, {go: excuse}]

docs/rehearsal-scripts.md says the same with examples.

**Turns.** `say` is text, or a list of texts of which the n-th visit takes the n-th and later visits the
last. A turn has at most one of `call` and `edit`; one without either is joined to the next, since a reply
without a tool call ends the turn of any agent. `edit` becomes one `Edit` call for each pair of the named
edit. `capture` searches the results (regular expressions, one group, `^` and `$` at lines) and sets
variables; where nothing is found a variable goes back to its first value. `keep: {new: old}` copies a
variable before the call.

**Variables.** `{{name}}` in texts, inputs and names of states: the variant's keys, `variables`, and
`workspace`, `candidate`, `seed`.

**Next.** A state's name, or branches of which the first whose `seen` is found in the last results is taken.
`back` returns to what `enter` interrupted. Without `next`, and where `back` has nothing to return to, the
agent's turn ends and it waits.

**Rules.** `bears` names a loss or topic, `when` is `working` (also after an interrupt) or `waiting`,
`limit` is how often the rule may fire. `enter` does a state and comes back, `go` drops everything for a
state, a rule with neither only speaks. A state's own `on_message` replaces the script's. After an
interrupt the next message continues with the step that was broken off, unless a rule leads elsewhere.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from kernelseek_tui.agents.rehearsal.words import Words, bears, word_counts
from kernelseek_tui.exit_codes import ExitCode
from sessions.vocabulary import Layer

__all__ = ["BUILTIN", "DEFAULT", "Script", "ScriptError", "bears", "fill", "load_script", "word_counts"]

BUILTIN = ("workspace", "candidate", "seed")
BACK = "back"
DEFAULT = Path(__file__).parent / "scripts" / "attention.yaml"

_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


class ScriptError(Exception):
    """The script cannot be played; the message is one sentence that says where and why."""

    exit_code = ExitCode.INPUT_REFUSED


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Speaking(_Strict):
    say: str | tuple[str, ...] = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts to choose from; empty where nothing is said."""
        return ((self.say,) if self.say else ()) if isinstance(self.say, str) else self.say


def _regex(pattern: str, groups: int) -> str:
    try:
        compiled = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
    if compiled.groups != groups:
        raise ValueError(f"{pattern!r} must have {groups or 'no'} group{'s' if groups != 1 else ''}")
    return pattern


class Call(_Strict):
    """One tool call, with the input names coding agents use (`command`; `file_path`, `old_string`, ...)."""

    tool: Literal["Bash", "Read", "Edit", "Write"]
    input: dict[str, str | int]


class Turn(_Speaking):
    """What the agent says and then does."""

    call: Call | None = None
    edit: str | None = None
    capture: dict[str, str] = Field(default_factory=dict)
    keep: dict[str, str] = Field(default_factory=dict)

    @field_validator("capture")
    @classmethod
    def _captures(cls, capture: dict[str, str]) -> dict[str, str]:
        return {name: _regex(pattern, 1) for name, pattern in capture.items()}

    @model_validator(mode="after")
    def _one_action(self) -> "Turn":
        if self.call and self.edit:
            raise ValueError("a turn has a call or an edit, not both")
        if self.capture and not (self.call or self.edit):
            raise ValueError("a turn that calls nothing has nothing to capture from")
        if not (self.say or self.call or self.edit):
            raise ValueError("a turn says or does something")
        return self


class Branch(_Strict):
    """Where a state leads, if `seen` is in the last results."""

    seen: str | None = None
    go: str

    @field_validator("seen")
    @classmethod
    def _seen(cls, seen: str | None) -> str | None:
        return None if seen is None else _regex(seen, 0)


class Rule(_Speaking):
    """What a message leads to."""

    bears: str | None = None
    when: Literal["working", "waiting"] | None = None
    limit: int | None = Field(default=None, ge=1)
    enter: str | None = None
    go: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "Rule":
        if self.enter and self.go:
            raise ValueError("a rule has an enter or a go, not both")
        if not (self.say or self.enter or self.go):
            raise ValueError("a rule says something or leads somewhere")
        return self


class State(_Strict):
    """A stretch of the agent's work."""

    hold: bool = False
    turns: tuple[Turn, ...] = Field(min_length=1)
    next: str | tuple[Branch, ...] | None = None
    on_message: tuple[Rule, ...] = ()

    @property
    def branches(self) -> tuple[Branch, ...]:
        """`next` in one form."""
        if self.next is None:
            return ()
        return (Branch(go=self.next),) if isinstance(self.next, str) else self.next


class Loss(_Strict):
    """Something that slows the start, and the words of a message that bear on it."""

    layer: Layer
    words: Words


class Replacement(_Strict):
    """One exact replacement in the candidate."""

    old: str = Field(min_length=1)
    new: str


class Script(_Strict):
    """A whole script; see the module's text. `replacements` holds the contents of the file `edits` names."""

    version: Literal[1]
    name: str
    operator: str
    candidate: str
    edits: str | None = None
    losses: dict[str, Loss] = Field(default_factory=dict)
    topics: dict[str, Words] = Field(default_factory=dict)
    variants: tuple[dict[str, str], ...] = Field(min_length=1)
    variables: dict[str, str] = Field(default_factory=dict)
    rest: str = Field(min_length=1)
    start: str
    on_message: tuple[Rule, ...] = ()
    states: dict[str, State]
    replacements: dict[str, tuple[Replacement, ...]] = Field(default_factory=dict)

    @property
    def subjects(self) -> dict[str, Words]:
        """Every word list by its name."""
        return {name: loss.words for name, loss in self.losses.items()} | self.topics

    @property
    def loss_words(self) -> dict[str, Words]:
        """The word list of each loss, for `word_counts`."""
        return {name: loss.words for name, loss in self.losses.items()}

    def variant(self, seed: int) -> dict[str, str]:
        """The variables that `seed` chooses."""
        return dict(self.variants[seed % len(self.variants)])

    @model_validator(mode="after")
    def _closed(self) -> "Script":
        problems = [problem for variant in self.variants for problem in self._problems(variant)]
        if problems:
            raise ValueError(problems[0])
        return self

    def _problems(self, variant: Mapping[str, str]) -> Iterator[str]:
        known = set(variant) | set(self.variables) | set(BUILTIN)

        def resolve(name: str, targets: Mapping[str, object], what: str, where: str) -> Iterator[str]:
            try:
                filled = fill(name, variant)
            except KeyError as error:
                yield f"{where}: {error.args[0]} is not a key of the variant"
                return
            if filled not in targets:
                yield f"{where}: there is no {what} {filled!r}"

        def texts(values: tuple[str, ...], where: str) -> Iterator[str]:
            for value in values:
                for name in _VARIABLE.findall(value):
                    if name not in known:
                        yield f"{where}: {{{{{name}}}}} is not a variable"

        def rules(found: tuple[Rule, ...], where: str) -> Iterator[str]:
            for index, rule in enumerate(found):
                here = f"{where}.{index}"
                if rule.bears:
                    yield from resolve(rule.bears, self.subjects, "loss or topic", here)
                for name in filter(None, (rule.enter, rule.go)):
                    yield from resolve(name, self.states, "state", here)
                yield from texts(rule.texts, here)

        yield from resolve(self.start, self.states, "state", "start")
        yield from rules(self.on_message, "on_message")
        for name, state in self.states.items():
            where = f"states.{name}"
            yield from rules(state.on_message, f"{where}.on_message")
            for branch in state.branches:
                if branch.go != BACK:
                    yield from resolve(branch.go, self.states, "state", f"{where}.next")
            for index, turn in enumerate(state.turns):
                here = f"{where}.turns.{index}"
                inputs = tuple(str(value) for value in turn.call.input.values()) if turn.call else ()
                yield from texts(turn.texts + inputs, here)
                if turn.edit:
                    yield from resolve(turn.edit, self.replacements, "edit", here)
                for variable in turn.capture:
                    if variable not in self.variables:
                        yield f"{here}: {variable!r} has no first value in `variables`"
                for variable in (*turn.keep, *turn.keep.values()):
                    if variable not in known - set(BUILTIN):
                        yield f"{here}: {variable!r} is not a variable"


def fill(text: str, variables: Mapping[str, str]) -> str:
    """Put the variables into `text`. Raises `KeyError` for one that is missing."""
    return _VARIABLE.sub(lambda match: variables[match.group(1)], text)


class _Edits(_Strict):
    edits: dict[str, tuple[Replacement, ...]]


def load_script(path: Path) -> Script:
    """Read a script and the edits it names. Raises `ScriptError`."""
    raw = _read(path)
    if not isinstance(raw, dict):
        raise ScriptError(f"The rehearsal script {path} is not a mapping of keys to values.")
    if "replacements" in raw:
        raise ScriptError(f"The rehearsal script {path} has the unknown key 'replacements'; remove it.")
    edits = raw.get("edits")
    where = path
    try:
        if isinstance(edits, str):
            where = path.parent / edits
            raw["replacements"] = _Edits.model_validate(_read(where)).edits
        where = path
        return Script.model_validate(raw)
    except ValidationError as error:
        raise ScriptError(_sentence(where, error)) from None


def _read(path: Path) -> object:
    try:
        with path.open(encoding="utf-8") as file:
            return yaml.safe_load(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ScriptError(f"The rehearsal script {path} cannot be read: {reason}.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = f" at line {mark.line + 1}" if mark else ""
        raise ScriptError(f"The rehearsal script {path} is not YAML{at}.") from None


def _sentence(path: Path, error: ValidationError) -> str:
    """The first problem, in words; an unknown key before any other, since it usually explains the rest."""
    problems = error.errors()
    first = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    *parents, last = [str(part) for part in first["loc"]] or [""]
    if first["type"] == "extra_forbidden":
        inside = f" in {'.'.join(parents)}" if parents else ""
        return f"The rehearsal script {path} has the unknown key {last!r}{inside}; remove or correct it."
    at = ".".join([*parents, last])
    message = first["msg"].removeprefix("Value error, ")
    return f"The rehearsal script {path} cannot be played: {at + ': ' if at else ''}{message}."
