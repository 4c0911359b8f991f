"""The facts of every country under the assumptions of one service: rails, accounts, words.

Rules, forms and the simulator read `of(service)`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from ..errors.arguments import explain_arguments
from ..errors.base import OptionError, Problem
from ..errors.choices import describe_wrong_choice
from ..spec import codes
from ..spec.service.accounts import AccountDetails
from ..spec.service.service import Service
from .account_types import Account, DetailField, Format
from .corridor import COUNTRIES_WITHOUT_CORRIDOR, NAMED, SETTLEMENTS, Corridor, Rail
from .corridor_table import Corridors
from .country_names import country_code, unknown_country_error

_RAILS = "corridor.rails"
"""The source of a rail that the spec does not name for a country."""


class Countries:
    """The facts of every country under the assumptions of one service."""

    def __init__(self, service: Service) -> None:
        """Apply the settings of a service to the facts of each country."""
        self.service = service
        self._accounts: dict[str, Account] = {}  # by the key of their settings: `_adapt_account`
        # `all` has the countries that the spec names; the others are only found by their code.
        self.all = Corridors(map(self._apply_service, NAMED))
        countries_without_corridor = map(self._apply_service, COUNTRIES_WITHOUT_CORRIDOR)
        self._by_country = {
            corridor.country: corridor for corridor in (*self.all, *countries_without_corridor)
        }

    @property
    def networks(self) -> tuple[str, ...]:
        """The networks of crypto wallets."""
        return self.service.financial_accounts.crypto_wallet.allowed

    def get(self, country: object) -> Corridor | None:
        """Return the facts of a country, with or without a corridor; None for an unknown code.

        >>> paylab.corridors.of(lab.service).get("PH").currency
        'PHP'
        """
        return self._by_country.get(country) if isinstance(country, str) else None

    def __getitem__(self, country: codes.Country | str) -> Corridor:
        """Return the facts of a country by its code or English name; RuleError for an unknown one.

        >>> paylab.corridors.of(lab.service)["Mexico"].currency
        'MXN'
        """
        code = country_code(country)
        corridor: Corridor | None = self._by_country.get(code)
        if corridor is None:
            raise unknown_country_error(code, codes.COUNTRIES)
        return corridor

    def account(self, country: object, account_type: object) -> Account | None:
        """Return an account type in a country; without a country, one that is the same everywhere.

        It is None if there is no such account type, or if it differs between countries.

        >>> paylab.corridors.of(lab.service).account("IN", "upi").fields[0].name
        'upi_id'
        """
        if country is not None:
            corridor = self.get(country)
            return corridor.account(account_type) if corridor else None
        # Countries whose accounts are equal share one object: more than one means a difference.
        accounts = [account for account in self._accounts.values() if account.type == account_type]
        return accounts[0] if len(accounts) == 1 else None

    def _apply_service(self, corridor: Corridor) -> Corridor:
        """Return the corridor with the rails, required fields and words of the service."""
        stated_methods = Service().payout_methods(corridor.country)
        rails = []
        for method in self.service.payout_methods(corridor.country):
            rail_source = "spec" if method in stated_methods else _RAILS
            rails.append(Rail(method, SETTLEMENTS.get(method, ""), rail_source))
        accounts = [self._adapt_account(corridor.country, account) for account in corridor.accounts]
        return replace(corridor, rails=tuple(rails), accounts=tuple(accounts))

    def _adapt_account(self, country: str, account: Account) -> Account:
        """Return an account type with the settings of the service.

        It is one object for all countries that share it.
        """
        account_settings = self.service.account(country, account.type)
        if account_settings is None:
            return account
        # Countries with the same key of settings also have equal account types.
        if account_settings.key not in self._accounts:
            self._accounts[account_settings.key] = _apply_settings(account, account_settings)
        return self._accounts[account_settings.key]


def _apply_settings(account: Account, settings: AccountDetails) -> Account:
    """Return the account type with the required fields and words of one service.

    An unknown required field accepts any text.
    """
    known_names = {field.name for field in account.fields}
    added_fields = [
        DetailField(field_name, Format(source=account.source), source=account.source)
        for field_name in settings.required
        if field_name not in known_names
    ]
    fields = [
        _apply_settings_to_field(field, account, settings)
        for field in (*account.fields, *added_fields)
    ]
    return replace(account, fields=tuple(fields))


def _apply_settings_to_field(
    field: DetailField, account: Account, settings: AccountDetails
) -> DetailField:
    """Return a field with the words of one service, required if the service requires it."""
    text_format = field.form
    if field.name == settings.field:
        text_format = Format(choices=settings.allowed, source=account.source)
    is_required = field.name in settings.required
    if text_format is field.form and is_required == field.required:
        return field
    return replace(field, form=text_format, required=is_required)


@explain_arguments
@lru_cache
def of(service: Service | None = None) -> Countries:
    """Return the facts of every country for a service, by default for `Service()`.

    >>> paylab.corridors.of(lab.service).get("GB").currency
    'GBP'
    """
    if service is None:
        return of(Service())  # `of()` and `of(Service())` have one entry in the cache
    return Countries(service)


def all_corridors() -> tuple[Corridor, ...]:
    """Return the facts of every country by the spec, without the settings of a service."""
    return of().all


def likely_country(account_type: object, details: Collection[str]) -> str | None:
    """Return a country whose account type has these details.

    It is None if no account type has them, or if several different ones do.
    """
    if not details:
        return None
    account_by_country: dict[str, Account] = {}
    for corridor in all_corridors():
        account = corridor.account(account_type)
        if account and {*details} <= {field.name for field in account.fields}:
            account_by_country[corridor.country] = account
    if not account_by_country:
        return None
    first_country, first_account = next(iter(account_by_country.items()))
    are_all_equal = all(account == first_account for account in account_by_country.values())
    return first_country if are_all_equal else None


@explain_arguments
def get(country: codes.Country | str) -> Corridor:
    """Return the facts of a country by its code or English name; RuleError for an unknown one.

    >>> paylab.corridors.get("MX").payout_methods
    ('spei',)
    """
    corridor: Corridor = of()[country]
    return corridor


@explain_arguments
def find(  # noqa: PLR0913 - each narrows the search, and all have defaults
    *,
    country: str = "",
    currency: str = "",
    rail: str = "",
    product: str = "",
    account_type: str = "",
    service: Service | None = None,
) -> Corridors:
    """Return the corridors that match all criteria; OptionError for a word that none has.

    >>> [corridor.country for corridor in paylab.corridors.find(currency="PHP")]
    ['PH']
    """

    def is_match(corridor: Corridor) -> bool:
        """Whether a corridor matches each criterion that was given."""
        criteria_met = [
            not country or country_code(country) == corridor.country,
            not currency or codes.same_currency(currency, corridor.currency),
            not rail or rail in corridor.payout_methods,
            not product or product in corridor.products,
            not account_type or account_type in corridor.account_types,
        ]
        return all(criteria_met)

    corridors = of(service).all
    _refuse_unknown_word("currency", currency.upper(), codes.DESTINATION_CURRENCIES)
    _refuse_unknown_word("product", product, codes.PRODUCTS)
    rails = {method for corridor in corridors for method in corridor.payout_methods}
    _refuse_unknown_word("rail", rail, {*codes.PAYOUT_METHODS, *rails})
    account_types = {name for corridor in corridors for name in corridor.account_types}
    _refuse_unknown_word("account_type", account_type, account_types)
    return Corridors(filter(is_match, corridors))


def _refuse_unknown_word(field_name: str, word: str, known_words: Collection[str]) -> None:
    """OptionError for a word that is none of those known, with a similar one."""
    if word and word not in known_words:
        message = describe_wrong_choice(sorted(known_words), word)
        raise OptionError([Problem(field_name, message)])
