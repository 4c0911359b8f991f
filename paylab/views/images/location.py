"""Remove the location of a photo from its file without changing a pixel.

Cameras write it as EXIF, a small TIFF inside the file; editors write it as XMP, which is text.
Both are overwritten in place: no byte moves and nothing is encoded again, so that it works for
JPEG, PNG, TIFF, HEIC and the JPEG photos inside a PDF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from struct import error, pack_into, unpack_from
from zlib import crc32

from ...errors.base import PaylabError

GPS = 0x8825
"""The EXIF tag with the offset of the GPS table."""

MOST_ENTRIES = 500
MOST_TABLES = 100
MOST_BYTES = 2**16
MOST_STEPS = 100_000
"""Maximum headers, tables, entries and chunks read in one file; a large photo has 10,000."""

MOST_BLANK = 2**24
"""Maximum bytes overwritten in one file."""

SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
LONG = (4, 13)
ORDERS = {b"II": "<", b"MM": ">"}

_HEADER = re.compile(rb"II\*\0|MM\0\*")
_XMP = re.compile(
    rb"""exif:GPS\w{1,32}\s{0,8}=\s{0,8}(?:"[^"<>]{0,200}"|'[^'<>]{0,200}')"""
    rb"|<exif:(GPS\w{1,32})[^<>]{0,200}>[^<]{0,400}</exif:\1>"
)
_PNG = b"\x89PNG\r\n\x1a\n"
# Programs pack EXIF as hex, and XMP as compressed text, into chunks of these names.
_PACKED = re.compile(rb"Raw profile type (exif|APP1)\0|XML:com\.adobe\.xmp\0\x01")
_IGNORED = b"blNk"
"""A private chunk type, which every reader skips."""

Data = bytes | bytearray
Patch = tuple[int, bytes]


class UnsearchableError(PaylabError):
    """The file has more metadata than any camera writes; the search was stopped."""


def find_location(data: Data) -> list[Patch]:
    """The replacement bytes by offset; empty when the file has no location.

    Raises UnsearchableError when the search would take too long or too much memory.
    """
    patches = list[Patch]()
    blank = Budget(MOST_BLANK)
    for patch in _patches(data, Budget(MOST_STEPS)):
        blank.take(len(patch[1]))
        patches.append(patch)
    return patches


class Budget:
    """The remaining steps of a search."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def take(self, steps: int = 1) -> None:
        """Use up steps; UnsearchableError when none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise UnsearchableError("has too much metadata to be searched for a location")


def _patches(data: Data, budget: Budget) -> Iterator[Patch]:
    for header in _HEADER.finditer(data):
        yield from _exif(data, header.start(), budget)
    for match in _XMP.finditer(data):
        budget.take()
        yield match.start(), b" " * (match.end() - match.start())
    for at, kind, size in _chunks(data):
        budget.take()
        if kind in (b"tEXt", b"zTXt", b"iTXt") and _PACKED.match(data, at + 8):
            yield at + 4, _IGNORED + bytes(max(0, min(size, len(data) - at - 8)))


def without_location(data: bytes) -> bytes:
    """The file with its location overwritten, and new checksums of chunks; of the same size."""
    patches = find_location(data)
    changed = bytearray(data)
    for start, blank in patches:
        changed[start : start + len(blank)] = blank
    for at, kind, size in _chunks(changed) if patches else ():
        end = at + 8 + size
        if kind in (b"eXIf", b"iTXt", b"tEXt", _IGNORED) and end + 4 <= len(changed):
            pack_into(">I", changed, end, crc32(changed[at + 4 : end]))
    return bytes(changed)


def _exif(data: Data, base: int, budget: Budget) -> Iterator[Patch]:
    """The GPS tables of the TIFF at `base`, if it is one."""
    order = ORDERS[bytes(data[base : base + 2])]
    for table in _tables(data, base, order, budget):
        for tag, kind, count, value in _entries(data, base + table, order, budget):
            if tag == GPS and kind in LONG and count == 1:
                yield from _blank(data, base, value, order, budget)


def _tables(data: Data, base: int, order: str, budget: Budget) -> Iterator[int]:
    """The offset of each table of a chain, from the header on; a chain may be circular."""
    link = base + 4
    tables_seen = set[int]()
    while len(tables_seen) < MOST_TABLES:
        budget.take()
        table = _number(data, link, order)
        if not table or table in tables_seen:
            return
        tables_seen.add(table)
        yield table
        link = base + table + 2 + 12 * len(_entries(data, base + table, order, budget))


def _entries(data: Data, table: int, order: str, budget: Budget) -> list[tuple[int, ...]]:
    """Tag, kind, count and value of each entry of a table; none if the offset is invalid."""
    try:
        (count,) = unpack_from(f"{order}H", data, table)
        if count > MOST_ENTRIES:
            return []
        budget.take(count)
        return [unpack_from(f"{order}HHII", data, table + 2 + 12 * row) for row in range(count)]
    except error:
        return []


def _blank(data: Data, base: int, table: int, order: str, budget: Budget) -> Iterator[Patch]:
    entries = _entries(data, base + table, order, budget)
    for _, kind, count, value in entries:
        size = SIZES.get(kind, 0) * count  # more than four bytes are stored at an offset
        if 4 < size <= MOST_BYTES and base + value + size <= len(data):
            yield base + value, bytes(size)
    if entries:
        yield base + table, bytes(2 + 12 * len(entries))


def _number(data: Data, at: int, order: str) -> int:
    try:
        return int(unpack_from(f"{order}I", data, at)[0])
    except error:
        return 0


def _chunks(data: Data) -> Iterator[tuple[int, bytes, int]]:
    """The offset, type and data size of each chunk of a PNG."""
    at = len(_PNG) if data.startswith(_PNG) else len(data)
    while at + 12 <= len(data):
        size = _number(data, at, ">")
        yield at, bytes(data[at + 4 : at + 8]), size
        at += 12 + size
