"""The rehearsed agent: a script played by a process of its own."""
