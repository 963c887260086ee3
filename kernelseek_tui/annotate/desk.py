"""Labelling one transcript: drafts, labels by place, what is left, undo. No widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from kernelseek_tui.annotate.form import Draft
from kernelseek_tui.annotate.places import Places, beyond
from sessions.labels import Label


@dataclass(frozen=True, slots=True)
class About:
    """What labels say of the transcript: `file` as they name it, `sha256` of its bytes."""

    file: str
    sha256: str
    annotator: str

    def holds(self, label: Label) -> bool:
        """The label is about this transcript, perhaps as it was before it grew."""
        return label.sha256 == self.sha256 or label.file == self.file


class Desk:
    """The labels of one transcript among an annotator's others, which stay as they are.

    `labels` are by event index. `draft` is being filled in for the event `at`; nothing of it is kept until
    `keep`. `save` gets all labels whenever they change, and may raise `StorageError`: then nothing changes.
    """

    def __init__(
        self,
        about: About,
        places: Places,
        kept: Sequence[Label],
        save: Callable[[Sequence[Label]], None],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.about = about
        self.places = places
        self.labels: dict[int, Label] = {}
        self.candidates: list[int] = []
        self.at: int | None = None
        self.draft: Draft | None = None
        self._save = save
        self._clock = clock
        self._others = [label for label in kept if not about.holds(label)]
        self._unplaced = [label for label in kept if about.holds(label)]
        self._drafts: list[Draft | None] = []
        self._undo: list[tuple[int, Label | None]] = []

    def place(self) -> bool:
        """Find the places of labels that were made before; True when some were found."""
        before = len(self.labels)
        left = []
        for label in self._unplaced:
            index = self.places.index_of(label)
            if index is None or index in self.labels:
                left.append(label)
            else:
                self.labels[index] = label
        self._unplaced = left
        return len(self.labels) > before

    # the draft

    def begin(self, index: int, said: bool) -> Draft:
        """The draft for an event: the one under way there, else from its label, else an empty one."""
        if self.draft is None or self.at != index:
            label = self.labels.get(index)
            self.at = index
            self.draft = Draft.of(label, said) if label is not None else Draft(said)
            self._drafts = []
        return self.draft

    def change(self, draft: Draft) -> None:
        """The next state of the draft; `undo` goes back."""
        if self.draft is not None and (draft.values, draft.evidence, draft.note) != (
            self.draft.values,
            self.draft.evidence,
            self.draft.note,
        ):
            self._drafts.append(self.draft)
        self.draft = draft

    @property
    def unsaved(self) -> bool:
        """Something was filled in that is not kept yet."""
        return self.draft is not None and bool(self._drafts)

    def drop(self) -> bool:
        """Give the draft up; False where there was nothing to lose."""
        had = self.unsaved
        self.draft, self.at, self._drafts = None, None, []
        return had

    def keep(self) -> int:
        """Save the draft as a label; its event. It must be `ready`."""
        assert self.draft is not None
        assert self.at is not None
        at = self.at
        fields: dict[str, Any] = dict(self.draft.values)
        label = Label.model_validate(
            {
                **fields,
                "certainty": int(fields["certainty"]) if "certainty" in fields else None,
                "file": self.about.file,
                "sha256": self.about.sha256,
                "where": self.places.where(at),
                "evidence": self.draft.evidence,
                "annotator": self.about.annotator,
                "when": self._clock(),
                "note": self.draft.note,
            }
        )
        self._put(at, label)
        self.drop()
        return at

    def remove(self, index: int) -> bool:
        """Take a label away; False where there is none."""
        if index not in self.labels:
            return False
        self._put(index, None)
        return True

    def undo(self) -> int | None:
        """Take back the draft's last step, else the last label; the event it was about, None for nothing."""
        if self._drafts:
            self.draft = self._drafts.pop()
            return self.at
        if not self._undo:
            return None
        index, before = self._undo.pop()
        try:
            self._put(index, before)
        except BaseException:  # whatever happened, also Ctrl-C: the step can still be taken back
            self._undo.append((index, before))
            raise
        self._undo.pop()  # what `_put` noted
        self.drop()
        return index

    def _put(self, index: int, label: Label | None) -> None:
        labels = {**self.labels}
        before = labels.pop(index, None)
        if label is not None:
            labels[index] = label
        self._save([*self._others, *self._unplaced, *(labels[at] for at in sorted(labels))])
        self.labels = labels
        self._undo.append((index, before))

    # where to go

    def left(self) -> list[int]:
        """Candidates without a label."""
        return [index for index in self.candidates if index not in self.labels]

    def next_candidate(self, cursor: int, step: int) -> int | None:
        """The candidate after, or before, the cursor."""
        return beyond(self.candidates, cursor, step)

    def next_unlabelled(self, cursor: int) -> int | None:
        """The next candidate without a label, round at the end."""
        left = self.left()
        return next((index for index in left if index > cursor), left[0] if left else None)

    def resume(self) -> int | None:
        """Where the annotator left: the first unlabelled candidate after the newest label."""
        if not self.labels:
            return self.candidates[0] if self.candidates else None
        return self.next_unlabelled(max(self.labels, key=lambda index: _made(self.labels, index)))


def _made(labels: Mapping[int, Label], index: int) -> tuple[datetime, int]:
    when = labels[index].when
    return when if when is not None else datetime.min.replace(tzinfo=UTC), index
