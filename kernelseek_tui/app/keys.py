"""Every key of the screen as data: bindings, footer, help and docs/keys.md come from this one table."""

from dataclasses import dataclass
from typing import Literal

Where = Literal["everywhere", "live", "replay"]
Mode = Literal["reading", "message", "edit", "deny", "why", "reason", "search", "go to"]
"""What the keyboard does: act on the screen, or write."""


@dataclass(frozen=True, slots=True)
class Key:
    """`keys` are Textual's names, comma separated; `shown` is how people read them.

    `id` names the binding for remapping; `footer` puts it into the bottom row, as `foot` where one place
    there stands for two keys. `label` is its word there, `text` what it does.
    """

    id: str
    keys: str
    action: str
    shown: str
    label: str
    text: str
    where: Where = "everywhere"
    footer: bool = False
    foot: str = ""


KEYS: tuple[Key, ...] = (
    Key("help", "question_mark", "help", "?", "keys", "All keys and signs", footer=True),
    # replay: the clock
    Key("play", "p", "play", "p", "play", "Play the replay, or pause it", "replay", True),
    Key("step-back", "left", "step(-1)", "←", "", "One event back", "replay"),
    Key("step", "right", "step(1)", "→", "event", "One event on", "replay", True, "← →"),
    Key("start", "home", "go_start", "Home", "", "To the first event", "replay"),
    Key("end", "end", "go_end", "End", "", "To the last event", "replay"),
    Key("slower", "comma", "speed(-1)", ",", "", "Play more slowly", "replay"),
    Key("faster", "full_stop", "speed(1)", ".", "speed", "Play faster", "replay", True, ", ."),
    Key("go-to", "t", "go_to", "t", "go to", "Go to an event (120), a turn (turn 7) or 40%", "replay", True),
    Key("today", "v", "today", "v", "", "Show beside it what this version would say", "replay"),
    Key("kept", "x", "kept", "x", "", "Says how to label a moment: a replay dismisses nothing", "replay"),
    # asking
    Key(
        "choose",
        "1,2,3,4,5,6,7,8,9",
        "choose({})",
        "1-9",
        "choose",
        "Choose a suggestion; shows it whole, with its reasons",
        footer=True,
    ),
    Key("send", "enter", "send", "Enter", "send", "Send the chosen question as it stands", "live", True),
    Key("edit", "e", "edit", "e", "edit", "Edit the chosen question, then send it", "live", True),
    Key(
        "dismiss",
        "x",
        "put_aside",
        "x",
        "dismiss",
        "Dismiss the chosen suggestion, with a reason; with none chosen, the decision point",
        "live",
        True,
    ),
    Key("write", "i", "write", "i", "write", "Write a message of your own", "live", True),
    # the agent
    Key(
        "pause", "p", "pause", "p", "pause", "Hold the agent before its next step; again: go on", "live", True
    ),
    Key("back", "escape", "back", "Esc", "", "Back; in a live session, twice: interrupt the agent"),
    # both: moving
    Key(
        "next-flag",
        "n",
        "next_flag(1)",
        "n",
        "flag",
        "Next decision point; in a search, next hit",
        footer=True,
    ),
    Key("previous-flag", "N,shift+n", "next_flag(-1)", "N", "", "Previous decision point, or hit"),
    Key("next-turn", "right_square_bracket", "turn(1)", "]", "", "Next turn or message"),
    Key(
        "previous-turn",
        "left_square_bracket",
        "turn(-1)",
        "[",
        "turn",
        "Previous turn or message",
        footer=True,
        foot="[ ]",
    ),
    Key("up", "up,k", "up", "↑ k", "", "Select the entry above"),
    Key("down", "down,j", "down", "↓ j", "", "Select the entry below"),
    Key("page-up", "pageup", "page(-1)", "PgUp", "", "A page up"),
    Key("page-down", "pagedown", "page(1)", "PgDn", "", "A page down"),
    Key("top", "g", "top", "g", "", "To the first entry"),
    Key("follow-end", "G,shift+g", "bottom", "G", "", "To the last entry, and follow what comes"),
    Key("follow", "f", "follow", "f", "", "Follow what comes, or stop; a replay: read on a file that grew"),
    Key("search", "slash", "search", "/", "search", "Search the transcript; Esc ends it", footer=True),
    # both: reading
    Key(
        "expand", "space", "expand", "Space", "expand", "Show the whole entry, or its first rows", footer=True
    ),
    Key("expand-all", "E,shift+e", "expand_all", "E", "", "Show all entries whole, or none"),
    Key("copy", "y", "copy", "y", "", "Copy the entry (OSC 52, also over SSH; tmux needs set-clipboard on)"),
    Key("score", "s", "pane('score')", "s", "", "The scoreboard (a tab on small screens)"),
    Key("ask", "a", "pane('ask')", "a", "", "The suggestions (a tab on small screens)"),
    Key(
        "claims",
        "c",
        "claims",
        "c",
        "claims",
        "The claim ledger: what was claimed, and what became of it",
        footer=True,
    ),
    Key("bank", "b", "bank", "b", "", "Browse the bank, from the questions that serve the decision point"),
    Key("pane", "tab", "next_pane(1)", "Tab", "", "Next pane"),
    Key("previous-pane", "shift+tab", "next_pane(-1)", "Shift+Tab", "", "Previous pane"),
    # the program
    Key("palette", "colon", "palette", ": Ctrl+P", "", "Every command by name"),
    Key("quit", "q", "app.leave", "q Ctrl+C", "", "Quit (twice in a live session)"),
)

CLAIM_KEYS: tuple[Key, ...] = (
    Key("claim-up", "up,k", "move(-1)", "↑ k", "", "Select the claim above"),
    Key(
        "claim-down", "down,j", "move(1)", "↓ j", "select", "Select the claim below", footer=True, foot="↑ ↓"
    ),
    Key("claim-page-up", "pageup", "page(-1)", "PgUp", "", "A page up"),
    Key("claim-page-down", "pagedown,space", "page(1)", "PgDn", "", "A page down"),
    Key("claim-first", "home,g", "end(0)", "g", "", "To the first claim"),
    Key("claim-last", "end,G,shift+g", "end(1)", "G", "", "To the last claim"),
    Key("claim-go", "enter", "claim", "Enter", "go there", "Show the claim in the transcript", footer=True),
    Key(
        "claim-kind",
        "f",
        "kind",
        "f",
        "kind",
        "All claims, those of completion, those of a limit",
        footer=True,
    ),
    Key("claim-close", "escape,q,c", "close", "Esc", "close", "Close the ledger", footer=True),
)
"""While the claim ledger is open."""

BANK_KEYS: tuple[Key, ...] = (
    Key("bank-help", "question_mark", "help", "?", "keys", "All keys and filters", footer=True),
    Key("bank-up", "up,k", "move(-1)", "↑ k", "", "The entry above; among an entry's links, the one above"),
    Key(
        "bank-down", "down,j", "move(1)", "↓ j", "", "The entry below; among an entry's links, the one below"
    ),
    Key("bank-page-up", "pageup", "page(-1)", "PgUp", "", "A page up"),
    Key("bank-page-down", "pagedown", "page(1)", "PgDn", "", "A page down"),
    Key("bank-first", "home,g", "end(0)", "g", "", "To the first entry"),
    Key("bank-last", "end,G,shift+g", "end(1)", "G", "", "To the last entry"),
    Key("bank-read", "space", "read", "Space", "", "Read on in the entry; at its end, back to its start"),
    Key(
        "bank-take",
        "enter",
        "take",
        "Enter",
        "write",
        "Put the question into the composer, to edit and send; on a related entry, go to it",
        footer=True,
    ),
    Key(
        "bank-filter",
        "1,2,3,4,5,6",
        "filter({})",
        "1-6",
        "filter",
        "Group, layer it moves to, kind of moment, effect, device, upstream: the next value",
        footer=True,
    ),
    Key("bank-filter-back", "left", "filter_step(-1)", "←", "", "The filter used last: the value before"),
    Key("bank-filter-on", "right", "filter_step(1)", "→", "", "The filter used last: the next value"),
    Key("bank-search", "slash", "search", "/", "search", "Search all text of the entries", footer=True),
    Key("bank-clear", "0", "clear", "0", "all", "Clear every filter and the search", footer=True),
    Key(
        "bank-copy",
        "y",
        "copy",
        "y",
        "copy",
        "Copy the question; among an entry's links, the link",
        footer=True,
    ),
    Key(
        "bank-side",
        "tab,shift+tab",
        "side",
        "Tab",
        "links",
        "From the list to the entry's links and related entries, and back",
        footer=True,
    ),
    Key(
        "bank-before",
        "backspace",
        "before",
        "Backspace",
        "",
        "Back to the entry that a related one was reached from",
    ),
    Key("bank-palette", "colon", "palette", ": Ctrl+P", "", "Every command by name"),
    Key(
        "bank-close",
        "escape,b,q",
        "close",
        "Esc b",
        "close",
        "Close the bank; of `bank browse`, quit",
        footer=True,
        foot="Esc",
    ),
)
"""While the bank is open."""

PERMIT_KEYS: tuple[Key, ...] = (
    Key("allow", "y", "permit('allow')", "y", "allow", "Allow what the agent asks for, this once", "live"),
    Key("always", "a", "permit('always')", "a", "always", "Allow it now and always in this session", "live"),
    Key("deny", "d", "permit('deny')", "d", "deny…", "Deny it, with words for the agent to read", "live"),
)
"""They mean this only while the agent's client waits for an answer and nobody is typing."""

WRITING: dict[Mode, tuple[tuple[str, str], ...]] = {
    "message": (("Enter", "send"), ("Ctrl+J", "new line"), ("Esc", "back, the draft stays")),
    "edit": (("Enter", "send"), ("Ctrl+J", "new line"), ("Esc", "give the edit up")),
    "deny": (("Enter", "deny"), ("Ctrl+J", "new line"), ("Esc", "back, without an answer")),
    "why": (("1-4", "why"), ("5", "other words"), ("Esc", "keep it")),
    "reason": (("Enter", "dismiss"), ("Esc", "keep it")),
    "search": (("Enter", "find"), ("n N", "then next, previous"), ("Esc", "end the search")),
    "go to": (("Enter", "go"), ("Esc", "stay here")),
}
"""The footer while somebody writes."""


def keys_for(live: bool) -> list[Key]:
    """The keys that work in a live session or in a replay."""
    return [key for key in KEYS if key.where == "everywhere" or (key.where == "live") == live]
