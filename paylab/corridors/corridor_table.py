"""Display corridors as tables: in a notebook and in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from ..spec import codes
from ..spec.service.setting import SPEC
from .account_types import DOCUMENT_NUMBERS, Account, DetailField, Format

if TYPE_CHECKING:
    from .corridor import Corridor

Cells = tuple[str, ...]

HEAD = (
    "Country", "Rails and their settlement", "Accounts and their fields",
    "Documents, products and more",
)  # fmt: skip
ANY_TEXT = "text"
PRODUCTS = "corridor.products"
"""The assumption behind the products that the spec does not show for a country."""
FACTS = ("fact", "value", "from")
_CELL = ' style="text-align:left;vertical-align:top"'


def html(head: Sequence[str], body: Iterable[Cells], below: Iterable[str] = ()) -> str:
    """A table in HTML, and notes below it."""
    top = "".join(f"<th{_CELL}>{escape(name)}</th>" for name in head)
    inside = "".join(f"<tr>{''.join(map(_html_cell, cells))}</tr>" for cells in body)
    notes = "".join(f"<p>{escape(note)}</p>" for note in below)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{inside}</tbody></table>{notes}"


def table_text(body: Sequence[Cells]) -> str:
    """A table with aligned columns, for a terminal."""
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    padded = (zip(cells, widths, strict=True) for cells in body)
    return "\n".join("  ".join(f"{cell:<{wide}}" for cell, wide in row).rstrip() for row in padded)


def rows(corridors: Iterable[Corridor]) -> list[Cells]:
    """One row per corridor; consecutive corridors that differ only in the country share one."""
    rows_of_groups = ((_title(alike), *_cells(alike[0])) for alike in _alike(corridors))
    return [(f"{title}\n{currency}", *cells) for title, currency, *cells in rows_of_groups]


def brief(corridors: Iterable[Corridor]) -> list[Cells]:
    """One row per corridor for a terminal: country, currency, rails, account types."""
    return [
        (
            _title(alike),
            alike[0].currency,
            _join(map(str, alike[0].rails)),
            _join(account.type for account in _own_accounts(alike[0])),
        )
        for alike in _alike(corridors)
    ]


def notes(corridors: Sequence[Corridor]) -> list[str]:
    """Notes that apply to all rows, and the countries that share one."""
    shared_corridors = [alike for alike in _alike(corridors) if len(alike) > 1]
    names = [
        f"{_title(alike)}: {_join(corridor.country for corridor in alike)}."
        for alike in shared_corridors
    ]
    wallets_found = (corridor.account(codes.CRYPTO_WALLET) for corridor in corridors)
    wallets = dict.fromkeys(map(_account, filter(None, wallets_found)))
    wallet_notes = [f"Individuals of every country can hold a {wallet}." for wallet in wallets]
    required_fields = dict.fromkeys(
        name for corridor in corridors for name in corridor.required_on_ramps
    )
    ramp_notes = (
        [f"on_ramp and off_ramp also require {_join(required_fields)}."] if required_fields else []
    )
    return [*names, *wallet_notes, *ramp_notes]


def facts(corridor: Corridor) -> Iterator[tuple[str, str, str]]:
    """All facts of one country: fact, value, source."""
    yield "country", f"{corridor.name} ({corridor.country})", SPEC
    yield "currency", corridor.currency or "no corridor is named", SPEC
    for rail in corridor.rails:
        yield f"rail {rail.method}", rail.settlement or "settlement not shown", rail.source
    # The spec says that a product exists here by naming a currency of it.
    on_ramp = corridor.on_ramp
    is_stated = on_ramp is not None and on_ramp.source == SPEC
    stated_products = {codes.GLOBAL_PAYOUTS: corridor.currency, codes.ON_RAMP_PRODUCT: is_stated}
    stated = [product for product in corridor.products if stated_products.get(product)]
    assumed = [product for product in corridor.products if product not in stated]
    if stated:
        yield "products", _join(stated), SPEC
    if assumed:
        yield "products, not shown", _join(assumed), PRODUCTS
    yield "documents", _documents(corridor), SPEC
    for kind in () if corridor.documents == codes.DOCUMENT_TYPES else corridor.documents:
        if form := DOCUMENT_NUMBERS.get(kind):
            yield f"number of a {kind}", _wanted(form), form.source
    yield "also required", _join(corridor.required), SPEC
    yield "for on_ramp, off_ramp", _join(corridor.required_on_ramps), SPEC
    if corridor.phone:
        yield "phone", corridor.phone.message, corridor.phone.source
    if on_ramp:
        yield "on-ramp from", on_ramp.currency, on_ramp.source
    elif codes.ON_RAMP_PRODUCT in corridor.closed:
        yield "on-ramp", "not enabled", SPEC
    else:
        yield "on-ramp", "no on-ramp is known", PRODUCTS
    for account in corridor.accounts:
        for field in account.fields:
            sources = {field.source: None, field.form.source: None}
            by_kind = "; ".join(f"{kind}: {_wanted(form)}" for kind, form in field.forms.items())
            rule = by_kind or _wanted(field.form)
            left_out = "" if field.required else ", can be left out"
            yield f"{account.type} {field.name}", f"{rule}{left_out}", ", ".join(sources)


def _html_cell(cell: str) -> str:
    inside = escape(cell).replace("\n", "<br>")
    return f"<td{_CELL}>{inside}</td>"


def _alike(corridors: Iterable[Corridor]) -> list[list[Corridor]]:
    """Consecutive corridors that differ only in the country."""
    return [list(alike) for _, alike in groupby(corridors, _cells)]


def _title(alike: Sequence[Corridor]) -> str:
    if len(alike) == 1:
        return f"{alike[0].name} ({alike[0].country})"
    sepa = all(corridor.country in codes.SEPA for corridor in alike)
    return f"{len(alike)} {'SEPA ' if sepa else ''}countries"


def _cells(corridor: Corridor) -> Cells:
    accounts = _own_accounts(corridor)
    facts = {
        "Documents": _documents(corridor),
        "Also required": _join(_asked(corridor, name) for name in corridor.required),
        "Products": _join(corridor.products),
        "On-ramp from": corridor.on_ramp_currency or "-",
        "Assumed": _join(dict.fromkeys(account.source for account in accounts)),
    }
    return (
        corridor.currency or "-",
        "\n".join(map(str, corridor.rails)) or "-",
        "\n".join(map(_account, accounts)),
        "\n".join(f"{name}: {fact}" for name, fact in facts.items() if fact != "-"),
    )


def _asked(corridor: Corridor, name: str) -> str:
    """An additional required field, with its format if known."""
    return f"{name} ({corridor.phone.message})" if name == "phone" and corridor.phone else name


def _account(account: Account) -> str:
    """`bank_account: clabe (exactly 18 digits)`."""
    return f"{account.type}: {', '.join(map(_short, account.fields))}"


def _short(field: DetailField) -> str:
    """A field, with its format if known."""
    form = f"as {field.by} says" if field.by else _form_words(field.form).removeprefix("one of ")
    left_out = "" if field.required else "can be left out"
    inside = "; ".join(part for part in (form, left_out) if part and part != ANY_TEXT)
    return f"{field.name} ({inside})" if inside else field.name


def _own_accounts(corridor: Corridor) -> Iterable[Account]:
    """All account types except the crypto wallet, which every country has."""
    bank_accounts = [
        account for account in corridor.accounts if account.type != codes.CRYPTO_WALLET
    ]
    return bank_accounts or corridor.accounts


def _documents(corridor: Corridor) -> str:
    return "any" if corridor.documents == codes.DOCUMENT_TYPES else _join(corridor.documents)


def _wanted(form: Format) -> str:
    return f"{_form_words(form)} ({form.note})" if form.note else _form_words(form)


def _form_words(form: Format) -> str:
    if form.choices == codes.SEPA:
        return "any SEPA country"
    if form.choices:
        return f"one of {_join(form.choices)}" if len(form.choices) > 1 else form.choices[0]
    messages = "; ".join(format_.message for format_ in (form, form.also) if format_)
    return messages.removeprefix("must be ") or ("an EMV QR text" if form.check else ANY_TEXT)


def _join(words: Iterable[str]) -> str:
    return ", ".join(words) or "-"
