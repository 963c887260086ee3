"""Steering a session that somebody else started: find it, follow its transcript, reach it through hooks."""
