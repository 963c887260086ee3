"""Every key of the screen as data: bindings, help and docs/keys.md come from this one table."""

from dataclasses import dataclass
from typing import Literal

Where = Literal["everywhere", "live", "replay"]


@dataclass(frozen=True, slots=True)
class Key:
    """`keys` are Textual's names, comma separated; `shown` is how people read them.

    `id` names the binding for remapping; `footer` puts it into the bottom row.
    """

    id: str
    keys: str
    action: str
    shown: str
    label: str
    text: str
    where: Where = "everywhere"
    footer: bool = False


KEYS: tuple[Key, ...] = (
    Key("help", "question_mark", "help", "?", "keys", "All keys", footer=True),
    # replay: the clock
    Key("play", "p", "play", "p", "play/pause", "Play or pause the replay", "replay", True),
    Key("step-back", "left", "step(-1)", "←", "", "One event back", "replay"),
    Key("step", "right", "step(1)", "← →", "event", "One event on (← back)", "replay", True),
    Key("start", "home", "go_start", "Home", "", "To the first event", "replay"),
    Key("end", "end", "go_end", "End", "", "To the last event", "replay"),
    Key("slower", "comma", "speed(-1)", ",", "", "Slower", "replay"),
    Key("faster", "full_stop", "speed(1)", ", .", "speed", "Faster (, slower)", "replay", True),
    Key(
        "go-to",
        "t",
        "go_to",
        "t",
        "go to",
        "Go to an event, turn or percentage: 120, turn 7, 40%",
        "replay",
        True,
    ),
    Key(
        "today",
        "v",
        "today",
        "v",
        "today",
        "Beside what was recorded, what this version would say",
        "replay",
    ),
    # asking
    Key(
        "choose",
        "1,2,3,4,5,6,7,8,9",
        "choose({})",
        "1-9",
        "choose",
        "Choose a suggestion and see its reasons",
        footer=True,
    ),
    Key("send", "enter", "send", "Enter", "send", "Send the chosen question as it stands", "live", True),
    Key("edit", "e", "edit", "e", "edit", "Edit the chosen question before it is sent", "live", True),
    Key(
        "dismiss",
        "x",
        "put_aside",
        "x",
        "dismiss",
        "Put the chosen suggestion aside; with none chosen, the moment",
        "live",
        True,
    ),
    Key(
        "write", "i", "write", "i", "write", "Write a message of your own (Esc keeps the draft)", "live", True
    ),
    # the agent
    Key(
        "pause",
        "p",
        "pause",
        "p",
        "pause",
        "Hold the agent before its next step, or let it go on",
        "live",
        True,
    ),
    Key("back", "escape", "back", "Esc", "", "Back; pressed twice in a live session: interrupt the agent"),
    # both: moving
    Key(
        "next-flag",
        "n",
        "next_flag(1)",
        "n",
        "next flag",
        "Next decision point; next hit while searching",
        footer=True,
    ),
    Key("previous-flag", "N,shift+n", "next_flag(-1)", "N", "", "Previous decision point, or hit"),
    Key("next-turn", "right_square_bracket", "turn(1)", "]", "", "Next turn"),
    Key(
        "previous-turn",
        "left_square_bracket",
        "turn(-1)",
        "[ ]",
        "turn",
        "Previous turn (] next)",
        footer=True,
    ),
    Key("up", "up,k", "up", "↑ k", "", "Select the entry above"),
    Key("down", "down,j", "down", "↓ j", "", "Select the entry below"),
    Key("page-up", "pageup", "page(-1)", "PgUp", "", "A page up"),
    Key("page-down", "pagedown", "page(1)", "PgDn", "", "A page down"),
    Key("top", "g", "top", "g", "", "To the top"),
    Key("follow-end", "G,shift+g", "bottom", "G", "", "To the end, and follow it"),
    Key("follow", "f", "follow", "f", "follow", "Follow the end as it grows, or stop"),
    Key("search", "slash", "search", "/", "search", "Search the transcript; Esc ends it", footer=True),
    # both: reading
    Key(
        "expand", "space", "expand", "Space", "expand", "Show the whole entry, or its first rows", footer=True
    ),
    Key("expand-all", "E,shift+e", "expand_all", "E", "", "Show all entries whole, or none"),
    Key("copy", "y", "copy", "y", "", "Copy the entry (OSC 52, also in tmux and over SSH)"),
    Key("score", "s", "pane('score')", "s", "", "The scoreboard (small screens: its tab)"),
    Key("ask", "a", "pane('ask')", "a", "", "The suggestions (small screens: their tab)"),
    Key("pane", "tab", "next_pane(1)", "Tab", "", "Next pane"),
    Key("previous-pane", "shift+tab", "next_pane(-1)", "Shift+Tab", "", "Previous pane"),
    # the program
    Key("palette", "colon", "palette", ": Ctrl+P", "", "Every command by name"),
    Key("quit", "q", "app.leave", "q Ctrl+C", "", "Quit (twice in a live session)"),
)


def keys_for(live: bool) -> list[Key]:
    """The keys that work in a live session or in a replay."""
    return [key for key in KEYS if key.where == "everywhere" or (key.where == "live") == live]
