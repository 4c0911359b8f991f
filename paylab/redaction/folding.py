"""Digits, letters, spaces and dashes of all scripts as ASCII, each character at its place."""

from __future__ import annotations

import unicodedata


class _Table(dict[int, int]):
    """The ASCII character of a character by their numbers; a character that has none stays."""

    def __missing__(self, code: int) -> int:
        self[code] = ord(_folded(chr(code)))
        return self[code]


_TABLE = _Table()


def folded(text: str) -> str:
    """The text, as long as before, with ASCII characters where they are meant."""
    return text if text.isascii() else text.translate(_TABLE)


def _folded(sign: str) -> str:
    digit = unicodedata.decimal(sign, None)
    if digit is not None:
        return str(digit)
    kind = unicodedata.category(sign)
    if kind in ("Pd", "Zs") or sign == "\u2212":  # the last one is the minus sign
        return " " if kind == "Zs" else "-"
    plain = unicodedata.normalize("NFKC", sign)
    # Circled and superscript digits have no decimal value, and a letter that becomes two has none.
    return plain if len(plain) == 1 and plain.isascii() else sign
