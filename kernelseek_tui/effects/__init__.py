"""What became of questions, measured over journals: the records that `bank.effects` sums up."""
