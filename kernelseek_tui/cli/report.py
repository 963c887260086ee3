"""`kernelseek sessions report`: one session or a campaign as Markdown, HTML or JSON."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click

from bank.sources import load_banks
from kernelseek_tui.cli.bank_option import BANKS
from kernelseek_tui.cli.inspect import reading_progress
from kernelseek_tui.plain import one_line
from kernelseek_tui.reports import as_json, html, markdown
from kernelseek_tui.reports.build import distinct, report_of, session_report
from kernelseek_tui.reports.learning import learn_session
from sessions.archive.exporting import redactor_here
from sessions.archive.finding import by_id
from sessions.errors import RefusedInput, StorageError
from sessions.readers.detect import resolve

Form = Literal["md", "html", "json"]
FORMS: tuple[Form, ...] = ("md", "html", "json")
_RENDERERS = {"md": markdown.render, "html": html.render, "json": as_json.render}
_SUFFIXES: dict[str, Form] = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
}


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("named", nargs=-1, required=True, metavar="PATH...")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file.")
@click.option("--format", "form", type=click.Choice(FORMS), help="Default: by FILE's name, else md.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@BANKS
@click.option(
    "--mapping", type=click.Path(path_type=Path), help="How the columns of a score log are meant (TOML)."
)
@click.option("--no-redact", is_flag=True, help="Leave keys, paths, names and addresses in.")
def report(
    named: tuple[str, ...],
    output: Path | None,
    form: Form | None,
    force: bool,
    banks: tuple[str, ...],
    mapping: Path | None,
    no_redact: bool,
) -> None:
    """What a session shows: score and decision points, claims, large gains, messages, layers, spend.

    \b
    kernelseek sessions report run.jsonl                       Markdown on stdout
    kernelseek sessions report run.jsonl -o run.html           one self-contained file
    kernelseek sessions report day1.jsonl day2.jsonl -o c.html a campaign: a summary table first

    PATH is any transcript that `kernelseek inspect` reads, or a session's id. Keys, tokens, home paths,
    names and e-mail addresses are replaced as in an export, and the report says how many. docs/reports.md
    says what each figure means and where it comes from. Ends 3 with one sentence when a PATH is no
    transcript, 4 when FILE cannot be written.
    """
    paths = tuple(by_id(name) or Path(name) for name in named)
    form = form or _form_of(output)
    if output is not None:
        _may_write(output, paths, force)
    bank = load_banks(banks)
    sessions = []
    given, paths = paths, distinct(paths)
    if len(paths) < len(given):
        click.echo("A session that was named more than once counts once.", err=True)
    redactor = None if no_redact else redactor_here()
    if redactor is not None:
        for path in paths:
            with reading_progress(path) as progress:
                learn_session(path, redactor, progress, mapping)
    for path in paths:
        with reading_progress(path) as progress:
            sessions.append(session_report(path, bank, progress, mapping, redactor))
    text = _RENDERERS[form](report_of(sessions, bank, redactor))
    if output is None:
        click.echo(text, nl=False)
        return
    _write(output, text, force)
    click.echo(f"wrote {output}", err=True)


def _form_of(output: Path | None) -> Form:
    """As the file's name ends; Markdown for stdout and for a name without an ending."""
    ending = output.suffix.lower() if output is not None else ""
    if not ending:
        return "md"
    if ending not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise click.BadParameter(
            f"no report ends in {one_line(ending, 20)}: end the name in one of {known}, or give --format.",
            param_hint="'-o'",
        )
    return _SUFFIXES[ending]


def _may_write(output: Path, paths: tuple[Path, ...], force: bool) -> None:
    """Said before anything is read: reading may take minutes."""
    for path in paths:
        if output.exists() and any(one.exists() and output.samefile(one) for one in (path, resolve(path))):
            raise RefusedInput(f"{output} is one of the sessions to report on: name another file.")
    if output.exists() and not force:
        raise _exists(output)


def _exists(output: Path) -> RefusedInput:
    return RefusedInput(f"{output} exists: name another file, or give --force to replace it.")


def _write(output: Path, text: str, force: bool) -> None:
    """The whole file or none; one that came into being meanwhile is kept."""
    with _storage(output):
        handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
        made = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            made.chmod(0o666 & ~_umask())
            if force:
                made.replace(output)
            else:
                output.hardlink_to(made)
        finally:
            made.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _storage(output: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise _exists(output) from error
    except OSError as error:
        raise StorageError(f"{output} cannot be written: {error.strerror or error}.") from error
