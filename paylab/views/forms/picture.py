"""Where to pay, inside a form."""

from __future__ import annotations

from ipywidgets import HTML

from ..deposit import deposit_card


def picture(account: object) -> HTML:
    """The card of an account's deposit instructions, as a widget."""
    card = deposit_card(getattr(account, "deposit_instructions", None) or account)
    return HTML(card._repr_mimebundle_()["text/html"])
