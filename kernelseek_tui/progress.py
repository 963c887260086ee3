"""How far an evaluation is, in words."""

from harness.request import Progress, Stage

_WORDS: dict[Stage, str] = {
    "build": "building",
    "check": "checking",
    "wait": "waiting for another judge on this machine",
    "time": "timing",
    "aa": "timing the baseline against itself",
    "done": "done",
}


def progress_text(progress: Progress) -> str:
    """`timing 3/12 mha-d64-q64-k96, about 14 s left`."""
    text = _WORDS[progress.stage]
    if progress.stage != "build":
        text += f" {progress.done}/{progress.total}"
    if progress.scenario:
        text += f" {progress.scenario}"
    if progress.seconds_left is not None:
        text += f", about {max(1, round(progress.seconds_left))} s left"
    return text
