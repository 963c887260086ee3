"""One score for the whole set: a geometric mean, or a share of peak that stands alone on its line."""

import re

from sessions.events import ToolCall
from sessions.recognisers.lines import LONGEST
from sessions.recognisers.protocol import Recognised
from sessions.recognisers.words import NUMBER, finite, is_noise, shape_of

_MEAN = re.compile(
    r"(?P<words>\b(?:geo(?:metric)?[ _-]?mean|gmean)(?:_speed-?up|_ratio)?\b[ \w:=*|()/-]{0,40}?)"
    rf"[ :=*|(\"]{{1,4}}(?P<value>{NUMBER}) ?(?P<unit>[x×](?!\w))?(?P<after> ?[\w%/]+)?",
    re.IGNORECASE,
)
_PEAK = re.compile(
    r"^[ \t]*(?:(?:overall|total)[ _]+)?(?P<words>peak_fraction|fraction of peak)[ \t]*[:=]"
    rf"[ \t]*(?P<value>{NUMBER})[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NO_RATIO = re.compile(
    r"time|latency|duration|runtime|error|flop|b/s|bandwidth|diff|(?:\b|_)(?:ns|us|ms|s)\b", re.IGNORECASE
)
_RATIO_GOES_ON = frozenset(("", "over", "vs", "speedup", "faster", "slower"))
_OVER = re.compile(r"\b(?:vs\.?|over|than|against)\s+(?:the\s+)?([A-Za-z_][\w.-]{0,30})", re.IGNORECASE)
_ALL = re.compile(r"\b(?:overall|total|all)\b|\b\d+/\d+\b", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:family|families|group|subset|bucket|class|only|per|excluding|without)\b", re.IGNORECASE
)


class Overall:
    """Recognises a printed score of the whole set; of several runs in one output the last.

    Several scores with different names in one output are not one score, unless one of them says that it is
    of all.
    """

    name = "overall score"

    def look(self, text: str, call: ToolCall | None) -> Recognised | None:
        """The geometric mean where one is printed, else the share of peak."""
        lowered = text.lower()
        found = self._mean(text) if "mean" in lowered else None
        if found is None and "peak" in lowered:
            found = self._peak(text)
        return found

    def _mean(self, text: str) -> Recognised | None:
        named: dict[str, Recognised] = {}
        for match in _MEAN.finditer(text):
            line = _line(text, match)
            if len(line) > LONGEST or is_noise(shape_of(line)):
                continue
            before = line[: line.find(match["words"])]
            if _PART.search(before) or _NO_RATIO.search(match["words"]) or _NO_RATIO.search(before[-30:]):
                continue
            after = (match["after"] or "").strip().lower()
            if not match["unit"] and after not in _RATIO_GOES_ON:
                continue  # a time, a rate, a number of something
            value = finite(match["value"])
            if value is None or value <= 0:
                continue
            over = _OVER.search(line)
            name = " ".join(re.sub(r"[^A-Za-z]+", " ", before + match["words"]).lower().split())
            named.pop(name, None)
            named[name] = Recognised(
                geomean=1 / value if after == "slower" else value,
                label="geometric mean",
                over=over[1].strip(".").lower() if over else "",
                quote=" ".join(line.split())[-160:],
            )
        if len(named) > 1:
            named = {name: one for name, one in named.items() if _ALL.search(one.quote)}
        return next(iter(named.values())) if len(named) == 1 else None

    def _peak(self, text: str) -> Recognised | None:
        found = list(_PEAK.finditer(text))
        value = finite(found[-1]["value"]) if found else None
        if value is None or value <= 0:
            return None
        return Recognised(geomean=value, label="peak_fraction", quote=found[-1][0].strip())


def _line(text: str, match: re.Match[str]) -> str:
    end = text.find("\n", match.end())
    return text[text.rfind("\n", 0, match.start()) + 1 : len(text) if end < 0 else end]
