"""Taking secrets out of text that goes into a journal: known values and known shapes.

It knows shapes, not meaning: a secret without a known shape, and not in a secret-named variable of the
environment, stays.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping

MIN_SECRET = 8  # characters; shorter values of secret-named variables ("none", "test") are words
MIN_WORD = 12  # the same for values of letters alone, which may stand anywhere in a text

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|PAT)(?:_|$)",
    re.IGNORECASE,
)
# Variables that say where a secret lies. Taken for one, a path would be cut out of innocent text.
_PLACE_NAME = re.compile(r"(?:_|^)(?:SOCK|SOCKET|FILE|PATH|DIR|HOME|NAME|TYPE)$", re.IGNORECASE)

# What is found, the name it is replaced by, and words one of which stands in every text that has it (most
# texts are passed by that way). A group 1 is kept. Patterns begin with fixed words or where no run goes on,
# so that hostile text costs time in proportion to its length.
_SHAPES: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "private-key",
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
            re.DOTALL,
        ),
    ),
    ("api-key", ("sk-",), re.compile(r"\bsk-[A-Za-z0-9_-]{16,}")),
    (
        "github-token",
        ("gh", "github_pat_"),
        re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    ),
    ("hf-token", ("hf_",), re.compile(r"\bhf_[A-Za-z0-9]{20,}")),
    ("slack-token", ("xox",), re.compile(r"\bxox[abposr]-[A-Za-z0-9-]{10,}")),
    ("google-key", ("AIza",), re.compile(r"\bAIza[0-9A-Za-z_-]{35}")),
    ("aws-id", ("AKIA", "ASIA"), re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    (
        "jwt",
        (".eyJ",),
        re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ),
    (
        "bearer",
        ("earer ", "EARER "),
        re.compile(
            r"\b(bearer )(?=[A-Za-z._~+/=-]*[0-9]|[A-Za-z._~+/=-]{24})[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE
        ),
    ),
    (
        "assigned-secret",
        (":", "="),
        re.compile(
            r"((?:api[_-]?key|access[_-]?key|secret|password|passwd)(?:[_-]key)?[\"']?\s{0,4}[:=]\s{0,4}[\"']?)"
            # A call or a look into an object is code that gets the secret, not the secret.
            r"(?![\[$<]|[\w.]{1,80}[(\[{])[^\s\"',;&]{8,}",
            re.IGNORECASE,
        ),
    ),
    (
        # A token is a word of code as well (`token_id = blockIdx.x`): only the name at its end, and a value
        # that looks drawn by lot.
        "assigned-secret",
        ("TOKEN",),
        re.compile(r"(TOKEN[\"']?\s{0,4}[:=]\s{0,4}[\"']?)(?![\[$<])[A-Za-z0-9_+/=~.:-]{8,}"),
    ),
    (
        "assigned-secret",
        ("oken",),
        re.compile(
            r"([Tt]oken[\"']?\s{0,4}[:=]\s{0,4}[\"']?)(?=[A-Za-z_+/=~-]{0,200}[0-9])[A-Za-z0-9_+/=~-]{20,}"
        ),
    ),
)


def redact_secrets(text: str, found: Counter[str] | None = None) -> str:
    """`text` with keys and tokens of known shapes replaced by `[name]`. Doing it again changes nothing.

    What was replaced is counted by name in `found`.
    """
    for name, hints, shape in _SHAPES:
        if any(hint in text for hint in hints):
            put = rf"\g<1>[{name}]" if shape.groups else f"[{name}]"
            text, count = shape.subn(put, text)
            if found is not None and count:
                found[name] += count
    return text


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of secret-named variables, longest first: what a journal must never hold."""
    found = {
        value.strip()
        for name, value in environment.items()
        if _SECRET_NAME.search(name) and not _PLACE_NAME.search(name)
    }
    return tuple(sorted(filter(_tells, found), key=len, reverse=True))


def with_escaped(values: Iterable[str]) -> set[str]:
    """The values, and beside those with quotes, backslashes or line breaks how JSON writes them."""
    found = {value for value in values if value}
    return found | {json.dumps(value)[1:-1] for value in found}


def _tells(value: str) -> bool:
    return len(value) >= (MIN_WORD if value.isalpha() else MIN_SECRET)
