"""What an agent owes for a claim or a delegation, checked in the transcript. Pure: no clock, no file."""
