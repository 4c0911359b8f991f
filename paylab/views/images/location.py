"""Remove the location of a photo from its file without changing a pixel.

Cameras write it as EXIF, a small TIFF inside the file; editors write it as XMP, which is text.
Both are overwritten in place: no byte moves and nothing is encoded again, so that it works for
JPEG, PNG, TIFF, HEIC and the JPEG photos inside a PDF.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from zlib import crc32

from ...errors.base import PaylabError

GPS_TAG = 0x8825
"""The EXIF tag with the offset of the GPS table."""

TABLE_ENTRIES_MAX = 500
TABLES_MAX = 100
VALUE_BYTES_MAX = 2**16
SEARCH_STEPS_MAX = 100_000
"""Maximum headers, tables, entries and chunks read in one file; a large photo has 10,000."""

BLANK_BYTES_MAX = 2**24
"""Maximum bytes overwritten in one file."""

TYPE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
"""The bytes of a value by its TIFF type."""
OFFSET_TYPES = (4, 13)
"""The TIFF types of an offset."""
BYTE_ORDERS = {b"II": "<", b"MM": ">"}
"""The byte order of `struct` by the first two bytes of a TIFF."""

_TIFF_HEADER = re.compile(rb"II\*\0|MM\0\*")
_XMP_LOCATION = re.compile(
    rb"""exif:GPS\w{1,32}\s{0,8}=\s{0,8}(?:"[^"<>]{0,200}"|'[^'<>]{0,200}')"""
    rb"|<exif:(GPS\w{1,32})[^<>]{0,200}>[^<]{0,400}</exif:\1>"
)
_PNG_HEADER = b"\x89PNG\r\n\x1a\n"
# Programs pack EXIF as hex, and XMP as compressed text, into chunks of these names.
_PACKED_METADATA = re.compile(rb"Raw profile type (exif|APP1)\0|XML:com\.adobe\.xmp\0\x01")
_IGNORED_CHUNK = b"blNk"
"""A private chunk type, which every reader skips."""

Data = bytes | bytearray
Patch = tuple[int, bytes]
"""An offset in the file and the bytes to write there."""


class UnsearchableError(PaylabError):
    """The file has more metadata than any camera writes; the search was stopped."""


class Budget:
    """The remaining steps of a search, or the remaining bytes to overwrite."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def spend(self, steps: int = 1) -> None:
        """Use up steps; UnsearchableError when none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise UnsearchableError("has too much metadata to be searched for a location")


def find_location_patches(image_bytes: Data) -> list[Patch]:
    """Find the patches that overwrite the location; empty when the file has none.

    Raises UnsearchableError when the search would take too long or too much memory.
    """
    patches = list[Patch]()
    blank_budget = Budget(BLANK_BYTES_MAX)
    for offset, blank_bytes in _find_patches(image_bytes, Budget(SEARCH_STEPS_MAX)):
        blank_budget.spend(len(blank_bytes))
        patches.append((offset, blank_bytes))
    return patches


def remove_location(image_bytes: bytes) -> bytes:
    """The file with its location overwritten, and new checksums of chunks; of the same size."""
    patches = find_location_patches(image_bytes)
    if not patches:
        return image_bytes
    patched_bytes = bytearray(image_bytes)
    for offset, blank_bytes in patches:
        patched_bytes[offset : offset + len(blank_bytes)] = blank_bytes
    for offset, chunk_type, data_size in _read_png_chunks(patched_bytes):
        # A chunk is four bytes each of size and type, its data, and a checksum of type and data.
        chunk_data_end = offset + 8 + data_size
        is_metadata_chunk = chunk_type in (b"eXIf", b"iTXt", b"tEXt", _IGNORED_CHUNK)
        if is_metadata_chunk and chunk_data_end + 4 <= len(patched_bytes):
            checksum = crc32(patched_bytes[offset + 4 : chunk_data_end])
            struct.pack_into(">I", patched_bytes, chunk_data_end, checksum)
    return bytes(patched_bytes)


def _find_patches(image_bytes: Data, budget: Budget) -> Iterator[Patch]:
    """Find the patches of EXIF, of XMP text, and of packed metadata in PNG chunks."""
    for header_match in _TIFF_HEADER.finditer(image_bytes):
        yield from _find_exif_patches(image_bytes, header_match.start(), budget)
    for xmp_match in _XMP_LOCATION.finditer(image_bytes):
        budget.spend()
        yield xmp_match.start(), b" " * len(xmp_match[0])
    for offset, chunk_type, data_size in _read_png_chunks(image_bytes):
        budget.spend()
        is_text_chunk = chunk_type in (b"tEXt", b"zTXt", b"iTXt")
        data_start = offset + 8  # after four bytes each of size and type
        if is_text_chunk and _PACKED_METADATA.match(image_bytes, data_start):
            blank_size = max(0, min(data_size, len(image_bytes) - data_start))
            yield offset + 4, _IGNORED_CHUNK + bytes(blank_size)


def _find_exif_patches(image_bytes: Data, tiff_start: int, budget: Budget) -> Iterator[Patch]:
    """Find the patches of the GPS tables of a TIFF.

    The offsets in a TIFF count from `tiff_start`. The value of a GPS entry is the offset of the
    GPS table.
    """
    byte_order = BYTE_ORDERS[bytes(image_bytes[tiff_start : tiff_start + 2])]
    for table_offset in _read_table_offsets(image_bytes, tiff_start, byte_order, budget):
        table_entries = _read_entries(
            image_bytes, offset=tiff_start + table_offset, byte_order=byte_order, budget=budget
        )
        for tag_number, value_type, value_count, entry_value in table_entries:
            is_one_offset = value_type in OFFSET_TYPES and value_count == 1
            if tag_number == GPS_TAG and is_one_offset:
                yield from _blank_gps_table(
                    image_bytes,
                    tiff_start,
                    table_offset=entry_value,
                    byte_order=byte_order,
                    budget=budget,
                )


def _read_table_offsets(
    image_bytes: Data, tiff_start: int, byte_order: str, budget: Budget
) -> Iterator[int]:
    """Read the offset of each table of a chain, from the header on; a chain may be circular."""
    link_offset = tiff_start + 4
    visited_offsets = set[int]()
    while len(visited_offsets) < TABLES_MAX:
        budget.spend()
        table_offset = _read_uint32(image_bytes, link_offset, byte_order)
        if not table_offset or table_offset in visited_offsets:
            return
        visited_offsets.add(table_offset)
        yield table_offset
        table_start = tiff_start + table_offset
        entry_count = len(
            _read_entries(image_bytes, offset=table_start, byte_order=byte_order, budget=budget)
        )
        link_offset = table_start + 2 + 12 * entry_count


def _read_entries(
    image_bytes: Data, offset: int, byte_order: str, budget: Budget
) -> list[tuple[int, ...]]:
    """Read tag, type, count and value of each entry of a table.

    The list is empty if the offset is invalid or the table has too many entries.
    """
    try:
        (entry_count,) = struct.unpack_from(f"{byte_order}H", image_bytes, offset)
        if entry_count > TABLE_ENTRIES_MAX:
            return []
        budget.spend(entry_count)
        first_entry_offset = offset + 2
        return [
            struct.unpack_from(f"{byte_order}HHII", image_bytes, first_entry_offset + 12 * index)
            for index in range(entry_count)
        ]
    except struct.error:
        return []


def _blank_gps_table(
    image_bytes: Data, tiff_start: int, table_offset: int, byte_order: str, budget: Budget
) -> Iterator[Patch]:
    """Blank the entries of a GPS table, and the values that are stored elsewhere."""
    table_entries = _read_entries(
        image_bytes, offset=tiff_start + table_offset, byte_order=byte_order, budget=budget
    )
    for _, value_type, value_count, entry_value in table_entries:
        value_size = TYPE_BYTES.get(value_type, 0) * value_count
        # A value of at most four bytes is in the entry itself, a longer one at an offset.
        is_at_offset = 4 < value_size <= VALUE_BYTES_MAX
        value_start = tiff_start + entry_value
        if is_at_offset and value_start + value_size <= len(image_bytes):
            yield value_start, bytes(value_size)
    if table_entries:  # a table has their number in two bytes, and twelve bytes for each
        yield tiff_start + table_offset, bytes(2 + 12 * len(table_entries))


def _read_uint32(image_bytes: Data, offset: int, byte_order: str) -> int:
    """Read a number of four bytes; 0 outside the file."""
    try:
        return int(struct.unpack_from(f"{byte_order}I", image_bytes, offset)[0])
    except struct.error:
        return 0


def _read_png_chunks(image_bytes: Data) -> Iterator[tuple[int, bytes, int]]:
    """Read the offset, type and data size of each chunk; nothing of a file that is no PNG."""
    if not image_bytes.startswith(_PNG_HEADER):
        return
    offset = len(_PNG_HEADER)
    while offset + 12 <= len(image_bytes):
        data_size = _read_uint32(image_bytes, offset, ">")
        yield offset, bytes(image_bytes[offset + 4 : offset + 8]), data_size
        offset += 12 + data_size
