"""Data inside a text: Base64, hexadecimal digits, and bytes as decimal numbers."""

from __future__ import annotations

import re
import zlib
from binascii import a2b_base64, unhexlify
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

_UNITS_MIN = 16
"""Minimum Base64 characters, or bytes in another form, that are decoded."""
_PATH_STARTS_MAX = 8
"""Maximum places inside a path at which Base64 is tried."""
_DECOMPRESSED_BYTES_MAX = 2**20
"""Maximum bytes of a compressed text that are read."""

# Between two pieces of one text: line ends, indentation, comment and quotation marks, quotes,
# plus signs, commas and their escapes.
_BREAK = r"""(?:\\{1,4}[nr]|[\r\n]|["']\s{0,40}[+,]?\s{0,40}\\?\s{0,40}["'])"""
_PIECE_BREAK = rf"""(?:["'\s+,\\]{{0,20}}{_BREAK}(?:\\{{1,4}}[nr]|[\s>#|]){{0,40}}[bfr]?["']?)"""
_BASE64_CHARACTER = "[A-Za-z0-9+/_-]"
_BASE64 = re.compile(
    rf"(?<![A-Za-z0-9+]){_BASE64_CHARACTER}{{{_UNITS_MIN},}}+(?:{_PIECE_BREAK}{_BASE64_CHARACTER}{{4,}}+)*+(?:=|%3[Dd]){{0,2}}"
)
_BASE64_LINE = re.compile(rf"{_BASE64_CHARACTER}{{{_UNITS_MIN},}}+={{0,2}}")
_BASE64_START = re.compile(
    r"(?<![A-Za-z0-9])(?=ey[IA-Z]|ew[o0]|W3s|WyJ|Wwo|iVBORw0K|[/_]9j[/_]|JVBERi0|SUkq|TU0A|R0lGOD|UklGR|H4sI)"
)
"""Where Base64 of JSON, of an image or of gzip begins inside a path."""

_BETWEEN_BYTES = r"(?:[ :,-]|\\x|0x|[\s\\nr]{1,8}(?:[0-9A-Fa-f]{6,8}:?\s{1,2})?)"
_HEX = re.compile(
    rf"(?<![A-Za-z0-9])(?:0x|\\{{1,4}}x)?(?:[0-9A-Fa-f]{{2}}{_BETWEEN_BYTES}{{0,3}}){{{_UNITS_MIN},}}+"
)
_NO_HEX_DIGIT = re.compile(r"0x|\\x|\\[nr]|(?<=[\n\r])[0-9A-Fa-f]{6,8}:?\s|[^0-9A-Fa-f]")
_HEX_DUMP = re.compile(
    r"(?:(?:(?<=\n)|(?<![\s\S]))[ \t]{0,8}[0-9A-Fa-f]{6,8}:?[ \t]{1,4}"
    r"(?:[0-9A-Fa-f]{2}){1,2}(?:[ \t]{1,2}|(?=\n|\Z))(?:[0-9A-Fa-f]{2,4}[ \t]{1,2}){0,15}"
    r"[^\n]{0,60}(?:\n|\Z))++"
)
"""Lines of xxd, hexdump and od: an offset, bytes, perhaps their text."""
_DUMP_LINE = re.compile(
    r"[ \t]*[0-9A-Fa-f]{6,8}:?[ \t]{1,4}((?:[0-9A-Fa-f]{2,4}(?:[ \t]{1,2}|$)){1,16})"
)
_NUMBERS = re.compile(
    rf"(?<![\d.-])-?\d{{1,3}}(?:,\s{{0,20}}-?\d{{1,3}}){{{_UNITS_MIN},}}+(?![\d.])"
)
_BYTE_MEMBERS = re.compile(
    r"""["']0["']\s?:\s?\d{1,3}(?:,\s{0,20}["']\d{1,8}["']\s?:\s?\d{1,3})++"""
)
"""The JSON of an array of bytes in JavaScript, by index."""
_OCTAL = re.compile(rf"(?:\\[0-3][0-7]{{2}}){{{_UNITS_MIN},}}+")
_BITS = re.compile(rf"(?<!\d)(?:[01]{{8}}[\s,]{{0,3}}){{{_UNITS_MIN},}}+(?!\d)")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")
_IMAGES = (b"\x89PNG", b"\xff\xd8\xff", b"%PDF-", b"II*\0", b"MM\0*", b"GIF8")
_RAW_IMAGE = re.compile(r"(?:\x89PNG\r\n|\xff\xd8\xff)[\0-\xff]{1000,}?(?=\r\n--|[^\0-\xff]|\Z)")
"""An image as text of one character a byte, to the end of its part of an upload."""
_PRINTABLE = bytes(range(32, 127))
_URL_SAFE = str.maketrans("-_", "+/")


class Encoded(NamedTuple):
    """Data from `start` to `end` of a text."""

    start: int
    end: int
    data: bytes


@lru_cache(maxsize=2)  # a text is searched for images, and then for secrets
def find_encoded(text: str) -> tuple[Encoded, ...]:
    """Find all data in a text, such as Base64 and hexadecimal digits.

    One part of the text can be read in several ways. Empty for a text of fewer than 16 characters.
    """
    return tuple(_find_data(text)) if len(text) >= _UNITS_MIN else ()


def _find_data(text: str) -> Iterator[Encoded]:
    """Yield the data in a text, one form after another: Base64, then each of `_FORMS`."""
    for base64_match in _BASE64.finditer(text):
        yield from _find_base64(base64_match[0], base64_match.start())
    for form in _FORMS:
        if not all(needed_text in text for needed_text in form.needed_texts):
            continue
        for data_match in form.pattern.finditer(text):
            for data_bytes in form.decode(data_match[0]):
                if data_bytes:
                    yield Encoded(*data_match.span(), data_bytes)


def _read_raw_image(image_text: str) -> Iterator[bytes]:
    """Yield the bytes of an image that is text of one character a byte."""
    yield image_text.encode("latin-1")


def _read_dump(dump_text: str) -> Iterator[bytes]:
    """Yield the bytes of a hex dump; if it has words of two bytes, also with the bytes swapped."""
    hex_words: list[str] = []
    for dump_line in dump_text.splitlines():
        line_match = _DUMP_LINE.match(dump_line)
        if line_match:
            hex_words += line_match[1].split()[:16]  # at most 16 bytes a line; then their text
    yield _decode_hex("".join(hex_words))
    has_words_of_two_bytes = len(hex_words[0]) == 4
    if has_words_of_two_bytes:
        yield _decode_hex("".join(word[2:] + word[:2] for word in hex_words))


def _read_hex(hex_text: str) -> Iterator[bytes]:
    """Yield the bytes of hexadecimal digits, which may have prefixes and gaps."""
    yield _decode_hex(_NO_HEX_DIGIT.sub("", hex_text))


def _read_octal(octal_text: str) -> Iterator[bytes]:
    """Yield the bytes of octal escapes, such as `\\173`."""
    octal_groups = octal_text.split("\\")[1:]
    yield bytes(int(octal_digits, 8) for octal_digits in octal_groups)


def _read_bits(bits_text: str) -> Iterator[bytes]:
    """Yield the bytes of groups of eight binary digits."""
    bit_groups = re.findall("[01]{8}", bits_text)
    yield bytes(int(bits, 2) for bits in bit_groups)


def _read_byte_members(members_text: str) -> Iterator[bytes]:
    """Yield the bytes of the members of an array of bytes in JSON."""
    yield read_numbers(re.findall(r":\s?(\d+)", members_text))


def _read_number_list(numbers_text: str) -> Iterator[bytes]:
    """Yield the bytes of decimal numbers between commas."""
    yield read_numbers(numbers_text.split(","))


class _Form(NamedTuple):
    """A form of data in a text: its pattern, and the function that yields the bytes of a match.

    A text without all of `needed_texts` is not searched by the pattern, which is slower.
    """

    pattern: re.Pattern[str]
    decode: Callable[[str], Iterator[bytes]]
    needed_texts: tuple[str, ...] = ()


_FORMS = (
    _Form(_RAW_IMAGE, _read_raw_image),
    _Form(_HEX_DUMP, _read_dump, ("0000", "\n")),
    _Form(_HEX, _read_hex),
    _Form(_OCTAL, _read_octal, ("\\",)),
    _Form(_BITS, _read_bits, ("00000000",)),
    _Form(_BYTE_MEMBERS, _read_byte_members, ("0", ":")),
    _Form(_NUMBERS, _read_number_list),
)
"""The forms of data other than Base64, in the order in which they are tried."""


def _decode_hex(hex_digits: str) -> bytes:
    """The bytes of hexadecimal digits; a last single digit is left out."""
    return unhexlify(hex_digits[: len(hex_digits) // 2 * 2])


def _find_base64(text: str, offset: int) -> Iterator[Encoded]:
    """Yield the data of Base64 as a whole, of each of its lines, and of what begins inside it.

    `/` is a Base64 character, so a path before an image reads as a part of it: of
    `files/id/iVBORw0K...` also the text from `iVBORw0K` on is read.
    """
    yield from _read_base64(text, offset)
    line_matches = list(_BASE64_LINE.finditer(text))
    if len(line_matches) > 1:
        for line_match in line_matches:
            yield from _read_base64(line_match[0], offset + line_match.start())
    # From 1 on, since the text from 0 is the whole, which was read above.
    for start_match in islice(_BASE64_START.finditer(text, 1), _PATH_STARTS_MAX):
        yield from _read_base64(text[start_match.start() :], offset + start_match.start())


def _read_base64(base64_text: str, offset: int) -> Iterator[Encoded]:
    """Yield the data of Base64 that begins at an offset; nothing if it has no byte."""
    decoded_bytes = decode_base64(base64_text)
    if decoded_bytes:
        yield Encoded(offset, offset + len(base64_text), decoded_bytes)


def decode_base64(text: str) -> bytes:
    """The bytes of Base64 in either alphabet, with or without line ends and padding."""
    base64_text = re.sub(r"\\{1,4}[nr]|%3[Dd]|[^A-Za-z0-9+/_-]", "", text).translate(_URL_SAFE)
    if len(base64_text) % 4 == 1:  # a single character after groups of four is no byte
        base64_text = base64_text[:-1]
    padding = "=" * (-len(base64_text) % 4)
    return a2b_base64(base64_text + padding)


def read_numbers(number_texts: list[str]) -> bytes:
    """The bytes of decimal numbers from -128 to 255; empty if one of them is outside."""
    numbers = [int(number_text) for number_text in number_texts]
    are_bytes = max(numbers) < 256 and min(numbers) >= -128
    return bytes(number % 256 for number in numbers) if are_bytes else b""


def is_image(data: bytes) -> bool:
    """Whether bytes begin as an image or a PDF does."""
    return data.startswith(_IMAGES) or data[4:8] == b"ftyp" or data[:4] + data[8:12] == b"RIFFWEBP"


def decode_text(text_bytes: bytes) -> str | None:
    """Decode bytes as text, also compressed bytes or a text without its end; None for no text.

    Latin-1 is tried after UTF-8, if at most a fifth of the bytes is unprintable.
    """
    text_bytes = decompress(text_bytes)
    if text_bytes[1:2] == b"\0" and text_bytes[3:4] == b"\0":  # ASCII in UTF-16: each second is 0
        return text_bytes.decode("utf-16-le", "replace")
    if _CONTROL.search(text_bytes):
        return None
    try:
        return getincrementaldecoder("utf-8")().decode(text_bytes)
    except UnicodeDecodeError:
        unprintable_count = len(text_bytes.translate(None, _PRINTABLE))
        is_mostly_printable = unprintable_count * 5 <= len(text_bytes)
        return text_bytes.decode("latin-1") if is_mostly_printable else None


def decompress(data: bytes) -> bytes:
    """Decompress bytes of gzip or zlib, up to a limit; other bytes are returned unchanged."""
    if not data.startswith((b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda")):
        return data
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, _DECOMPRESSED_BYTES_MAX)
    except zlib.error:
        return data
