"""The card for each kind of deposit instructions."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from paylab.emvqr import build
from paylab.errors import ArgumentError, PaylabError
from paylab.spec.models import Transfer
from paylab.views.cards import deposit_card
from paylab.views.qr import QR, scan

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
def test_a_clabe_has_a_card_with_rail_and_cap(shape):
    """A CLABE has a card with rail and cap, from a dict or from an object with attributes."""
    card = deposit_card(shape(MX))
    assert card.title == "Pay to this CLABE"
    assert card.table()[-2:] == [("Rail", "spei"), ("Sandbox cap", "at most 50 MXN a deposit")]


@pytest.mark.parametrize("holder", [None, 7, [MX], object()])
def test_what_has_no_deposit_instructions_has_no_card(holder):
    """The error of any other value names it and says what has a card."""
    with pytest.raises(ArgumentError, match=r"must be a conversion account or its id, .*, not "):
        deposit_card(holder)


def test_a_qr_ph_text_has_a_qr_code_with_rail_and_cap(ph, komo):
    """A QR Ph text has a QR code with rail and cap."""
    card = deposit_card(ph)
    assert isinstance(card, QR)
    assert card.payload == komo
    assert card.table()[-2:] == [("Rail", "x"), ("Sandbox cap", "at most 100 PHP a deposit")]


def test_a_code_of_another_country_must_not_be_paid():
    """A valid QR code that is not of the on-ramp must not be paid."""
    tree = {"00": "01", "01": "11", "26": {"00": "sg.paynow", "01": "1"}, "52": "0000"}
    text = build({**tree, "53": "702", "58": "SG", "59": "ANA", "60": "SINGAPORE"})
    card = deposit_card({"type": "ph_qr_code", "details": {"qrph_payload": text}})
    assert (QR(text).title, card.title) == ("Scan to pay", "This QR code is not valid")
    assert "must be a QR Ph code, of PH in PHP: it is of SG in SGD" in repr(card)


def test_the_card_of_a_wallet_has_its_other_details_and_deadline():
    """The address and the network are in the title, other details and the deadline in the table."""
    wallet = {"address": "0x1", "network": "base", "more": {"a": [1]}}
    deadline = datetime(2026, 11, 22, 10, tzinfo=UTC)
    card = deposit_card({"type": "crypto_wallet", "details": wallet, "deadline": deadline})
    assert card.table() == [
        ("Network", "base"),
        ("Pay before", "2026-11-22 10:00:00 UTC"),
        ("more", '{"a": [1]}'),
    ]


@pytest.mark.parametrize(
    ("currency", "network", "rails", "title", "only"),
    [
        ("usdc", "base", ["polygon"], "Send USDC on Base", "only USDC, only over Base"),
        ("usdc", None, ["polygon"], "Send USDC on Polygon", "only USDC, only over Polygon"),
        ("usdc", None, [], "Send USDC", "only USDC"),
        (None, None, None, "Send the deposit", "only the agreed currency"),
    ],
)
def test_a_wallet_names_what_it_accepts(currency, network, rails, title, only):
    """The network is that of the details, or else the first rail; unknown parts are left out."""
    details = {"address": "0x1", "network": network}
    given = {"type": "crypto_wallet", "currency": currency, "payment_methods": rails}
    card = deposit_card({**given, "details": details})
    assert (card.title, card.caution) == (title, f"Send {only}: anything else is lost.")
    assert card.text_rows[0] == ("Pay to", "0x1")
    assert scan(card.png(300)) == "0x1"


def test_a_transfer_names_its_amount():
    """The amount is known of a transfer that waits for a deposit; a CLABE has no picture."""
    with pytest.raises(ArgumentError, match="it waits for no deposit"):
        deposit_card(Transfer.model_validate({"id": "tr_1", "source_amount": "5"}))
    card = deposit_card({"source_amount": "5", "deposit_instructions": MX})
    assert ("Amount", "5") in card.table()
    with pytest.raises(PaylabError, match="has no QR code"):
        card.png()


@pytest.mark.parametrize(
    "instructions",
    [
        {},
        {"type": ["x"], "currency": 5, "payment_methods": {"a": None}, "details": "text"},
        {**MX, "details": None},
        {**MX, "details": {"clabe": 2010077777777771}},
        {**MX, "type": "of a later year"},
        {"type": "ph_qr_code", "details": {"qrph_payload": ""}},
        {"type": "ph_qr_code", "currency": "php", "details": {"qrph_payload": "á" * 3000}},
    ],
)
def test_instructions_of_an_unknown_type_or_without_the_needed_detail_are_a_plain_table(
    instructions,
):
    """Instructions of an unknown type, or without the needed detail, are a plain table."""
    card = deposit_card(instructions)
    assert card.title == "Deposit instructions"
    assert "Deposit instructions" in card._repr_mimebundle_()["text/html"]


def test_names_and_values_from_the_service_are_escaped():
    """Names and values from the service are escaped."""
    card = deposit_card({"type": "<b>", "details": {"<i>": "</table>\x1b"}})
    shown = card._repr_mimebundle_()
    assert not any(tag in shown["text/html"] for tag in ("<b>", "<i>", "</table>\\x1b"))
    assert "\x1b" not in shown["text/plain"]
