"""Text as it reads once its escapes are decoded, and the place of each character in the original.

Escapes are those of JSON, HTML, URLs and the repr of bytes, which may be nested: JSON in a string
of JSON, a URL in HTML. What is found in the decoded text is replaced in the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

MOST_LAYERS = 5
"""How often text is decoded: as it is, and four escapes inside each other."""

_HEX = "[0-9a-fA-F]"
# It begins with a set of characters, and has no flag for the case: both make searching fast.
_ESCAPE = re.compile(
    rf"""[&%\\](?:
      (?<=&)(?:\#[0-9]{{1,12}}|\#[xX]{_HEX}{{1,12}}|[a-zA-Z][a-zA-Z0-9]{{1,30}})(?:;|(?![\\%]))
    | (?<=\\)[uU](?P<pair>[dD][89abAB]{_HEX}{{2}}\\[uU][dD][c-fC-F]{_HEX}{{2}})
    | (?<=\\)(?P<code>U0{_HEX}{{7}}|[uU](?:\{{{_HEX}{{1,6}}\}}|{_HEX}{{4}}))
    | (?P<bytes>(?<=%)[0-7]{_HEX}|(?<=\\)[xX][0-7]{_HEX}
        |(?<=%)[89a-fA-F]{_HEX}(?:%[89a-fA-F]{_HEX}){{0,3}}
        |(?<=\\)[xX][89a-fA-F]{_HEX}(?:\\[xX][89a-fA-F]{_HEX}){{0,3}})
    | (?<=\\)(?P<sign>["'\\/bfnrt])
    )""",
    re.VERBOSE,
)
_HEAD = re.compile(r"%|\\[xX]")
_SIGNS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Found(NamedTuple):
    """A part of a text from `start` to `end`, and what to put in its place."""

    start: int
    end: int
    put: str


Find = Callable[[str, int], Iterable[Found]]
"""Finds parts in a text that was decoded so many times."""


def replace_found(text: str, find: Find) -> str:
    """The text without what `find` finds in it, or in it decoded once or several times."""
    layers: list[_Layer] = []
    for depth in range(MOST_LAYERS):
        decoded = layers[-1].text if layers else text
        found = [_mapped(each, layers) for each in find(decoded, depth)]
        if found:
            text = _replaced(text, found)
            layers = _layers(text, depth)
        layer = _layer(layers[-1].text if layers else text)
        if layer is None or len(layers) < depth:
            break
        layers.append(layer)
    return text


def replace_plain(text: str, find: Find) -> str:
    """The text without what `find` finds in it as it is."""
    return _replaced(text, list(find(text, 0)))


def decode(text: str) -> str:
    """The text with every layer of escapes decoded."""
    for _ in range(MOST_LAYERS):
        layer = _layer(text)
        if layer is None:
            break
        text = layer.text
    return text


@dataclass
class _Layer:
    """Decoded text: `at` is where each segment begins in it, `start` and `end` in the original."""

    text: str = ""
    at: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    escaped: list[bool] = field(default_factory=list)

    def first(self, place: int) -> int:
        """Where the character at `place` begins in the original."""
        row = bisect_right(self.at, place) - 1
        return self.start[row] if self.escaped[row] else self.start[row] + place - self.at[row]

    def last(self, place: int) -> int:
        """Where the character before `place` ends in the original."""
        row = bisect_right(self.at, place - 1) - 1
        return self.end[row] if self.escaped[row] else self.start[row] + place - self.at[row]


def _layers(text: str, depth: int) -> list[_Layer]:
    """The text decoded `depth` times, or fewer times when there is less to decode."""
    layers: list[_Layer] = []
    for _ in range(depth):
        layer = _layer(layers[-1].text if layers else text)
        if layer is None:
            break
        layers.append(layer)
    return layers


def _layer(text: str) -> _Layer | None:
    if "\\" not in text and "&" not in text and "%" not in text:
        return None
    layer, parts, size, done = _Layer(), list[str](), 0, 0

    def add(part: str, start: int, end: int, *, escaped: bool) -> None:
        nonlocal size
        parts.append(part)
        for rows, value in ((layer.at, size), (layer.start, start), (layer.end, end)):
            rows.append(value)
        layer.escaped.append(escaped)
        size += len(part)

    for match in _ESCAPE.finditer(text):
        plain = _plain(match)
        if plain is None:
            continue
        if match.start() > done:
            add(text[done : match.start()], done, match.start(), escaped=False)
        add(plain, match.start(), match.end(), escaped=True)
        done = match.end()
    if not parts:
        return None
    if done < len(text):
        add(text[done:], done, len(text), escaped=False)
    layer.text = "".join(parts)
    return layer


def _plain(match: re.Match[str]) -> str | None:
    """What an escape stands for; None where it is none."""
    kind, text = match.lastgroup, match[0]
    if kind == "sign":
        return _SIGNS.get(match["sign"], match["sign"])
    if kind == "bytes":
        return _decoded(bytes.fromhex(_HEAD.sub("", text)))
    if kind == "pair":
        units = (int(text[at : at + 4], 16) for at in (2, 8))
        return b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be")
    if kind == "code":
        number = int(match["code"][1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else None
    plain = unescape(text)
    return None if plain == text else plain


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _mapped(found: Found, layers: list[_Layer]) -> Found:
    start, end = found.start, found.end
    for layer in reversed(layers):
        start, end = layer.first(start), layer.last(end)
    return Found(start, end, found.put)


def _replaced(text: str, found: list[Found]) -> str:
    """The text with each part replaced; parts that overlap count as one."""
    parts, done = list[str](), 0
    for start, end, put in sorted(found):
        if start >= done:
            parts += [text[done:start], put]
        done = max(done, end)
    return "".join([*parts, text[done:]])
