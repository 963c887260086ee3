"""Readers of optimisation logs: a row is one measured attempt, not a message."""
