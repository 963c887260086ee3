"""Runs one hook: stdin to the answer on stdout. Always answers, whatever fails.

A hook that crashes lets the agent stop as if nothing had been said (facts: agents.md, pitfall 4). So every
failure of `stop` is a goal that cannot be told: refused twice, then let go aloud.
"""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from kernelseek_tui.hooks.answers import EVENTS, Answer, aloud, block, context, put
from kernelseek_tui.hooks.given import Given, Unreadable, read_given
from kernelseek_tui.hooks.mailbox import Binding, Mailbox, Question, bound_here, write_whole
from kernelseek_tui.hooks.stop import Chain, Standing, rule
from kernelseek_tui.hooks.worked import worked

DEADLINE = 20.0
"""Seconds after which a hook answers as broken; the client would end it at 30, which lets the agent stop."""

UNMARKED = "The mark of the workspace (.kernelseek/workspace.toml) is not to be found from {}."
GONE = (
    "The copilot of this session has ended without detaching; `kernelseek attach` takes the session up "
    "again, `kernelseek attach --cleanup` removes its hooks."
)

LOST = (
    "KernelSeek's state folder of this session is gone; `kernelseek attach` takes the session up again, "
    "`kernelseek attach --cleanup` removes its hooks."
)


class Late(Exception):  # noqa: N818 - the hook's time is over
    """The deadline passed."""


def answer(name: str, stream: BinaryIO, home: Path, attached: str | None = None) -> Answer:
    """The answer of the hook `name` (a key of `EVENTS`) to what the client says on `stream`.

    `attached` is the one session that an installed hook serves; another's input is left alone. Never raises.
    """
    if name not in EVENTS:
        return aloud(f"KernelSeek has no hook {name[:40]!r}; it has {', '.join(EVENTS)}.")
    try:
        with _deadline():
            given = read_given(stream)
            if attached is not None and given.session != attached:
                return {}
            return _hook(name, given, home, attached is not None)
    except Exception as error:
        # Whatever it is: an answer must come, and for a stop it must not be that all is well.
        return _failed(name, error, home, attached)


def _hook(name: str, given: Given, home: Path, installed: bool) -> Answer:
    box = Mailbox(home, given.session)
    binding = box.binding()
    if name == "stop":
        return _stop(given, box, binding, installed)
    if binding is None:
        return {}
    match name:
        case "post-tool-use" | "post-tool-use-failure":
            box.mark("idle", False)
            return {} if given.agent else _deliver(name, box)
        case "user-prompt-submit":
            box.mark("idle", False)
            # The client calls this for its own notices, too; those begin no turn of the person's.
            return {} if given.prompt.lstrip().startswith("<task-notification>") else _deliver(name, box)
        case "session-start" | "session-end":
            box.mark("idle", False)
            box.tell(name.replace("-", "_"))
    return {}


def _deliver(name: str, box: Mailbox) -> Answer:
    """Hand over what waits, unless nobody is left who would see the answer."""
    if not box.waits() or not box.alive():
        return {}
    return context(EVENTS[name], put(taken(box, name)))


def taken(box: Mailbox, by: str) -> list[Question]:
    """Claim what waits, and leave the copilot word of it. From here on they must be printed."""
    questions = box.take()
    for question in questions:
        with suppress(OSError):  # the copilot sees it in the transcript all the same
            box.tell("delivered", question=question.id, by=by)
    return questions


def _stop(given: Given, box: Mailbox, binding: Binding | None, installed: bool) -> Answer:
    if given.agent:
        return {}
    if given.background:
        if binding is not None:
            box.mark("idle", True)
        return {}  # the turn is not over: what runs comes back with a notice
    asked = ""
    if binding is not None and box.alive() and box.waits():
        asked = put(taken(box, "stop"))
    where = _standing(given, box, binding, installed)
    if where.kind == "none" and binding is None:
        return {}
    box.folder.mkdir(parents=True, exist_ok=True)
    if asked:
        # A question is no refusal: it ends when it is answered, and nothing is counted.
        goal = f"\n\n{where.words}" if where.kind == "unmet" else ""
        box.mark("idle", False)
        return block(asked + goal)
    ruling = rule(where, _chain(box), continued=given.continued, worked=worked(given.transcript, box))
    stored = _store(box, ruling.chain)
    if ruling.block and (stored or not given.continued):
        box.mark("idle", False)
        return block(ruling.words)
    if ruling.block:  # it cannot be counted, so it is refused once a turn
        text = "Goal unknown, the agent may stop: KernelSeek's folder cannot be written."
        return aloud(text)
    box.mark("idle", True)
    if ruling.event:
        with suppress(OSError):
            box.tell(ruling.event, text=ruling.aloud)
    return aloud(ruling.aloud)


def _standing(given: Given, box: Mailbox, binding: Binding | None, installed: bool) -> Standing:
    """Whose goal is held here, if anybody's.

    A session is bound by its copilot (`binding.json`), by the owner that started it (`KERNELSEEK_SESSION`),
    or, where no copilot and no owner is about, by whoever wrote the hook into the folder's settings.
    """
    if binding is not None:
        if binding.lock and not box.alive():
            return Standing("unknown", GONE)
        if not binding.goal:
            return Standing("none")
    elif installed:
        # Detached in order, while the client still had the hook in mind; or the folder was taken away.
        return Standing("none") if box.marked("detached") else Standing("unknown", LOST)
    from harness.errors import JudgeError
    from harness.owner_files import live_owner
    from harness.workspace import find

    # A bound session is held where it was bound: the agent chooses its own working folder.
    place = Path(binding.cwd if binding is not None else given.cwd or ".")
    try:
        workspace = find(place, box.folder.parents[1])
    except JudgeError as error:
        return Standing("unknown", str(error))
    if workspace is None:
        held = binding is not None or os.environ.get("KERNELSEEK_SESSION")
        return Standing("unknown", UNMARKED.format(place)) if held else Standing("none")
    if binding is None and not os.environ.get("KERNELSEEK_SESSION"):
        home = box.folder.parents[1]
        if live_owner(workspace.owner_lock) is not None or bound_here(home, workspace.root):
            return Standing("none")  # another session's workspace: this one is not steered
    from kernelseek_tui.hooks.standing import standing

    return standing(workspace)


def _failed(name: str, error: Exception, home: Path, attached: str | None) -> Answer:
    what = str(error) or type(error).__name__
    words = f"KernelSeek's {name} hook failed ({what[:300]})."
    if name != "stop":
        return aloud(words)
    try:
        box = Mailbox(home, attached or "unreadable")
        box.folder.mkdir(parents=True, exist_ok=True)
        continued = isinstance(error, Unreadable)
        ruling = rule(Standing("unknown", words), _chain(box), continued=continued, worked=False)
        write_whole(box.folder / "stop.json", json.dumps(asdict(ruling.chain)))
        if ruling.block:
            return block(ruling.words)
        with suppress(OSError):
            box.tell(ruling.event, text=ruling.aloud)
        return aloud(ruling.aloud)
    except (OSError, ValueError):
        return aloud(f"Goal unknown, the agent may stop: {words}")


def _chain(box: Mailbox) -> Chain:
    try:
        found = json.loads((box.folder / "stop.json").read_bytes())
        return Chain(**found)
    except (OSError, ValueError, TypeError):
        return Chain()  # none yet, or damaged: the count begins again


def _store(box: Mailbox, chain: Chain) -> bool:
    try:
        write_whole(box.folder / "stop.json", json.dumps(asdict(chain)))
    except OSError:
        return False
    return True


@contextmanager
def _deadline() -> Iterator[None]:
    def late(_: int, __: FrameType | None) -> None:
        raise Late(f"it was not done after {DEADLINE:g} s")

    try:
        before = signal.signal(signal.SIGALRM, late)
    except ValueError:  # not in the main thread: a test's
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, DEADLINE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
