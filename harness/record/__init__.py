"""The record of an evaluation: its parts, its samples, the whole, and its file."""
