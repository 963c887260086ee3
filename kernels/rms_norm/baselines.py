"""What a ratio can be over: the start."""

from pathlib import Path

from harness.operator import Baseline

START = Path(__file__).with_name("start.cpp")

BASELINES = (Baseline("start", START),)
