"""Decision points: moments when a question is worth asking. One file a kind; they flag, never stop."""
