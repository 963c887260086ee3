"""Outputs as evaluators print them, in words of our own."""

from typing import Any

from sessions import events as ev
from sessions.recognise import Recognition
from sessions.recognisers.registry import BUILT_IN

VARIANTS = """\
shape=0 variant=eager tflops=0.011 gbps=11.0 ms=0.048
shape=0 variant=solution tflops=0.022 gbps=22.0 ms=0.024
shape=0 solution_peak_fraction=0.0400
shape=1 variant=eager tflops=0.045 gbps=44.8 ms=0.047
shape=1 variant=solution tflops=0.090 gbps=89.6 ms=0.020
shape=1 solution_peak_fraction=0.0900
peak_fraction: 0.0600
RESULT: LOW
"""
SPEEDUPS = """\
shape ctx=2048: solution 2.0 ms/tok (500 tok/s) | baseline 8.0 ms/tok | speedup 4.00x
shape ctx=8192: solution 1.0 ms/tok (1000 tok/s) | baseline 9.0 ms/tok | speedup 9.00x
"""
TABLE = """\
scenario           check     off by    ref us    cand us   ratio
hd64_prefill       ok                   36.1       38.4    0.94
hd128_decode       ok                   20.0       10.0    2.00
hd128_sink         WRONG       495x     97.3          -       -
"""
MARKDOWN = """\
| shape | torch (ms) | ours (ms) | speedup |
|---|---:|---:|---:|
| 128x128 | 2.0 | 1.0 | 2.00x |
| 256x256 | 4.5 | 0.5 | 9.00x |
"""


def evaluations(output: str, command: str = "python benchmark.py", **call: Any) -> list[ev.Evaluation]:
    """What is recognised in the output of one command."""
    recognition = Recognition(BUILT_IN)
    given = {"id": "c", "call": "c1", "tool": "Bash", "input": {"command": command}} | call
    recognition.look(ev.ToolCall(**given))
    return recognition.look(ev.ToolResult(id="r", call="c1", output=output))


def evaluation(output: str, command: str = "python benchmark.py") -> ev.Evaluation:
    """The one evaluation in an output."""
    (found,) = evaluations(output, command)
    return found
