"""A text as it is written in the source code of a programming language."""

from __future__ import annotations

import json

_ASCII = range(0x20, 0x7F)


def python_literal(text: str) -> str:
    """Write a text as a literal of Python."""
    return repr(text)


def json_literal(text: str) -> str:
    """Write a text as a literal of JavaScript, in ASCII.

    >>> from paylab.signing.text_literals import json_literal
    >>> print(json_literal("é"))
    "\\u00e9"
    """
    return json.dumps(text)


def go_literal(text: str) -> str:
    """Write a text as a literal of Go, in ASCII.

    >>> from paylab.signing.text_literals import go_literal
    >>> print(go_literal("é"))
    "\\U000000e9"
    """
    return f'"{"".join(map(_escape_for_go, text))}"'


def _escape_for_go(character: str) -> str:
    """A character in a literal of Go: itself, or its escape."""
    if character in '"\\':
        return f"\\{character}"
    return character if ord(character) in _ASCII else f"\\U{ord(character):08x}"


def java_literal(text: str) -> str:
    """Write a text as a literal of Java, in ASCII.

    >>> from paylab.signing.text_literals import java_literal
    >>> print(java_literal("é"))
    "\\u00e9"
    """
    return f'"{"".join(map(_escape_for_java, text))}"'


def _escape_for_java(character: str) -> str:
    """A character in a literal of Java: itself, or the escapes of its UTF-16 units."""
    if character in '"\\':
        return f"\\{character}"
    if ord(character) < min(_ASCII):
        return f"\\{ord(character):03o}"  # Java reads \u000a as the end of a line
    if ord(character) in _ASCII:
        return character
    utf16_digits = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(
        f"\\u{utf16_digits[digit_index : digit_index + 4]}"
        for digit_index in range(0, len(utf16_digits), 4)
    )
