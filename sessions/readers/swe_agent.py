"""SWE-agent's trajectories, `<instance>.traj`: one JSON document `{trajectory, history, info, ...}`.

The steps of `trajectory` are read in order; `history` repeats them with what the agent was shown, so only
what stands before its first reply is taken from it: the prompts. They come first, as they did.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any

from sessions import events as ev
from sessions.readers.base import Unknown, count_of, mapping_of, money_of, text_of
from sessions.readers.conversation import ConversationReader, plain
from sessions.readers.documents import elements
from sessions.readers.formats import Format, Head, Item

_PROMPT, _STEP, _INFO = "prompt", "step", "info"
_PROMPTS = 200  # at most; demonstrations are prompts, too

# `edit 12:15`, the new lines, `end_of_edit`: the editor of the windowed tools.
_WINDOWED = re.compile(r"edit +\d+:\d+ *\n(?P<new>.*?)\n?end_of_edit\s*\Z", re.DOTALL)
_EDITORS = ("str_replace_editor ", "edit_anthropic ")


class SweAgentReader(ConversationReader):
    """Reads what `items` gives: prompts, steps, and at the end what became of the run."""

    def entry(self, entry: dict[str, Any]) -> Iterable[ev.AnyEvent]:
        """The events of one prompt or step, or of the end."""
        if _PROMPT in entry:
            return list(self._prompt(mapping_of(entry[_PROMPT])))
        if _INFO in entry:
            return list(self._ended(mapping_of(entry[_INFO])))
        return list(self._step(mapping_of(entry.get(_STEP))))

    def _prompt(self, prompt: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        text = plain(prompt.get("content"))
        if prompt.get("is_demo"):
            raise Unknown("demonstration")
        yield from self._start()
        if prompt.get("role") == "user":
            yield from self.person(text)
        else:
            yield from self.note(text)

    def _start(self, state: Mapping[str, Any] | None = None) -> Iterator[ev.AnyEvent]:
        session = self.account.file.removesuffix(".traj").removesuffix(".json")
        yield from self.start(session, "swe-agent", cwd=(state or {}).get("working_dir"))

    def _step(self, step: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        state = _state(step.get("state"))
        yield from self._start(state)
        message = f"l{self._line}"
        thought, action = text_of(step.get("thought")), text_of(step.get("action")).strip()
        yield from self.text(thought or (text_of(step.get("response")) if not action else ""), message)
        if not action:
            return
        if action.startswith("exit_"):  # how the loop marks that it gave up
            yield from self.note(f"The run was ended: {action}.")
            return
        tool, given = _called(action, state)
        yield from self.call(message, tool, given, message)
        observation = step.get("observation")
        if observation is not None:
            yield from self.result(message, plain(observation), False)

    def _ended(self, info: Mapping[str, Any]) -> Iterator[ev.AnyEvent]:
        stats = mapping_of(info.get("model_stats"))
        given, made = count_of(stats.get("tokens_sent")), count_of(stats.get("tokens_received"))
        yield from self.spent(None, given, made, cost=money_of(stats.get("instance_cost")))
        status = text_of(info.get("exit_status"))
        yield ev.SessionEnded(**self.head(), reason=f"SWE-agent ended: {status or 'it does not say how'}.")


def _state(state: object) -> Mapping[str, Any]:
    """A step's state: an object, or the JSON text of one."""
    if not isinstance(state, str):
        return mapping_of(state)
    found = dict(re.findall(r'"(open_file|working_dir)": "((?:[^"\\]|\\.)*)"', state[:4096]))
    return {key: value for key, value in found.items() if value != "n/a"}


def _called(action: str, state: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tool and input of an action, which is a shell line; its editors are told from other commands."""
    windowed = _WINDOWED.match(action)
    if windowed and isinstance(state.get("open_file"), str):
        return "edit", {"file_path": state["open_file"], "command": action, "new_string": windowed["new"]}
    if action.startswith(_EDITORS):
        try:
            words = shlex.split(action)
        except ValueError:  # quotes that do not match: a command all the same
            words = []
        if len(words) > 2 and not words[2].startswith("-"):
            options = dict(_options(words[3:]))
            return "str_replace_editor", {**options, "command": words[1], "path": words[2]}
    return "bash", {"command": action}


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            yield word.removeprefix("--"), next(rest, "")  # a value may begin with dashes itself


def _items(path: Path) -> Iterator[Item]:
    history = (item.value for item in elements("history.item")(path))
    prompts = list(islice(_before_reply(history), _PROMPTS))
    steps = elements("trajectory.item")(path)
    first = next(steps, None)
    if first is not None and not prompts:  # the history is not there, or cut off: a step may have it, too
        shown = mapping_of(first.value).get("query", mapping_of(first.value).get("messages"))
        prompts = list(islice(_before_reply(shown if isinstance(shown, list) else []), _PROMPTS))
    number = 0
    for number, prompt in enumerate(prompts, 1):
        yield Item(number - 1, {_PROMPT: prompt})
    for step in chain([] if first is None else [first], steps):
        yield Item(number, {_STEP: step.value}, step.damage)
        number += 1
    for info in elements("info")(path):
        if not info.damage:  # told with the steps
            yield Item(number, {_INFO: info.value})


def _before_reply(messages: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    objects = (one for one in messages if isinstance(one, dict))
    return takewhile(lambda one: one.get("role") != "assistant" or bool(one.get("is_demo")), objects)


def _whole(head: Head) -> bool:
    steps = head.object.get("trajectory")
    first = steps[0] if isinstance(steps, list) and steps and isinstance(steps[0], dict) else {}
    return {"action", "observation"} <= first.keys() and bool({"thought", "response"} & first.keys())


FORMAT = Format(
    "swe-agent",
    "a SWE-agent trajectory",
    lambda path, candidate: SweAgentReader(path.name, candidate),
    whole=_whole,
    items=_items,
)
