"""What became of questions that were asked: records, their pooled counts, and what they come to.

The records are measured over journals by `kernelseek_tui.effects`; here is only what can be said of them.
"""
