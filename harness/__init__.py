"""The judge: builds a candidate, checks it, times it against a baseline and says what it found.

Knows no agent, no screen and no operator; operators come in by the entry point `kernelseek.operators`.
"""
