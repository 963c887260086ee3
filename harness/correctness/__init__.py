"""Whether outputs are right: the reference, the gate, and what a scenario has to tell apart."""
