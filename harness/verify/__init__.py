"""Whether a record says the same thing twice: everything in it is computed again."""
