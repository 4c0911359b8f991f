"""Python code that does what a form does: calls with literals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

WIDTH = 88
INDENT = "    "
_encode_text = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps makes an encoder each time


class Expression(str):
    """Python source to insert unquoted: a name or a call."""


def write_call(
    function: str,
    *positional: object,
    keywords: Mapping[str, object] = MappingProxyType({}),
    assign_to: str = "",
) -> str:
    """Write the call `assign_to = function(positional, keyword=value)`; a long one on many lines.

    >>> write_call("lab.quotes.create", keywords={"amount": "10.00"}, assign_to="quote")
    'quote = lab.quotes.create(amount="10.00")'
    """
    prefixed_arguments = [("", argument_value) for argument_value in positional]
    prefixed_arguments += [
        (f"{keyword}=", argument_value) for keyword, argument_value in keywords.items()
    ]
    call_start = f"{assign_to} = {function}" if assign_to else function
    # The cheap test first: a large literal is not written twice.
    character_count = sum(
        len(prefix) + len(str(argument_value)) for prefix, argument_value in prefixed_arguments
    )
    if character_count <= WIDTH:
        one_line_arguments = [
            f"{prefix}{literal(argument_value)}" for prefix, argument_value in prefixed_arguments
        ]
        one_line_call = f"{call_start}({', '.join(one_line_arguments)})"
        if len(one_line_call) <= WIDTH:
            return one_line_call
    argument_lines = [
        f"{INDENT}{prefix}{literal(argument_value, multiline=True)},"
        for prefix, argument_value in prefixed_arguments
    ]
    return "\n".join([f"{call_start}(", *argument_lines, ")"])


def literal(value: object, *, multiline: bool = False) -> str:
    """A value as Python source; with `multiline`, a long object has one entry per line."""
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, str):
        return _encode_text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if not isinstance(value, Mapping):
        return repr(value)
    member_literals = [
        f"{literal(member_name)}: {literal(member)}" for member_name, member in value.items()
    ]
    one_line_literal = f"{{{', '.join(member_literals)}}}"
    if not multiline or len(one_line_literal) <= WIDTH - 2 * len(INDENT):
        return one_line_literal
    return "\n".join(
        [
            "{",
            *(f"{INDENT * 2}{member_literal}," for member_literal in member_literals),
            f"{INDENT}}}",
        ]
    )
