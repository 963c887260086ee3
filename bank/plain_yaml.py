"""YAML of others as plain data: no aliases, no tags, no key twice, and one sentence for whatever is wrong.

Aliases make a short file stand for gigabytes, and tags make a value of it that was not written there. A bank
needs neither.
"""

from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bank.errors import BankError
from bank.files import named, read_text

# libyaml's loader reads the bank about ten times faster; wheels of PyYAML carry it, source builds may not.
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_LONGEST = 200
_TAG = "tag:yaml.org,2002:"


class _NotPlainError(Exception):
    """What a bank's YAML may not hold; `what` says LINE where the line's number belongs."""

    def __init__(self, what: str, node: Node) -> None:
        super().__init__(what.replace("LINE", f"line {node.start_mark.line + 1}"))


class _Loader(_Base):  # type: ignore[misc]
    """Safe YAML in which a key given twice is refused instead of silently overwritten."""

    def get_single_node(self) -> Node | None:
        root: Node | None = super().get_single_node()
        if root is not None:
            self._refuse(root)
        return root

    def _refuse(self, root: Node) -> None:
        seen: set[int] = set()
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                raise _NotPlainError("an alias of LINE, write out what stands there", node)
            seen.add(id(node))
            if node.tag != self._tag_of(node):
                raise _NotPlainError("a tag in LINE, leave it out", node)
            if isinstance(node, MappingNode):
                self._refuse_keys(node)
                waiting += [one for pair in node.value for one in pair]
            elif isinstance(node, SequenceNode):
                waiting += node.value

    def _tag_of(self, node: Node) -> str:
        """The tag that a node has where none is written."""
        if isinstance(node, ScalarNode):
            tag: str = self.resolve(ScalarNode, node.value, (not node.style, bool(node.style)))
            return tag
        return _TAG + ("map" if isinstance(node, MappingNode) else "seq")

    def _refuse_keys(self, node: MappingNode) -> None:
        names: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, ScalarNode):
                raise _NotPlainError("a list or a mapping as a key in LINE", key)
            if key.value in names:
                what = f"the key {key.value[:_LONGEST]!r} is given twice"
                raise yaml.constructor.ConstructorError(None, None, what, key.start_mark)
            names.add(key.value)


def load_yaml(path: Path) -> Any:
    """Plain data from one YAML file of 2 MiB at the most. Raises `BankError` that names the line."""
    return _parsed(read_text(path), named(path))


def _parsed(text: str, file: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)
    except _NotPlainError as error:
        raise BankError(f"is not valid YAML for a bank: {error}", file=file) from error
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise BankError(f"is not valid YAML{line} ({_short(error.problem)})", file=file) from error
    except yaml.YAMLError as error:
        raise BankError(f"is not valid YAML ({_short(error)})", file=file) from error
    except RecursionError as error:
        raise BankError("is nested too deeply to be read", file=file) from error
    except ValueError as error:  # what looks like a date or a number and cannot be one
        raise BankError(f"holds a value that cannot be read ({_plain(error)})", file=file) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:  # the same, seen too late
        raise BankError("holds a value that cannot be read", file=file) from error


def _plain(error: ValueError) -> str:
    # Python's own advice on long numbers names a function of the interpreter.
    return _short(str(error).split(";")[0].split(":")[0])


def _short(said: object) -> str:
    text = " ".join(str(said).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
