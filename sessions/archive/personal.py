"""Shapes of what tells who somebody is: home paths, e-mail addresses, names in shell prompts."""

import re

# Names that many machines have and that tell nothing. Their home path goes, the word itself stays.
# fmt: off
GENERIC = frozenset({
    "root", "user", "users", "ubuntu", "debian", "fedora", "runner", "admin", "administrator", "public",
    "shared", "default", "guest", "me", "you", "name", "username", "work", "workspace", "data", "test",
    "dev", "app", "node", "vscode", "ec2-user", "jovyan", "agent", "sandbox", "home", "localhost",
    "host", "git", "build", "builder", "docker", "none", "nobody", "all", "demo", "project", "projects",
    "code", "repo", "src", "tmp", "lib", "bin",
})
# fmt: on

# An address on the web is no path of this machine; group `name` is absent where one stands.
POSIX_HOME = re.compile(
    r"\b(?:https?|ssh|git|wss?)://[^\s\"'<>]*"
    r"|(?P<mount>/(?!tmp/)[\w.-]{1,32})?"  # a file system of its own: `/data/home/ann`
    r"/(?:home|Users)/(?P<name>[A-Za-z0-9_](?:[\w.-]{0,62}[A-Za-z0-9_])?)"
)
WINDOWS_HOME = re.compile(
    r"\b[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/)"
    r"(?P<name>[^\\/:*?\"<>|\s]+(?: [^\\/:*?\"<>|\s]+){0,3}(?=\\)|[^\\/:*?\"<>|\s]+)",
    re.IGNORECASE,
)
ROOT_HOME = re.compile(r"/root(?![\w-]|\.\w)")
# How Claude Code names a project's folder: the path with dashes for whatever is no letter or digit.
FOLDED_HOME = re.compile(r"(?<![A-Za-z0-9-])-(?P<top>home|Users)-(?P<name>[A-Za-z0-9]+)")

# The same in a URL's query or a percent-encoded `file:` address, once or twice over.
_SLASH = r"%(?:25)?(?:2[Ff]|5[Cc])"
ENCODED_HOME = re.compile(
    rf"{_SLASH}(?:(?:home|Users){_SLASH}(?P<name>[A-Za-z0-9_](?:[\w.-]{{0,62}}[A-Za-z0-9_])?)|root(?![\w-]))"
)

# A path that goes on behind these is no home: `/sys/root`, `~/root`, `build/home/lib`.
INSIDE = re.compile(r"[A-Za-z0-9_.~+-]\Z")
# But `-I/home/ann/include` is one, and so is what an escaped line end stands before.
OPENS = re.compile(r"(?:(?:^|[\s\"'=(,])-[A-Za-z]|\\[nrt])\Z")

AT = re.compile(r"@(?<=\w@)\w")
"""Without this a text holds neither an address nor a prompt; most texts are passed by that way."""

# Longer than any real one, so that hostile text costs time in proportion to its length.
EMAIL = re.compile(
    r"(?:(?P<escape>\\[nrt])|(?<![\w.+%-])(?!(?<=\\)[nrt]@))(?P<local>\w(?:[\w.+%-]{0,62}\w)?)@"
    r"(?P<domain>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.(?P<top>[A-Za-z]{2,24}))(?![\w(\[])"
)
ENCODED_EMAIL = re.compile(
    r"(?:(?<=%[0-9A-Fa-f]{2})|(?<![\w.+%-]))(?P<local>[A-Za-z0-9_](?:(?:[\w.+-]|%2[BbEe]){0,62}\w)?)"
    r"(?P<at>%(?:25)?40)"
    r"(?P<domain>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.(?P<top>[A-Za-z]{2,24}))(?![\w(\[])"
)
# `q@k.mT` multiplies matrices, `getty@tty1.service` is a unit.
# fmt: off
NO_TOP = frozenset({
    "mT", "mH", "grad", "data", "real", "imag", "shape", "dtype", "device",
    "service", "socket", "timer", "target", "git",
})
# fmt: on
NO_DOMAIN = frozenset({"example.com", "example.org", "example.net", "example.invalid"})

URL_LOGIN = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]{1,20}://)(?!\[)(?P<login>[^\s/@\"'<>]{1,200})@")

_USER, _HOST = r"(?P<user>[A-Za-z_][\w.-]{0,63})", r"(?P<host>[A-Za-z0-9][\w.-]{0,126})"
PROMPTS = (
    re.compile(rf"(?<![\w.@/-]){_USER}@{_HOST}(?=:[~/][^\s$#%]{{0,200}} ?[$#%](?:\s|$))"),
    re.compile(rf"(?<=\[){_USER}@{_HOST}(?= [^\]\n]{{1,200}}\] ?[$#%](?:\s|$))"),
    re.compile(rf"(?<=[^\S\n]){_USER}@{_HOST}(?=:[~/])"),  # scp and rsync
    re.compile(rf"(?<=ssh ){_USER}@{_HOST}"),
)
UNAME = re.compile(rf"(?m)^(?:Linux|Darwin) {_HOST}(?= \d+\.\d+)")
LISTED = re.compile(
    r"(?m)^[-dlbcps][rwxsStT-]{9}[.+@]? +\d+ +(?P<user>[A-Za-z_][\w.-]{0,63}) +(?P<group>\S+)"
)
IDENTITY = re.compile(r"\b[ug]id=\d+\((?P<user>[A-Za-z_][\w.-]{0,63})\)")
ASSIGNED = re.compile(
    r"\b(?:HOSTNAME|HOST)=(?P<host>[A-Za-z0-9][\w.-]{0,126})"
    r"|\b(?:USER|LOGNAME|USERNAME)=(?P<user>[A-Za-z_][\w.-]{0,63})"
)

_PUT = re.compile(r"(?:user|host)\d+")


def placeholder(name: str) -> bool:
    """The name is one that redaction put there."""
    return _PUT.fullmatch(name) is not None


def told_apart(name: str) -> bool:
    """The name is one of its own, so it may be looked for wherever it stands as a part of a path."""
    return len(name) >= 2 and name.lower() not in GENERIC and not placeholder(name)
