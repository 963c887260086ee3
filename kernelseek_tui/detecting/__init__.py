"""Measuring the detectors on labelled transcripts."""
