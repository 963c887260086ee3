"""The record of a settings file that we wrote: its bytes from before, and what we wrote."""

import base64
import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from kernelseek_tui.attach.files import replace_file
from kernelseek_tui.attach.jsontext import dump
from kernelseek_tui.attach.merge import Settings, tags_in, without
from kernelseek_tui.hooks.mailbox import ROOM


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of a settings file we wrote.

    `original`: its bytes before us (base64), None where there was none. `made_folder`: `.claude` is ours.
    `written` is the SHA-256 of what we wrote last, `sessions` those it serves.
    """

    path: str
    original: str | None
    mode: int
    made_folder: bool
    written: str = ""
    sessions: tuple[str, ...] = ()

    def bytes(self) -> bytes | None:
        """The original bytes."""
        return None if self.original is None else base64.b64decode(self.original, validate=True)


_PATH = re.compile(rb'"path": ("(?:[^"\\]|\\.)*")')


def read_record(path: Path) -> Kept | None:
    """The record in a file; None where there is none. Raises `ValueError` for one that is damaged."""
    try:
        found = Kept(**json.loads(path.read_bytes()))
        found.bytes()
        kept = replace(found, sessions=tuple(found.sessions))
    except FileNotFoundError:
        return None
    except (OSError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    words = (kept.path, kept.written, *kept.sessions)
    if not isinstance(kept.mode, int) or not all(isinstance(word, str) for word in words):
        raise ValueError("a field is not what it should be")
    return kept


def write_record(path: Path, kept: Kept) -> None:
    """Write a record so that it outlives a loss of power: the settings are only touched after it."""
    replace_file(path, json.dumps(asdict(kept)).encode(), 0o600)


def records(home: Path) -> tuple[list[Path], list[Path]]:
    """The projects whose settings this state folder has a record of, and the records that name none."""
    found, nameless = [], []
    for path in sorted((home / ROOM / "settings").glob("*.json")):
        try:
            (named,) = _PATH.findall(path.read_bytes())[:1]  # it comes first, so also half a record has it
            found.append(Path(json.loads(named)).parents[1])
        except (OSError, ValueError, IndexError):
            nameless.append(path)
    return found, nameless


def guessed(path: Path, mode: int, now: bytes | None, settings: Settings, home: Path) -> Kept | None:
    """What the tags in a file say where its record is lost: its layout before us is as it is now.

    None where no hook of the state folder `home` is in it.
    """
    ours = [tag for tag in tags_in(settings) if tag.home == home]
    if not ours:
        return None
    person = without(settings, ours)
    original = base64.b64encode(dump(person, now)).decode() if person else None
    return Kept(str(path), original, mode, made_folder=True, sessions=tuple(tag.session for tag in ours))
