"""Sessions kept, shared and put away: the bundled ones, exports, imports, redaction, what may go.

The bundled sessions lie in `bundled/`, compressed, each beside a manifest that says how it was made.
"""
