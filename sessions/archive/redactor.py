"""Takes out of a session what is nobody else's business, with placeholders that are the same each time.

Two passes: `learn` hears every text first, so that a name known from a prompt at the end is also found in
a path at the start. It knows shapes, not meaning: a name that stands in no path, prompt or address stays.
"""

import re
from collections import Counter
from collections.abc import Iterable

from sessions import events as ev
from sessions.archive import personal as shape
from sessions.clean import Cleaner
from sessions.redaction import MIN_WORD, redact_secrets, uncoloured

HOME, USER, EMAIL, HOST, LOGIN, SECRET = (
    "home path",
    "user name",
    "e-mail",
    "host name",
    "login in a URL",
    "secret of this environment",
)


class Redactor(Cleaner):
    """Redacts events (`event`) or single texts (`text`); `found` counts what was replaced, by kind.

    `secrets` are values that must not appear. `home`, `user` and `host` are those of this machine, taken out
    also where their shape would not tell. The first person's home path becomes `~`, another's `~user2`; names
    become `user1`, `host1`, addresses `person1@example.invalid`, in the order of their first appearance.
    """

    def __init__(
        self, secrets: Iterable[str] = (), *, home: str = "", user: str = "", host: str = ""
    ) -> None:
        super().__init__(secrets)
        self.found: Counter[str] = Counter()
        self._learning = False
        self._users: dict[str, int] = {}
        self._hosts: dict[str, int] = {}
        self._people: dict[str, int] = {}
        self._words: tuple[int, re.Pattern[str] | None] = (0, None)
        self._home = _path(home) if len(home.strip("/")) > 1 else None
        if shape.told_apart(user):
            self._user(user)
        if shape.told_apart(host):
            self._host(host)

    def learn(self, text: str) -> None:
        """Take note of the people and machines that a text names."""
        if _is_word(text):
            return
        counted, self.found = self.found, Counter()
        self._named(text)
        if (plain := uncoloured(text)) is not None:
            self._named(plain)
        self.found = counted

    def learn_event(self, event: ev.AnyEvent) -> None:
        """As `learn`, for every text of an event."""
        self._learning = True
        self.event(event)
        self._learning = False

    def text(self, text: str) -> str:
        """One text, mended and redacted. While an event is learnt it stays as it is.

        It loses its colours where one of them broke up what had to go.
        """
        if self._learning:
            self.learn(text)
            return text
        if _is_word(text):
            return text
        return super().text(text)

    def _taken_out(self, text: str) -> str:
        if self._pattern is not None:
            text = self._count(SECRET, self._pattern.subn("[secret]", text))
        text = redact_secrets(text, self.found)
        if "://" in text and "@" in text:
            text = shape.URL_LOGIN.sub(self._login, text)
        text = self._known(self._named(text))
        if "%" in text and "40" in text:
            text = shape.ENCODED_EMAIL.sub(self._encoded_email, text)
        return shape.EMAIL.sub(self._email, text) if shape.AT.search(text) else text

    def _named(self, text: str) -> str:
        """Without the names that their place tells: prompts, home paths, listings."""
        if shape.AT.search(text):
            for prompt in shape.PROMPTS:
                text = prompt.sub(self._prompt, text)
        if self._home is not None:
            text = self._count(HOME, self._home.subn("~", text))
        if "/home/" in text or "/Users/" in text:
            text = shape.POSIX_HOME.sub(self._posix, text)
        if "%2" in text or "%5" in text:
            text = shape.ENCODED_HOME.sub(self._encoded_home, text)
        if ":" in text and "sers" in text.lower():
            text = shape.WINDOWS_HOME.sub(self._windows, text)
        if "/root" in text:
            text = shape.ROOT_HOME.sub(self._root, text)
        if "-home-" in text or "-Users-" in text:
            text = shape.FOLDED_HOME.sub(lambda found: self._part(found, "name"), text)
        if "Linux " in text or "Darwin " in text:
            text = shape.UNAME.sub(lambda found: self._part(found, "host"), text)
        if "id=" in text:
            text = shape.IDENTITY.sub(lambda found: self._part(found, "user"), text)
        if "HOST" in text or "USER" in text or "LOGNAME" in text:
            text = shape.ASSIGNED.sub(self._assigned, text)
        if "rw" in text or "r-" in text:
            text = shape.LISTED.sub(self._listed, text)
        return text

    def _known(self, text: str) -> str:
        """Without names that are known by now, wherever they stand as a path's part or a machine's name."""
        count = len(self._users) + len(self._hosts)
        if self._words[0] != count:
            self._words = (count, self._pattern_of_names())
        pattern = self._words[1]
        named = any(name in text for name in self._users) or any(name in text for name in self._hosts)
        return pattern.sub(self._word, text) if pattern is not None and named else text

    def _pattern_of_names(self) -> re.Pattern[str] | None:
        users = [name for name in self._users if shape.told_apart(name)]
        hosts = [name for name in self._hosts if shape.told_apart(name) and len(name) > 3]
        parts = []
        if users:
            names = _any_of(users)
            parts.append(
                rf"(?:(?<=[/\\~])|(?<=%2[Ff]))(?P<user>{names})(?=[%/\\\s\"'`:;,)\]>]|$)"
                rf"|(?<![\w.-])(?P<at>{names})(?=@)"
            )
        if hosts:
            parts.append(rf"(?<![\w.-])(?P<host>{_any_of(hosts)})(?:\.[A-Za-z0-9-]{{1,63}}){{0,6}}(?![\w-])")
        return re.compile("|".join(parts)) if parts else None

    def _word(self, found: re.Match[str]) -> str:
        groups = found.groupdict()
        name = groups.get("user") or groups.get("at")
        self.found[USER if name else HOST] += 1
        return self._user(name) if name else self._host(groups["host"] or "")

    def _posix(self, found: re.Match[str]) -> str:
        name = found["name"]
        if name is None or shape.placeholder(name) or self._goes_on(found):
            return found.group()
        self.found[HOME] += 1
        if found["mount"]:
            return found.group()[: -len(name)] + self._user(name)
        return self._tilde(name)

    def _windows(self, found: re.Match[str]) -> str:
        self.found[HOME] += 1
        return self._tilde(found["name"])

    def _root(self, found: re.Match[str]) -> str:
        if self._goes_on(found):
            return found.group()
        self.found[HOME] += 1
        return "~root"

    def _encoded_home(self, found: re.Match[str]) -> str:
        if found["name"] is not None and shape.placeholder(found["name"]):
            return found.group()
        self.found[HOME] += 1
        return self._tilde(found["name"]) if found["name"] else "~root"

    def _goes_on(self, found: re.Match[str]) -> bool:
        """The match is the middle of a longer path."""
        before = found.string[max(0, found.start() - 4) : found.start()]
        return bool(shape.INSIDE.search(before)) and not shape.OPENS.search(before)

    def _prompt(self, found: re.Match[str]) -> str:
        user, host = found["user"], found["host"]
        if user == "git":  # every clone over ssh
            return found.group()
        self.found.update([USER] * shape.told_apart(user))
        self.found.update([HOST] * (not shape.placeholder(host)))
        return f"{self._user(user) if shape.told_apart(user) else user}@{self._host(host)}"

    def _listed(self, found: re.Match[str]) -> str:
        group = found["group"]
        text = self._part(found, "user")
        if group in self._users and shape.told_apart(group):
            text = text[: -len(group)] + self._user(group)
        return text

    def _assigned(self, found: re.Match[str]) -> str:
        return self._part(found, "host" if found["host"] else "user")

    def _part(self, found: re.Match[str], group: str) -> str:
        """The match with one group replaced by the person's or machine's name here."""
        name = found[group]
        if not shape.told_apart(name):
            return found.group()
        put = self._host(name) if group == "host" else self._user(name)
        self.found[HOST if group == "host" else USER] += 1
        start, end = found.start(group) - found.start(), found.end(group) - found.start()
        return found.group()[:start] + put + found.group()[end:]

    def _login(self, found: re.Match[str]) -> str:
        if found["login"] == "git":
            return found.group()
        self.found[LOGIN] += 1
        return f"{found['scheme']}[login]@"

    def _email(self, found: re.Match[str]) -> str:
        domain = found["domain"].lower()
        if found["top"] in shape.NO_TOP or domain in shape.NO_DOMAIN or found["local"] == "git":
            return found.group()
        return f"{found['escape'] or ''}{self._person(found)}@example.invalid"

    def _encoded_email(self, found: re.Match[str]) -> str:
        if found["top"] in shape.NO_TOP or found["domain"].lower() in shape.NO_DOMAIN:
            return found.group()
        return f"{self._person(found)}{found['at']}example.invalid"

    def _person(self, found: re.Match[str]) -> str:
        self.found[EMAIL] += 1
        address = f"{found['local']}@{found['domain']}".lower()
        return f"person{_number(address, self._people)}"

    def _tilde(self, name: str) -> str:
        number = _number(name, self._users)
        return "~" if number == 1 else f"~user{number}"

    def _user(self, name: str) -> str:
        return name if shape.placeholder(name) else f"user{_number(name, self._users)}"

    def _host(self, name: str) -> str:
        return name if shape.placeholder(name) else f"host{_number(name.split('.')[0], self._hosts)}"

    def _count(self, kind: str, changed: tuple[str, int]) -> str:
        text, count = changed
        if count:
            self.found[kind] += count
        return text


def _is_word(text: str) -> bool:
    """Too short and plain to hold anything: most keys and types of a transcript's rows."""
    return len(text) < MIN_WORD and text.isascii() and text.isalpha()


def _number(name: str, into: dict[str, int]) -> int:
    return into.setdefault(name, len(into) + 1)


def _any_of(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


def _path(home: str) -> re.Pattern[str]:
    return re.compile(r"(?<![\w.~+/-])" + re.escape(home.rstrip("/")) + r"(?![\w-]|\.\w)")
