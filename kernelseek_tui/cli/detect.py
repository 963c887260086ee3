"""`kernelseek detect`: how good the detectors are, on labels."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from kernelseek_tui.detecting.documents import Documents, documents_of
from kernelseek_tui.detecting.flags import flags_of
from kernelseek_tui.detecting.keywords import keyword_flags
from kernelseek_tui.detecting.labels import Labels, rows_of
from kernelseek_tui.detecting.score import Flagged, Score, Share, score
from kernelseek_tui.detecting.tfidf import tfidf_flags
from kernelseek_tui.plain import one_line
from sessions.errors import RefusedInput
from sessions.labels import read_labels

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=_HELP)
def detect() -> None:
    """Measure the detectors of decision points.

    \b
    kernelseek detect evaluate labels.jsonl
    """


@detect.command(context_settings=_HELP)
@click.argument("labels", type=click.Path(path_type=Path))
@click.option(
    "--root", type=click.Path(path_type=Path), help="Where transcripts lie; else beside the labels."
)
@click.option("--annotator", help="Whose labels count; else those of the first in the file.")
@click.option(
    "--baselines/--no-baselines", default=True, show_default=True, help="Score two simple methods too."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def evaluate(labels: Path, root: Path | None, annotator: str | None, baselines: bool, as_json: bool) -> None:
    """Score the detectors on a label file: recall, precision, delay, alarms, and what they missed.

    \b
    kernelseek detect evaluate labels.jsonl
    kernelseek detect evaluate labels.jsonl --no-baselines --json | jq '.detectors.wrong'

    A moment counts when a flag of its kind stands within five entries; a hard negative fires within one. See
    docs/detectors.md. Ends 3 when the labels, or all the transcripts they name, cannot be read.
    """
    rows = rows_of(read_labels(labels), annotator)
    folder = root if root is not None else labels.parent
    flagged: dict[str, Flagged] = {}
    texts: dict[str, Documents] = {}
    refused: dict[str, str] = {}
    for name in rows.files:
        try:
            flagged[name] = flags_of(folder / name)
            if baselines:
                texts[name] = documents_of(folder / name)
        except RefusedInput as error:
            refused[name] = str(error)
    if not flagged:
        why = next(iter(refused.values()), "it holds no labels.")
        raise RefusedInput(f"{labels}: none of the transcripts it names can be read; the first: {why}")
    scores = {"detectors": score(rows, flagged)}
    if baselines:
        kinds = sorted({row.kind for row in rows.positives})
        keywords = {name: keyword_flags(one, kinds) for name, one in texts.items()}
        scores["keywords"] = score(rows, keywords)
        scores["tfidf"] = score(rows, tfidf_flags(texts, rows.positives, kinds))
    click.echo(
        json.dumps(as_object(rows, scores, refused))
        if as_json
        else "\n".join(as_lines(rows, scores, refused))
    )


def as_object(rows: Labels, scores: Mapping[str, Score], refused: Mapping[str, str]) -> dict[str, Any]:
    """The object that `--json` prints; a share has `hits`, `total` and its Wilson interval."""
    return {
        "annotator": rows.annotator,
        "refused": [{"file": name, "why": why} for name, why in refused.items()],
        **{name: _score_object(found) for name, found in scores.items()},
    }


def _score_object(found: Score) -> dict[str, Any]:
    return {
        "wrong": {**_share(found.wrong), "missed": list(found.wrong_missed)},
        "hard_negatives": {**_share(found.fired), "fired": list(found.fired_names)},
        "entries": found.entries,
        "alarms": found.alarms,
        "alarms_per_100_entries": round(found.per_hundred, 3),
        "alarms_per_active_hour": None if found.per_active_hour is None else round(found.per_active_hour, 3),
        "worst_file": None
        if found.worst_file is None
        else {"file": found.worst_file[0], "alarms_per_100_entries": round(found.worst_file[1], 3)},
        "kinds": {
            kind.kind.value: {
                "recall": _share(kind.recall),
                "precision": _share(kind.precision),
                "delay": kind.delay,
                "flags": kind.flags,
                "elsewhere": kind.elsewhere,
                "missed": list(kind.missed),
            }
            for kind in found.kinds
        },
    }


def _share(share: Share) -> dict[str, Any]:
    low, high = share.interval
    return {"hits": share.hits, "total": share.total, "low": round(low, 3), "high": round(high, 3)}


def as_lines(rows: Labels, scores: Mapping[str, Score], refused: Mapping[str, str]) -> Iterator[str]:
    """The readable form, plain text."""
    yield (
        f"{len(rows.positives)} moments and {len(rows.negatives)} hard negatives "
        f"by {one_line(rows.annotator) or 'nobody'} in {len(rows.files)} files"
    )
    for name, why in refused.items():
        yield f"not read: {one_line(name)}: {one_line(why)}"
    for name, found in scores.items():
        yield ""
        yield from _score_lines(name, found)


def _score_lines(name: str, found: Score) -> Iterator[str]:
    yield f"{name}"
    yield f"  proved wrong   {_words(found.wrong)}{_missed(found.wrong_missed)}"
    fired = f": {', '.join(map(one_line, found.fired_names))}" if found.fired_names else ""
    yield f"  negatives that fired {found.fired.hits} of {found.fired.total}{fired}"
    hour = "" if found.per_active_hour is None else f", {found.per_active_hour:.2f} per active hour"
    worst = (
        f", at most {found.worst_file[1]:.1f} in {one_line(found.worst_file[0])}" if found.worst_file else ""
    )
    yield f"  {found.alarms} alarms in {found.entries} entries: {found.per_hundred:.2f} per 100{worst}{hour}"
    yield f"  {'kind':<20}{'recall':<24}{'on labelled places':<24}{'delay':>6}{'flags':>7}"
    for kind in found.kinds:
        delay = "-" if kind.delay is None else f"{kind.delay:g}"
        yield (
            f"  {kind.kind.value:<20}{_words(kind.recall):<24}{_words(kind.precision):<24}{delay:>6}"
            f"{kind.flags:>7}{_missed(kind.missed)}"
        )


def _words(share: Share) -> str:
    if not share.total:
        return "-"
    low, high = share.interval
    return f"{share.hits} of {share.total} [{low:.2f}, {high:.2f}]"


def _missed(names: tuple[str, ...]) -> str:
    return f"  missed {' '.join(map(one_line, names))}" if names else ""
