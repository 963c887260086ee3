"""From a request to what the rehearsed model says next.

The server remembers no client: every request holds the whole conversation, and the story is told again along
it up to its end. What happened differently from the script (a reply that was cut, a call that was denied, a
compaction, a question of the client on the side) is recognised by what stands in the messages.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kernelseek_tui.agents.rehearsal.script import Script, ScriptError
from kernelseek_tui.agents.rehearsal.story import Outcome, Reply, Story, ToolUse
from kernelseek_tui.rehearse.offered import translate
from kernelseek_tui.rehearse.request import Message, Part, Request
from kernelseek_tui.rehearse.wrappers import (
    ASIDE,
    ASKED_TO_SUMMARIZE,
    PLACEHOLDERS,
    SUMMARY_STARTS,
    Words,
    once,
    split_result,
    words_in,
    words_of_system,
)

Kind = Literal["story", "aside", "summary"]
"""`story`: the next step. `aside`: a title, a suggestion, anything but a step. `summary`: compaction."""

KEPT_RESULT = 4000
"""Characters of the last result's end that outlive a compaction: the judge's verdict stands there."""

_DIRECTORY = re.compile(r"^[^\n\w]*(?:Primary |Current )?[Ww]orking directory: ([^\n(]*[^\s(])", re.MULTILINE)
_PLACE = re.compile(r"<rehearsal-place>(.*?)</rehearsal-place>", re.DOTALL)
_STOPPED = re.compile(
    r"The user doesn't want to (?:proceed with this tool use|take this action right now)|"
    r"\[Request interrupted by user|\[Tool (?:call|result) |Interrupted by the user\."
)
_SAID_WITH_DENIAL = re.compile(r"To tell you how to proceed, the user said:\n(.*)", re.DOTALL)
_UNREAD = re.compile(r"File has not been read yet|File has been (?:unexpectedly )?modified since read")
_ERROR_OF_A_TOOL = re.compile(r"\s*(Exit code \d|<tool_use_error>|Error\b|Command |Blocked|No such tool)")


@dataclass(frozen=True, slots=True)
class Said:
    """What the model answers. `calls` are (name, input) in the client's terms; `heard` is what reached the
    agent since its last reply."""

    kind: Kind
    texts: tuple[str, ...]
    calls: tuple[tuple[str, dict[str, object]], ...] = ()
    heard: tuple[Words, ...] = ()


def answer(script: Script, seed: int, request: Request) -> Said:
    """The reply to `request`. Raises `ScriptError` where the script cannot go on."""
    where = _last_text(request.messages)
    last = request.messages[where[0]].parts[where[1]].text if where else ""
    walk = _Walk(script, seed, working_directory(request))
    if ASKED_TO_SUMMARIZE.match(last):
        walk.follow(request.messages, without=where)
        return Said("summary", (walk.summary(),))
    if ASIDE.match(last) or not request.offered:
        return Said("aside", (_aside(script, request),))
    walk.follow(request.messages)
    return walk.next(request)


def working_directory(request: Request) -> str:
    """The workspace that the client names in its system prompt (`Working directory: /abs/path`), else `.`."""
    told = [part.text for message in request.messages if message.role == "user" for part in message.parts]
    for text in (request.system_text, *(text for text in told if text.startswith("<system-reminder>"))):
        if match := _DIRECTORY.search(text):
            return match.group(1).rstrip("/") or "/"
    return "."


def _last_text(messages: Sequence[Message]) -> tuple[int, int] | None:
    """Where the last text of the user stands (message, part), if it stands behind the last reply."""
    for at in reversed(range(len(messages))):
        if messages[at].role == "assistant":
            return None
        if messages[at].role == "user":
            parts = messages[at].parts
            texts = [index for index, part in enumerate(parts) if part.type == "text"]
            return (at, texts[-1]) if texts else None
    return None


def _aside(script: Script, request: Request) -> str:
    wanted = (request.output_config or {}).get("format")
    words = f"Rehearsal of the script {script.name}"
    if isinstance(wanted, dict) and isinstance(wanted.get("schema"), dict):
        return json.dumps(_instance(wanted["schema"], words))
    return words


def _instance(schema: dict[str, object], words: str, depth: int = 0) -> object:
    """The plainest value of a JSON schema; its texts are `words`."""
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    properties = schema.get("properties")
    if isinstance(properties, dict) and depth < 20:
        return {k: _instance(v, words, depth + 1) for k, v in properties.items() if isinstance(v, dict)}
    plain: dict[object, object] = {"boolean": False, "integer": 0, "number": 0, "array": [], "object": {}}
    kind = schema.get("type")
    return plain.get(kind, words) if isinstance(kind, str) else words


@dataclass(slots=True)
class _Walk:
    """Tells the story along a conversation."""

    script: Script
    seed: int
    workspace: str
    heard: tuple[Words, ...] = ()
    _story: Story = field(init=False)
    _started: bool = False
    _calls: tuple[tuple[str, ToolUse], ...] = ()
    _results: dict[str, Part] = field(default_factory=dict)
    _words: list[Words] = field(default_factory=list)
    _read_first: str = ""
    _has_read: bool = False

    def __post_init__(self) -> None:
        self._story = Story(self.script, self.seed, self.workspace)

    def follow(self, messages: Sequence[Message], without: tuple[int, int] | None = None) -> None:
        """Walk along all messages; `without` (message, part) is passed over."""
        said: list[Part] = []
        for index, message in enumerate(messages):
            parts = [part for at, part in enumerate(message.parts) if (index, at) != without]
            if message.role == "assistant":
                said += parts
            else:
                if said:
                    self._reply_said(said)
                    said = []
                self._take(parts, words_in if message.role == "user" else words_of_system)
        if said:
            self._reply_said(said)
        self._close_gap()

    def next(self, request: Request) -> Said:
        """What comes next, in the terms of the tools that `request` offers."""
        if not self._started:
            self._hear("")
        if self._read_first:
            name = self._read_first.rsplit("/", 1)[-1]
            reply = Reply((f"I have to read {name} before I change it.",), (self._reading(),))
        else:
            reply = self._story.reply()
        calls = []
        for use in reply.calls:
            try:
                translated = translate(use, request.offered)
            except KeyError as error:
                raise ScriptError(
                    f"The script calls {use.tool} without the input {error.args[0]!r}."
                ) from None
            if translated is None:
                offered = ", ".join(str(tool.get("name", "?")) for tool in request.offered)
                lack = f"This step needs the tool {use.tool}, which is not offered (offered: {offered})."
                return Said("story", (*reply.texts, lack), (), self.heard)
            calls.append(translated)
        return Said("story", reply.texts, tuple(calls), self.heard)

    def summary(self) -> str:
        """The text that stands for the conversation after a compaction; the story finds its place by it."""
        saved = self._story.saved()
        for place in saved["places"]:
            place[3] = place[3][-KEPT_RESULT:]
        # `<` and `>` as escapes: nothing a tool printed may end the tag.
        place = json.dumps(saved).replace("<", "\\u003c").replace(">", "\\u003e")
        words = f"A rehearsed session of the script {self.script.name} in {self.workspace}."
        return f"<summary>\n{words}\n<rehearsal-place>{place}</rehearsal-place>\n</summary>"

    def _hear(self, text: str) -> None:
        self._started = True
        self._story.hear(text)

    def _take(self, parts: Sequence[Part], words: Callable[[str], tuple[Words, ...]]) -> None:
        for part in parts:
            if part.type == "tool_result":
                self._results[part.tool_use_id] = part
            elif part.type == "text" and SUMMARY_STARTS in part.text[:400]:
                self._restore(part.text)
            elif part.type == "text":
                self._words += words(part.text)

    def _restore(self, text: str) -> None:
        places = _PLACE.findall(text)
        story = Story(self.script, self.seed, self.workspace)
        try:
            story.restore(json.loads(places[-1]) if places else {})
        except (ValueError, RecursionError):
            story.hear("")  # nothing says where it stood: from the start
        self._story, self._started = story, True
        self._calls, self._results, self._words = (), {}, []

    def _reply_said(self, parts: Sequence[Part]) -> None:
        """The client kept this as a reply of ours: whole, cut short, or put into our mouth."""
        self._close_gap()
        uses = [part for part in parts if part.type == "tool_use"]
        if not self._started:
            self._hear("")
        if self._read_first:
            # Whatever was said here, the step that needed the file comes next.
            self._read_first, self._has_read = "", True
            return
        if not uses and not self._ours("".join(part.text for part in parts if part.type == "text")):
            return
        reply = self._story.reply()
        self._calls = tuple((uses[i].id if i < len(uses) else "", use) for i, use in enumerate(reply.calls))
        if not uses:
            self._calls = ()  # cut before its calls: the step is done again

    def _ours(self, text: str) -> bool:
        """Whether the story would say this next, or begin to."""
        text = _squeezed(text)
        if not text or text in PLACEHOLDERS:
            return False
        ahead = Story(self.script, self.seed, self.workspace)
        ahead.restore(self._story.saved())
        expected = _squeezed("".join(ahead.reply().texts))
        return expected.startswith(text) or text.startswith(expected)

    def _close_gap(self) -> None:
        """What lies between two replies: results first, then words, as the client's model saw them."""
        results, self._results = self._results, {}
        calls, self._calls = self._calls, ()
        words, self._words = self._words, []
        behind: list[Words] = []
        if calls:
            outcomes = []
            for call, _ in calls:
                outcome, more = _outcome(results.get(call))
                outcomes.append(outcome)
                behind += more
            unread = next(
                (u for (_, u), o in zip(calls, outcomes, strict=True) if _needs_reading(u, o)), None
            )
            if unread is not None and not self._has_read:
                self._read_first = str(unread.input["file_path"])
            else:
                self._has_read = False
                self._story.results(outcomes)
        else:
            for part in results.values():
                behind += split_result(part.inner_text)[1]
        self.heard = once([*behind, *words])
        for one in self.heard:
            self._hear(one.text)

    def _reading(self) -> ToolUse:
        return ToolUse("Read", {"file_path": self._read_first})


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _needs_reading(use: ToolUse, outcome: Outcome) -> bool:
    return use.tool in ("Edit", "Write") and outcome.is_error and bool(_UNREAD.search(outcome.output))


def _outcome(part: Part | None) -> tuple[Outcome, tuple[Words, ...]]:
    """What came of a call, and what a person said with or behind its result."""
    if part is None:
        return Outcome("", is_error=True, interrupted=True), ()
    output, words = split_result(part.inner_text)
    failed = bool(part.is_error)
    if failed and _STOPPED.search(output):
        if said := _SAID_WITH_DENIAL.search(output):
            return Outcome(output, True), (Words("denial", said.group(1).strip()), *words)
        return Outcome(output, True, interrupted=True), words
    if failed and output.strip() and not _ERROR_OF_A_TOOL.match(output) and not _UNREAD.search(output):
        # A denial's message stands alone as the error.
        return Outcome(output, True), (Words("denial", output.strip()), *words)
    return Outcome(output, failed), words
