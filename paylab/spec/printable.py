"""Text from the service made safe to print: no control characters, no endless length."""

from __future__ import annotations

LONGEST = 500


def plain(text: str, longest: int = LONGEST) -> str:
    """One line of printable text: white space folded, the unprintable escaped, the rest cut off."""
    # Cutting first keeps a huge body cheap; escaping makes at most ten characters of one.
    words = " ".join(text[: longest * 10].split())
    safe = printable(words[: longest + 1])
    return safe if len(safe) <= longest else safe[: longest - 1] + "…"


def printable(text: str, keep: str = "") -> str:
    """The text with control, direction and other invisible characters escaped, but those kept."""
    return "".join(
        character if character.isprintable() or character in keep else _escaped(character)
        for character in text
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
