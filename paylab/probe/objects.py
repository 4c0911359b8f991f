"""The synthetic objects that a probe makes in a sandbox, each with a reference of its own.

An object is made once, also over several runs: its id stays in `Inquiry.made`.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from ..spec import codes
from ..spec.timestamps import to_text
from .accounts import DETAILS
from .answers import Reply
from .inquiry import PREFIX, Inquiry
from .requests import NotAskedError

PLAN = (
    "15 individuals called Paylab Probe, with example accounts that belong to nobody",
    "images of one pixel for two of them, and crypto wallets that nobody holds the key of",
    "3 conversion accounts, and 2 sandbox deposits of 10 and 11 MXN",
    "1 quote, 1 transfer of 10 USD, and 1 of 10 USDC that waits for its deposit",
    "1 webhook subscription for a host that does not exist, deleted at once",
)
"""What `--write` makes, for a person to read first."""

DOCUMENTS: Mapping[str, Mapping[str, str]] = {
    "MX": {"type": "curp", "number": "XEXX010101HNEXXXA4"},
    "PH": {"type": "tin", "number": "000-000-000-000"},
    "AR": {"type": "cuil", "number": "20123456786"},
    "BR": {"type": "cpf", "number": "52998224725"},
}
PASSPORT = {"type": "passport", "number": "PAYLABPROBE"}
PHONES = {"IN": "+919000000000", "PH": "+639000000000"}
RAILS: Mapping[str, tuple[str, str]] = {
    "AR": ("AR", "ARS"),
    "BR": ("BR", "BRL"),
    "CO": ("CO", "COP"),
    "IN": ("IN", "INR"),
    "MX": ("MX", "MXN"),
    "PH": ("PH", "PHP"),
    "GB": ("GB", "GBP"),
    "SEPA": ("DE", "EUR"),
}
"""Of each corridor: a country and the currency that is paid out there."""
TYPES = {place.partition(".")[0]: place.partition(".")[2] for place in (*DETAILS,)[::-1]}
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)


class Thing(NamedTuple):
    """An object that was made: its answer, if it was made in this run, and itself."""

    object: dict[str, Any]
    status: int
    reply: Reply | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.object.get("id", ""))

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The answer as evidence."""
        return (self.reply,) if self.reply else ()


def made(inquiry: Inquiry, name: str, make: Callable[[], Reply]) -> Thing:
    """An object, made unless it was before; NotAskedError says why it could not be."""
    kept = inquiry.made.get(name)
    if kept is not None:
        return Thing(kept["object"], kept["status"], inquiry.memory.get(f"made {name}"))
    reply = make()
    if not reply.went_well:
        raise NotAskedError(f"no {name} could be made: {reply.status} {reply.words}")
    inquiry.memory[f"made {name}"] = reply
    inquiry.made[name] = {"object": _kept(reply.object), "status": reply.status}
    return Thing(reply.object, reply.status, reply)


def _kept(found: Mapping[str, Any]) -> dict[str, Any]:
    """What is remembered of an object: its id, and no person."""
    return {"id": found.get("id"), "status": found.get("status")}


def amount(inquiry: Inquiry, text: str) -> str | Decimal:
    """An amount as a request has it."""
    return Decimal(text) if inquiry.value("amounts.requests") == "number" else text


def currency(inquiry: Inquiry, code: str) -> str:
    """A currency in the letter case that a request has."""
    return code.lower() if inquiry.value("currencies.case") == "lower" else code.upper()


def details(inquiry: Inquiry, place: str, country: str, kind: str) -> dict[str, Any]:
    """Details of an account that belongs to nobody, as the service wants them."""
    form = inquiry.service.account(None if place == kind else country, kind)
    found: dict[str, Any] = dict(DETAILS[place])
    if form is None:
        return found
    if form.field and form.allowed and found.get(form.field) not in form.allowed:
        folded = {word.casefold(): word for word in form.allowed}
        found[form.field] = folded.get(str(found.get(form.field)).casefold(), form.allowed[0])
    found |= {name: "Paylab Probe" for name in form.required if name not in found}
    return form.names.send(found)


def individual(inquiry: Inquiry, name: str, country: str, *products: str) -> Thing:
    """An individual with all fields that any product asks for, and an account if it has a rail."""
    path = inquiry.path("create_individual") or ""
    return made(
        inquiry, name, lambda: inquiry.requests.write(path, _person(inquiry, country, products))
    )


def _person(inquiry: Inquiry, country: str, products: tuple[str, ...]) -> dict[str, Any]:
    body: dict[str, Any] = {
        "product_types": list(products),
        "given_name": "Paylab",
        "family_name": "Probe",
        "country": country,
        "email": f"{PREFIX}@example.com",
        "phone": PHONES.get(country, "+525500000000"),
        "date_of_birth": "1990-01-31",
        "idv_consent_recorded_at": to_text(inquiry.requests.sender.clock()),
        "address": {
            "country": country,
            "line_1": "Example Street 1",
            "line_2": "1",
            "city": "Example City",
            "state": "Example State",
            "postal_code": "00000",
        },
        "document": dict(DOCUMENTS.get(country, PASSPORT)),
    }
    place = "SEPA" if country in codes.SEPA else country
    if place in TYPES:
        kind = TYPES[place]
        held = {"type": kind, "details": details(inquiry, f"{place}.{kind}", country, kind)}
        body["financial_accounts"] = [held]
    return body


def account_of(inquiry: Inquiry, name: str, country: str) -> str:
    """The id of the account that an individual was made with."""
    person = individual(inquiry, name, country, codes.GLOBAL_PAYOUTS)
    held = person.object.get("financial_accounts") or read(inquiry, person.id).get(
        "financial_accounts"
    )
    found = [each.get("id") for each in held or () if isinstance(each, dict)]
    if not found:
        raise NotAskedError("an individual does not show its accounts")
    return str(found[0])


def read(inquiry: Inquiry, id_: str, name: str = "individual") -> dict[str, Any]:
    """An object by its id; from the list where one cannot be read."""
    path = inquiry.path(name, id_)
    if path is not None:
        return inquiry.requests.get(path).object
    listed = inquiry.path(f"{name}s")
    body = inquiry.requests.get(listed).body if listed else None
    return next((row for row in rows(body) if isinstance(row, dict) and row.get("id") == id_), {})


def rows(body: object) -> list[Any]:
    """The rows of a list in an envelope."""
    if isinstance(body, list):
        return body
    found = body.values() if isinstance(body, dict) else ()
    return next((value for value in found if isinstance(value, list)), [])


def wait(
    inquiry: Inquiry, id_: str, name: str, ready: Callable[[Mapping[str, Any]], bool]
) -> dict[str, Any]:
    """Read an object again and again until it is ready; NotAskedError when it stays as it is."""
    found = read(inquiry, id_, name)
    for pause in PAUSES:
        if ready(found):
            return found
        inquiry.requests.sleep(pause)
        found = read(inquiry, id_, name)
    if ready(found):
        return found
    words = f"the {name.replace('_', ' ')} is still {found.get('status')}"
    raise NotAskedError(f"{words} after {sum(PAUSES):.0f} s")


def is_active(found: Mapping[str, Any]) -> bool:
    """Whether an object can be used."""
    return found.get("status") == "active"


def wallet(inquiry: Inquiry, name: str, owner: str) -> Thing:
    """A crypto wallet of an individual."""
    kind = codes.CRYPTO_WALLET
    body = {
        "individual_id": owner,
        "type": kind,
        "details": details(inquiry, kind, "MX", kind),
    }
    path = inquiry.path("create_financial_account") or ""
    return made(inquiry, name, lambda: inquiry.requests.write(path, body))


def image(size: int) -> str:
    """A PNG of one pixel with so many bytes, as a data URI."""
    head = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0")
    tail = _chunk(b"IDAT", zlib.compress(b"\0\0")) + _chunk(b"IEND", b"")
    padding = size - len(head) - len(tail) - len(_chunk(b"prVt", b""))
    whole = head + _chunk(b"prVt", bytes(padding)) + tail
    return f"data:image/png;base64,{base64.b64encode(whole).decode()}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data).to_bytes(4, "big")
    return len(data).to_bytes(4, "big") + kind + data + checksum


def hours(length: timedelta) -> int:
    """Whole hours, to the nearest."""
    return round(length.total_seconds() / 3600)
