"""Deposit cards: a CLABE, a QR code or a wallet address to pay to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..corridors import clabe as clabe_rule
from ..corridors import on_ramps
from ..corridors.on_ramps import OnRamp
from ..errors.base import ArgumentError, PaylabError
from ..errors.names import with_name_suggestions
from ..errors.type_words import with_article
from ..spec.codes import CRYPTO_WALLET
from ..spec.models import DepositInstructions, PendingInstructions, Transfer
from ..spec.resource import Resource
from ..spec.text import plain
from . import html
from .drawing import QRModules, encode_qr
from .html import Row
from .qr import QR
from .style import MONO, MUTED

QR_PIXELS = 220
NOT_GIVEN = "not given"


@with_name_suggestions
@dataclass(frozen=True)
class Card:
    """A card that says where to pay to, as HTML and as plain text.

    `rows` are its content. The plain text consists of `text_rows`, which have the caution and the
    digits too. The HTML has the warning `caution`, `html_parts` below it and a QR code beside them.
    """

    title: str
    rows: Sequence[Row]
    service_name: str
    text_rows: Sequence[Row]
    html_parts: Sequence[str]
    caution: str = ""
    code: QRModules | None = None

    def table(self) -> list[Row]:
        """The rows of the card: label and text."""
        return list(self.rows)

    def png(self, size: int = QR_PIXELS) -> bytes:
        """The QR code as PNG; PaylabError if the card has none."""
        if self.code is None:
            raise PaylabError(f"the card {self.title!r} has no QR code")
        return self.code.png(size)

    def __repr__(self) -> str:
        """The card as plain text."""
        return html.plain_text(self.title, self.text_rows, self.service_name)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The card for Jupyter, by MIME type."""
        caution_html = html.warning(self.caution) if self.caution else ""
        title_html = html.heading(self.title, self.service_name)
        html_columns = [html.column(title_html, caution_html, *self.html_parts)]
        if self.code:
            html_columns.insert(0, self.code.img(QR_PIXELS, "QR code of the address"))
        card_html = html.card(*html_columns)
        return {"text/html": card_html, "text/plain": repr(self)}


def deposit_card(holder: object, service_name: str = "") -> Card | QR:
    """A CLABE card, a QR code, a wallet address, or a table for any other type.

    `holder` is a conversion account, a transfer, or their `deposit_instructions`, which have
    `type`, `currency`, `payment_methods`, `details` and `deadline` as attributes or keys; all are
    optional. Only a transfer has an amount.
    """
    _check_holder(holder)
    instructions = _read_member(holder, "deposit_instructions") or holder
    term_rows = [*_amount_rows(holder), *_term_rows(instructions)]
    on_ramp = on_ramps.of_instructions(_read_member(instructions, "type"))
    payee_text = _find_payee_text(instructions, on_ramp)
    if payee_text is None:
        return _detail_card(instructions, term_rows, service_name)
    try:
        if on_ramp is None:
            return _address_card(payee_text, instructions, term_rows, service_name)
        make_card = CARD_MAKERS[on_ramp.card]
        return make_card(
            payee_text, about=term_rows, service_name=service_name, check=on_ramp.check
        )
    except PaylabError:  # text too long for a QR code is still shown as text
        return _detail_card(instructions, term_rows, service_name)


def _check_holder(holder: object) -> None:
    """ArgumentError for a value that neither has deposit instructions nor consists of them."""
    if isinstance(holder, DepositInstructions | Mapping):
        return
    if not isinstance(holder, Resource):
        member_names = ("deposit_instructions", "type", "details")
        if any(hasattr(holder, member_name) for member_name in member_names):
            return
        kinds_text = "a conversion account or its id, a transfer, or deposit instructions"
        raise ArgumentError(f"must be {kinds_text}, not {plain(repr(holder), 60)}", "account")
    if "deposit_instructions" not in holder:
        message = f"{with_article(type(holder).__name__)} has no deposit instructions"
        raise ArgumentError(f"{message}: pass a conversion account or a transfer", "account")
    instructions = getattr(holder, "deposit_instructions", None)
    if isinstance(instructions, PendingInstructions):
        raise ArgumentError(f"no deposit instructions yet: {instructions.advice}", "account")
    if instructions is None and isinstance(holder, Transfer):
        message = "this transfer has no deposit instructions: it waits for no deposit"
        raise ArgumentError(message, "account")


def _find_payee_text(instructions: object, on_ramp: OnRamp | None) -> str | None:
    """The CLABE, the QR text or the address to pay to; None if the type is not known."""
    details = _read_member(instructions, "details")
    if not isinstance(details, Mapping):
        return None
    if on_ramp:
        payee_text = details.get(on_ramp.detail_name)
    elif _read_member(instructions, "type") == CRYPTO_WALLET:
        payee_text = details.get("address")
    else:
        return None
    return payee_text if isinstance(payee_text, str) else None


CLABE_CAPTIONS = ("bank", "plaza", "account", "check")
DIGITS_STYLE = f"{MONO};font-size:24px;line-height:1.2;letter-spacing:.04em"
CAPTION_STYLE = f"font-size:11px;{MUTED}"


def clabe_card(
    clabe: str,
    about: Sequence[Row] = (),
    service_name: str = "",
    check: Callable[[str], str] = clabe_rule.check_clabe,
) -> Card:
    """The CLABE of a deposit, its parts and its check digit.

    `about` are additional rows. `check` returns what is wrong with the CLABE, or an empty text.
    """
    clabe_parts = _clabe_parts(clabe)
    if clabe_parts:
        part_rows = _clabe_part_rows(clabe_parts, clabe_rule.check_digit(clabe[:17]))
        card_rows = [*part_rows, *about]
        calculation_html = html.text_block("\n".join(check_digit_calculation(clabe)))
        html_parts = [
            _clabe_html(clabe, clabe_parts),
            html.table(card_rows),
            html.collapsible_block("How the check digit is made", calculation_html),
        ]
    else:  # not 18 digits, so that only the text can be shown
        card_rows = list(about)
        html_parts = [_clabe_html(clabe, ()), html.table(card_rows)]
    text_rows = [("CLABE", " ".join(clabe_parts or [clabe])), ("Digits only", clabe), *card_rows]
    title = "Pay to this CLABE"
    caution = ""
    problem_text = check(clabe)
    if problem_text:
        title = "This CLABE is not valid"
        caution = f"Do not pay: {problem_text}"
        text_rows.insert(0, ("Problem", caution))
    return Card(title, card_rows, service_name, text_rows, html_parts, caution)


CARD_MAKERS: Mapping[str, Callable[..., Card | QR]] = {
    "clabe": clabe_card,
    "qr_code": QR,
}
"""The function that makes the card of an on-ramp, by the kind of the card."""


def _clabe_parts(clabe: str) -> clabe_rule.Parts | None:
    """The parts of a CLABE; None if it is not made of 18 digits."""
    try:
        return clabe_rule.parts(clabe)
    except ValueError:
        return None


def _clabe_part_rows(clabe_parts: clabe_rule.Parts, expected_digit: str) -> list[Row]:
    """The meaning of the parts of a CLABE, and whether its check digit is right."""
    bank_name = clabe_rule.BANKS.get(clabe_parts.bank, "not a bank we know by name")
    plaza_text = "the town of the branch"
    if clabe_parts.bank == clabe_rule.SIMULATED_BANK:
        plaza_text = "the simulator, no real town"
    elif clabe_parts.bank not in clabe_rule.BANKS:
        plaza_text = "not the town of a branch that we know"
    verdict = "correct" if clabe_parts.check == expected_digit else f"should be {expected_digit}"
    return [
        ("Bank code", f"{clabe_parts.bank}, {bank_name}"),
        ("Plaza", f"{clabe_parts.plaza}, {plaza_text}"),
        ("Account", clabe_parts.account),
        ("Check digit", f"{clabe_parts.check}, {verdict}"),
    ]


def _clabe_html(clabe: str, clabe_parts: Sequence[str]) -> str:
    """The parts of a CLABE with a caption below each, and all digits to copy.

    Without parts, only the digits to copy are shown.
    """
    groups_html = "".join(
        f'<div><div style="{DIGITS_STYLE}">{html.escape(digits)}</div>'
        f'<div style="{CAPTION_STYLE}">{caption_text}</div></div>'
        for digits, caption_text in zip(clabe_parts, CLABE_CAPTIONS, strict=False)
    )
    groups_style = "display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 10px"
    hint_html = f'<span style="{MUTED}">Digits only, one click selects them: </span>'
    digits_html = f'<div style="margin:0 0 12px">{hint_html}{html.copyable_text(clabe)}</div>'
    return f'<div style="{groups_style}">{groups_html}</div>{digits_html}'


def check_digit_calculation(clabe: str) -> list[str]:
    """The calculation of the check digit of a CLABE, a line of text for each step."""
    digit_products = clabe_rule.products(clabe[:17])
    check_digit = clabe_rule.check_digit(clabe[:17])
    product_sum = sum(digit_products)
    return [
        f"digits    {' '.join(clabe[:17])}",
        f"weights   {' '.join(map(str, clabe_rule.WEIGHTS))}",
        f"products  {' '.join(map(str, digit_products))}",
        "          (the last digit of each)",
        f"sum       {product_sum}, and {check_digit} makes it {product_sum + int(check_digit)}",
    ]


def _address_card(
    address: str, instructions: object, term_rows: Sequence[Row], service_name: str
) -> Card:
    """A wallet address, its QR code, and the currency and network that it accepts."""
    network = _find_network(instructions)
    card_rows = list(term_rows)
    for label, detail_text in _detail_rows(instructions):
        if detail_text not in (address, network):  # these are shown elsewhere
            card_rows.append((label, detail_text))
    currency = _read_currency(instructions)
    network_name = network.capitalize()
    title = f"Send {currency or 'the deposit'}"
    caution = f"Send only {currency or 'the agreed currency'}"
    if network_name:
        title += f" on {network_name}"
        caution += f", only over {network_name}"
    caution += ": anything else is lost."
    address_html = f'<div style="margin:0 0 10px">{html.copyable_text(address)}</div>'
    return Card(
        title,
        card_rows,
        service_name,
        text_rows=[("Pay to", address), *card_rows, ("Caution", caution)],
        html_parts=[address_html, html.table(card_rows)],
        caution=caution,
        code=encode_qr(address),
    )


def _find_network(instructions: object) -> str:
    """The network of a wallet address, else the first payment method; empty if neither is known."""
    details = _read_member(instructions, "details")
    network = details.get("network") if isinstance(details, Mapping) else None
    if isinstance(network, str):
        return network
    payment_methods = _read_member(instructions, "payment_methods")
    if isinstance(payment_methods, list | tuple) and payment_methods:
        return str(payment_methods[0])
    return ""


def _detail_card(instructions: object, term_rows: Sequence[Row], service_name: str) -> Card:
    """A table of the instructions as the service gave them."""
    detail_rows = [
        ("Type", _value_text(_read_member(instructions, "type"))),
        ("Currency", _read_currency(instructions) or NOT_GIVEN),
        *term_rows,
        *_detail_rows(instructions),
    ]
    return Card(
        "Deposit instructions",
        detail_rows,
        service_name,
        detail_rows,
        html_parts=[html.table(detail_rows)],
    )


def _amount_rows(holder: object) -> list[Row]:
    """A row with the amount to pay, which only a transfer has."""
    amount = _read_member(holder, "source_amount")
    if amount is None:
        return []
    currency = _read_member(holder, "source_currency")
    return [("Amount", f"{amount} {currency or ''}".rstrip())]


def _term_rows(instructions: object) -> list[Row]:
    """Rows of the rails, of the deadline and of the sandbox's limit, as far as they are known."""
    rails = _read_member(instructions, "payment_methods")
    term_rows = [("Rail", _value_text(rails))]
    if _read_member(instructions, "type") == CRYPTO_WALLET:
        term_rows = [("Network", _value_text(rails or _find_network(instructions)))]
    deadline = _read_member(instructions, "deadline")
    if deadline is not None:
        term_rows.append(("Pay before", _value_text(deadline)))
    currency = _read_currency(instructions)
    on_ramp = on_ramps.of_currency(currency)
    if on_ramp:
        term_rows.append(("Sandbox cap", f"at most {on_ramp.cap} {currency} a deposit"))
    return term_rows


def _detail_rows(instructions: object) -> list[Row]:
    """A row for each detail; one row if the details are no object, none without details."""
    details = _read_member(instructions, "details")
    if isinstance(details, Mapping):
        return [
            (str(detail_name), _value_text(detail_value))
            for detail_name, detail_value in details.items()
        ]
    return [] if details is None else [("details", _value_text(details))]


def _read_currency(instructions: object) -> str:
    """The code of the currency in upper case; empty if it is not known."""
    currency = _read_member(instructions, "currency")
    return currency.upper() if isinstance(currency, str) else ""


def _read_member(holder: object, field_name: str) -> object:
    """A member of a mapping, or an attribute of any other object; None without it."""
    if isinstance(holder, Mapping | Resource):
        return holder.get(field_name)
    return getattr(holder, field_name, None)


def _value_text(field_value: object) -> str:
    """A value as text: a list of texts with commas, any other structure as JSON."""
    if field_value is None or field_value in ("", [], ()):
        return NOT_GIVEN
    if isinstance(field_value, str):
        return field_value
    if isinstance(field_value, datetime):
        return f"{field_value:%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(field_value, list | tuple) and all(isinstance(item, str) for item in field_value):
        return ", ".join(field_value)
    return json.dumps(field_value, ensure_ascii=False, default=str)
