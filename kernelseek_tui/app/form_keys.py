"""Every key of the labelling screen as data: bindings, footer, help and docs/labels.md come from it."""

from kernelseek_tui.annotate.form import FIELDS
from kernelseek_tui.app.keys import Key

_FIELDS = tuple(
    Key(f"field-{item.name}", item.key, f"field('{item.name}')", item.key, "", f"Go to {item.name}")
    for item in FIELDS
)

FORM_KEYS: tuple[Key, ...] = (
    Key("help", "question_mark", "help", "?", "keys", "All keys", footer=True),
    Key(
        "answer",
        "0,1,2,3,4,5,6,7,8,9",
        "answer({})",
        "0-9",
        "answer",
        "Answer the open field as it says beside each choice; the last answer keeps the label",
        footer=True,
    ),
    Key("keep", "enter", "keep", "Enter", "keep", "Keep the label and go on", footer=True),
    Key(
        "next",
        "n",
        "candidate(1)",
        "n",
        "next",
        "Next message or flag; keeps the label",
        footer=True,
        foot="n p",
    ),
    Key("previous", "p", "candidate(-1)", "p", "", "Previous message or flag; keeps the label"),
    Key(
        "unlabelled",
        "m",
        "unlabelled",
        "m",
        "missing",
        "Next place without a label; keeps the label",
        footer=True,
    ),
    Key("undo", "u", "undo", "u", "undo", "Take back the last answer, then the last label", footer=True),
    Key(
        "evidence",
        "e",
        "evidence",
        "e",
        "evidence",
        "The entry under the cursor is evidence, or no longer",
        footer=True,
    ),
    Key("note", "w", "note", "w", "note", "Write a note to the label", footer=True),
    Key(
        "drop",
        "escape",
        "drop",
        "Esc",
        "drop",
        "Give up what is filled in and not kept; end the search",
        footer=True,
    ),
    Key("clear", "backspace", "clear", "Backspace", "", "Take the open field's answer back"),
    Key("remove", "x", "remove", "x", "", "Remove the label under the cursor (u brings it back)"),
    *_FIELDS,
    Key("next-field", "tab", "step_field(1)", "Tab", "", "Next field"),
    Key("previous-field", "shift+tab", "step_field(-1)", "Shift+Tab", "", "Previous field"),
    Key("up", "up", "move(-1)", "↑", "", "Select the entry above"),
    Key("down", "down", "move(1)", "↓", "", "Select the entry below"),
    Key("page-up", "pageup", "page(-1)", "PgUp", "", "A page up"),
    Key("page-down", "pagedown", "page(1)", "PgDn", "", "A page down"),
    Key("top", "g,home", "end(0)", "g Home", "", "To the first entry"),
    Key("bottom", "G,shift+g,end", "end(1)", "G End", "", "To the last entry"),
    Key("search", "slash", "search", "/", "search", "Search; Enter again: the next hit; Esc ends it"),
    Key("expand", "space", "expand", "Space", "", "Show the whole entry, or its first rows"),
    Key("expand-all", "E,shift+e", "expand_all", "E", "", "Show all entries whole, or none"),
    Key("palette", "colon", "palette", ": Ctrl+P", "", "Every command by name"),
    Key("quit", "q", "leave", "q Ctrl+C", "", "Quit; q keeps a label that has a kind"),
)
