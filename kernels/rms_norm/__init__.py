"""RMS normalisation, forward, alone or with the residual added first: the second operator that is judged."""
