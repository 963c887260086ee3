"""The copilot: watches a session, sees the moment, and proposes the question."""
