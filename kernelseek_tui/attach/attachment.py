"""One copilot's hold on one session: the lock, the binding that hooks look for, and the hooks themselves."""

from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kernelseek_tui.attach.disabled import hooks_disabled
from kernelseek_tui.attach.discover import AttachError, Running
from kernelseek_tui.attach.kept import records
from kernelseek_tui.attach.merge import Tag
from kernelseek_tui.attach.settings import ProjectSettings, SettingsError
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.hooks.bound import bound
from kernelseek_tui.hooks.mailbox import Binding, Mailbox, locked
from kernelseek_tui.hooks.program import program

if TYPE_CHECKING:
    from harness.workspace import Workspace


class Taken(AttachError):  # noqa: N818 - a refusal, in the words of the exit codes
    """Another copilot steers the session."""

    exit_code = ExitCode.STORAGE


class Attachment:
    """Holds a session from `open` to `close`; both may be called again and then do nothing.

    `copilot` is our session's id, `goal` whether the session's stops are held against the goal of the
    workspace it works in, and `workspace` the one it is. `client_home`: where the person's own settings of
    the client are. `said` gathers sentences on what was done to the
    person's files.
    """

    def __init__(
        self,
        running: Running,
        home: Path,
        copilot: str,
        *,
        goal: bool,
        workspace: "Workspace | None" = None,
        client_home: Path | None = None,
    ) -> None:
        self.running = running
        self.box = Mailbox(home, running.session)
        self.settings = ProjectSettings(running.cwd, home)
        self.said: list[str] = []
        self.client_home = client_home
        self.goal = goal
        self._binding = Binding(copilot, str(running.cwd), client_pid=running.pid, goal=goal)
        self._workspace = workspace
        self._held: ExitStack | None = None

    def check(self) -> None:
        """Raise what `open` would, before anybody is asked: `Taken`, `SettingsError`."""
        if self.box.alive():
            raise self._taken()
        self.settings.check()
        self._enabled()

    def open(self) -> None:
        """Take hold. Raises `Taken` and `SettingsError`; nothing is left behind then."""
        if self._held is not None:
            return
        with ExitStack() as stack:
            try:
                self.box.folder.mkdir(parents=True, exist_ok=True)
                hold: AbstractContextManager[bool] = locked(self.box.lock, patience=0.5)
                if not stack.enter_context(hold):
                    raise self._taken()
                self.box.bind(
                    self._binding if self._workspace is None else bound(self._binding, self._workspace)
                )
                self._forget()
            except OSError as error:
                raise AttachError(f"{self.box.folder} cannot be written ({error.strerror}).") from error
            stack.callback(self._let_go)
            self._sweep()
            self._enabled()
            self.settings.install(self.running.session, program())
            self._held = stack.pop_all()

    def close(self) -> None:
        """Take the hooks out and let go. Raises `SettingsError` when the file could not be put back."""
        if self._held is None:
            return
        held, self._held = self._held, None
        with held:
            me = self.running.session
            self.said += self.settings.remove(lambda tag: tag.session == me and tag.home == self._home)
            self._sweep()

    @property
    def _home(self) -> Path:
        return self.box.folder.parents[1]

    def _let_go(self) -> None:
        with suppress(OSError):
            self.box.unbind()
            self.box.told.unlink(missing_ok=True)

    def _forget(self) -> None:
        """What a copilot that died left waiting is of another journal: it is not delivered any more."""
        for path in self.box.queue.iterdir():
            path.unlink(missing_ok=True)
        self.box.told.unlink(missing_ok=True)
        self.box.mark("idle", False)

    def _sweep(self) -> None:
        """Folders that were left for clients which have ended since."""
        for project in records(self._home)[0]:
            ProjectSettings(project, self._home).sweep()

    def _enabled(self) -> None:
        if why := hooks_disabled(self.running.cwd, self.client_home):
            raise SettingsError(f"{why}, so nothing could be asked or held; take that out and attach again.")

    def _taken(self) -> Taken:
        return Taken(
            f"The session {self.running.session[:8]} is steered by another KernelSeek; end that one first."
        )


def dead(tag: Tag) -> bool:
    """Whether no copilot lives for the hooks with this tag, so that they may be removed."""
    try:
        return not Mailbox(tag.home, tag.session).alive()
    except ValueError:
        return True
