"""Drafts of entries: neutral words for what a bank may not name, the next id, defaults, and the YAML text."""
