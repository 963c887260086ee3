"""Attention, forward: the first operator that is judged."""
