"""The built-in agent: a loop of our own on the anthropic SDK, in a process of its own."""
