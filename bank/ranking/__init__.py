"""Which questions fit a moment: rules with visible reasons, past effects, and a spread over groups."""

from bank.ranking.rank import Ranker, rank

__all__ = ["Ranker", "rank"]
