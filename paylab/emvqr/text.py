"""QR text to a payload and back; the CRC is checked on the way in and computed on the way out."""

from __future__ import annotations

from ..errors import EMVError
from .fields import Field, Tree, crc, join, split, write
from .payload import CRC_START, Payload

START = "000201"
CRC_TAG = "63"


def parse(text: str, *, verify: bool = True) -> Payload:
    """The fields of a QR text; EMVError says what is wrong with it and where.

    `verify=False` forgives a wrong CRC, to explain a text that must not be paid.
    """
    if not isinstance(text, str) or not text.startswith(START):
        raise EMVError(f"not an EMV payload: it must start with {START}")
    fields = split(text)
    _check_last(fields, text)
    payload = Payload(fields[:-1])
    if crc(text) and verify:  # half characters are refused even where a wrong CRC is not
        _check_crc(payload, fields[-1].value, len(text))
    return payload


def build(payload: Payload | Tree) -> str:
    """The QR text of a payload or of nested dicts; a CRC among them is computed afresh."""
    body = join(payload.fields) if isinstance(payload, Payload) else write(_without_crc(payload))
    text = body + CRC_START
    text += crc(text)
    parse(text)
    return text


def _without_crc(tree: Tree) -> Tree:
    return {tag: value for tag, value in tree.items() if tag != CRC_TAG}


def _check_last(fields: tuple[Field, ...], text: str) -> None:
    if fields[-1].tag == CRC_TAG:
        return
    if any(field.tag == CRC_TAG for field in fields):
        raise EMVError("the CRC, tag 63, is not the last field", len(text) - len(join(fields[-1:])))
    raise EMVError("the CRC is missing: tag 63 must close the text", len(text))


def _check_crc(payload: Payload, found: str, end: int) -> None:
    expected = payload.crc
    if found != expected:
        raise EMVError(f"the CRC is wrong: expected {expected}, found {found}", end - len(found))
