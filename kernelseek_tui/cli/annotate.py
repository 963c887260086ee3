"""`kernelseek sessions annotate`: label a transcript's moments, and compare two annotators."""

import getpass
import json
import sys
from pathlib import Path

import click

from kernelseek_tui.annotate.comparison import as_object, as_text, compared
from kernelseek_tui.annotate.label_file import LabelFile, default_path
from kernelseek_tui.cli.replay import CLEAR, opening
from kernelseek_tui.plain import line
from sessions.labels import merge, read_labels, write_labels

LABELS = click.Path(path_type=Path, dir_okay=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--annotator", metavar="NAME", help="Whose labels these are. [default: your user name]")
@click.option(
    "--labels",
    type=LABELS,
    metavar="FILE",
    help="Where they are kept. [default: labels/NAME.jsonl in the state folder]",
)
@click.option("--blind", is_flag=True, help="Show no flags and run no detector: people's messages only.")
@click.option(
    "--mapping", type=click.Path(path_type=Path), help="How the columns of a score log are meant (TOML)."
)
@click.option("--compare", nargs=2, type=LABELS, metavar="A B", help="Compare two annotators' files instead.")
@click.option(
    "--within",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="ENTRIES",
    help="With --compare: labels so far apart are of one moment.",
)
@click.option(
    "--merged", type=LABELS, metavar="FILE", help="With --compare: write both files' labels into one."
)
@click.option("--json", "as_json", is_flag=True, help="With --compare: print one JSON object.")
def annotate(
    path: Path | None,
    annotator: str | None,
    labels: Path | None,
    blind: bool,
    mapping: Path | None,
    compare: tuple[Path, Path] | None,
    within: int,
    merged: Path | None,
    as_json: bool,
) -> None:
    """Label the moments of a transcript with single keys, or compare two annotators' labels.

    \b
    kernelseek sessions annotate run.jsonl --annotator ada
    kernelseek sessions annotate run.jsonl --annotator ben --blind
    kernelseek sessions annotate --compare ada.jsonl ben.jsonl

    PATH is any transcript that inspect reads. Each label is on the disk before the next begins; opened again,
    the screen goes on where it was left. The format of label files and the keys: docs/labels.md.
    """
    if compare:
        if path or annotator or labels or blind or mapping:
            raise click.UsageError("--compare takes two label files and opens no transcript.")
        _compare(*compare, within, merged, as_json)
        return
    if merged or as_json or within:
        raise click.UsageError("--within, --merged and --json are for --compare.")
    if path is None:
        raise click.UsageError("name a transcript to label, or two label files with --compare.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(
            "annotate needs a terminal; `kernelseek inspect` reads a transcript without one."
        )
    _label(path, (annotator or getpass.getuser()).strip(), labels, blind, mapping)


def _label(path: Path, annotator: str, labels: Path | None, blind: bool, mapping: Path | None) -> None:
    if not annotator:
        raise click.UsageError("--annotator needs a name.")
    file = LabelFile(labels or default_path(annotator), annotator)
    try:
        opening(path.name)
        try:
            from kernelseek_tui.app.annotate import run_annotate  # Textual takes a quarter of a second

            desk = run_annotate(path, file, blind=blind, mapping=mapping)
        finally:
            sys.stdout.write(CLEAR)
    finally:
        file.close()
    count = len(desk.labels)
    click.echo(f"{count} {'label' if count == 1 else 'labels'} of {line(path.name)}, {len(desk.left())} left")
    click.echo(f"labels: {line(str(file.path))}")


def _compare(first: Path, second: Path, within: int, merged: Path | None, as_json: bool) -> None:
    if merged is not None and merged.exists():
        raise click.UsageError(f"{line(str(merged))} is there already; give --merged a new file.")
    one = read_labels(first)
    other = one if second == first else read_labels(second)
    found = compared(one, other, (str(first), str(second)), within)
    if merged is not None:
        write_labels(merged, merge(one, other))
    click.echo(json.dumps(as_object(found), ensure_ascii=False) if as_json else as_text(found))
