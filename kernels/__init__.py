"""What is judged: one folder an operator, with its five slots, its start and its best candidates."""
