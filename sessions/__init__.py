"""What happened: the vocabulary, events, journal and folded state of an agent's session.

Imports none of the other packages. Everything a screen or report shows is computed from here.
"""
