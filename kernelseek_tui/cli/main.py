"""The root command, its lazy sub-commands, and how errors end: one sentence and a documented exit code."""

import io
import sys
from typing import NoReturn

import click

from kernelseek_tui.cli.lazy import LazyGroup
from kernelseek_tui.cli.output import Output
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.plain import line

# name -> (module:attribute, one line for `kernelseek --help`); a command stands here only when it works.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("kernelseek_tui.cli.demo:demo", "A rehearsed live session on this machine's CPU, real judge."),
    "init": ("kernelseek_tui.cli.init:init", "Make a workspace for an agent: candidate, goal, TASK.md."),
    "steer": ("kernelseek_tui.cli.steer:steer", "Own a live session: watch, ask, keep its journal."),
    "attach": ("kernelseek_tui.cli.attach:attach", "Steer a session that runs already, through hooks."),
    "replay": ("kernelseek_tui.cli.replay:replay", "Scrub any transcript; see what would have been asked."),
    "inspect": ("kernelseek_tui.cli.inspect:inspect", "Read any transcript without a screen."),
    "evaluate": ("kernelseek_tui.cli.evaluate:evaluate", "Judge a candidate: correctness, ratios, goal."),
    "verify": ("kernelseek_tui.cli.verify:verify", "Compute a record again from its raw samples."),
    "gap": ("kernelseek_tui.cli.gap:gap", "Record what holds scenarios back: host, routing, kernel."),
    "goal": ("kernelseek_tui.cli.goal:goal", "Check the workspace's goal."),
    "hook": ("kernelseek_tui.cli.hook:hook", "What an agent's client runs at its events."),
    "bank": (
        "kernelseek_tui.cli.bank.group:bank",
        "The questions: list, show, lint, suggest, ...",
    ),
    "operators": ("kernelseek_tui.cli.operators:operators", "What can be made fast: list, show, new."),
    "sessions": (
        "kernelseek_tui.cli.sessions.group:sessions",
        "Sessions kept on this machine: list, export, annotate, report, ...",
    ),
    "detect": ("kernelseek_tui.cli.detect:detect", "How good the detectors are, on labels."),
    "rehearse": ("kernelseek_tui.cli.rehearse:rehearse", "A scripted model on loopback for real clients."),
    "doctor": ("kernelseek_tui.cli.doctor:doctor", "What this machine has, what is missing, what to do."),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="kernelseek-tui", prog_name="kernelseek")
def root() -> None:
    """Steer a coding agent that makes GPU kernels faster: see the moment, ask the question.

    \b
    kernelseek demo                      a rehearsed session with the real judge, no key, no GPU
    kernelseek replay TRANSCRIPT.jsonl   what would have been asked, and when
    kernelseek init attention work/      a workspace for your own agent

    stdout carries data; progress and logs go to stderr. Exit codes: docs/exit-codes.md.
    """


def _fail(message: str, code: int) -> NoReturn:
    # Messages quote file names and what files hold.
    click.echo(f"kernelseek: {line(message)}", err=True)
    sys.exit(code)


def main() -> None:
    """Run the command line. Errors with an `exit_code` are refusals or faults that explain themselves."""
    # Python has no stdout at all where it was closed before the start.
    output = Output(sys.stdout if sys.stdout is not None else io.StringIO())
    sys.stdout = output
    try:
        code = root.main(standalone_mode=False)
        output.flush()
        sys.exit(code if isinstance(code, int) else ExitCode.OK)
    except click.UsageError as error:
        error.show()
        sys.exit(ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        _fail("interrupted", ExitCode.INTERRUPTED)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except Exception as error:
        exit_code = getattr(error, "exit_code", None)
        if exit_code is None:
            raise  # a defect of ours: the traceback is the report
        _fail(str(error), int(exit_code))
