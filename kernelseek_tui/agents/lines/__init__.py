"""What agents of our own share: JSON lines between driver and client, and the tools that are really run."""
