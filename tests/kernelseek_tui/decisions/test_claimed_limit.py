from kernelseek_tui.decisions.claimed_limit import ClaimedLimit
from tests.kernelseek_tui.decisions.told import Told

CLAIM = "I believe this is the hardware limit."


def test_a_bare_claim_names_every_gap_in_its_evidence() -> None:
    told = Told(ClaimedLimit())
    said = told.says(CLAIM)
    (finding,) = told.findings
    assert finding.evidence[0].event == said
    assert finding.evidence[0].quote == CLAIM
    assert "no bound is recognised" in finding.reason
    assert "fewer than two layers" in finding.reason
    assert finding.confidence == 0.85


def test_evidence_lowers_confidence() -> None:
    told = Told(ClaimedLimit())
    told.run("ncu --set full ./bench", "DRAM throughput 92 % of peak")
    told.run("nsys profile ./bench")
    told.says(CLAIM)
    (finding,) = told.findings
    assert "no bound" not in finding.reason
    assert "layers" not in finding.reason
    assert finding.confidence == 0.5


def test_a_number_older_than_the_last_edit_is_stale() -> None:
    told = Told(ClaimedLimit())
    told.evaluation(1.2, bound_ns=10.0, ratios={"a": 1.2})
    edit = told.edit()
    told.says(CLAIM)
    (finding,) = told.findings
    assert "changed after the last measurement" in finding.reason
    assert edit in [evidence.event for evidence in finding.evidence]


def test_unmet_clauses_are_quoted() -> None:
    told = Told(ClaimedLimit())
    told.goal(False, ("s1 above 1.8x",))
    told.says(CLAIM)
    assert "unmet: s1 above 1.8x" in [evidence.quote for evidence in told.findings[0].evidence]


def test_a_met_goal_makes_it_no_news() -> None:
    told = Told(ClaimedLimit())
    told.evaluation(2.0, ratios={"a": 2.0})
    told.goal(True)
    told.says(CLAIM)
    assert told.findings == []


def test_subagents_do_not_claim() -> None:
    told = Told(ClaimedLimit())
    told.says(CLAIM, agent="sub")
    assert told.findings == []
