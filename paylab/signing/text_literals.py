"""A text as it is written in the source code of a programming language."""

from __future__ import annotations

import json

_ASCII = range(0x20, 0x7F)


def python_literal(text: str) -> str:
    """A text in Python."""
    return repr(text)


def json_literal(text: str) -> str:
    """A text in JavaScript, in ASCII.

    >>> from paylab.signing.text_literals import json_literal
    >>> print(json_literal("é"))
    "\\u00e9"
    """
    return json.dumps(text)


def go_literal(text: str) -> str:
    """A text in Go, in ASCII.

    >>> from paylab.signing.text_literals import go_literal
    >>> print(go_literal("é"))
    "\\U000000e9"
    """
    return f'"{"".join(map(_escape_for_go, text))}"'


def _escape_for_go(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    return sign if ord(sign) in _ASCII else f"\\U{ord(sign):08x}"


def java_literal(text: str) -> str:
    """A text in Java, in ASCII.

    >>> from paylab.signing.text_literals import java_literal
    >>> print(java_literal("é"))
    "\\u00e9"
    """
    return f'"{"".join(map(_escape_for_java, text))}"'


def _escape_for_java(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if ord(sign) < min(_ASCII):
        return f"\\{ord(sign):03o}"  # Java reads \u000a as the end of a line
    if ord(sign) in _ASCII:
        return sign
    units = sign.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
