from kernelseek_tui.review.ledger import Fate, GoalTruth, Tried
from sessions import events as ev
from tests.kernelseek_tui.review.followed import Followed

LIMIT = "I believe this is the hardware limit."
DONE = "The work is done."


def test_what_stood_behind_a_claim_when_it_was_made() -> None:
    told = Followed()
    told.evaluation(1.2)
    told.run("ncu --set roofline ./bench", "roofline: 61 % of peak")
    told.kernel()
    told.says("Reading on.")
    told.says(LIMIT)
    (row,) = told.rows()
    assert (row.claim.kind, row.claim.quote) == ("limit", LIMIT)
    assert row.claim.bound is not None
    assert row.claim.measured is not None
    assert row.claim.edits_since == 1
    assert row.claim.events_since == row.claim.index - row.claim.measured.index - 1
    assert row.claim.goal is GoalTruth.UNKNOWN


def test_nothing_measured_counts_from_the_start() -> None:
    told = Followed()
    told.kernel()
    told.kernel()
    told.says(DONE)
    (row,) = told.rows()
    assert row.claim.measured is None
    assert (row.claim.events_since, row.claim.edits_since) == (6, 2)
    assert row.claim.bound is None


def test_the_goal_as_it_was_known_then() -> None:
    told = Followed()
    told.evaluation(1.2, unmet=("faster: b",))
    told.goal(False, ("faster: b",))
    told.says(DONE)
    told.kernel()
    told.says(DONE)
    told.evaluation(2.0)
    told.goal(True)
    told.says(DONE)
    truths = [(row.claim.goal, row.claim.goal_why) for row in told.rows()]
    assert truths[0] == (GoalTruth.UNMET, "faster: b")
    assert truths[1] == (GoalTruth.UNKNOWN, "unmet before the kernel changed: faster: b")
    assert truths[2][0] is GoalTruth.MET
    fates = [row.fate for row in told.rows()]
    assert fates[0] is Fate.CONTRADICTED
    assert fates[2] is Fate.STANDS


def test_a_claim_repeated_without_an_edit_is_one_row_and_counted() -> None:
    told = Followed()
    told.says(LIMIT)
    told.says("Again: this is the hardware limit.")
    assert [row.claim.said for row in told.rows()] == [2]
    told.kernel()
    told.says(LIMIT)
    assert [row.claim.said for row in told.rows()] == [2, 1]
    assert told.review.ledger.sayings == 3


def test_after_a_message_a_completion_is_another_claim() -> None:
    told = Followed()
    told.says(DONE)
    told.human("Now the other file.")
    told.says(DONE)
    assert len(told.rows()) == 2


def test_a_subagent_claims_nothing() -> None:
    told = Followed()
    told.says(DONE, agent="sub")
    assert told.rows() == []


def test_withdrawn() -> None:
    told = Followed()
    told.says(LIMIT)
    told.says("I withdraw the claim of a limit.")
    told.says(DONE)
    told.human("Is it?")
    told.says("I stopped too early: two scenarios are still slow.")
    assert [row.fate for row in told.rows()] == [Fate.WITHDRAWN, Fate.WITHDRAWN]
    assert all(row.evidence for row in told.rows())


def test_contradicted_by_a_verdict_an_evaluation_or_a_person() -> None:
    for act in ("goal", "wrong", "person"):
        told = Followed()
        told.says(DONE)
        if act == "goal":
            told.goal(False, ("all right: b",))
        elif act == "wrong":
            wrong = ev.Evaluation(id=told.next_id, evaluation="x", status="WRONG", exit_code=20, total=1)
            told.take(wrong)
        else:
            told.human("No, that is not right: b is still slow.")
        (row,) = told.rows()
        assert row.fate is Fate.CONTRADICTED, act


def test_a_verdict_after_another_edit_says_nothing_of_the_claim() -> None:
    told = Followed()
    told.says(DONE)
    told.kernel()
    told.goal(False, ("faster: b",))
    assert [row.fate for row in told.rows()] == [Fate.STANDS]


def test_beaten_later_and_only_beyond_noise() -> None:
    told = Followed()
    told.evaluation(1.5)
    told.says(LIMIT)
    told.kernel()
    told.evaluation(1.51)
    assert told.rows()[0].fate is Fate.STANDS
    told.evaluation(1.9)
    (row,) = told.rows()
    assert row.fate is Fate.BEATEN
    assert "1.9" in row.fate_why


def test_a_disproof_is_tried_and_goes_on_record() -> None:
    told = Followed()
    told.run("./bench", "time 12.5 us")
    told.says(LIMIT)
    assert told.rows()[0].tried is Tried.NO
    told.run("nsys profile ./bench", "launch 3.25 us of 15.75 us")
    assert told.rows()[0].tried is Tried.YES
    told.says("The launch path alone takes 3.25 us.")
    assert told.rows()[0].tried is Tried.RECORDED


def test_a_completion_is_checked_before_the_next_edit() -> None:
    told = Followed()
    told.says(DONE)
    told.kernel()
    told.evaluation(1.0)
    assert told.rows()[0].tried is Tried.NO
    told.says(DONE)
    told.evaluation(1.0)
    assert told.rows()[1].tried is Tried.RECORDED
