"""The project's `.claude/settings.local.json`: our hooks in it, and every byte back as it was.

Before the file is touched its bytes are put aside in `KERNELSEEK_HOME/attached/settings/`, one record a
file, however many sessions use it. As long as nobody else wrote to it the bytes go back; where somebody
did, only our tagged hooks are taken out of what is there now. Every step is an atomic rename, so a copilot
that is killed leaves either the old file or the new one, and the record to undo it.
"""

import base64
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from kernelseek_tui.attach.files import digest, locked_against_us, part_of, replace_file
from kernelseek_tui.attach.jsontext import dump
from kernelseek_tui.attach.kept import Kept, guessed, read_record, write_record
from kernelseek_tui.attach.living import client_in
from kernelseek_tui.attach.merge import Settings, Tag, Unmergeable, merged, tags_in, without
from kernelseek_tui.attach.reading import SettingsError, check_writable, parsed, read_plain, readable
from kernelseek_tui.hooks.mailbox import ROOM, locked

__all__ = ["FILE", "FOLDER", "ProjectSettings", "SettingsError"]

FOLDER, FILE = ".claude", "settings.local.json"
_MARK = b" --attached "
"""Stands in every command of ours (`merge.Tag`)."""


class ProjectSettings:
    """The settings of one project, as KernelSeek with the state folder `home` uses them."""

    def __init__(self, project: Path, home: Path) -> None:
        self.path = project / FOLDER / FILE
        self._home = home
        name = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:24]
        self._record = home / ROOM / "settings" / f"{name}.json"
        self._copy = self._record.with_suffix(".before")

    def check(self) -> None:
        """Refuse, before anybody is asked, what `install` would refuse. Raises `SettingsError`."""
        now = read_plain(self.path)
        self._kept()
        self._merged(parsed(self.path, now), ["kernelseek"], [Tag(self._home, "check")])
        check_writable(self.path)

    def install(self, session: str, program: Sequence[str]) -> None:
        """Put our hooks for `session` in. Raises `SettingsError`, the file then as it was."""
        with self._turn():
            now, kept = read_plain(self.path), self._kept()
            check_writable(self.path)
            before, made = kept, not self.path.parent.exists()
            if kept is None or digest(now) != kept.written:
                kept = self._fresh(now, kept)
            sessions = tuple(dict.fromkeys((*kept.sessions, session)))
            base = parsed(self.path, kept.bytes())
            after = self._merged(base, program, [Tag(self._home, one) for one in sessions])
            data = dump(after, kept.bytes())
            kept = replace(kept, sessions=sessions, written=digest(data))
            try:
                self._keep(kept)
                if made:
                    self.path.parent.mkdir()
                replace_file(self.path, data, kept.mode)
            except OSError as error:
                with suppress(OSError):  # nothing was written, so there is nothing to undo later
                    self._keep(before) if before else self._record.unlink(missing_ok=True)
                    if made:
                        self.path.parent.rmdir()
                folder = Path(error.filename).parent if error.filename else self.path.parent
                raise SettingsError(
                    f"{folder} cannot be written ({error.strerror}); {self.path} is as it was."
                ) from error

    def remove(self, gone: Callable[[Tag], bool], *, in_use: bool = False) -> list[str]:
        """Take our hooks for whose tags `gone` holds out; sentences on what was done, none for nothing.

        A `.claude` that we made stays, empty, while a client lives that we attached to there, or `in_use`: a
        client whose `.claude` was removed does not see the next one (tried: 2.1.332). Raises `SettingsError`
        where the file cannot be written; it is then as it was.
        """
        with self._turn():
            now = read_plain(self.path)
            settings, why = readable(self.path, now)
            kept, lost = self._kept_or_guessed(now, settings)
            mine = self._tags(kept.sessions if kept else ())
            left = tuple(tag.session for tag in mine if not gone(tag))
            leaving = [tag for tag in tags_in(settings) if gone(tag)]
            if (mine or lost) and not left:
                self._sweep()
            if len(left) == len(mine) and not leaving and mine:
                return []
            if kept is not None and digest(now) == kept.written:
                said = self._undo(kept, left)
            elif settings is None:
                if kept is None and not lost and _MARK not in (now or b""):
                    return []  # not ours, and none of our business
                if kept is None or kept.sessions or _MARK in (now or b""):
                    raise SettingsError(f"{why} Our hooks may still be in it: remove them by hand.")
                said = []  # only the folder was ours
            elif not leaving:
                said = self._without_us(now, kept)
            else:
                said = self._take_out(settings, leaving, now, kept, lost=lost)
            if not left:
                self._forget_record()
                if kept.made_folder if kept is not None else leaving:
                    said += self._leave_folder(in_use)
            return said

    def sweep(self) -> None:
        """Remove a folder that was left for a client's sake, once no client needs it. Raises nothing."""
        with suppress(SettingsError, ValueError):
            kept = read_record(self._record)
            if kept is not None and not kept.sessions:
                self.remove(lambda _: False)

    def _leave_folder(self, in_use: bool) -> list[str]:
        """Our `.claude`, once nothing of ours is in it; whatever others put in stays."""
        folder = self.path.parent
        try:
            if next(folder.iterdir(), None) is not None:
                return []
            if not in_use and not client_in(self._home, folder.parent):
                folder.rmdir()
                return []
        except OSError:
            return []  # it is gone already
        try:
            self._keep(Kept(str(self.path), None, 0, made_folder=True, written=digest(None)))
        except OSError:
            return [
                f"{folder}, which was made for the hooks, stays, empty; remove it when the client has ended."
            ]
        return [
            f"{folder}, which was made for the hooks, stays, empty, for as long as the client runs: it would "
            "not notice another one. After that `kernelseek attach --cleanup` removes it, or the next attach."
        ]

    def _without_us(self, now: bytes | None, kept: Kept | None) -> list[str]:
        """Our hooks are gone from the file although nobody of ours took them out."""
        if kept is None or not kept.sessions:
            return []
        what = "removed" if now is None else "changed"
        return [
            f"{self.path} was {what} by others meanwhile, and our hooks with it; it is left as it is now."
        ]

    # One step each.

    def _sweep(self) -> None:
        """What a copilot that was killed while it wrote left beside the file."""
        with suppress(OSError):
            part_of(self.path).unlink(missing_ok=True)

    def _undo(self, kept: Kept, left: tuple[str, ...]) -> list[str]:
        """Nobody wrote since: the original, or the original with those hooks that stay."""
        original = kept.bytes()
        if left:
            leaving = self._tags(one for one in kept.sessions if one not in left)
            base = without(parsed(self.path, read_plain(self.path)), leaving)
            data = dump(base, original)
            self._write(data, kept.mode, kept)
            self._keep(replace(kept, sessions=left, written=digest(data)))
            return [f"{self.path}: these hooks were removed, another session's stay."]
        self._put_back(original, kept)
        return [f"{self.path} is as it was before."] if kept.sessions else []

    def _take_out(
        self, settings: Settings, leaving: list[Tag], now: bytes | None, kept: Kept | None, *, lost: bool
    ) -> list[str]:
        """Somebody wrote since, or the record is lost: only what is tagged goes."""
        after = without(settings, leaving)
        others = tags_in(after)
        if kept is not None and not lost and not others and after == parsed(self.path, kept.bytes()):
            self._put_back(kept.bytes(), kept)
            return [f"{self.path} was rewritten meanwhile but says the same; it is as it was before."]
        if not after and (kept is None or kept.original is None):
            self._put_back(None, kept)
            return [f"{self.path} held nothing but our hooks; it was removed."]
        self._write(dump(after, now), kept.mode if kept else self._mode(), kept)
        if kept is not None and others:
            staying = [tag.session for tag in others if tag.home == self._home]
            person = without(after, others)
            self._keep(
                replace(
                    kept,
                    original=base64.b64encode(dump(person, now)).decode(),
                    written=digest(dump(after, now)),
                    sessions=tuple(staying),
                )
            )
        if lost:
            return [
                f"{self.path}: our hooks were taken out by their tags; the record of its old layout was "
                "damaged."
            ]
        return [f"{self.path} was changed by others meanwhile: only our hooks were taken out of it."]

    def _put_back(self, original: bytes | None, kept: Kept | None) -> None:
        if original is not None:
            self._write(original, kept.mode if kept else self._mode(), kept)
            return
        try:
            self._unlocked()
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._stays(error, kept) from error

    def _fresh(self, now: bytes | None, kept: Kept | None) -> Kept:
        """The file as it stands is the person's, but for hooks of ours that stand in it."""
        settings = parsed(self.path, now)
        ours = [tag for tag in tags_in(settings) if tag.home == self._home]
        original = now
        if ours:
            original = dump(without(settings, ours), now)
            if kept is not None and parsed(self.path, kept.bytes()) == parsed(self.path, original):
                original = kept.bytes()
        return Kept(
            path=str(self.path),
            original=None if original is None else base64.b64encode(original).decode(),
            mode=self._mode(),
            made_folder=kept.made_folder if kept else not self.path.parent.exists(),
            sessions=kept.sessions if kept else tuple(tag.session for tag in ours),
        )

    def _tags(self, sessions: Iterable[str]) -> list[Tag]:
        return [Tag(self._home, one) for one in sessions]

    def _mode(self) -> int:
        try:
            return stat.S_IMODE(self.path.stat().st_mode)
        except OSError:
            return 0

    def _merged(self, base: Settings, program: Sequence[str], tags: Sequence[Tag]) -> Settings:
        try:
            return merged(base, program, tags)
        except Unmergeable as error:
            raise SettingsError(f"{self.path} is left alone: {error}; mend it first.") from error

    def _kept(self) -> Kept | None:
        try:
            return read_record(self._record)
        except ValueError as error:
            raise SettingsError(
                f"The record {self._record} of {self.path} is damaged; run `kernelseek attach --cleanup` "
                "first."
            ) from error

    def _kept_or_guessed(self, now: bytes | None, settings: Settings | None) -> tuple[Kept | None, bool]:
        """The record; where it is damaged what the tags in the file say, and True."""
        with suppress(ValueError):
            return read_record(self._record), False
        if settings is None:
            return None, True
        return guessed(self.path, self._mode(), now, settings, self._home), True

    def _keep(self, kept: Kept) -> None:
        write_record(self._record, kept)

    def _forget_record(self) -> None:
        self._record.unlink(missing_ok=True)
        self._copy.unlink(missing_ok=True)

    def _unlocked(self) -> None:
        """Raise `PermissionError` for a file or folder that was made read-only since."""
        for place in (self.path, self.path.parent):
            if locked_against_us(place):
                raise PermissionError(errno.EACCES, f"{place.name} is not writable")

    def _write(self, data: bytes, mode: int, kept: Kept | None) -> None:
        try:
            self._unlocked()
            replace_file(self.path, data, mode)
        except OSError as error:
            raise self._stays(error, kept) from error

    def _stays(self, error: OSError, kept: Kept | None) -> SettingsError:
        """What to do about a file that our hooks are still in, with the bytes from before put beside."""
        how = "there was no such file before"
        if kept is None:
            how = "how it was before is not known"
        elif (original := kept.bytes()) is not None:
            replace_file(self._copy, original, 0o600)
            how = f"how it was before stands in {self._copy}"
        return SettingsError(
            f"{self.path} could not be written ({error.strerror}) and still holds our hooks, which do "
            f"nothing without KernelSeek; {how}. Make it writable, then run `kernelseek attach --cleanup`."
        )

    @contextmanager
    def _turn(self) -> Iterator[None]:
        try:
            (self._home / ROOM / "settings").mkdir(parents=True, exist_ok=True)
            with locked(self._record.with_suffix(".lock"), patience=5.0) as mine:
                if not mine:
                    raise SettingsError(f"Another KernelSeek is writing {self.path}; try again.")
                yield
        except OSError as error:
            raise SettingsError(f"{self._home / ROOM} cannot be written ({error.strerror}).") from error
