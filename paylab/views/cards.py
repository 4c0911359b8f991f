"""Deposit cards: a CLABE, a QR code or a wallet address to pay to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..corridors import clabe as rule
from ..corridors import on_ramps
from ..errors.base import PaylabError
from ..spec.codes import CRYPTO_WALLET
from ..spec.resource import Resource
from . import html
from .drawing import Modules, modules
from .html import Row
from .qr import QR

SIZE = 220


@dataclass(frozen=True)
class Card:
    """Where to pay to, as HTML and as plain text.

    `rows` are what it says, as label and text; `lines` are all rows of the plain text, and
    `parts` is the HTML below the warning `caution`. `code` is the QR code beside them; `where`
    names the service.
    """

    title: str
    rows: Sequence[Row]
    where: str
    lines: Sequence[Row]
    parts: Sequence[str]
    caution: str = ""
    code: Modules | None = None

    def table(self) -> list[Row]:
        """The rows of the card: label and text."""
        return list(self.rows)

    def png(self, size: int = SIZE) -> bytes:
        """The QR code as PNG."""
        if self.code is None:
            raise PaylabError(f"the card {self.title!r} has no QR code")
        return self.code.png(size)

    def __repr__(self) -> str:
        return html.plain_text(self.title, self.lines, self.where)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        caution = html.warning(self.caution) if self.caution else ""
        text = html.column(html.heading(self.title), caution, *self.parts)
        picture = [self.code.img(SIZE, "QR code of the address")] if self.code else []
        return {"text/html": html.card(*picture, text, label=self.where), "text/plain": repr(self)}


def deposit_card(holder: object, where: str = "") -> Card | QR:
    """A CLABE card, a QR code, a wallet address, or a table for any other type.

    `holder` is a conversion account, a transfer, or their `deposit_instructions`, which have
    `type`, `currency`, `payment_methods`, `details` and `deadline` as attributes or keys; all are
    optional. The amount is known of a transfer only. `where` names the service.
    """
    instructions = _get(holder, "deposit_instructions") or holder
    kind = _get(instructions, "type")
    details = _get(instructions, "details")
    on_ramp = on_ramps.of_instructions(kind)
    amount = _get(holder, "source_amount")
    currency = _get(holder, "source_currency")
    waits = [] if amount is None else [("Amount", f"{amount} {currency or ''}".rstrip())]
    about = [*waits, *_about(instructions)]
    detail = on_ramp.detail if on_ramp else {CRYPTO_WALLET: "address"}.get(str(kind))
    payee = details.get(detail) if isinstance(details, Mapping) else None
    if not isinstance(payee, str):
        return _facts(instructions, about, where)
    try:
        if on_ramp is None:
            return _address(payee, instructions, about, where)
        return CARDS[on_ramp.card](payee, about=about, where=where, check=on_ramp.check)
    except PaylabError:  # text too long for a QR code is still shown as text
        return _facts(instructions, about, where)


CAPTIONS = ("bank", "plaza", "account", "check")
DIGITS = f"{html.MONO};font-size:24px;line-height:1.2;letter-spacing:.04em"
CAPTION = f"font-size:11px;{html.MUTED}"


def clabe_card(
    clabe: str,
    about: Sequence[Row] = (),
    where: str = "",
    check: Callable[[str], str] = rule.check_clabe,
) -> Card:
    """The CLABE of a deposit, its parts and its check digit; `about` are additional rows."""
    parts: Sequence[str]
    try:
        parts = rule.parts(clabe)
        check_digit = rule.check_digit(clabe[:17])
    except ValueError:
        parts = ()
        rows = list(about)
        steps = ""
    else:
        rows = [*_meaning(parts, check_digit), *about]
        steps = html.text_block("\n".join(working(clabe)))
    reason = check(clabe)
    problem = f"Do not pay: {reason}" if reason else ""
    folded = html.folded("How the check digit is made", steps) if steps else ""
    lines = [("CLABE", " ".join(parts) or clabe), ("Digits only", clabe), *rows]
    return Card(
        "This CLABE is not valid" if problem else "Pay to this CLABE",
        rows,
        where,
        [("Problem", problem), *lines] if problem else lines,
        [_digits(clabe, parts), html.table(rows), folded],
        problem,
    )


CARDS: Mapping[str, Callable[..., Card | QR]] = {
    "clabe": clabe_card,
    "qr_code": QR,
}
"""The card of an on-ramp by its kind, made of what to pay to."""


def _meaning(parts: rule.Parts, wanted: str) -> list[Row]:
    """The meaning of the digits; `wanted` is the right check digit."""
    bank = rule.BANKS.get(parts.bank, "not a bank we know by name")
    check = "correct" if parts.check == wanted else f"should be {wanted}"
    return [
        ("Bank code", f"{parts.bank}, {bank}"),
        ("Plaza", f"{parts.plaza}, the town of the branch"),
        ("Account", parts.account),
        ("Check digit", f"{parts.check}, {check}"),
    ]


def _digits(clabe: str, parts: Sequence[str]) -> str:
    """The groups of digits with their captions, and all digits to copy."""
    groups = "".join(
        f'<div><div style="{DIGITS}">{html.escape(digits)}</div>'
        f'<div style="{CAPTION}">{caption}</div></div>'
        for digits, caption in zip(parts, CAPTIONS, strict=False)
    )
    style = "display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 10px"
    hint = f'<span style="{html.MUTED}">Digits only, one click selects them: </span>'
    digits_line = f'<div style="margin:0 0 12px">{hint}{html.copyable(clabe)}</div>'
    return f'<div style="{style}">{groups}</div>{digits_line}'


def working(clabe: str) -> list[str]:
    """The calculation of the check digit, line by line."""
    products = rule.products(clabe[:17])
    check = rule.check_digit(clabe[:17])
    total = sum(products)
    return [
        f"digits    {' '.join(clabe[:17])}",
        f"weights   {' '.join(map(str, rule.WEIGHTS))}",
        f"products  {' '.join(map(str, products))}",
        "          (the last digit of each)",
        f"sum       {total}, and {check} makes it {total + int(check)}",
    ]


def _address(address: str, instructions: object, about: Sequence[Row], where: str) -> Card:
    """A wallet address, its QR code, and the currency and network that it accepts."""
    details = _get(instructions, "details")
    rails = _get(instructions, "payment_methods")
    network = details.get("network") if isinstance(details, Mapping) else None
    if not isinstance(network, str):
        network = str(rails[0]) if isinstance(rails, list | tuple) and rails else ""
    rows = [*about, *(row for row in _details(instructions) if row[1] not in (address, network))]
    currency = _currency(instructions)
    over = network.capitalize()
    asset = f"only {currency}" if currency else "only the agreed currency"
    caution = f"Send {asset}{f', only over {over}' if over else ''}: anything else is lost."
    address_block = f'<div style="margin:0 0 10px">{html.copyable(address)}</div>'
    return Card(
        f"Send {currency or 'the deposit'}{f' on {over}' if over else ''}",
        rows,
        where,
        [("Pay to", address), *rows, ("Caution", caution)],
        [address_block, html.table(rows)],
        caution,
        modules(address),
    )


def _facts(instructions: object, about: Sequence[Row], where: str) -> Card:
    kind = ("Type", _words(_get(instructions, "type")))
    currency = ("Currency", _currency(instructions) or "not said")
    rows = [kind, currency, *about, *_details(instructions)]
    return Card("Deposit instructions", rows, where, rows, [html.table(rows)])


def _about(instructions: object) -> list[Row]:
    """The rails, the deadline if there is one, and the limit of the sandbox."""
    deadline = _get(instructions, "deadline")
    currency = _currency(instructions)
    rows = [("Rail", _words(_get(instructions, "payment_methods")))]
    if deadline is not None:
        rows.append(("Pay before", _words(deadline)))
    if on_ramp := on_ramps.of_currency(currency):
        rows.append(("Sandbox cap", f"at most {on_ramp.cap} {currency} a deposit"))
    return rows


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
