"""Reports of sessions and campaigns: one model, three formats."""
