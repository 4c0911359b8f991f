"""The synthetic objects that a probe creates in a sandbox, each with its own reference.

An object is created only once, also over several runs: its id is in `Inquiry.made`.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from ..corridors import countries, examples
from ..spec import codes
from ..spec.timestamps import to_text
from .answers import ServiceReply
from .inquiry import PREFIX, Inquiry
from .requests import NotAskedError

QR_PH = (
    "00020101021127500012com.p2pqrpay0111UBPHPHMMXXX0412000000000000"
    "52046016530360854031005802PH5912PAYLAB PROBE6006MANILA6304A0F3"
)


PLACES = {
    one.rails_key.removeprefix("rails."): one
    for one in countries.of().all
    if one.country == "DE" or one.country not in codes.SEPA
}
"""A country of each corridor, by its part in the keys of a service.toml."""

DETAILS: Mapping[str, Mapping[str, str]] = {
    **{
        f"{place}.{account.type}": account.example
        for place, corridor in PLACES.items()
        for account in corridor.accounts
        if account.example
    },
    "PH.bank_account": {
        "issuer": "bdo",
        "account_number": "000000000000",
        "account_holder_name": "Alex Example",
    },
    "PH.ph_qr_code": {"qrph_payload": QR_PH},
    "SEPA.bank_account": {**examples.account("DE")["details"], "bic": "COBADEFFXXX"},
    "crypto_wallet": examples.WALLET,
}
"""Details of fictitious accounts, by the part of the key after financial_accounts."""


PLAN = (
    "15 individuals called Paylab Probe, with fictitious accounts",
    "images of one pixel for two of them, and crypto wallets without a known key",
    "3 conversion accounts, and 2 sandbox deposits of 10 and 11 MXN",
    "1 quote, 1 transfer of 10 USD, and 1 of 10 USDC that awaits its deposit",
    "1 webhook subscription for a host that does not exist, deleted at once",
)
"""The objects that `--write` creates, shown before it starts."""

DOCUMENTS: Mapping[str, Mapping[str, str]] = {
    "MX": {"type": "curp", "number": "XEXX010101HNEXXXA4"},
    "PH": {"type": "tin", "number": "000-000-000-000"},
    "AR": {"type": "cuil", "number": "20123456786"},
    "BR": {"type": "cpf", "number": "52998224725"},
}
PASSPORT = {"type": "passport", "number": "PAYLABPROBE"}
PHONES = {"IN": "+919000000000", "PH": "+639000000000"}
TYPES = {place.partition(".")[0]: place.partition(".")[2] for place in (*DETAILS,)[::-1]}
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)


class Thing(NamedTuple):
    """A created object, and its response if it was created in this run."""

    object: dict[str, Any]
    status: int
    reply: ServiceReply | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.object.get("id", ""))

    @property
    def replies(self) -> tuple[ServiceReply, ...]:
        """The answer as evidence."""
        return (self.reply,) if self.reply else ()


def made_once(inquiry: Inquiry, name: str, make: Callable[[], ServiceReply]) -> Thing:
    """Create an object, unless it exists; NotAskedError if that fails."""
    kept = inquiry.made.get(name)
    if kept is not None:
        return Thing(kept["object"], kept["status"], inquiry.memory.get(f"made {name}"))
    reply = make()
    if not reply.went_well:
        raise NotAskedError(f"no {name} could be made: {reply.status} {reply.words}")
    inquiry.memory[f"made {name}"] = reply
    kept = {part: reply.object.get(part) for part in ("id", "status")}  # no personal data
    inquiry.made[name] = {"object": kept, "status": reply.status}
    return Thing(reply.object, reply.status, reply)


def sent_amount(inquiry: Inquiry, text: str) -> str | Decimal:
    """An amount as a request has it."""
    return Decimal(text) if inquiry.value("amounts.requests") == "number" else text


def currency(inquiry: Inquiry, code: str) -> str:
    """A currency in the letter case that a request has."""
    return code.lower() if inquiry.value("currencies.case") == "lower" else code.upper()


def account_details(inquiry: Inquiry, place: str, country: str, kind: str) -> dict[str, Any]:
    """Details of a fictitious account, in the service's names."""
    form = inquiry.service.account(None if place == kind else country, kind)
    found: dict[str, Any] = dict(DETAILS[place])
    if form is None:
        return found
    if form.field and form.allowed and found.get(form.field) not in form.allowed:
        folded = {word.casefold(): word for word in form.allowed}
        found[form.field] = folded.get(str(found.get(form.field)).casefold(), form.allowed[0])
    found |= {name: "Paylab Probe" for name in form.required if name not in found}
    return form.names.send(found)


def new_individual(inquiry: Inquiry, name: str, country: str, *products: str) -> Thing:
    """Create an individual with the fields of all products, and an account if it has a rail."""
    path = inquiry.path("create_individual")
    return made_once(
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
        held = {"type": kind, "details": account_details(inquiry, f"{place}.{kind}", country, kind)}
        body["financial_accounts"] = [held]
    return body


def ramp_individual(inquiry: Inquiry, country: str) -> Thing:
    """Create an individual for on_ramp; the one in Mexico has all products."""
    products = RAMPS if country == "MX" else (codes.ON_RAMP_PRODUCT,)
    return new_individual(inquiry, f"on_ramp {country}", country, *products)


def account_id_of(inquiry: Inquiry, name: str, country: str) -> str:
    """The id of an individual's account."""
    person = new_individual(inquiry, name, country, codes.GLOBAL_PAYOUTS)
    held = person.object.get("financial_accounts") or read_object(inquiry, person.id).get(
        "financial_accounts"
    )
    found = [each.get("id") for each in held or () if isinstance(each, dict)]
    if not found:
        raise NotAskedError("an individual does not show its accounts")
    return str(found[0])


def read_object(inquiry: Inquiry, id_: str, name: str = "individual") -> dict[str, Any]:
    """Read an object by its id, or from the list if it cannot be read alone."""
    path = inquiry.path(name, id_)
    if path:
        return inquiry.requests.get(path).object
    listed = inquiry.path(f"{name}s")
    body = inquiry.requests.get(listed).body if listed else None
    return next(
        (row for row in rows_of(body) if isinstance(row, dict) and row.get("id") == id_), {}
    )


def rows_of(body: object) -> list[Any]:
    """The rows of a list in an envelope."""
    if isinstance(body, list):
        return body
    found = body.values() if isinstance(body, dict) else ()
    return next((value for value in found if isinstance(value, list)), [])


def wait(inquiry: Inquiry, id_: str, name: str = "individual") -> dict[str, Any]:
    """Poll an object until it is active; NotAskedError if it does not become active."""
    found = read_object(inquiry, id_, name)
    for pause in PAUSES:
        if found.get("status") == "active":
            return found
        inquiry.requests.sleep(pause)
        found = read_object(inquiry, id_, name)
    if found.get("status") == "active":
        return found
    words = f"the {name.replace('_', ' ')} is still {found.get('status')}"
    raise NotAskedError(f"{words} after {sum(PAUSES):.0f} s")


def wallet_details(inquiry: Inquiry) -> dict[str, Any]:
    """Details of a fictitious crypto wallet, in the service's names."""
    return account_details(inquiry, codes.CRYPTO_WALLET, "MX", codes.CRYPTO_WALLET)


def new_wallet(inquiry: Inquiry, name: str, owner: str) -> Thing:
    """A crypto wallet of an individual."""
    details = wallet_details(inquiry)
    body = {"individual_id": owner, "type": codes.CRYPTO_WALLET, "details": details}
    path = inquiry.path("create_financial_account")
    return made_once(inquiry, name, lambda: inquiry.requests.write(path, body))


def image(size: int) -> str:
    """A one-pixel PNG of `size` bytes, as a data URI."""
    head = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0")
    tail = _chunk(b"IDAT", zlib.compress(b"\0\0")) + _chunk(b"IEND", b"")
    padding = size - len(head) - len(tail) - len(_chunk(b"prVt", b""))
    whole = head + _chunk(b"prVt", bytes(padding)) + tail
    return f"data:image/png;base64,{base64.b64encode(whole).decode()}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data).to_bytes(4, "big")
    return len(data).to_bytes(4, "big") + kind + data + checksum


BACK = "verification_back_image_needed"

FRONT, SELFIE = "document-front", "selfie"

SMALL, ENOUGH = 10_100, 10_240
"""Sizes of an image: 10 KB only if a kilobyte is 1000 bytes, and 10 KB in any case."""

RAMPS = (codes.GLOBAL_PAYOUTS, codes.ON_RAMP_PRODUCT, codes.OFF_RAMP_PRODUCT)


def images(size: int, *sides: str) -> dict[str, Any]:
    """The body of an upload of images of `size` bytes."""
    return {"images": [{"type": side, "content": image(size)} for side in sides]}


def verified(inquiry: Inquiry, country: str) -> Thing:
    """The wallet of an on_ramp individual, after verification."""
    person = ramp_individual(inquiry, country)
    found = read_object(inquiry, person.id)
    if found.get("status") == "action_required":
        wanted = {each.get("code") for each in found.get("status_details") or ()}
        sides = (FRONT, SELFIE, *(["document-back"] if BACK in wanted else []))
        path = inquiry.path("upload_verification_images", person.id)
        reply = inquiry.requests.write(path, images(ENOUGH, *sides))
        if not reply.went_well:
            raise NotAskedError(f"images were refused: {reply.status} {reply.words}")
    if found.get("status") != "active":
        wait(inquiry, person.id)
    return new_wallet(inquiry, f"wallet {country}", person.id)
