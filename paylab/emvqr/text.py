"""QR text to a payload and back; the CRC is checked on the way in and computed on the way out.

`parse` takes any well-formed text, `check` also asks for the fields that every payment needs.
"""

from __future__ import annotations

import re

from ..errors import EMVError
from . import tags
from .fields import HEAD, Field, Tree, crc, join, split, write
from .payload import CRC_START, Payload

START = "000201"
CRC_TAG, AMOUNT_TAG = "63", "54"
# What EMV merchant-presented mode requires beside 00 and 63, and the form of each value.
MANDATORY = {
    "52": ("[0-9]{4}", "must be 4 digits"),
    "53": ("[0-9]{3}", "must be 3 digits, the number of a currency"),
    "58": ("[A-Za-z]{2}", "must be 2 letters, the code of a country"),
    "59": (r".*\S.*", "must not be blank"),
    "60": (r".*\S.*", "must not be blank"),
}


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


def check(text: str) -> list[EMVError]:
    """What keeps a QR text from being paid: it is malformed, or lacks what every payment needs."""
    try:
        payload = parse(text)
    except EMVError as error:
        return [error]
    missing = [] if payload.account else ["02 to 51 Merchant account information"]
    missing += [f"{tag} {tags.name(tag)}" for tag in MANDATORY if payload.find(tag) is None]
    lost = [EMVError(f"fields that EMV requires are missing: {', '.join(missing)}", len(text) - 8)]
    return (lost if missing else []) + _misfits(payload)


def _misfits(payload: Payload) -> list[EMVError]:
    found, at = [], 0
    for field in payload.fields:
        pattern, message = MANDATORY.get(field.tag, (".*", ""))
        if not re.fullmatch(pattern, field.value, re.DOTALL):
            found.append(EMVError(f"tag {field.tag} {message}: {field.value!r}", at))
        if field.tag == AMOUNT_TAG and payload.amount is None:
            found.append(EMVError(f"tag {AMOUNT_TAG} is not an amount: {field.value!r}", at))
        at += HEAD + len(field.value)
    return found


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
