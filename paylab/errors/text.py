"""Text of a service or a user, made safe to print: every message, repr and line passes here."""

from __future__ import annotations

LINE_CHARACTERS_MAX = 500


def plain(text: str, longest: int = LINE_CHARACTERS_MAX) -> str:
    """Write a text as one printable line, escaped and truncated, with white space folded.

    >>> plain("one\\n  two\\a")
    'one two\\\\x07'
    """
    # Truncated first, for speed: to ten times the length, since folding shortens the text.
    one_line = " ".join(text[: longest * 10].split())
    escaped_line = printable(one_line[: longest + 1])
    return escaped_line if len(escaped_line) <= longest else escaped_line[: longest - 1] + "…"


def printable(text: str, keep: str = "") -> str:
    """Escape what is invisible or directs a terminal in a text, except characters in `keep`.

    Escaped are C0, C1 and DEL, direction and zero-width characters, line separators, blanks other
    than a space, unassigned code points and unpaired surrogates, as in `repr` of a text. Letters
    of any script stay.

    >>> printable("é 日本 \\x1b[2J")
    'é 日本 \\\\x1b[2J'
    """
    if text.isprintable():
        return text
    escaped_characters = []
    for character in text:
        is_kept = character.isprintable() or character in keep
        escaped_characters.append(
            character if is_kept else character.encode("unicode_escape").decode()
        )
    return "".join(escaped_characters)


def printable_lines(text: object) -> str:
    """Write an object as text in which everything invisible but line breaks is escaped.

    >>> printable_lines("one\\ntwo\\t")
    'one\\ntwo\\\\t'
    """
    return printable(str(text), keep="\n")
