"""What `kernelseek doctor` looks at: one check a function, in one table.

Nothing here imports our other packages when it is loaded: a foreign one in their place is what it looks for.
"""
