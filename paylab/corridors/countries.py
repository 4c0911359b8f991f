"""The facts of every country under the assumptions of one service: rails, accounts, words.

Rules, forms and the simulator read `of(service)`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ..errors.arguments import explain_arguments
from ..spec import codes
from ..spec.service.accounts import AccountDetails
from ..spec.service.service import Service
from .account_types import Account, DetailField, Format
from .corridor import ELSEWHERE, NAMED, SETTLEMENTS, Corridor, Corridors, Rail

_RAILS = "corridor.rails"
"""The source of a rail that the spec does not name for a country."""


class Countries:
    """The facts of every country under the assumptions of one service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._accounts: dict[str, Account] = {}
        self.all = Corridors(map(self._settled, NAMED))
        elsewhere = map(self._settled, ELSEWHERE)
        self._by_country = {corridor.country: corridor for corridor in (*self.all, *elsewhere)}

    @property
    def networks(self) -> tuple[str, ...]:
        """The networks of crypto wallets."""
        return self.service.financial_accounts.crypto_wallet.allowed

    def get(self, country: object) -> Corridor | None:
        """The facts of a country, with or without a corridor; None for an unknown code.

        >>> paylab.corridors.of(lab.service).get("PH").currency
        'PHP'
        """
        return self._by_country.get(country) if isinstance(country, str) else None

    def account(self, country: object, kind: object) -> Account | None:
        """An account type in a country; without a country, one that is the same everywhere.

        >>> paylab.corridors.of(lab.service).account("IN", "upi").fields[0].name
        'upi_id'
        """
        if country is not None:
            corridor = self.get(country)
            return corridor.account(kind) if corridor else None
        same_type = [candidate for candidate in self._accounts.values() if candidate.type == kind]
        return same_type[0] if len(same_type) == 1 else None

    def _settled(self, corridor: Corridor) -> Corridor:
        """The corridor with the rails, required fields and words of the service."""
        stated_methods = Service().payout_methods(corridor.country)
        rails = (
            Rail(
                method, SETTLEMENTS.get(method, ""), "spec" if method in stated_methods else _RAILS
            )
            for method in self.service.payout_methods(corridor.country)
        )
        accounts = (self._account(corridor.country, account) for account in corridor.accounts)
        return replace(corridor, rails=tuple(rails), accounts=tuple(accounts))

    def _account(self, country: str, account: Account) -> Account:
        """The account type, one object for all countries that share it."""
        form = self.service.account(country, account.type)
        if form is None:
            return account
        return self._accounts.setdefault(form.key, _with_details(account, form))


def _with_details(account: Account, form: AccountDetails) -> Account:
    """The account with the required fields and words of one service.

    An unknown required field accepts any text.
    """
    known_names = {field.name for field in account.fields}
    other_fields = tuple(
        DetailField(name, Format(source=account.source), source=account.source)
        for name in form.required
        if name not in known_names
    )
    fields = tuple(_with_words(field, account, form) for field in (*account.fields, *other_fields))
    return replace(account, fields=fields)


def _with_words(field: DetailField, account: Account, form: AccountDetails) -> DetailField:
    words = field.form
    if field.name == form.field:
        words = Format(choices=form.allowed, source=account.source)
    required = field.name in form.required
    if words is field.form and required == field.required:
        return field
    return replace(field, form=words, required=required)


@explain_arguments
@lru_cache
def of(service: Service | None = None) -> Countries:
    """The facts of every country under these assumptions, by default those of `Service()`.

    >>> paylab.corridors.of(lab.service).get("GB").currency
    'GBP'
    """
    return Countries(service) if service is not None else of(Service())


@explain_arguments
def get(country: object) -> Corridor | None:
    """The facts of a country, with or without a corridor; None for an unknown code.

    >>> paylab.corridors.get("MX").payout_methods
    ('spei',)
    """
    return of().get(country)


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
    """The corridors that match all given criteria.

    >>> [each.country for each in paylab.corridors.find(currency="PHP")]
    ['PH']
    """
    return Corridors(
        corridor
        for corridor in of(service).all
        if (not country or country.upper() == corridor.country)
        and (not currency or codes.same_currency(currency, corridor.currency))
        and (not rail or rail in corridor.payout_methods)
        and (not product or product in corridor.products)
        and (not account_type or account_type in corridor.account_types)
    )
