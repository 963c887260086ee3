"""Drivers: one file an agent. Each turns a client's own events into session events."""
