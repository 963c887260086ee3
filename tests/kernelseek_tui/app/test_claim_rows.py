from kernelseek_tui.app.claim_rows import claim_rows, detail_rows, nothing_claimed
from kernelseek_tui.app.glyphs import ASCII, UNICODE
from kernelseek_tui.app.item_list import ROWS
from kernelseek_tui.app.lines import Line, text_of, width_of
from kernelseek_tui.app.score import Conduct, board, conduct_rows
from kernelseek_tui.review.ledger import ClaimRow
from sessions.state import fold
from tests.kernelseek_tui.app.fakes import story
from tests.kernelseek_tui.review.followed import Followed

LIMIT = "I believe this is the hardware limit."
DONE = "The work is done."


def told() -> Followed:
    """A completion that the goal speaks against, and a limit that is beaten later."""
    one = Followed()
    one.evaluation(1.2, unmet=("faster: b",))
    one.goal(False, ("faster: b",))
    one.says(DONE)
    one.kernel()
    one.run("./bench --roofline", "time 12.5 us, 61 % of peak")
    one.kernel()
    one.says(LIMIT)
    one.says(f"Again: {LIMIT}")
    one.kernel()
    one.evaluation(2.4)
    return one


def words(rows: list[Line]) -> str:
    return "\n".join(map(text_of, rows))


def detail(one: Followed, place: int, width: int = 90) -> str:
    return words(detail_rows(one.rows()[place], one.state.event_index, width, UNICODE))


def test_a_claim_says_where_what_and_what_became_of_it() -> None:
    one = told()
    done, limit = (words(claim_rows(row, 120, UNICODE)) for row in one.rows())
    assert "     3 completion contradicted “The work is done.”" in done
    assert "goal unmet · no bound · measured 2 events before · disproof not tried" in done
    assert f"{one.rows()[1].claim.index + 1:>6} limit      beaten later 2× “I believe this" in limit
    assert "goal unknown · bound known · 1 edit since measuring" in limit


def test_colours_are_roles_by_meaning() -> None:
    roles = {
        text.strip(): role
        for row in told().rows()
        for line in claim_rows(row, 120, UNICODE)
        for text, role in line
    }
    assert (roles["contradicted"], roles["beaten later"]) == ("bad", "warn")
    assert (roles["goal unmet"], roles["goal unknown"]) == ("bad", "muted")
    assert (roles["no bound"], roles["bound known"]) == ("warn", "good")
    assert roles["1 edit since measuring"] == "warn"


def test_all_there_is_to_say_of_a_claim() -> None:
    one = told()
    done, limit = detail(one, 0), detail(one, 1)
    assert "goal     unmet: faster: b" in done
    assert "bound    none was measured or computed before it" in done
    assert "became   contradicted: clauses of the goal were unmet when it was said" in done
    claim = one.rows()[1].claim
    assert claim.bound is not None
    assert claim.measured is not None
    assert f"bound    first spoken of at event {claim.bound.index + 1}" in limit
    assert f"evidence measured at event {claim.measured.index + 1}, 1 kernel edit since" in limit
    assert "became   beaten later: a later measurement reads 2.4 after a best of 1.2" in limit
    assert f"“2.4” event {one.state.count}" in limit


def test_no_row_is_wider_than_its_place_and_the_list_has_two_a_claim() -> None:
    long = Followed()
    long.says("All scenarios pass, the work is done, " + "and everything else is, too, " * 40)
    rows: list[ClaimRow] = [*told().rows(), *long.rows()]
    for width in (30, 48, 76, 118):
        for glyphs in (UNICODE, ASCII):
            for row in rows:
                short = claim_rows(row, width, glyphs)
                assert len(short) == ROWS
                whole = detail_rows(row, lambda _: 12_345, width, glyphs)
                assert all(width_of(line) <= width for line in (*short, *whole))


def test_hostile_words_stay_plain() -> None:
    one = Followed()
    one.says("The work is done \x1b[31m[red]\u202e]8;;x")
    shown = words(claim_rows(one.rows()[0], 120, UNICODE)) + detail(one, 0)
    assert "␛[31m[red]‹U+202E›" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_an_empty_ledger_says_why() -> None:
    assert nothing_claimed(12, 12) == "No claim of completion or of a limit up to event 12."
    assert nothing_claimed(12, 5) == "Looking for claims: 5 of 12 events so far."
    assert nothing_claimed(0, 0) == "Nothing has happened yet."


def test_the_board_counts_claims_and_what_is_read() -> None:
    shown = words(board(fold(story()), 50, UNICODE, None, Conduct(0.337, 3, 2)))
    assert " claims 3 (2 without a measured bound)  c" in shown
    assert " reads: 34 % own source" in shown
    assert "without" not in words(conduct_rows(Conduct(None, 3, 0), 50, UNICODE))
    assert conduct_rows(Conduct(), 50, UNICODE) == []
    assert conduct_rows(None, 50, UNICODE) == []
    for width in (20, 38, 50, 76):
        rows = board(fold(story()), width, ASCII, None, Conduct(1.0, 1234, 567))
        assert all(width_of(row) <= width for row in rows)
