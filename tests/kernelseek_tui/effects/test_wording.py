from bank.bank import Bank
from kernelseek_tui.effects.wording import Wordings
from tests.bank.builders import entry
from tests.kernelseek_tui.effects.stories import HOST, HOST_TEXT, ROUTING, WORDINGS


def test_parameters_may_hold_any_fact() -> None:
    assert WORDINGS.is_entry("How many scenarios take the general path on H200 (x*y)?", ROUTING)
    assert not WORDINGS.is_entry("How many scenarios take the general path on ?", ROUTING)
    assert not WORDINGS.is_entry(f"How many scenarios take the general path on {'x' * 61}?", ROUTING)
    assert WORDINGS.is_entry(HOST_TEXT, HOST)
    assert not WORDINGS.is_entry(HOST_TEXT, "kq-none-001")
    assert [one.id for one in WORDINGS.held(f"1. {HOST_TEXT}\n")] == [HOST]
    assert WORDINGS.held("Something else?") == []


def test_a_question_within_another_is_not_held() -> None:
    short, long = (
        entry(id="kq-host-902", question="How long?"),
        entry(id="kq-host-903", question="So: How long?"),
    )
    held = Wordings(Bank((short, long))).held("So: How long?")
    assert [one.id for one in held] == ["kq-host-903"]


def test_the_version_follows_the_wording_only() -> None:
    one = Wordings(Bank((entry(),)))
    assert one.version == Wordings(Bank((entry(answered_when="another"),))).version
    assert one.version != Wordings(Bank((entry(question="How long does it take?"),))).version
