"""How long calls take, how sure that is, and what holds the clocks to it."""
