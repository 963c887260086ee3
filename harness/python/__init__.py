"""What is written in Python: baselines and candidates that a worker runs under the configured interpreter."""
