"""Opens the labelling screen on a transcript. Importing this loads Textual."""

import hashlib
from pathlib import Path

from kernelseek_tui.annotate.desk import About, Desk
from kernelseek_tui.annotate.label_file import LabelFile
from kernelseek_tui.annotate.places import Places
from kernelseek_tui.app.annotate_screen import AnnotateScreen
from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.glyphs import Glyphs
from kernelseek_tui.replay import ReplayFeed
from sessions.errors import RefusedInput


class AnnotateApp(KernelSeekApp):
    """The application with the styles of the labelling screen in the place of a session's."""

    CSS_PATH = ["roles.tcss", "annotate.tcss"]  # noqa: RUF012 - as Textual declares it


def annotate_app(
    path: Path,
    file: LabelFile,
    *,
    blind: bool = False,
    mapping: Path | None = None,
    glyphs: Glyphs | None = None,
) -> tuple[AnnotateApp, Desk]:
    """The application for labelling `path` into `file`, and its desk.

    `mapping`: the file that says how a score log is read. Raises `RefusedInput` when `path` is no transcript.
    """
    feed = ReplayFeed(path, mapping=mapping)
    about = About(file.reference(feed.path), _sha256(feed.path), file.annotator)
    desk = Desk(about, Places(feed.path.name, not feed.foreign), file.labels, file.save)
    app = AnnotateApp(lambda chosen: AnnotateScreen(feed, chosen, desk, blind=blind), glyphs=glyphs)
    return app, desk


def run_annotate(path: Path, file: LabelFile, *, blind: bool = False, mapping: Path | None = None) -> Desk:
    """Label a transcript until the person quits; the desk as it was left."""
    app, desk = annotate_app(path, file, blind=blind, mapping=mapping)
    app.run()
    return desk


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RefusedInput(f"{path} cannot be read: {error.strerror or error}.") from error
