"""The one process whose records count in a workspace, and those who ask it."""
