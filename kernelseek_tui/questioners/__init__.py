"""Questioners: who decides what is asked. One file each."""
