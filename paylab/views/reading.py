"""What a QR text says, in rows for a person."""

from __future__ import annotations

from dataclasses import dataclass

from ..emvqr import Field, Payload, check, parse
from ..errors import EMVError
from .page import Row


@dataclass(frozen=True)
class Reading:
    """A QR text, its payload as far as it can be read, and what is wrong with it."""

    text: str
    payload: Payload | None
    problem: EMVError | None

    def rows(self) -> list[Row]:
        """Who is paid, how much, and whether the text is sound."""
        facts = [] if self.payload is None else _facts(self.payload)
        return [*facts, ("CRC", self._crc())]

    def fields(self) -> list[Row]:
        """Every field by its path and name."""
        walked = () if self.payload is None else self.payload.walk()
        return [(f"{field.path} {field.name}", _value(field)) for field in walked]

    def _crc(self) -> str:
        if self.payload is None:
            return "not checked: the text is not EMV"
        expected, found = self.payload.crc, self.text[-4:]
        return (
            f"{found}, correct"
            if found == expected
            else f"wrong: {expected} expected, {found} found"
        )


def read(text: str) -> Reading:
    """The reading of any text; never fails."""
    return Reading(text, _despite(text), next(iter(check(text)), None))


def _despite(text: str) -> Payload | None:
    try:
        return parse(text, verify=False)
    except EMVError:
        return None


def _facts(payload: Payload) -> list[Row]:
    said = [
        ("Issuer", payload.issuer),
        ("Name", payload.merchant_name),
        ("City", payload.city),
        ("Country", payload.country),
        ("Amount", _amount(payload)),
        ("Currency", payload.currency),
        ("Use", "may be paid many times" if payload.is_static else "may be paid once"),
    ]
    return [(label, value or "not said") for label, value in said]


def _value(field: Field) -> str:
    return f"holds {len(field.fields)} fields:" if field.fields else field.value


def _amount(payload: Payload) -> str:
    text = payload.find("54")
    if text is None:
        return "the payer chooses"
    return f"{text!r} is not an amount" if payload.amount is None else text
