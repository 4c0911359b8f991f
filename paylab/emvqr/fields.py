"""A row of fields: two digits of tag, two of length, the value. Lengths count characters."""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import EMVError
from . import tags

LONGEST = 99
HEAD = 4
TWO_DIGITS = re.compile("[0-9]{2}")

Tree: TypeAlias = Mapping[str, "str | Tree"]
"""Values by tag in the order they are written; a template is a mapping of its own."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its dotted path (`27.01`), its text, and the scheme of the template it is in."""

    path: str
    value: str
    scheme: str = ""

    @property
    def tag(self) -> str:
        """The two digits the field starts with."""
        return self.path[-2:]

    @property
    def name(self) -> str:
        """What the standard, or QR Ph, calls this field."""
        return tags.name(self.path, self.scheme)

    @property
    def fields(self) -> tuple[Field, ...]:
        """What a template holds; empty for a plain value and for one that cannot be split."""
        if not tags.is_template(self.path):
            return ()
        try:
            return split(self.value, f"{self.path}.")
        except EMVError:
            return ()


def crc(text: str) -> str:
    """CRC-16/CCITT-FALSE over the text's UTF-8 bytes, as four upper-case hex digits."""
    try:
        return f"{crc_hqx(text.encode(), 0xFFFF):04X}"
    except UnicodeEncodeError as error:
        raise EMVError("half a character, which UTF-8 cannot hold", error.start) from None


def split(text: str, prefix: str = "") -> tuple[Field, ...]:
    """The fields of a text; `prefix` is the path of the template it came from, with its dot."""
    values: dict[str, str] = {}
    for at, tag, value in _walk(text):
        if tag in values:
            raise EMVError(f"tag {tag} stands twice", at)
        values[tag] = value
    scheme = values.get("00", "") if prefix else ""
    return tuple(Field(prefix + tag, value, scheme) for tag, value in values.items())


def join(fields: Iterable[Field]) -> str:
    """The text of fields, the inverse of `split`."""
    return write({field.tag: field.value for field in fields})


def write(tree: Tree) -> str:
    """The text of nested dicts."""
    text = ""
    for tag, value in tree.items():
        text += _one(tag, write(value) if isinstance(value, Mapping) else value, len(text))
    return text


def tree(fields: Iterable[Field]) -> dict[str, str | Tree]:
    """The fields as nested dicts, as `write` takes them."""
    return {field.tag: tree(field.fields) if field.fields else field.value for field in fields}


def descend(fields: Iterable[Field]) -> Iterator[Field]:
    """Every field, each template before what it holds."""
    for field in fields:
        yield field
        yield from descend(field.fields)


def _walk(text: str) -> Iterator[tuple[int, str, str]]:
    at = 0
    while at < len(text):
        tag, length = _head(text, at)
        start = at + HEAD
        if start + length > len(text):
            left = len(text) - start
            raise EMVError(f"tag {tag} is cut short: {length} characters said, {left} left", at)
        yield at, tag, text[start : start + length]
        at = start + length


def _head(text: str, at: int) -> tuple[str, int]:
    tag, length = text[at : at + 2], text[at + 2 : at + HEAD]
    if len(length) < 2:
        raise EMVError(
            f"the text is cut short inside a field: {text[at:]!r} is all that is left", at
        )
    if not TWO_DIGITS.fullmatch(tag):
        raise EMVError(f"bad tag {tag!r}: must be two digits", at)
    if not TWO_DIGITS.fullmatch(length):
        raise EMVError(f"bad length {length!r} of tag {tag}: must be two digits", at + 2)
    return tag, int(length)


def _one(tag: str, value: str, at: int) -> str:
    if not TWO_DIGITS.fullmatch(tag):
        raise EMVError(f"bad tag {tag!r}: must be two digits", at)
    if not isinstance(value, str):
        raise EMVError(f"tag {tag} must be text, not {type(value).__name__}", at)
    if len(value) > LONGEST:
        raise EMVError(f"tag {tag} is too long: {len(value)} characters, at most {LONGEST}", at)
    return f"{tag}{len(value):02d}{value}"
