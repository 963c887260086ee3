"""Measured figures in what a command printed: a time, a rate or a ratio with its unit."""

import re

_FIGURE = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)? ?(?:ns|us|µs|μs|ms|GB/s|TB/s|GFLOP/?S|TFLOP/?S|tok(?:ens)?/s|it/s)\b"
    r"|(?<![\w.])\d+\.\d+ ?[x×](?![\w])"
    r"|\b(?:speed-?up|latency|throughput|geomean|geometric mean|peak_fraction)\b[ \w()]{0,20}[:=] {0,4}\d",
    re.IGNORECASE,
)
LOOKED_AT = 8_000  # characters at the end of an output: scores are printed last


def prints_figure(text: str) -> bool:
    """Whether a measured figure stands at the end of a text."""
    return _FIGURE.search(text[-LOOKED_AT:]) is not None
