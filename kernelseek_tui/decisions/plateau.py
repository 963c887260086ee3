"""`plateau`: evaluations go by and the best score stays where it was."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from kernelseek_tui.decisions.protocol import Finding
from kernelseek_tui.decisions.scores import Score, score_of
from kernelseek_tui.decisions.standing import goal_met
from sessions import events as ev
from sessions.state import SessionState
from sessions.vocabulary import DecisionKind

# One gain in six evaluations: what is expected before a run has shown a rate of its own.
PRIOR_GAINS, PRIOR_EVALUATIONS = 1, 6
ASK, STRONG = 0.3, 0.05  # α of the two strengths
OWN_GAPS = 5  # from here on the run's own gaps have a say beside the prior
FLAT, UNEQUAL = 3, 2.0  # dry evaluations at least, and how far behind the best a scenario lags (a guess)


def dry_limit(gaps: Sequence[int], alpha: float) -> int:
    """How many evaluations without a gain are still to be expected, given the run's past gaps.

    Gains come at a rate p a evaluation; a spell longer than k has the chance (1 - p)^k, so the (1 - α)
    quantile is k = ceil(ln α / ln(1 - p)), with p = (1 + gains) / (6 + evaluations up to the last gain):
    the run's own rate, shrunk towards one gain in six. Gaps have heavier tails than that (126 public
    experiments with 23 new bests had a spell of 26), so once five are known the limit is at least their
    own empirical quantile. See docs/decisions/0007.

    >>> dry_limit([], 0.3), dry_limit([], 0.05)
    (7, 17)
    """
    rate = (PRIOR_GAINS + len(gaps)) / (PRIOR_EVALUATIONS + sum(gaps))
    limit = math.ceil(math.log(alpha) / math.log(1 - min(rate, 0.9)))
    if len(gaps) >= OWN_GAPS:
        ordered = sorted(gaps)
        limit = max(limit, ordered[math.ceil((1 - alpha) * len(ordered)) - 1])
    return limit


@dataclass(slots=True)
class _Track:
    """One series: its best score, how long ago that was, and how long each gain took."""

    best: Score
    newest: Score
    dry: int = 0
    gaps: list[int] = field(default_factory=list)
    peak: float = 0.0  # the highest value of all, a gain or not
    at_peak: bool = False  # the newest score is that value, reached for the first time

    def take(self, score: Score) -> bool:
        """Count the score; True when it was a dry one."""
        newest, self.newest = self.newest, score
        if score.candidate is not None and newest.candidate == score.candidate:
            return False
        old = self.best.value
        self.at_peak = score.value > max(self.peak, old)
        self.peak = max(self.peak, old, score.value)
        gained = score.low > old if score.low is not None else score.value > old * (1 + score.floor)
        self.dry += 1
        if gained:
            self.gaps.append(self.dry)
            self.best, self.dry = score, 0
        return not gained


class Plateau:
    """Counts evaluations since the last gain, and compares with the run's own pace.

    A gain counts only when its interval excludes the old best, or without an interval when it exceeds the
    noise floor (2 % where none was measured). Measuring the same candidate again is no evaluation of
    progress and counts for nothing. Each scenario set and baseline is a series of its own.
    """

    kind = DecisionKind.PLATEAU
    version = "2"

    def __init__(self) -> None:
        self._tracks: dict[tuple[str, ...], _Track] = {}
        self._last: _Track | None = None

    def look(self, state: SessionState, event: ev.AnyEvent) -> Finding | None:
        """A finding when the newest event is one evaluation too many without a gain."""
        score = score_of(state, event)
        if score is None:
            return None
        track = self._last = self._tracks.get(score.series)
        if track is None:
            self._tracks[score.series] = self._last = _Track(score, score)
            return None
        # A new highest value is no gain while it may be noise, and no moment to speak of a stall either.
        if not track.take(score) or track.at_peak or goal_met(state):
            return None
        return _slow(track) or _unequal(track)

    def stands(self, state: SessionState, finding: Finding) -> bool:
        """Still dry, once the session is quiet."""
        last = self._last
        return last is not None and last.dry > 0 and not last.at_peak and not goal_met(state)


def _finding(track: _Track, confidence: float, reason: str) -> Finding:
    newest = ev.Evidence(event=track.newest.event_id, quote=track.newest.quote)
    best = ev.Evidence(event=track.best.event_id, quote=f"last gain: {track.best.quote}")
    return Finding(DecisionKind.PLATEAU, (newest, best), confidence, reason)


def _slow(track: _Track) -> Finding | None:
    """A dry spell that is long for this run."""
    pace = (PRIOR_EVALUATIONS + sum(track.gaps)) / (PRIOR_GAINS + len(track.gaps))
    for alpha, confidence in ((STRONG, 0.85), (ASK, 0.6)):
        limit = max(dry_limit(track.gaps, alpha), FLAT)
        if track.dry >= limit:
            reason = (
                f"{track.dry} evaluations without a gain; at this run's pace (a gain in {pace:.1f}) "
                f"{limit} or more come by chance in {alpha:.0%} of spells."
            )
            return _finding(track, confidence, reason)
    return None


def _unequal(track: _Track) -> Finding | None:
    """Flat while some scenarios lag far behind: what is tuned is not what holds the mean down."""
    score = track.newest
    best = score.best if score.best is not None else score.value
    wrong = score.value <= 0  # a wrong scenario makes the total 0: that is not what lags
    if track.dry < FLAT or wrong or score.worst is None or score.worst * UNEQUAL > best:
        return None
    names = ", ".join(score.laggards[:3]) + (", …" if len(score.laggards) > 3 else "")
    reason = (
        f"{track.dry} evaluations without a gain while scenarios lag far behind"
        f"{f' ({names})' if names else ''}: worst {score.worst:.3g}x against "
        f"{'the best' if score.best is not None else 'a mean of'} {best:.3g}x."
    )
    return _finding(track, 0.7, reason)
