import pytest

from kernelseek_tui.decisions.inherited import Inherited
from sessions.vocabulary import DecisionKind
from tests.kernelseek_tui.decisions.told import Told

ABOUT = "Make this CUDA kernel faster than the baseline; the benchmark prints the speedup."
KEEPS = [
    "I keep the existing launch path and only touch the inner loop.",
    "The tiling is inherited from the upstream kernel.",
    "We retain the reference's structure here.",
    "保留原有的分块结构，只改内层循环。",
]
NOT = [
    "I keep the existing launch path: measured, it costs 0.3 us.",
    "Why keep the existing structure?",
    "Instead of keeping the original layout I write a new one.",
    "We do not keep the existing structure.",
    "Keep going.",
]


@pytest.mark.parametrize("text", KEEPS)
def test_kept_without_evidence(text: str) -> None:
    told = Told(Inherited())
    told.human(ABOUT)
    told.says(text)
    (finding,) = told.findings
    assert finding.kind is DecisionKind.SCOPE
    assert finding.evidence[0].quote == text


@pytest.mark.parametrize("text", NOT)
def test_with_evidence_or_not_kept(text: str) -> None:
    told = Told(Inherited())
    told.human(ABOUT)
    told.says(text)
    assert told.findings == []


def test_only_in_sessions_about_speed_and_only_the_agents_own_words() -> None:
    told = Told(Inherited())
    told.says(KEEPS[0])
    told.human(ABOUT)
    told.says(KEEPS[0], agent="sub")
    told.says(f"> {KEEPS[0]}")
    assert told.findings == []
