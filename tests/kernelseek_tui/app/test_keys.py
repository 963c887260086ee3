from pathlib import Path

from kernelseek_tui.app.app import KernelSeekApp
from kernelseek_tui.app.bindings import bindings, bindings_of
from kernelseek_tui.app.claims_screen import ClaimsScreen
from kernelseek_tui.app.keys import CLAIM_KEYS, KEYS, PERMIT_KEYS, keys_for
from kernelseek_tui.app.live_screen import LiveScreen
from kernelseek_tui.app.replay_screen import ReplayScreen

DOCS = Path(__file__).resolve().parents[3] / "docs" / "keys.md"


def test_no_key_means_two_things() -> None:
    for live in (True, False):
        names = [name for key in keys_for(live) for name in key.keys.split(",")]
        assert len(names) == len(set(names))


def test_no_binding_relies_on_keys_that_multiplexers_take() -> None:
    taken = {"ctrl+b", "ctrl+a", "ctrl+s", "ctrl+q", "ctrl+z"}
    assert not taken & {name for key in KEYS for name in key.keys.split(",")}


def test_every_key_has_an_action_on_its_screen() -> None:
    for screen, live in ((LiveScreen, True), (ReplayScreen, False)):
        for binding in bindings(live):
            name = binding.action.partition("(")[0]
            owner = KernelSeekApp if name.startswith("app.") else screen
            assert hasattr(owner, f"action_{name.removeprefix('app.')}"), name


def test_every_key_of_the_ledger_has_an_action() -> None:
    names = [name for key in CLAIM_KEYS for name in key.keys.split(",")]
    assert len(names) == len(set(names))
    for binding in bindings_of(CLAIM_KEYS):
        assert hasattr(ClaimsScreen, f"action_{binding.action.partition('(')[0]}"), binding.action


def test_ids_are_unique() -> None:
    ids = [binding.id for binding in bindings(True)]
    assert len(ids) == len(set(ids))


def test_the_documentation_lists_every_key() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for key in (*KEYS, *PERMIT_KEYS, *CLAIM_KEYS):
        row = f"| `{key.shown}` | {key.text} |"
        assert row in text, row
