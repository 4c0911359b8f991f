"""Python text of a call, as one would write it."""

from __future__ import annotations

import json
from collections.abc import Mapping

WIDTH = 88
INDENT = "    "


class Expression(str):
    """Text that stands in code as it is: a name or a call, no literal."""

    __slots__ = ()


def call(function: str, arguments: Mapping[str, object], *positional: object, to: str = "") -> str:
    """`to = function(positional, name=value)`, over several lines where one is too long."""
    given = [literal(value) for value in positional]
    given += [f"{name}={literal(value)}" for name, value in arguments.items()]
    begin = f"{to} = {function}" if to else function
    line = f"{begin}({', '.join(given)})"
    if len(line) <= WIDTH:
        return line
    broken = [literal(value, broken=True) for value in positional]
    broken += [f"{name}={literal(value, broken=True)}" for name, value in arguments.items()]
    return "\n".join([f"{begin}(", *(f"{INDENT}{argument}," for argument in broken), ")"])


def literal(value: object, *, broken: bool = False) -> str:
    """A value as Python source; broken, a long object has an entry a line."""
    if isinstance(value, Expression) or not isinstance(value, str | Mapping | list):
        return str(value) if isinstance(value, Expression) else repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    entries = [f"{literal(key)}: {literal(one)}" for key, one in value.items()]
    line = f"{{{', '.join(entries)}}}"
    if not broken or len(line) <= WIDTH - 2 * len(INDENT):
        return line
    return "\n".join(["{", *(f"{INDENT * 2}{entry}," for entry in entries), f"{INDENT}}}"])
