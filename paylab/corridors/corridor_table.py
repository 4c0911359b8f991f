"""Corridors as a table: in a notebook and in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, groupby

from ..spec import codes
from ..spec.tables import Row, align_columns, html_table, join_words
from .account_types import Account, DetailField
from .corridor import PRODUCTS_SOURCE, Corridor
from .format_text import ANY_TEXT, describe_documents, describe_format

CORRIDOR_COLUMNS = (
    "Country and rails",
    "Accounts and their fields",
    "Documents, products and more",
)
COLUMN_PERCENTS = (24, 40, 36)


class Corridors(tuple[Corridor, ...]):
    """Corridors, shown as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        return align_columns(summary_rows(self)) if self else "no corridor"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The corridors as a table, as notebooks show it."""
        rows = table_rows(self)
        table_html = html_table(CORRIDOR_COLUMNS, rows, table_notes(self), percents=COLUMN_PERCENTS)
        return {"text/html": table_html, "text/plain": repr(self)}


def table_rows(corridors: Iterable[Corridor]) -> list[Row]:
    """Return one row per group of neighbours that differ only in the country."""
    rows: list[Row] = []
    for corridor_group in _group_equal(corridors):
        currency, rails_text, *other_cells = _make_cells(corridor_group[0])
        rows.append((f"{_name_group(corridor_group)}\n{currency}\n{rails_text}", *other_cells))
    return rows


def summary_rows(corridors: Iterable[Corridor]) -> list[Row]:
    """Return one row per group for a terminal: country, currency, rails, account types."""
    rows: list[Row] = []
    for corridor_group in _group_equal(corridors):
        corridor = corridor_group[0]
        rails_text = join_words(map(str, corridor.rails))
        account_types_text = join_words(
            account.type for account in _select_payout_accounts(corridor)
        )
        rows.append(
            (_name_group(corridor_group), corridor.currency, rails_text, account_types_text)
        )
    return rows


def table_notes(corridors: Sequence[Corridor]) -> list[str]:
    """Return the notes below a table: the countries of each group, and what holds for all rows."""
    notes = []
    for corridor_group in _group_equal(corridors):
        if len(corridor_group) > 1:
            country_codes_text = join_words(corridor.country for corridor in corridor_group)
            notes.append(f"{_name_group(corridor_group)}: {country_codes_text}.")
    wallets = [corridor.account(codes.CRYPTO_WALLET) for corridor in corridors]
    wallet_texts = [_describe_account(wallet) for wallet in wallets if wallet is not None]
    for wallet_text in dict.fromkeys(wallet_texts):
        notes.append(f"Individuals of every country can hold a {wallet_text}.")
    ramp_fields = chain.from_iterable(corridor.ramp_fields for corridor in corridors)
    unique_fields = dict.fromkeys(ramp_fields)
    if unique_fields:
        notes.append(f"on_ramp and off_ramp also require {join_words(unique_fields)}.")
    return notes


def _group_equal(corridors: Iterable[Corridor]) -> list[list[Corridor]]:
    """Return groups of neighbours that differ only in the country."""
    return [list(corridor_group) for _, corridor_group in groupby(corridors, _make_cells)]


def _name_group(group: Sequence[Corridor]) -> str:
    """Return the name of a group, such as "Mexico (MX)" or "31 SEPA countries"."""
    if len(group) == 1:
        return f"{group[0].name} ({group[0].country})"
    are_all_sepa = all(corridor.country in codes.SEPA for corridor in group)
    return f"{len(group)} {'SEPA ' if are_all_sepa else ''}countries"


def _make_cells(corridor: Corridor) -> Row:
    """Return the cells of a corridor: its currency, rails, accounts and other facts."""
    accounts = _select_payout_accounts(corridor)
    product_texts = [_describe_product(corridor, product) for product in corridor.products]
    unique_sources = dict.fromkeys(account.source for account in accounts)
    if corridor.assumed_products:
        unique_sources[PRODUCTS_SOURCE] = None
    fact_by_name = {
        "Documents": describe_documents(corridor.documents),
        "Also required": join_words(_describe_required(corridor)),
        "Products": join_words(product_texts),
        "On-ramp from": corridor.on_ramp_currency or "-",
        "Assumed": join_words(unique_sources),
    }
    return (
        corridor.currency or "-",
        "\n".join(map(str, corridor.rails)) or "-",
        "\n".join(map(_describe_account, accounts)),
        "\n".join(
            f"{fact_name}: {fact_text}"
            for fact_name, fact_text in fact_by_name.items()
            if fact_text != "-"
        ),
    )


def _describe_product(corridor: Corridor, product: str) -> str:
    """Return the name of a product, marked if the spec does not show it for the country."""
    return f"{product} (assumed)" if product in corridor.assumed_products else product


def _describe_required(corridor: Corridor) -> list[str]:
    """Return the additional required fields; the phone has its format in brackets."""
    description_by_field = {field_name: field_name for field_name in corridor.required}
    if corridor.phone and "phone" in description_by_field:
        description_by_field["phone"] = f"phone ({corridor.phone.message})"
    return list(description_by_field.values())


def _describe_account(account: Account) -> str:
    """Return a text such as `bank_account: clabe (exactly 18 digits)`."""
    return f"{account.type}: {', '.join(map(_describe_field, account.fields))}"


def _describe_field(field: DetailField) -> str:
    """Return the name of a field, with its format in brackets unless it takes any text."""
    format_description = describe_format(field.form).removeprefix("one of ")
    if field.selected_by:
        format_description = f"as {field.selected_by} says"
    bracket_texts = [] if format_description == ANY_TEXT else [format_description]
    if not field.required:
        bracket_texts.append("can be left out")
    return f"{field.name} ({'; '.join(bracket_texts)})" if bracket_texts else field.name


def _select_payout_accounts(corridor: Corridor) -> Sequence[Account]:
    """Return the account types except the crypto wallet, which every country has.

    A country that has no other type keeps the crypto wallet.
    """
    accounts = [account for account in corridor.accounts if account.type != codes.CRYPTO_WALLET]
    return accounts or corridor.accounts
