"""The rules of the ranker, in one table: what each looks at, its weight, and the sentence it gives.

The features are those that steered the published sessions (arXiv 2611.03517): another layer, a measurement
not yet made, the spread of the scoreboard, novelty. docs/decisions/0008 says where the weights come from.
"""

from bank.ranking.rules import asked, board, kinds, layers, words
from bank.ranking.rules.rule import Reason, Rule

RULES: tuple[Rule, ...] = (*kinds.RULES, *words.RULES, *board.RULES, *layers.RULES, *asked.RULES)

__all__ = ["RULES", "Reason", "Rule"]
