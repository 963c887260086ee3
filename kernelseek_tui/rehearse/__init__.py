"""A rehearsal script played as a model: a loopback server that speaks the Anthropic Messages API."""
