"""Readers turn the lines of a transcript into events. One file a format; `detect` says which it is."""
