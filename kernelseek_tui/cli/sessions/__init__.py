"""`kernelseek sessions`: one file a sub-command; the table is in `group`."""
