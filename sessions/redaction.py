"""Taking secrets and personal details out of text: for journals (secrets only) and for exports (both).

It knows shapes, not meaning: a secret without a known shape stays. Say so wherever an export is offered.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping

MIN_SECRET = 8  # characters; shorter values of secret-named variables ("none", "test") are words

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|PAT)(?:_|$)",
    re.IGNORECASE,
)

# What is found, and the name it is replaced by. Order matters: the longer shape of a prefix goes first.
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private-key",
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
        ),
    ),
    ("api-key", re.compile(r"\bsk-[A-Za-z0-9_-]{16,}")),
    ("github-token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})")),
    ("hf-token", re.compile(r"\bhf_[A-Za-z0-9]{20,}")),
    ("slack-token", re.compile(r"\bxox[abposr]-[A-Za-z0-9-]{10,}")),
    ("google-key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}")),
    ("aws-id", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("jwt", re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*")),
    ("bearer", re.compile(r"(?<=\bBearer )[A-Za-z0-9._~+/=-]{8,}|(?<=\bbearer )[A-Za-z0-9._~+/=-]{8,}")),
    (
        "assigned-secret",
        re.compile(
            r"(?i)(?<![A-Za-z0-9])((?:[A-Z0-9]+[_-])*(?:API[_-]?KEY|ACCESS[_-]?KEY|SECRET|TOKEN|PASSWORD|PASSWD)"
            r"(?:[_-][A-Z0-9]+)*[\"']?\s*[:=]\s*[\"']?)(?!\[)([^\s\"',;&]{8,})"
        ),
    ),
)
_PERSONAL: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b")),
    ("home", re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\Users\\)[^/\\\s\"':,;)<>|]+|(?<![\w/])/root(?=/|\b)")),
)


def redact(text: str) -> tuple[str, dict[str, int]]:
    """`text` with secrets and personal details replaced by `[name]`, and how often each was.

    Home folders become `~`. Redacting the result again changes nothing.
    """
    return _replace(text, (*_SHAPES, *_PERSONAL))


def redact_secrets(text: str) -> tuple[str, dict[str, int]]:
    """As `redact`, but keys and tokens only: paths and addresses stay."""
    return _replace(text, _SHAPES)


def scrub_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """A copy of an environment fit for a record: values of secret-named variables are taken out."""
    return {
        name: "[secret]" if _SECRET_NAME.search(name) and value else redact_secrets(value)[0]
        for name, value in environment.items()
    }


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of secret-named variables, longest first: what a journal must never hold."""
    found = {
        value
        for name, value in environment.items()
        # Without a digit it is a word, which may stand anywhere.
        if _SECRET_NAME.search(name) and len(value) >= MIN_SECRET and any(map(str.isdigit, value))
    }
    # A path to a key file or an address is no secret, and would be cut out of innocent text.
    return tuple(
        sorted((value for value in found if not value.startswith(("/", "http"))), key=len, reverse=True)
    )


def _replace(text: str, shapes: tuple[tuple[str, re.Pattern[str]], ...]) -> tuple[str, dict[str, int]]:
    counts: Counter[str] = Counter()

    def put(name: str) -> Callable[[re.Match[str]], str]:
        def replacement(match: re.Match[str]) -> str:
            counts[name] += 1
            kept = match.group(1) if match.re.groups else ""
            return "~" if name == "home" else f"{kept}[{name}]"

        return replacement

    for name, shape in shapes:
        text = shape.sub(put(name), text)
    return text, dict(counts)
