"""How many blocks of calls a scenario of a set is timed with."""

BLOCKS = {"demo": 8, "full": 12}
DEFAULT_BLOCKS = 16


def blocks_of(scenario_set: str) -> int:
    """ABBA blocks a scenario of this set is timed with: 8 in `demo`, 12 in `full`, else 16.

    A block is four calls and two draws of inputs. For 82 scenarios of 2 to 8 ms a call that is about one
    second each with 12 (half of it spent on inputs) and up to twice that on a busy machine, where pairs are
    taken again: two to three minutes, four at most. Fewer than 8 blocks do not show a drift.
    """
    return BLOCKS.get(scenario_set, DEFAULT_BLOCKS)
