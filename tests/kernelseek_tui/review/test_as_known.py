"""What a ledger says of the past: what it would have said then; and how it looks back on many claims."""

import random

from kernelseek_tui.contracts.disproof import disproof_after
from kernelseek_tui.review.fate import Judge
from kernelseek_tui.review.ledger import Fate, Ledger, Tried
from kernelseek_tui.review.told import Numbers
from kernelseek_tui.review.tries import Tries
from sessions import events as ev
from sessions.seen import Seen
from tests.kernelseek_tui.review.followed import Followed

LIMIT = "I believe this is the hardware limit."
DONE = "The work is done."
COMMANDS = ("./bench", "ncu --set full ./bench", "nsys profile ./bench", "cuobjdump -sass k", "./probe --mem")
SAYINGS = (
    LIMIT,
    DONE,
    "I withdraw the claim of a limit.",
    "I stopped too early: it is not done.",
    "Reading on.",
)


def eventful(seed: int, steps: int = 60) -> Followed:
    """A session in which everything that a ledger looks at happens, in any order."""
    rng = random.Random(seed)
    told = Followed()
    for _ in range(steps):
        match rng.randrange(9):
            case 0 | 1:
                told.says(rng.choice(SAYINGS))
            case 2:
                told.kernel()
            case 3:
                reading = rng.choice((12.5, 31.25, 80.5))
                told.run(f"{rng.choice(COMMANDS)} {rng.randrange(3)}", f"time {reading} us, roofline 61 %")
            case 4:
                told.says(f"It takes {rng.choice((12.5, 31.3, 80.4))} us now.")
            case 5:
                told.evaluation(rng.choice((1.1, 1.2, 1.5, 2.0)))
            case 6:
                told.goal(rng.random() < 0.5, ("faster: b",))
            case 7:
                told.human(rng.choice(("Go on.", "No, that is not right: b is still slow.")))
            case _:
                told.call("./probe --late", "late")
    return told


def test_a_past_view_is_what_the_ledger_said_then() -> None:
    seen = set()
    for seed in range(12):
        told = eventful(seed)
        then = Followed()
        for index, event in enumerate(told.events):
            then.take(event)
            if index % 5 == 0 or index == len(told.events) - 1:
                view = told.review.ledger.view(told.state.as_of(index))
                past = [view.row(place) for place in range(len(view))]
                assert past == then.rows()
                seen |= {(row.claim.kind, row.fate, row.tried) for row in past}
    assert {fate for _, fate, _ in seen} == set(Fate)
    assert {tried for _, _, tried in seen} == set(Tried)


def test_the_past_of_scores_that_were_only_printed() -> None:
    told = Followed()
    told.run("./bench", "geomean: 1.20")
    told.says(LIMIT)
    told.run("./bench --again", "geomean: 1.90")
    told.evaluation(1.0)
    past = told.review.ledger.view(told.state.as_of(2))
    assert past.row(0).fate is Fate.STANDS
    before = told.review.ledger.view(told.state.as_of(len(told.events) - 2))
    assert before.row(0).fate is Fate.BEATEN


def test_sayings_are_counted_up_to_the_cursor() -> None:
    told = Followed()
    told.says(LIMIT)
    told.says(LIMIT)
    told.says(LIMIT)
    assert told.review.ledger.view(told.state.as_of(1)).claim(0).said == 2
    assert told.review.ledger.view(told.state).claim(0).said == 3
    assert len(told.review.ledger.view(told.state.as_of(0))) == 1


def test_tries_say_what_the_contract_says() -> None:
    said = set()
    for seed in range(20, 32):
        told = eventful(seed)
        follows = Followed()
        numbers = Numbers()
        tries = Tries(numbers)
        for event in told.events:
            follows.take(event)
            if isinstance(event, ev.AgentText):
                numbers.take(Seen(follows.state.count - 1, event))
            tries.take(follows.state, event)
        for index in range(-1, len(told.events)):
            found = tries.after(index, follows.state.count)
            assert found == disproof_after(index, told.state)
            said.add((found.tried is not None, found.told is not None))
    assert said == {(False, False), (True, False), (True, True)}


def test_a_result_that_stood_before_its_call() -> None:
    told = Followed()
    told.says(LIMIT)
    told.result("launch 3.25 us of 15.75 us", "early")
    told.call("nsys profile ./bench", "early")
    told.says("The launch path takes 3.25 us.")
    assert [row.tried for row in told.rows()] == [Tried.RECORDED]


def test_looking_back_on_many_claims_takes_as_many_looks() -> None:
    """Counts what is looked at, not seconds: twice the session must not be four times the looks."""

    def looks(claims: int) -> int:
        told = Followed()
        for number in range(claims):
            told.says(f"{LIMIT} {DONE}")
            told.kernel()
            told.run(f"nsys profile ./bench {number}", f"launch {number}.25 us, roofline")
            told.says(f"Nothing of it {number * 7919 % 101 + 2000}.5.")
        counted = 0

        class Counting(list):  # type: ignore[type-arg]
            def __getitem__(self, place):  # type: ignore[no-untyped-def]
                nonlocal counted
                got = super().__getitem__(place)
                counted += len(got) if isinstance(place, slice) else 1
                return got

            def __iter__(self):  # type: ignore[no-untyped-def]
                nonlocal counted
                counted += len(self)
                return super().__iter__()

        state, ledger = told.state, told.review.ledger
        state.tools, state.texts, state.visits = map(Counting, (state.tools, state.texts, state.visits))
        ledger._after.tries._tries = Counting(ledger._after.tries._tries)
        ledger._after.told.texts = Counting(ledger._after.told.texts)
        assert len(ledger.rows(state)) == 2 * claims
        return counted

    assert looks(80) < 3 * looks(40)


def test_judging_needs_no_look_at_what_is_not_asked_for(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    told = Followed()
    for _ in range(5):
        told.says(LIMIT)
        told.kernel()
    asked = []
    monkeypatch.setattr(Judge, "tried", lambda self, claim: asked.append(claim.index) or (Tried.NO, ""))
    view = Ledger.view(told.review.ledger, told.state)
    assert (len(view), asked) == (5, [])
    view.row(3)
    view.row(3)
    assert len(asked) == 1
