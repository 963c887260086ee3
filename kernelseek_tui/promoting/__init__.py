"""Turns a question that a person asked in a session into the draft of a bank entry."""
