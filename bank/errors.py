"""Why a bank was refused: one sentence with the file, the entry and the key."""


class BankError(Exception):
    """A bank file or request that cannot be used. `str()` is the sentence a person reads.

    `lint` is the admission rule that was broken, `entry` and `key` name the place where they are known.
    """

    exit_code = 3

    def __init__(
        self, what: str, *, file: str = "", entry: str = "", key: str = "", lint: str = "Q01"
    ) -> None:
        self.file = file
        self.entry = entry
        self.key = key
        self.lint = lint
        self.what = what
        where = ", ".join(part for part in (file, f"entry {entry}" if entry else "") if part)
        super().__init__(f"{where}: {what}" if where else what)
