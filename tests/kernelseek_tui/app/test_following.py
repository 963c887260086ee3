from kernelseek_tui.app.following import Following
from kernelseek_tui.app.score import Conduct
from tests.kernelseek_tui.app.test_claim_rows import told
from tests.kernelseek_tui.review.followed import Followed


def test_what_was_known_after_each_event() -> None:
    one = told()
    whole = Following()
    for event in one.events:
        whole.take(event)
    part = Following()
    for known, event in enumerate(one.events, 1):
        assert part.conduct(known) is None
        part.take(event)
        assert whole.conduct(known) == part.conduct(known)
        past, then = whole.view(known), part.view(known)
        assert [past.row(place) for place in range(len(past))] == [
            then.row(place) for place in range(len(then))
        ]
    assert len(whole.view(len(one.events))) == 2
    assert whole.conduct(3) == Conduct(None, 1, 1)
    assert len(whole.view(0)) == 0


def test_the_reading_share_is_that_of_the_moment() -> None:
    one = Followed()
    one.kernel()
    one.run("cat k.cu", "k" * 30)
    one.run("cat other.md", "o" * 68)
    follows = Following()
    for event in one.events:
        follows.take(event)
    first, last = follows.conduct(5), follows.conduct(len(one.events))
    assert first is not None
    assert last is not None
    assert first.reads == 1.0
    assert last.reads == 0.32
    assert follows.conduct(1) == Conduct()
