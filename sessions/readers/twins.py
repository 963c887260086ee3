"""Words that a file holds twice, once from each of two sources: the second telling makes no event."""

import re
from collections import deque

_REMEMBERED = 64  # words of a source whose twin has not come: twins stand close together
_UNTOLD = re.compile(r"\s+|\[(?:local_)?image\]")  # what one source has and the other leaves out


class Twins:
    """Tells first tellings from second ones. A source that says the same again says something new."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[int]] = {}

    def first(self, source: str, *words: str) -> bool:
        """Whether no other source has told these words before."""
        key = hash(tuple(_UNTOLD.sub("", word) for word in words))
        for other, waiting in self._waiting.items():
            if other != source and key in waiting:
                waiting.remove(key)
                return False
        self._waiting.setdefault(source, deque(maxlen=_REMEMBERED)).append(key)
        return True
