"""What a person waits for: a QR code under a cell, and a form."""

from __future__ import annotations

from time import process_time

import pytest

import paylab
from paylab.views.cards import deposit_card

MOST_QR, MOST_FORM = 0.012, 0.150


def taken(act, rounds=30):
    """The least of so many, in seconds of the processor; the first, which imports, is left out."""
    act()
    times = []
    for _ in range(rounds):
        started = process_time()
        act()
        times.append(process_time() - started)
    return min(times)


def bundle(shown):
    """What a kernel does to show something: widgets send their state, and the rest is text."""
    return shown._repr_mimebundle_()


def test_a_qr_code(lab):
    """A deposit card with its QR code, from the payload to what the page is sent."""
    account = lab.onramp("PH", example=True, consent=True).submit().conversion_account_id
    instructions = lab.conversion_accounts.get(account).deposit_instructions
    seconds = taken(lambda: bundle(deposit_card(instructions)))
    print(f"\na QR code inline: {seconds * 1000:.1f} ms")
    assert seconds <= MOST_QR


@pytest.mark.parametrize("country", ["MX", "PH"])
def test_a_form(country):
    """From its cell to its widgets, kernel side."""
    lab = paylab.connect()
    seconds = taken(lambda: bundle(lab.forms.onboarding(country, example=True, new=True)))
    print(f"\nthe onboarding form of {country}: {seconds * 1000:.1f} ms")
    assert seconds <= MOST_FORM


def test_a_whole_walk():
    """The stepper with its first form."""
    lab = paylab.connect()
    seconds = taken(lambda: bundle(lab.onramp("PH", example=True, new=True)))
    print(f"\nthe stepper: {seconds * 1000:.1f} ms")
    assert seconds <= MOST_FORM
