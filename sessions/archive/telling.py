"""What redaction did, in words: what was taken out and how often, never what it was."""

from collections.abc import Mapping

_NOT_PLURAL = {
    "login in a URL": "logins in URLs",
    "secret of this environment": "secrets of this environment",
    "home path": "home paths",
    "user name": "user names",
    "e-mail": "e-mails",
    "host name": "host names",
}


def redaction_report(found: Mapping[str, int]) -> str:
    """One line: `redacted: 2 home paths, 1 api-key`."""
    if not found:
        return "redacted: nothing was found to take out"
    kinds = (
        f"{number} {kind if number == 1 else _NOT_PLURAL.get(kind, kind + 's')}"
        for kind, number in sorted(found.items())
    )
    return f"redacted: {', '.join(kinds)}"
