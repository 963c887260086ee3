"""A user's own benchmark: its command, how its output is read, what it said. Never judged, and marked so."""
