"""How good a ranker is: labelled states, figures on them, and methods that know nothing to compare with.

Nothing here is loaded where questions are ranked.
"""
