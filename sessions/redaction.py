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

_VALUE = r"(?![\[$<])[^\s\"',;&]"  # of a header or an option; not a placeholder or a shell's variable

# What is found, the name it is replaced by, and words in small letters one of which stands in every text that
# has it (most texts are passed by that way). A group 1 is kept. Patterns begin with fixed words or where no
# run goes on, so that hostile text costs time in proportion to its length.
_SHAPES: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "private-key",
        ("private key",),
        re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
            re.DOTALL,
        ),
    ),
    ("api-key", ("sk-",), re.compile(r"\bsk-[A-Za-z0-9_-]{16,}")),
    ("api-key", ("gsk_",), re.compile(r"\bgsk_[A-Za-z0-9]{20,}")),
    ("api-key", ("xai-",), re.compile(r"\bxai-(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{20,}")),
    ("api-key", ("nvapi-",), re.compile(r"\bnvapi-[A-Za-z0-9_-]{20,}")),
    ("stripe-key", ("k_live_", "k_test_"), re.compile(r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}")),
    (
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    ),
    ("gitlab-token", ("glpat-",), re.compile(r"\bglpat-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]{1,80}){0,4}")),
    ("npm-token", ("npm_",), re.compile(r"\bnpm_[A-Za-z0-9]{30,}")),
    ("pypi-token", ("pypi-",), re.compile(r"\bpypi-(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{20,}")),
    ("hf-token", ("hf_",), re.compile(r"\bhf_[A-Za-z0-9]{20,}")),
    ("slack-token", ("xox",), re.compile(r"\bxox[abposr]-[A-Za-z0-9-]{10,}")),
    ("google-key", ("aiza",), re.compile(r"\bAIza[0-9A-Za-z_-]{35}")),
    ("aws-id", ("akia", "asia"), re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    (
        "telegram-token",
        (":a",),
        re.compile(r"(?<![0-9])[0-9]{6,12}:A[A-Za-z0-9_-]{30,}"),
    ),
    (
        "jwt",
        (".eyj",),
        re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ),
    (
        "bearer",
        ("bearer ",),
        re.compile(
            r"\b(bearer )(?=[A-Za-z._~+/=-]*[0-9]|[A-Za-z._~+/=-]{24})[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE
        ),
    ),
    (
        "authorization",
        ("authorization",),
        re.compile(
            r"(authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:basic|digest|token|api-?key|key)\s{1,4})"
            rf"{_VALUE}{{4,}}",
            re.IGNORECASE,
        ),
    ),
    (
        "cookie",
        ("cookie",),
        re.compile(
            r"(cookie2?[\"']?(?:\s{0,4}[:=]\s{0,4}|\s{1,4})[\"']?)"  # the header and curl's `--cookie`
            r"(?![\[$<])[^\s=;,\"'(){}]{1,100}=[^\s\"';]{4,}(?:;[^\r\n\"']*)?",
            re.IGNORECASE,
        ),
    ),
    (
        "cookie",
        ("curl",),
        re.compile(
            r"(\bcurl\b(?:(?!curl)[^|]){0,600}?\s-b\s{0,3})"
            r"(?:\"[^\"\n=]{1,100}=[^\"\n]*\"|'[^'\n=]{1,100}=[^'\n]*'|(?!\[)[^\s\"'=]{1,100}=\S+)"
        ),
    ),
    (
        "login",
        ("curl",),
        # Not `-u 1000:1000`, which is a user and a group.
        re.compile(
            r"(\bcurl\b(?:(?!curl)[^|]){0,600}?\s(?:-[a-zA-Z]{0,6}[uU]\s{0,3}|--(?:proxy-)?user[=\s]{1,3})[\"']?)"
            r"(?!\d+:\d+(?:\s|$))[^\s\"':$\[-][^\s\"':]{0,100}:(?!//)[^\s\"']+"
        ),
    ),
    (
        "login",
        ("mysql", "mariadb"),
        re.compile(
            r"((?:mysql|mariadb)[\w-]{0,20}(?:(?!mysql|mariadb)[^\n|;&]){0,300}?\s-p)[\"']?(?![\[$<])[^\s\"']+"
        ),
    ),
    (
        "login",
        ("password",),  # of a netrc file
        re.compile(
            r"(\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}|^[ \t]{0,40}password[ \t]{1,8}(?=\S{6,200}\s*$))"
            r"(?![\[$<])\S{1,200}",
            re.MULTILINE,
        ),
    ),
    (
        "assigned-secret",
        ("accountkey", "sharedaccess"),
        re.compile(
            r"((?:AccountKey|SharedAccessKey|SharedAccessSignature)\s{0,4}=\s{0,4})(?![\[$<])[^\s\"';]{8,}",
            re.IGNORECASE,
        ),
    ),
    (
        "assigned-secret",
        ("-api-key",),
        re.compile(rf"(-api-key[\"']?\s{{0,4}}[:=,]\s{{0,4}}[\"']?){_VALUE}{{4,}}", re.IGNORECASE),
    ),
    (
        "assigned-secret",
        ("apikey", "api_key", "api-key", "access_key", "access-key", "accesskey", "secret", "passw"),
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
        ("token",),
        re.compile(r"(TOKEN[\"']?\s{0,4}[:=]\s{0,4}[\"']?)(?![\[$<])[A-Za-z0-9_+/=~.:-]{8,}"),
    ),
    (
        "assigned-secret",
        ("token",),
        re.compile(
            r"([Tt]oken[\"']?\s{0,4}[:=]\s{0,4}[\"']?)(?=[A-Za-z_+/=~-]{0,200}[0-9])[A-Za-z0-9_+/=~-]{20,}"
        ),
    ),
)
_SHORTEST = 8  # characters; nothing shorter has a shape

# What a terminal obeys, as itself or as JSON and shells write it.
_ESCAPES = ("\x1b", "\x9b", "u001b", "x1b", "033", r"\e[")
_COLOUR = re.compile(
    r"(?:(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[|\x9b)[0-?]{0,40}[ -/]{0,4}[@-~]"
    r"|\x1b\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)"
    r"|\x1b[()][0-9A-B]"
)


def redact_secrets(text: str, found: Counter[str] | None = None) -> str:
    """`text` with keys and tokens of known shapes replaced by `[name]`. Doing it again changes nothing.

    What was replaced is counted by name in `found`.
    """
    if len(text) < _SHORTEST:
        return text
    small = text.lower()
    for hints, name, put, shape in _LOOKED_FOR:
        for hint in hints:
            if hint in small:
                text, count = shape.subn(put, text)
                if found is not None and count:
                    found[name] += count
                break
    return text


_LOOKED_FOR = tuple(
    (hints, name, rf"\g<1>[{name}]" if shape.groups else f"[{name}]", shape) for name, hints, shape in _SHAPES
)


def uncoloured(text: str) -> str | None:
    """The text without a terminal's colour codes, which may stand in the midst of a key; None without any."""
    if not any(mark in text for mark in _ESCAPES):
        return None
    plain, count = _COLOUR.subn("", text)
    return plain if count else None


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
