"""Runs one hook: stdin to the answer on stdout. Always answers, whatever fails.

A hook that crashes lets the agent stop as if nothing had been said (seen of Claude Code 2.1.332). So every
failure of `stop` is a goal that cannot be told: refused twice, then let go aloud; where not even that can be
counted, refused once a turn.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from kernelseek_tui.hooks import counts
from kernelseek_tui.hooks.answers import EVENTS, Answer, aloud, block, context, put
from kernelseek_tui.hooks.given import Given, Unreadable, read_given
from kernelseek_tui.hooks.mailbox import Binding, Mailbox, Question, bound_here
from kernelseek_tui.hooks.stop import Ruling, Standing, rule, uncounted
from kernelseek_tui.hooks.worked import worked

DEADLINE = 20.0
"""Seconds after which a hook answers as broken; the client would end it at 30, which lets the agent stop."""

UNMARKED = "The mark of the workspace (.kernelseek/workspace.toml) is not to be found from {}."
GONE = (
    "The copilot of this session has ended without detaching; `kernelseek attach` takes the session up "
    "again, `kernelseek attach --cleanup` removes its hooks."
)
LOST = "What KernelSeek keeps of this session ({}) was removed while the session ran; {}"
_LOST_OURS = "end the session and begin it again with `kernelseek steer`."
_LOST_ATTACHED = (
    "leave KernelSeek if it still steers the session, then take it up again with `kernelseek attach`, or "
    "remove its hooks with `kernelseek attach --cleanup`."
)
UNUSABLE = "KernelSeek's state folder {} cannot be read ({})."
UNCOUNTED = (
    "KernelSeek cannot count refusals in its state folder {} ({}), so it refuses a stop only once a turn: "
    "make that a folder that can be written and has room, or set KERNELSEEK_HOME to one and begin again."
)


class Late(Exception):  # noqa: N818 - the hook's time is over
    """The deadline passed."""


def answer(name: str, stream: BinaryIO, home: Path, attached: str | None = None) -> Answer:
    """The answer of the hook `name` (a key of `EVENTS`) to what the client says on `stream`.

    `attached` is the one session that an installed hook serves; another's input is left alone. Never raises.
    """
    if name not in EVENTS:
        return aloud(f"KernelSeek has no hook {name[:40]!r}; it has {', '.join(EVENTS)}.")
    given: Given | None = None
    try:
        with _deadline():
            given = read_given(stream)
            if attached is not None and given.session != attached:
                return {}
            return _hook(name, given, home, attached is not None)
    except Unreadable as error:
        if attached is not None and error.session not in ("", attached):
            return {}
        return _failed(name, error, home, attached, error.session, continued=error.continued)
    except Exception as error:
        # Whatever it is: an answer must come, and for a stop it must not be that all is well.
        if given is None:
            return _failed(name, error, home, attached, "", continued=True)
        return _failed(name, error, home, attached, given.session, continued=given.continued)


def _hook(name: str, given: Given, home: Path, installed: bool) -> Answer:
    box = Mailbox(home, given.session)
    if name == "stop":
        said = _stop(given, box, home, installed)
        if not given.agent:
            _ran(box, said)
        return said
    try:
        binding = box.binding()
    except OSError:
        if installed:
            raise
        return {}  # nobody attached here
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
    return context(EVENTS[name], put(taken(box, name, whole=False)))


def taken(box: Mailbox, by: str, *, whole: bool = True) -> list[Question]:
    """Claim what waits (see `Mailbox.take`), and leave the copilot word of it. They must be printed then."""
    questions = box.take(whole=whole)
    for question in questions:
        with suppress(OSError):  # the copilot sees it in the transcript all the same
            box.tell("delivered", question=question.id, by=by)
    return questions


def _stop(given: Given, box: Mailbox, home: Path, installed: bool) -> Answer:
    if given.agent:
        return {}
    binding: Binding | None = None
    broken = ""
    try:
        binding = box.binding()
    except OSError as error:
        if installed:  # else nobody says that this session is ours, and the folder it works in decides
            broken = UNUSABLE.format(home, error.strerror or error)
    if given.background:
        if binding is not None:
            _idle(box, True)
        return {}  # the turn is not over: what runs comes back with a notice
    where = Standing("unknown", broken) if broken else _standing(given, box, home, binding, installed)
    if where.kind == "none" and binding is None:
        return {}
    if binding is not None and box.alive() and box.waits() and (asked := put(taken(box, "stop"))):
        # A question is no refusal: it ends when it is answered, and nothing is counted.
        _idle(box, False)
        return block(f"{asked}\n\n{where.words}" if where.kind == "unmet" else asked)
    with suppress(OSError):  # where it cannot be made, nothing can be counted, and that is said
        box.folder.mkdir(parents=True, exist_ok=True)
    ran = worked(given.transcript, box)
    ruling = _counted(where, counts.of_session(box), home, continued=given.continued, ran=ran)
    _idle(box, not ruling.block)
    return _ruled(ruling, box)


def _ran(box: Mailbox, said: Answer) -> None:
    """Leave word that the stop hook ran to its end: a turn that ends without it was held by nobody."""
    with suppress(OSError):
        if box.bound():
            box.tell("stopped", refused=said.get("decision") == "block")


def _counted(where: Standing, kept: counts.Counts, home: Path, *, continued: bool, ran: bool) -> Ruling:
    try:
        ruling = rule(where, kept.read(), continued=continued, worked=ran)
        kept.write(ruling.chain)
    except OSError as error:
        return uncounted(where, UNCOUNTED.format(home, error.strerror or error), continued=continued)
    return ruling


def _ruled(ruling: Ruling, box: Mailbox | None) -> Answer:
    """The answer; what the person must see of it goes to the session's copilot, too."""
    if ruling.block:
        return block(ruling.words)
    if ruling.event and box is not None:
        with suppress(OSError):
            box.tell(ruling.event, text=ruling.aloud)
    return aloud(ruling.aloud)


def _idle(box: Mailbox, there: bool) -> None:
    with suppress(OSError):  # only the waking of idle sessions hangs on it
        box.mark("idle", there)


def _standing(given: Given, box: Mailbox, home: Path, binding: Binding | None, installed: bool) -> Standing:
    """Whose goal is held here, if anybody's.

    A session is bound by its copilot (`binding.json`), by the owner that started it (`KERNELSEEK_SESSION`),
    or, where no copilot and no owner is about, by whoever wrote the hook into the folder's settings.
    """
    if binding is not None:
        if not binding.goal:
            return Standing("none")  # never held, so its copilot's death is no reason to hold it
        if binding.lock and not box.alive():
            # A copilot that died leaves its lock's file behind; without the file nothing can be said of it.
            return Standing("unknown", GONE if box.lock.exists() else _lost(box))
    elif installed:
        # Detached in order, while the client still had the hook in mind; or the folder was taken away.
        return Standing("none") if box.marked("detached") else Standing("unknown", _lost(box))
    from harness.errors import JudgeError
    from harness.owner.files import live_owner
    from harness.workspace import find

    # A bound session is held where it was bound: the agent chooses its own working folder.
    place = Path(binding.cwd if binding is not None else given.cwd or ".")
    try:
        workspace = find(place, home)
    except JudgeError as error:
        return Standing("unknown", str(error))
    if workspace is None:
        held = binding is not None or os.environ.get("KERNELSEEK_SESSION")
        return Standing("unknown", UNMARKED.format(place)) if held else Standing("none")
    nobodys = binding is None and not os.environ.get("KERNELSEEK_SESSION")
    if nobodys and (live_owner(workspace.owner_lock) is not None or bound_here(home, workspace.root)):
        return Standing("none")  # another session's workspace: this one is not steered
    from kernelseek_tui.hooks.bound import swapped
    from kernelseek_tui.hooks.standing import standing

    if binding is not None and (other := swapped(binding, workspace)):
        return Standing("unknown", other)
    return standing(workspace)


def _lost(box: Mailbox) -> str:
    ours = os.environ.get("KERNELSEEK_SESSION")
    return LOST.format(box.folder, _LOST_OURS if ours else _LOST_ATTACHED)


def _failed(
    name: str, error: Exception, home: Path, attached: str | None, session: str, *, continued: bool
) -> Answer:
    """The answer to a failure of the hook at a stop of `session`; empty: the input did not name it."""
    what = str(error) or type(error).__name__
    words = f"KernelSeek's {name} hook failed ({what[:300]})."
    if name != "stop":
        return aloud(words)
    if (about := _box(home, session or attached or "")) is not None and _free(about):
        return aloud(words)
    where = Standing("unknown", words)
    # Whatever is broken for one client or session must not use up what another has left.
    box = _box(home, session)
    kept = counts.of_client(home) if box is None else counts.of_session(box, counts.FAILURES_LAST)
    ruling = _counted(where, kept, home, continued=continued, ran=False)
    box = box or _box(home, attached or "")
    said = _ruled(ruling, box)
    if box is not None:
        _ran(box, said)
    return said


def _free(box: Mailbox) -> bool:
    """Whether the session is known not to be held to any goal."""
    with suppress(ValueError, OSError):
        binding = box.binding()
        return binding is not None and not binding.goal
    return False


def _box(home: Path, session: str) -> Mailbox | None:
    with suppress(ValueError):
        return Mailbox(home, session)
    return None


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
