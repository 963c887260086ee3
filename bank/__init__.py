"""The questions: entries, their admission rules, and their ranking for a moment."""
