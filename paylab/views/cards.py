"""Deposit cards: a CLABE, a QR Ph code or a wallet address to pay to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import cached_property

from ..errors.base import PaylabError
from ..rules import clabe as rule
from ..spec.codes import DEPOSIT_CAPS
from ..spec.resource import Resource
from . import html
from .html import Facts, Row
from .qr import QR, Modules, modules

SIZE = 220


class AddressCard:
    """A wallet address, its QR code, and the currency and network that it accepts.

    `about` are additional rows to show; `where` names the service.
    """

    def __init__(
        self,
        address: str,
        *,
        currency: str = "",
        network: str = "",
        about: Iterable[Row] = (),
        where: str = "",
    ) -> None:
        self.address, self.currency, self.network = address, currency.upper(), network
        self.about, self.where = tuple(about), where

    @property
    def title(self) -> str:
        """The currency and network to send."""
        where = f" on {self.network.capitalize()}" if self.network else ""
        return f"Send {self.currency or 'the deposit'}{where}"

    @property
    def caution(self) -> str:
        """A warning about other currencies and networks."""
        asset = f"only {self.currency}" if self.currency else "only the agreed currency"
        network = f", only over {self.network.capitalize()}" if self.network else ""
        return f"Send {asset}{network}: anything else is lost."

    @cached_property
    def modules(self) -> Modules:
        """The QR code of the plain address."""
        return modules(self.address)

    def table(self) -> list[Row]:
        """The rows of the card: label and text."""
        return list(self.about)

    def png(self, size: int = SIZE) -> bytes:
        """The QR code as PNG."""
        return self.modules.png(size)

    def __repr__(self) -> str:
        rows = [("Pay to", self.address), *self.table(), ("Caution", self.caution)]
        return html.plain_text(self.title, rows, self.where)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        text = html.column(
            html.heading(self.title),
            html.warning(self.caution),
            f'<div style="margin:0 0 10px">{html.copyable(self.address)}</div>',
            html.table(self.about),
        )
        picture = self.modules.img(SIZE, "QR code of the address")
        return {"text/html": html.card(picture, text, label=self.where), "text/plain": repr(self)}


TITLE, DOUBTFUL = "Pay to this CLABE", "This CLABE is not valid"
UNREADABLE = "Do not pay: a CLABE has exactly 18 digits"
CAPTIONS = ("bank", "plaza", "account", "check")
DIGITS = f"{html.MONO};font-size:24px;line-height:1.2;letter-spacing:.04em"
CAPTION = f"font-size:11px;{html.MUTED}"


class ClabeCard:
    """The CLABE of a deposit, its parts, its check digit and the sandbox limit.

    `about` are additional rows; `bank` is the bank's name if the code is not a known bank, and
    `where` names the service.
    """

    def __init__(  # noqa: PLR0913 - each has a default
        self,
        clabe: str,
        *,
        cap: Decimal | str | None = None,
        currency: str = "mxn",
        bank: str | None = None,
        about: Iterable[Row] = (),
        where: str = "",
    ) -> None:
        self.clabe, self.bank, self.about, self.where = clabe, bank, tuple(about), where
        self.cap = None if cap is None else f"{cap} {currency.upper()}"
        self.parts = _parts(clabe)

    @property
    def grouped(self) -> str:
        """The digits in groups of 3, 3, 11 and 1; text that is not a CLABE is unchanged."""
        return " ".join(self.parts) if self.parts else self.clabe

    @property
    def problem(self) -> str | None:
        """Why this CLABE must not be paid, or None."""
        if self.parts is None:
            return UNREADABLE
        if rule.is_valid(self.clabe):
            return None
        return f"Do not pay: the check digit should be {rule.check_digit(self.clabe[:17])}"

    def table(self) -> list[Row]:
        """The meaning of the digits and the sandbox limit, as rows of label and text."""
        cap = [] if self.cap is None else [("Sandbox cap", f"at most {self.cap} a deposit")]
        return [*self._meaning(), *self.about, *cap]

    @property
    def title(self) -> str:
        """The heading of the card."""
        return DOUBTFUL if self.problem else TITLE

    def __repr__(self) -> str:
        problem = [("Problem", self.problem)] if self.problem else []
        head = [*problem, ("CLABE", self.grouped), ("Digits only", self.clabe)]
        return html.plain_text(self.title, head + self.table(), self.where)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        body = html.heading(self.title)
        if self.problem:
            body += html.warning(self.problem)
        body += self._digits() + html.table(self.table())
        if self.parts is not None:
            steps = html.text_block("\n".join(working(self.clabe)))
            body += html.folded("How the check digit is made", steps)
        shown = html.card(html.column(body), label=self.where)
        return {"text/html": shown, "text/plain": repr(self)}

    def _meaning(self) -> list[Row]:
        if self.parts is None:
            return []
        return [
            ("Bank code", _named(self.parts.bank, self.bank or rule.BANKS.get(self.parts.bank))),
            ("Plaza", f"{self.parts.plaza}, the town of the branch"),
            ("Account", self.parts.account),
            ("Check digit", _check(self.clabe)),
        ]

    def _digits(self) -> str:
        """The groups of digits with their captions, and all digits to copy."""
        groups = "".join(
            f'<div><div style="{DIGITS}">{html.escape(digits)}</div>'
            f'<div style="{CAPTION}">{caption}</div></div>'
            for digits, caption in zip(self.parts or (), CAPTIONS, strict=False)
        )
        style = "display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 10px"
        hint = f'<span style="{html.MUTED}">Digits only, one click selects them: </span>'
        whole = f'<div style="margin:0 0 12px">{hint}{html.copyable(self.clabe)}</div>'
        return f'<div style="{style}">{groups}</div>{whole}'


def _parts(clabe: str) -> rule.Parts | None:
    try:
        return rule.parts(clabe)
    except ValueError:
        return None


def _named(code: str, name: str | None) -> str:
    return f"{code}, {name}" if name else f"{code}, not a bank we know by name"


def _check(clabe: str) -> str:
    wanted = rule.check_digit(clabe[:17])
    return f"{clabe[17]}, correct" if clabe[17] == wanted else f"{clabe[17]}, should be {wanted}"


def working(clabe: str) -> list[str]:
    """The calculation of the check digit, line by line."""
    products, check = rule.products(clabe[:17]), rule.check_digit(clabe[:17])
    total = sum(products)
    return [
        f"digits    {' '.join(clabe[:17])}",
        f"weights   {' '.join(map(str, rule.WEIGHTS))}",
        f"products  {' '.join(map(str, products))}",
        "          (the last digit of each)",
        f"sum       {total}, and {check} makes it {total + int(check)}",
    ]


Card = QR | ClabeCard | AddressCard | Facts


def deposit_card(holder: object, where: str = "") -> Card:
    """A CLABE card, a QR code, a wallet address, or a table for any other type.

    `holder` is a conversion account, a transfer, or their `deposit_instructions`, which have
    `type`, `currency`, `payment_methods`, `details` and `deadline` as attributes or keys; all are
    optional. The amount is known of a transfer only. `where` names the service.
    """
    instructions = _get(holder, "deposit_instructions") or holder
    kind, details = _get(instructions, "type"), _get(instructions, "details")
    key, make = CARDS.get(str(kind), ("", None))
    value = details.get(key) if isinstance(details, Mapping) else None
    if make is None or not isinstance(value, str):
        return _facts(instructions, where)
    try:
        return make(value, instructions, _amount(holder), where)
    except PaylabError:  # text too long for a QR code is still shown as text
        return _facts(instructions, where)


def _clabe(value: str, instructions: object, amount: list[Row], where: str) -> Card:
    currency = _currency(instructions)
    cap = DEPOSIT_CAPS.get(currency.lower())
    about = [*amount, *_about(instructions)]
    return ClabeCard(value, cap=cap, currency=currency, about=about, where=where)


def _qr(value: str, instructions: object, amount: list[Row], where: str) -> Card:
    about = [*amount, *_about(instructions), *_cap(instructions)]
    return QR(value, about=about, where=where)


def _address(value: str, instructions: object, amount: list[Row], where: str) -> Card:
    details, rails = _get(instructions, "details"), _get(instructions, "payment_methods")
    network = details.get("network") if isinstance(details, Mapping) else None
    if not isinstance(network, str):
        network = str(rails[0]) if isinstance(rails, list | tuple) and rails else ""
    more = [row for row in _details(instructions) if row[1] not in (value, network)]
    about = [*amount, *_about(instructions), *more]
    currency = _currency(instructions)
    return AddressCard(value, currency=currency, network=network, about=about, where=where)


def _amount(holder: object) -> list[Row]:
    """The amount of a transfer that waits for a deposit."""
    amount, currency = _get(holder, "source_amount"), _get(holder, "source_currency")
    return [] if amount is None else [("Amount", f"{amount} {currency or ''}".rstrip())]


CARDS: dict[str, tuple[str, Callable[[str, object, list[Row], str], Card]]] = {
    "mx_virtual_account": ("clabe", _clabe),
    "ph_qr_code": ("qrph_payload", _qr),
    "crypto_wallet": ("address", _address),
}


def _facts(instructions: object, where: str) -> Facts:
    kind = ("Type", _words(_get(instructions, "type")))
    currency = ("Currency", _currency(instructions) or "not said")
    rows = [kind, currency, *_about(instructions), *_cap(instructions), *_details(instructions)]
    return Facts("Deposit instructions", rows, where)


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
    if isinstance(thing, Mapping | Resource):
        return thing.get(name)
    return getattr(thing, name, None)


def _words(value: object) -> str:
    if value is None or value in ("", [], ()):
        return "not said"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
