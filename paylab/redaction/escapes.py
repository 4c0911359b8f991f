"""Find text behind escapes in the decoded text, and replace it in the original.

The escapes are those of JSON, HTML, URLs, and of string and bytes literals in Python. They may be
nested: JSON in a string of JSON, a URL in HTML. The ANSI codes of a coloured text are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

LAYERS_MAX = 5
"""Decoding depths: the text itself, and up to four nested escapes."""

_HEX = "[0-9a-fA-F]"
# A leading character set and no flag for case make the search fast.
_ESCAPE = re.compile(
    rf"""[&%\\](?:
      (?<=&)(?:\#[0-9]{{1,12}}|\#[xX]{_HEX}{{1,12}}|[a-zA-Z][a-zA-Z0-9]{{1,30}})(?:;|(?![\\%]))
    | (?<=\\)[uU](?P<pair>[dD][89abAB]{_HEX}{{2}}\\[uU][dD][c-fC-F]{_HEX}{{2}})
    | (?<=\\)(?P<code>U0{_HEX}{{7}}|[uU](?:\{{{_HEX}{{1,6}}\}}|{_HEX}{{4}}))
    | (?P<bytes>(?<=%)[0-7]{_HEX}|(?<=\\)[xX][0-7]{_HEX}
        |(?<=%)[89a-fA-F]{_HEX}(?:%[89a-fA-F]{_HEX}){{0,3}}
        |(?<=\\)[xX][89a-fA-F]{_HEX}(?:\\[xX][89a-fA-F]{_HEX}){{0,3}})
    | (?<=\\)(?P<character>["'\\/bfnrt])
    )""",
    re.VERBOSE,
)
_BYTE_PREFIX = re.compile(r"%|\\[xX]")
_ANSI_CODE = re.compile(r"\x1b(?:\[[0-9;:?]{0,40}[A-Za-z]|\(B)")
_INVISIBLE = re.compile(
    rf"{_ANSI_CODE.pattern}|[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
"""ANSI codes, and characters without a width, which can stand inside a number."""
_ESCAPED_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Replacement(NamedTuple):
    """A part of a text from `start` to `end`, and the text that replaces it."""

    start: int
    end: int
    new_text: str

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it has a character between two places."""
        return start < self.end and self.start < end


Find = Callable[[str, int], Iterable[Replacement]]
"""Finds the parts to replace: a function of a text, and of how often that was decoded."""


def replace_in_layers(text: str, find: Find) -> str:
    """Replace what `find` finds in a text or behind its escapes, layer by layer.

    A key that stands as `k%33y` in the text is found in the decoded layer, and `k%33y` is replaced.
    """
    layers = _decode_layers(text, depth=0)
    for depth in range(LAYERS_MAX):
        layer_text = layers[-1].text if layers else text
        original_replacements = [
            _map_to_original(layer_replacement, layers)
            for layer_replacement in find(layer_text, depth)
        ]
        if original_replacements:
            text = replace_parts(text, original_replacements)
            # The layers have the offsets of the text as it was: decode the new text as often.
            layers = _decode_layers(text, depth)
        if not _add_layer(layers, text):
            break
    return text


def replace_in_text(text: str, find: Find) -> str:
    """Replace what `find` finds in a text as it is, without decoding escapes."""
    return replace_parts(text, list(find(text, 0)))


def find_parts(text: str, find: Find) -> Iterator[tuple[Replacement, str]]:
    """Yield what `find` finds in every decoded layer.

    Each is the replacement of a part of the text, with that part as it was decoded.
    """
    layers = _make_visible_layers(text, _INVISIBLE)
    for depth in range(LAYERS_MAX):
        layer_text = layers[-1].text if layers else text
        for layer_replacement in find(layer_text, depth):
            decoded_text = layer_text[layer_replacement.start : layer_replacement.end]
            yield _map_to_original(layer_replacement, layers), decoded_text
        if not _add_layer(layers, text, _INVISIBLE):
            break


def decode(text: str) -> str:
    """Decode every layer of escapes in a text: `&#37;41` becomes `%41`, and then `A`."""
    for _ in range(LAYERS_MAX):
        layer = _replace_matches(text, _ESCAPE, _decode_escape)
        if layer is None:
            break
        text = layer.text
    return text


class _Part(NamedTuple):
    """A part of a decoded text: its offset in it, and where it is in the text before decoding."""

    offset: int
    start: int
    end: int | None
    """The end of an escape; None for text that stays."""


class _Layer(NamedTuple):
    """A decoded text and its parts."""

    text: str
    parts: list[_Part]

    def original_start(self, offset: int) -> int:
        """Where the character at `offset` of this layer begins in the text before decoding."""
        layer_part = self.parts[bisect_right(self.parts, offset, key=_part_offset) - 1]
        is_escape = layer_part.end is not None
        # Half an escape cannot be replaced: all of it belongs to its character.
        return layer_part.start if is_escape else layer_part.start + offset - layer_part.offset

    def original_end(self, offset: int) -> int:
        """Where the character before `offset` of this layer ends in the text before decoding."""
        layer_part = self.parts[bisect_right(self.parts, offset - 1, key=_part_offset) - 1]
        return layer_part.end or layer_part.start + offset - layer_part.offset


_part_offset = attrgetter("offset")


def _decode_layers(text: str, depth: int) -> list[_Layer]:
    """The layers of a text that is decoded up to `depth` times, outermost first."""
    layers = _make_visible_layers(text)
    for _ in range(depth):
        if not _add_layer(layers, text):
            break
    return layers


def _add_layer(
    layers: list[_Layer], text: str, invisible_pattern: re.Pattern[str] = _ANSI_CODE
) -> bool:
    """Decode the last layer into a further one. Return whether it had an escape."""
    layer = _replace_matches(layers[-1].text if layers else text, _ESCAPE, _decode_escape)
    if layer is None:
        return False
    layers += [layer, *_make_visible_layers(layer.text, invisible_pattern)]
    return True


def _make_visible_layers(
    text: str, invisible_pattern: re.Pattern[str] = _ANSI_CODE
) -> list[_Layer]:
    """The layer of a text without its invisible characters, as a list; empty if it has none."""
    layer = _replace_matches(text, invisible_pattern, lambda _: "")
    return [layer] if layer else []


def _replace_matches(
    text: str, pattern: re.Pattern[str], decode_match: Callable[[re.Match[str]], str | None]
) -> _Layer | None:
    """The layer of a text with each match decoded; None if nothing changes.

    `decode_match` returns None for a match that stays as it is.
    """
    text_pieces = list[str]()
    layer_parts = list[_Part]()
    decoded_length = 0
    previous_end = 0
    for match in pattern.finditer(text):
        decoded_match = decode_match(match)
        if decoded_match is None:
            continue
        match_start, match_end = match.span()
        unchanged_text = text[previous_end:match_start]
        escape_offset = decoded_length + len(unchanged_text)
        layer_parts += [
            _Part(decoded_length, previous_end, end=None),
            _Part(escape_offset, match_start, match_end),
        ]
        text_pieces += [unchanged_text, decoded_match]
        decoded_length = escape_offset + len(decoded_match)
        previous_end = match_end
    if not layer_parts:
        return None
    layer_parts.append(_Part(decoded_length, previous_end, end=None))
    return _Layer("".join([*text_pieces, text[previous_end:]]), layer_parts)


def _decode_escape(match: re.Match[str]) -> str | None:
    """The text that an escape stands for; None for a match that only looks like an escape."""
    escape_kind = match.lastgroup
    escape_text = match[0]
    if escape_kind == "character":
        return _ESCAPED_CONTROLS.get(match["character"], match["character"])
    if escape_kind == "bytes":
        return _decode_bytes(bytes.fromhex(_BYTE_PREFIX.sub("", escape_text)))
    if escape_kind == "pair":
        # JSON writes a character beyond U+FFFF as two escapes, \uD83D\uDE00: its UTF-16.
        utf16_digits = escape_text[2:6] + escape_text[8:12]
        return bytes.fromhex(utf16_digits).decode("utf-16-be")
    if escape_kind == "code":
        code_point = int(match["code"][1:].strip("{}"), 16)
        # A greater number is no character, so this is text that looks like an escape.
        return chr(code_point) if code_point < 0x110000 else None
    from html import unescape  # only for an entity

    entity_text = unescape(escape_text)
    return None if entity_text == escape_text else entity_text


def _decode_bytes(escaped_bytes: bytes) -> str:
    """Decode the bytes of escapes as UTF-8, or else as Latin-1."""
    try:
        return escaped_bytes.decode()
    except UnicodeDecodeError:
        # Percent escapes do not name their encoding; Latin-1 has a character for each byte.
        return escaped_bytes.decode("latin-1")


def _map_to_original(replacement: Replacement, layers: list[_Layer]) -> Replacement:
    """Move a replacement from the last layer to the text that was decoded."""
    start = replacement.start
    end = replacement.end
    for layer in reversed(layers):
        start = layer.original_start(start)
        end = layer.original_end(end)
    return Replacement(start, end, replacement.new_text)


def replace_parts(text: str, replacements: list[Replacement]) -> str:
    """Replace parts of a text; where some overlap, the first one replaces all of them."""
    text_pieces = list[str]()
    previous_end = 0
    for part_start, part_end, new_text in sorted(replacements):
        if part_start >= previous_end:
            text_pieces += [text[previous_end:part_start], new_text]
        previous_end = max(previous_end, part_end)
    return "".join([*text_pieces, text[previous_end:]])
