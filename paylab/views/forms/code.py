"""Python code that does what a form does: calls with literals."""

from __future__ import annotations

import json
from collections.abc import Mapping

WIDTH = 88
INDENT = "    "


class Expression(str):
    """Python source to insert unquoted: a name or a call."""


def call(function: str, arguments: Mapping[str, object], *positional: object, to: str = "") -> str:
    """`to = function(positional, name=value)`, broken into lines when too long."""
    call_parts = [("", value) for value in positional]
    call_parts += [(f"{name}=", value) for name, value in arguments.items()]
    begin = f"{to} = {function}" if to else function
    line = f"{begin}({', '.join(f'{name}{literal(value)}' for name, value in call_parts)})"
    if len(line) <= WIDTH:
        return line
    broken = [f"{INDENT}{name}{literal(value, broken=True)}," for name, value in call_parts]
    return "\n".join([f"{begin}(", *broken, ")"])


def literal(value: object, *, broken: bool = False) -> str:
    """A value as Python source; a long object has one entry per line."""
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if not isinstance(value, Mapping):
        return repr(value)
    entries = [f"{literal(key)}: {literal(item)}" for key, item in value.items()]
    line = f"{{{', '.join(entries)}}}"
    if not broken or len(line) <= WIDTH - 2 * len(INDENT):
        return line
    return "\n".join(["{", *(f"{INDENT * 2}{entry}," for entry in entries), f"{INDENT}}}"])
