"""`kernelseek attach`: steer a session that runs already."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bank.sources import load_banks
from kernelseek_tui.attach.attachment import Attachment
from kernelseek_tui.attach.cleanup import clean
from kernelseek_tui.attach.disabled import unknown_settings
from kernelseek_tui.attach.discover import (
    AttachError,
    Running,
    choose,
    client_home,
    running_sessions,
)
from kernelseek_tui.attach.tmux import Pane, pane_of
from kernelseek_tui.cli.bank_option import BANKS
from kernelseek_tui.cli.live_options import choose_questioner, has_terminal, keep_effects
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.launch import QUESTIONERS
from kernelseek_tui.plain import line
from sessions.home import home as state_home

if TYPE_CHECKING:
    from bank.bank import Bank
    from harness.workspace import Workspace
    from kernelseek_tui.attach.session import AttachedSession

TESTED = (2, 1, 332)
"""The oldest Claude Code that the hooks were tried with."""


class Declined(AttachError):  # noqa: N818 - an answer, no error
    """The person did not want hooks in their project."""

    exit_code = ExitCode.INTERRUPTED


@click.command()
@click.argument("wanted", metavar="[SESSION]", required=False)
@click.option("--latest", is_flag=True, help="The session that was active last.")
@click.option("--cleanup", is_flag=True, help="Remove the hooks that copilots left which did not detach.")
@click.option("--yes", is_flag=True, help="Put the hooks into the project's settings without asking.")
@click.option("--tmux", is_flag=True, help="Type questions into the session's tmux pane while it is idle.")
@click.option("--no-goal", is_flag=True, help="Do not hold the session to its workspace's goal.")
@click.option("--questioner", type=click.Choice(QUESTIONERS), default=None, help="Who decides what is asked.")
@BANKS
@click.option("--headless", is_flag=True, help="No screen: a line an event on stderr.")
@click.option("--budget", type=click.IntRange(min=0), default=20, show_default=True, help="Questions in all.")
@click.option("--python", metavar="PATH", help="The interpreter that has torch, for the reference.")
def attach(
    wanted: str | None,
    latest: bool,
    cleanup: bool,
    yes: bool,
    tmux: bool,
    no_goal: bool,
    questioner: str | None,
    banks: tuple[str, ...],
    headless: bool,
    budget: int,
    python: str | None,
) -> int:
    """Watch and question a Claude Code session that was started elsewhere; SESSION is (the start of) its id.

    \b
    kernelseek attach             list the running sessions; with only one, attach to it
    kernelseek attach --latest    the one that was active last
    kernelseek attach --cleanup   after a crash: take our hooks out of people's projects

    Reads its transcript, and reaches it by hooks in the project's .claude/settings.local.json: asked first,
    taken out when you leave, the file then byte for byte as it was. See docs/hooks.md.
    """
    home, client = state_home(), client_home()
    if cleanup:
        return _clean(home, client)
    if wanted is not None and latest:
        raise click.UsageError("a session and --latest contradict each other; give one of the two.")
    sessions = running_sessions(client)
    if wanted is None and not latest and len(sessions) > 1:
        for one in sessions:
            click.echo(line(f"{one.session}  {one.status or '?':<5} {one.cwd}"))
        raise click.UsageError("several sessions run; name one by the start of its id, or add --latest.")
    running = choose(sessions, wanted)
    chosen = choose_questioner(questioner, headless)
    if not headless and not has_terminal():
        raise click.UsageError("attach needs a terminal; add --headless to run without a screen.")
    pane = _pane(running) if tmux else None
    bank = load_banks(banks)
    session = _open(
        running, home, client, chosen, pane, bank, goal=not no_goal, yes=yes, budget=budget, python=python
    )
    click.echo(f"journal: {session.journal_path}", err=True)
    return _run(session, headless)


def _clean(home: Path, client: Path) -> int:
    in_use = [one.cwd for one in running_sessions(client)]
    done, failed = clean(home, [Path.cwd(), *in_use], in_use)
    for sentence in done:
        click.echo(line(sentence))
    for sentence in failed:
        click.echo(line(f"kernelseek: {sentence}"), err=True)
    if not done and not failed:
        click.echo("Nothing to clean up: no hooks of a dead copilot were found.")
    return ExitCode.INPUT_REFUSED if failed else ExitCode.OK


def _pane(running: Running) -> Pane:
    pane = pane_of(running.pid)
    if pane is None:
        raise AttachError("The session does not live in a tmux pane we can reach; leave --tmux out.")
    return pane


def _open(
    running: Running,
    home: Path,
    client: Path,
    questioner: str,
    pane: Pane | None,
    bank: "Bank",
    *,
    goal: bool,
    yes: bool,
    budget: int,
    python: str | None,
) -> "AttachedSession":
    from harness.workspace import find
    from kernelseek_tui.attach.session import open_attached
    from kernelseek_tui.questioners.limits import Limits

    workspace = find(running.cwd, home)
    Attachment(running, home, "", goal=False, client_home=client).check()
    for path in unknown_settings(running.cwd, client):
        click.echo(line(f"{path} cannot be read: whether it turns hooks off is not known."), err=True)
    _ask(running, workspace if goal else None, yes=yes)
    return open_attached(
        running,
        home=home,
        client_home=client,
        workspace=workspace,
        bank=bank,
        questioner=questioner,
        goal=goal,
        pane=pane,
        limits=Limits(questions=budget),
        python=python,
    )


def _ask(running: Running, workspace: "Workspace | None", *, yes: bool) -> None:
    """Say what will be written into the person's project, and go on only when they agree."""
    held = "its stops are held to the workspace's goal" if workspace else "its stops are not held to a goal"
    where = running.cwd / ".claude" / "settings.local.json"
    what = f"Session {running.session[:8]} (process {running.pid}) in {running.cwd}; {held}."
    click.echo(line(what), err=True)
    if _older(running.version):
        tested = ".".join(map(str, TESTED))
        words = f"It is Claude Code {running.version}; the hooks were tried with {tested} and newer."
        click.echo(line(words), err=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"attach writes hooks into {where}; add --yes to allow that.")
    click.echo(line(f"Hooks will be put into {where}, and taken out when you leave."), err=True)
    try:
        agreed = click.confirm("Go on?", err=True)
    except click.Abort:  # Ctrl-C or Ctrl-D at the question
        agreed = False
        click.echo(err=True)
    if not agreed:
        raise Declined("Nothing was changed.")


def _older(version: str) -> bool:
    parts = version.split(".")
    return all(part.isdigit() for part in parts) and tuple(map(int, parts)) < TESTED


def _run(session: "AttachedSession", headless: bool) -> int:
    try:
        if headless:
            from kernelseek_tui.headless import run_headless

            run_headless(session, lambda text: click.echo(text, err=True))
        else:
            from kernelseek_tui.app.live import run_live

            run_live(session)
    finally:
        for sentence in session.said:
            click.echo(line(sentence), err=True)
    if session.exit_code is not None:
        click.echo(line(f"verdict: {session.verdict} (exit {session.exit_code})"))
    click.echo(f"journal: {session.journal_path}")
    keep_effects(session.journal_path, asked=bool(session.state.asked))
    return session.exit_code or ExitCode.OK
