"""Where to pay: the card that suits a set of deposit instructions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime

from ..codes import DEPOSIT_CAPS
from ..errors import PaylabError
from .address import AddressCard
from .clabe import ClabeCard
from .page import Facts, Row
from .qr import QR

Card = QR | ClabeCard | AddressCard | Facts


def deposit_card(instructions: object) -> Card:
    """A CLABE card, a QR code, a wallet's address, or for any other type a table of what is there.

    Takes anything with `type`, `currency`, `payment_methods`, `details` and `deadline`, as
    attributes or as keys, each of which may be missing.
    """
    kind, details = _get(instructions, "type"), _get(instructions, "details")
    key, make = CARDS.get(str(kind), ("", None))
    value = details.get(key) if isinstance(details, Mapping) else None
    if make is None or not isinstance(value, str):
        return _facts(instructions)
    try:
        return make(value, instructions)
    except PaylabError:  # a text that no picture can hold is still shown as text
        return _facts(instructions)


def _clabe(value: str, instructions: object) -> Card:
    currency = _currency(instructions)
    cap = DEPOSIT_CAPS.get(currency.lower())
    return ClabeCard(value, cap=cap, currency=currency, about=_about(instructions))


def _qr(value: str, instructions: object) -> Card:
    return QR(value, about=[*_about(instructions), *_cap(instructions)])


def _address(value: str, instructions: object) -> Card:
    details = _get(instructions, "details")
    network = details.get("network") if isinstance(details, Mapping) else None
    over = network if isinstance(network, str) else _first(_get(instructions, "payment_methods"))
    about = [*_about(instructions), *_details(instructions)]
    return AddressCard(value, currency=_currency(instructions), network=over, about=about)


def _first(words: object) -> str:
    return str(words[0]) if isinstance(words, list | tuple) and words else ""


CARDS: dict[str, tuple[str, Callable[[str, object], Card]]] = {
    "mx_virtual_account": ("clabe", _clabe),
    "ph_qr_code": ("qrph_payload", _qr),
    "crypto_wallet": ("address", _address),
}


def _facts(instructions: object) -> Facts:
    kind = ("Type", _words(_get(instructions, "type")))
    currency = ("Currency", _currency(instructions) or "not said")
    rows = [kind, currency, *_about(instructions), *_cap(instructions), *_details(instructions)]
    return Facts("Deposit instructions", rows)


def _about(instructions: object) -> list[Row]:
    rails = ("Rail", _words(_get(instructions, "payment_methods")))
    deadline = _get(instructions, "deadline")
    return [rails] if deadline is None else [rails, ("Pay before", _words(deadline))]


def _cap(instructions: object) -> list[Row]:
    currency = _currency(instructions)
    cap = DEPOSIT_CAPS.get(currency.lower())
    return [] if cap is None else [("Sandbox cap", f"at most {cap} {currency} a deposit")]


def _details(instructions: object) -> list[Row]:
    details = _get(instructions, "details")
    if isinstance(details, Mapping):
        return [(str(name), _words(value)) for name, value in details.items()]
    return [] if details is None else [("details", _words(details))]


def _currency(instructions: object) -> str:
    currency = _get(instructions, "currency")
    return currency.upper() if isinstance(currency, str) else ""


def _get(thing: object, name: str) -> object:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _words(value: object) -> str:
    if value is None or value in ("", [], ()):
        return "not said"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
