"""Advice on a refused payout or quote that names the choices of the account that is paid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors.api import APIStatusError
from ..errors.choices import choice_message
from ..rules.account_routes import AccountRoute
from ..spec import codes


@contextmanager
def name_choices(read_route: Callable[[], AccountRoute]) -> Iterator[None]:
    """Name the choices of a route in the advice on a refusal inside a with block.

    Those of a route that is not known stay as they are.
    """
    try:
        yield
    except APIStatusError as error:
        if error.hint:
            error.hint = narrow_advice(error.hint, read_route())
        raise


def narrow_advice(advice: str, route: AccountRoute) -> str:
    """The advice with the choices of a route in place of all that there are.

    >>> route = AccountRoute(("MXN",), ("spei",))
    >>> narrow_advice(f"it {choice_message(codes.PAYOUT_METHODS)}", route)
    'it must be spei'
    """
    all_choices = {
        codes.PAYOUT_METHODS: route.payout_method,
        codes.DESTINATION_CURRENCIES: route.destination_currency,
    }
    for every_choice, choices_of_route in all_choices.items():
        if choices_of_route:
            advice = advice.replace(choice_message(every_choice), choice_message(choices_of_route))
    return advice
