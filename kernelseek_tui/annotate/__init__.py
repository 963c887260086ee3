"""Labelling moments of transcripts: the form, the desk that keeps the labels, and the comparison."""
