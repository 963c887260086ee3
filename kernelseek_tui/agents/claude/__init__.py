"""Claude Code, owned: a long-lived `claude -p` with stream-json both ways."""
