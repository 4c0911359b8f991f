"""The card for each kind of deposit instructions."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from paylab.views.cards import deposit_card
from paylab.views.qr import QR

MX = {
    "type": "mx_virtual_account",
    "currency": "mxn",
    "payment_methods": ["spei"],
    "details": {"clabe": "002010077777777771"},
}


@pytest.fixture
def ph(komo):
    """Deposit instructions of an account in the Philippines."""
    details = {"qrph_payload": komo}
    return {"type": "ph_qr_code", "currency": "php", "payment_methods": ["x"], "details": details}


@pytest.mark.parametrize("shape", [dict, lambda fields: SimpleNamespace(**fields)])
def test_mx(shape):
    """A CLABE has a card with rail and cap, from a dict or from an object with attributes."""
    card = deposit_card(shape(MX))
    assert card.title == "Pay to this CLABE"
    assert card.table()[-2:] == [("Rail", "spei"), ("Sandbox cap", "at most 50 MXN a deposit")]


def test_ph(ph, komo):
    """A QR Ph text has a QR code with rail and cap."""
    card = deposit_card(ph)
    assert isinstance(card, QR)
    assert card.payload == komo
    assert card.table()[-2:] == [("Rail", "x"), ("Sandbox cap", "at most 100 PHP a deposit")]


def test_wallet():
    """The address and the network are in the title, other details and the deadline in the table."""
    wallet = {"address": "0x1", "network": "base", "more": {"a": [1]}}
    deadline = datetime(2026, 11, 22, 10, tzinfo=UTC)
    card = deposit_card({"type": "crypto_wallet", "details": wallet, "deadline": deadline})
    assert card.table() == [
        ("Rail", "not said"),
        ("Pay before", "2026-11-22 10:00 UTC"),
        ("more", '{"a": [1]}'),
    ]


@pytest.mark.parametrize(
    "instructions",
    [
        None,
        7,
        {},
        {"type": ["x"], "currency": 5, "payment_methods": {"a": None}, "details": "text"},
        {**MX, "details": None},
        {**MX, "details": {"clabe": 2010077777777771}},
        {**MX, "type": "of a later year"},
        {"type": "ph_qr_code", "details": {"qrph_payload": ""}},
        {"type": "ph_qr_code", "currency": "php", "details": {"qrph_payload": "á" * 3000}},
    ],
)
def test_anything_else(instructions):
    """Instructions of an unknown type, or without the needed detail, are a plain table."""
    card = deposit_card(instructions)
    assert card.title == "Deposit instructions"
    assert "Deposit instructions" in card._repr_mimebundle_()["text/html"]


def test_hostile_details():
    """Names and values from the service are escaped."""
    card = deposit_card({"type": "<b>", "details": {"<i>": "</table>\x1b"}})
    shown = card._repr_mimebundle_()
    assert not any(tag in shown["text/html"] for tag in ("<b>", "<i>", "</table>\\x1b"))
    assert "\x1b" not in shown["text/plain"]
