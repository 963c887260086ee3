"""Looks at a built candidate before anything of it runs: what it needs, asks for, defines and starts with.

Names tell what an honest compiler made of an honest source; a source that sets out to hide its names is met
by what holds its process. So each finding here refuses, and what may mean nothing is only flagged.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Symbol, SymbolTableSection

from harness.checks import Check
from harness.policy.libraries import (
    ALLOWED,
    CONSTRUCTORS,
    FORBIDDEN,
    OF_THE_RUNNER,
    forbidden_by,
)
from harness.record.parts import Flag

SHOWN = 5
"""So many names are in a sentence; the rest are counted."""

_SYSTEM_CALL = {
    "EM_X86_64": re.compile(rb"\x0f\x05|\x0f\x34|\xcd\x80", re.DOTALL),
    "EM_AARCH64": re.compile(rb"[\x01\x21\x41\x61\x81\xa1\xc1\xe1][\x00-\xff]{2}\xd4", re.DOTALL),
}
"""syscall, sysenter and int 0x80; svc. The bytes of other instructions and constants can read so too."""


_ELSEWHERE = ("DT_RPATH", "DT_RUNPATH", "DT_AUDIT", "DT_DEPAUDIT", "DT_FILTER", "DT_AUXILIARY")
"""What tells the loader where else to look, or what else to load."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a binary that policy refuses: the check's name, and one sentence with the names."""

    check: Check
    evidence: str


@dataclass(frozen=True, slots=True)
class Binary:
    """What is known of a built candidate. `examined` is False where its format is not ELF (macOS)."""

    examined: bool = False
    needed: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    flags: tuple[Flag, ...] = ()


def examine(path: Path, forbidden: Sequence[str] = ()) -> Binary:
    """Examine a shared library. `forbidden` are the goal's own globs over libraries (`libraries.forbids`).

    A file that starts as ELF and cannot be read as such is refused; raises `OSError` where there is none.
    """
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            note = "The built candidate is no ELF file, so its libraries and symbols were not examined."
            return Binary(flags=(Flag(code="binary_not_examined", evidence=note),))
        file.seek(0)
        try:
            return _examine(ELFFile(file), forbidden)
        except (ELFError, ValueError, KeyError, IndexError, AttributeError, TypeError) as error:
            # pyelftools meets a damaged file with whatever its parsing happens to run into.
            words = f"The built candidate cannot be read as an ELF file ({type(error).__name__})."
            return Binary(examined=True, findings=(Finding(Check.LOADER, words),))


def _examine(elf: ELFFile, forbidden: Sequence[str]) -> Binary:
    dynamic = next((one for one in elf.iter_sections() if isinstance(one, DynamicSection)), None)
    table = elf.get_section_by_name(".dynsym")
    if dynamic is None or not isinstance(table, SymbolTableSection):
        words = "The built candidate has no dynamic section or no symbols, as no compiler makes it."
        return Binary(examined=True, findings=(Finding(Check.LOADER, words),))
    tags = list(dynamic.iter_tags())
    needed = tuple(str(getattr(tag, "needed", "")) for tag in tags if tag.entry.d_tag == "DT_NEEDED")
    symbols = list(table.iter_symbols())
    undefined = tuple(sorted({one.name for one in symbols if _is_undefined(one)}))
    findings = (
        *_forbidden(forbidden, needed, undefined),
        *_needed(needed),
        *_asked_for(undefined),
        *_places(elf, [str(tag.entry.d_tag) for tag in tags]),
        *_defined(symbols),
        *_constructors(elf, {str(tag.entry.d_tag): int(tag.entry.d_val) for tag in tags}),
    )
    return Binary(True, needed, undefined, findings, tuple(_system_calls(elf)))


def _forbidden(globs: Sequence[str], needed: Sequence[str], undefined: Sequence[str]) -> Iterator[Finding]:
    words = forbidden_by(globs, needed, undefined)
    if words:
        yield Finding(Check.LIBRARIES, words)


def _needed(needed: Sequence[str]) -> Iterator[Finding]:
    found = [name for name in needed if not any(fnmatchcase(name, one) for one in ALLOWED)]
    if found:
        words = f"The binary needs {_listed(found)}; a candidate may need the C++ and C libraries only."
        yield Finding(Check.LIBRARIES, words)


def _asked_for(undefined: Sequence[str]) -> Iterator[Finding]:
    for group in FORBIDDEN:
        found = [one for one in undefined if any(fnmatchcase(one, glob) for glob in group.names)]
        if found:
            words = f"The binary asks for {_listed(found)} (group '{group.name}': what {group.why})."
            yield Finding(group.check, words)


def _places(elf: ELFFile, tags: Sequence[str]) -> Iterator[Finding]:
    """Where it has its libraries looked for, and whether its code or stack can be changed."""
    found = [tag for tag in _ELSEWHERE if tag in tags]
    if found:
        words = f"The binary tells the loader where else to look ({', '.join(found)})."
        yield Finding(Check.LOADER, words)
    if "DT_TEXTREL" in tags:
        yield Finding(Check.LOADER, "The binary has its code changed while it is loaded (text relocations).")
    for part in elf.iter_segments():
        if part["p_type"] == "PT_GNU_STACK" and part["p_flags"] & 1:
            yield Finding(Check.LOADER, "The binary asks for a stack that can be executed.")
        if part["p_type"] == "PT_LOAD" and part["p_flags"] & 3 == 3:
            yield Finding(Check.LOADER, "The binary has memory that can be both written and executed.")
        if part["p_type"] == "PT_INTERP":
            yield Finding(Check.LOADER, "The binary names a loader of its own.")


def _defined(symbols: Sequence[Symbol]) -> Iterator[Finding]:
    found = sorted(
        {
            one.name
            for one in symbols
            if one.entry.st_shndx != "SHN_UNDEF"
            and one.entry.st_info["bind"] != "STB_LOCAL"
            and one.entry.st_other["visibility"] not in ("STV_HIDDEN", "STV_INTERNAL")
            and any(fnmatchcase(one.name, glob) for glob in OF_THE_RUNNER)
        }
    )
    if found:
        words = f"The binary defines {_listed(found)} for others to find, which are the runner's libraries'."
        yield Finding(Check.LOADER, words)


def _constructors(elf: ELFFile, tags: dict[str, int]) -> Iterator[Finding]:
    """Code that runs when the library is loaded and that the compiler did not make.

    A static object's constructor is the compiler's (`_GLOBAL__sub_I_` and the file's name); so is that of
    <iostream>. What a source marks as a constructor itself is not, nor what it writes into the table.
    """
    names = _names(elf)
    at, size = tags.get("DT_INIT_ARRAY", 0), tags.get("DT_INIT_ARRAYSZ", 0)
    width = elf.elfclass // 8
    found: list[str] = []
    for place in range(at, at + size, width):
        target, name = _pointer(elf, place, width)
        called = [name] if name else sorted(names.get(target, ()))
        if not any(fnmatchcase(one, glob) for one in called for glob in CONSTRUCTORS):
            found.append(called[0] if called else f"a function without a name at {target:#x}")
    for target in _resolvers(elf):
        called = sorted(names.get(target, ()))
        if not any(one.endswith(".resolver") for one in called):
            found.append(called[0] if called else f"a function without a name at {target:#x}")
    if "DT_PREINIT_ARRAY" in tags:
        found.append("a table of functions that run before all others")
    if "DT_INIT" in tags and "_init" not in names.get(tags["DT_INIT"], {"_init"}):
        found.append(min(names[tags["DT_INIT"]]))
    if found:
        words = f"The binary has {_listed(found)} run when it is loaded; a candidate works in ks_run."
        yield Finding(Check.CONSTRUCTORS, words)


def _pointer(elf: ELFFile, place: int, width: int) -> tuple[int, str]:
    """What the loader will put at an address: a target inside the binary, or a symbol's name."""
    for section in elf.iter_sections():
        if not isinstance(section, RelocationSection):
            continue
        for one in section.iter_relocations():
            if one["r_offset"] != place:
                continue
            if one["r_info_sym"]:
                table = elf.get_section(section["sh_link"])
                assert isinstance(table, SymbolTableSection)
                symbol = table.get_symbol(one["r_info_sym"])
                return int(symbol["st_value"]), symbol.name
            return int(one["r_addend"]) if section.is_RELA() else 0, ""
    for section in elf.iter_sections():
        start = section["sh_addr"]
        if start <= place < start + section["sh_size"] and section["sh_type"] != "SHT_NOBITS":
            raw = section.data()[place - start : place - start + width]
            return int.from_bytes(raw, "little"), ""
    return 0, ""


def _resolvers(elf: ELFFile) -> set[int]:
    """Functions that choose another while the library is loaded; `target_clones` makes some."""
    found = set()
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection) and section.is_RELA():
            irelative = {"EM_X86_64": 37, "EM_AARCH64": 1032}.get(str(elf["e_machine"]))
            found |= {
                int(one["r_addend"]) for one in section.iter_relocations() if one["r_info_type"] == irelative
            }
        elif isinstance(section, SymbolTableSection):
            found |= {
                int(one.entry.st_value)
                for one in section.iter_symbols()
                if one.entry.st_info["type"] in (10, "STT_LOOS", "STT_GNU_IFUNC")
                and one.entry.st_shndx != "SHN_UNDEF"
            }
    return found


def _names(elf: ELFFile) -> dict[int, set[str]]:
    names: dict[int, set[str]] = {}
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            for one in section.iter_symbols():
                if one.entry.st_shndx != "SHN_UNDEF" and one.entry.st_info["type"] == "STT_FUNC":
                    names.setdefault(int(one.entry.st_value), set()).add(one.name)
    return names


def _system_calls(elf: ELFFile) -> Iterator[Flag]:
    pattern = _SYSTEM_CALL.get(str(elf["e_machine"]))
    count = 0
    for section in elf.iter_sections():
        if pattern is not None and section["sh_flags"] & 4 and section["sh_type"] == "SHT_PROGBITS":
            count += len(pattern.findall(section.data()))
    if count:
        words = (
            f"The machine code has {count} places that read as a system call of its own; it may be one, or "
            "the bytes of something else."
        )
        yield Flag(code="system_call_opcode", evidence=words)


def _is_undefined(symbol: Symbol) -> bool:
    return bool(symbol.name) and symbol.entry.st_shndx == "SHN_UNDEF"


def _plain(name: str) -> str:
    return "".join(ch if ch.isprintable() else "?" for ch in name)[:120]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(_plain(name) for name in names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
