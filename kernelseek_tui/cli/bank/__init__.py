"""`kernelseek bank`: one file a sub-command."""
