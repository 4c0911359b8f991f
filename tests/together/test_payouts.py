"""Payouts with forms and client on the simulator, for every corridor."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import pytest

import paylab
from paylab import corridors
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator
from paylab.spec import codes
from paylab.views.drawing import encode_qr
from paylab.views.specimens import specimen

NAMED = ["AR", "BR", "CO", "IN", "MX", "PH", "GB"]
GOLDEN = Path(__file__).parent.parent / "emvqr" / "golden" / "maya.txt"
SCENARIOS = {
    "s": "completed",
    "scenario:failed": "failed",
    "scenario:expired": "expired",
    "scenario:cancelled": "cancelled",
    "scenario:under_review:7": "under_review",
}


@pytest.fixture
def lab():
    """A lab on its own simulator, which has no payments."""
    return paylab.connect(simulator=Simulator())


@pytest.fixture
def mexican(lab):
    """A Mexican recipient with a CLABE."""
    return lab.individuals.create(**examples.recipient("MX"))


@pytest.fixture
def seller(lab):
    """An individual verified for the off-ramp, with a bank account and no wallet."""
    fields = paylab.examples.individual("MX", consent_at=lab.clock(), product="off_ramp")
    bank = examples.recipient("MX")["financial_accounts"]
    person = lab.individuals.create(**fields, financial_accounts=bank)
    sides = ("document-front", "selfie")
    images = {side: specimen(side, name="A", country="MX") for side in sides}
    lab.individuals.upload_images(person.id, images)
    return lab.individuals.wait(person.id)


@pytest.mark.parametrize(
    "country",
    [
        *NAMED,
        *codes.SEPA[::9],
        *(pytest.param(each, marks=pytest.mark.whole_table) for each in codes.SEPA),
    ],
)
def test_a_payout_completes_in_every_corridor(lab, country):
    """A payout made with the forms completes with the quote's amount in the local currency."""
    person = lab.forms.recipient(country, example=True).submit()
    quote = lab.forms.quote(person, amount="250").submit()
    transfer = lab.forms.quote_card(quote).submit()
    done = lab.transfers.wait(transfer.id)
    assert (done.status, done.destination_currency) == (
        "completed",
        corridors.get(country).currency,
    )
    assert done.destination_amount.text == quote.destination_amount.text
    assert done.settlement_reference_id


ACCOUNTS = {
    ("BR", "pix"): {"pix_key": "39053344705", "pix_key_type": "cpf"},
    ("PH", "bank_account"): {"issuer": "bdo", "account_number": "1", "account_holder_name": "A B"},
    ("PH", "digital_wallet"): {"issuer": "maya", "account_number": "1", "account_holder_name": "A"},
    ("IN", "upi"): {"upi_id": "a@b"},
    ("GB", "crypto_wallet"): {"address": paylab.examples.WALLET["address"], "network": "polygon"},
    ("CO", "bank_account"): examples.account("CO")["details"],
}


@pytest.mark.parametrize(("country", "kind"), ACCOUNTS)
def test_an_account_of_every_type_is_added_later(lab, country, kind):
    """An account of each type can be added to an existing recipient with the form."""
    details = ACCOUNTS[country, kind]
    person = lab.individuals.create(**examples.recipient(country))
    form = lab.forms.financial_account(person)
    form.account_fields.fill(kind, details)
    assert (form.submit().type, form.result.details) == (kind, details)
    assert f'"{kind}"' in form.code()


def test_what_an_account_needs_is_not_called_optional(lab):
    """Only the account as a whole and the BIC are marked optional."""
    form = lab.forms.recipient("DE", example=True)
    marks = {one.label: one.props()["mark"] for one in form.account if one.visible}
    optional = [label for label, mark in marks.items() if mark.startswith("Optional")]
    assert optional == ["Account", "BIC"]


def test_a_code_is_scanned_and_can_be_registered(lab):
    """The text of a scanned QR Ph code is filled in and can be submitted."""
    person = lab.individuals.create(**examples.recipient("PH"))
    text = GOLDEN.read_text().strip()
    form = lab.forms.financial_account(person)
    form.account_fields.fill("ph_qr_code", {})
    form.account_fields.upload.on_file("code.png", BytesIO(encode_qr(text).png(300)))
    assert form.account_fields.details["qrph_payload"].value == text
    assert form.submit().details == {"qrph_payload": text}


def test_a_picture_without_a_code_says_so(lab):
    """An image without a code fills in nothing and shows an error."""
    form = lab.forms.financial_account(lab.individuals.create(**examples.recipient("PH")))
    form.account_fields.fill("ph_qr_code", {})
    form.account_fields.upload.on_file("code.png", b"<script>no picture</script>")
    assert form.account_fields.details["qrph_payload"].value == ""
    assert "No code was read from code.png" in form.account_fields.upload.errors[0]


def test_details_are_replaced_and_a_wallet_is_registered_anew(lab, mexican):
    """An edited account keeps its id; an edited crypto wallet is created as a new account."""
    bank = mexican.financial_accounts[0]
    form = lab.forms.financial_account(mexican, bank)
    form.account_fields.details["clabe"].value = "032180000118359719"
    assert (form.submit().id, form.result.details["clabe"]) == (bank.id, "032180000118359719")
    wallet = lab.financial_accounts.create(mexican.id, "crypto_wallet", paylab.examples.WALLET)
    other = lab.forms.financial_account(mexican, wallet)
    assert "cannot be edited" in other.wallet_note.html
    other.account_fields.details["address"].value = "0x" + "0" * 39 + "1"
    assert other.submit().id != wallet.id


@pytest.mark.parametrize(
    ("country", "kind", "details", "word"),
    [
        ("MX", "bank_account", {"clabe": "032180000118359718"}, "CLABE"),
        ("AR", "bank_account", {"account_number": "0" * 21 + "1"}, "CBU"),
        ("BR", "pix", {"pix_key": "39053344704", "pix_key_type": "cpf"}, "CPF"),
        ("BR", "pix", {"pix_key": "12ABC34501DE36", "pix_key_type": "cnpj"}, "CNPJ"),
        ("DE", "bank_account", {"iban": "DE88370400440532013000"}, "IBAN"),
        ("GB", "crypto_wallet", {"address": "0x0000000000000000000000000000000000000DEAd"}, "addr"),
    ],
)
def test_a_mistyped_number_is_a_warning_and_can_be_sent(lab, country, kind, details, word):
    """A number with a wrong checksum causes a warning and is sent with `anyway=True`."""
    form = lab.forms.financial_account(lab.individuals.create(**examples.recipient(country)))
    form.account_fields.fill(kind, {**_example(country, kind), **details})
    assert any(word in warning.message for warning in form.check().warnings)
    assert form.submit(anyway=True).id


def _example(country, kind):
    own = examples.account(country)
    return own["details"] if own["type"] == kind else {"network": "base"}


@pytest.mark.parametrize("given", ["source_amount", "destination_amount", "net_source_amount"])
def test_a_quote_has_the_given_amount_exactly(lab, mexican, given):
    """The given amount is exact in the quote, also after an expired quote is renewed."""
    form = lab.forms.quote(mexican, amount="1000.10")
    form.fields["amount_kind"].value = given
    quote = form.submit()
    assert getattr(quote, given).text == "1000.10"
    lab.simulator.clock.advance(121)
    card = lab.forms.quote_card(quote)
    assert "Expired" in card.expiry_node.html
    with pytest.raises(paylab.UnprocessableError):
        card.submit()
    card.renew()
    assert getattr(card.quote, given).text == "1000.10"
    assert "locked for another 2:00" in card.expiry_node.html
    assert card.submit().status == "awaiting_funds"


def test_an_expired_quote_can_only_be_renewed(lab, mexican):
    """A button lets it expire on a frozen clock; it cannot be sent until it is renewed."""
    card = lab.forms.quote_card(lab.forms.quote(mexican).submit())
    card.expire_button.press()
    assert "Expired" in card.expiry_node.html
    assert (card.controls.send_button.disabled, card.renew_button.style) == (True, "primary")
    card.renew_button.press()
    assert (card.controls.send_button.disabled, card.renew_button.style) == (False, "")


def test_quotes_are_compared_with_exact_amounts(lab):
    """The comparison has a row with exact amounts for every rail."""
    people = [lab.individuals.create(**examples.recipient(code)) for code in NAMED]
    frame = lab.quotes.compare(people, source_amount="250")
    assert list(frame["rail"]) == [
        rail for code in NAMED for rail in corridors.get(code).payout_methods
    ]
    assert frame["problem"].isna().all()
    assert set(frame["source_amount"]) == {Decimal(250)}
    assert (frame["total_fee"] + frame["net_source_amount"] == Decimal(250)).all()


def test_a_rail_without_a_quote_says_why(lab, mexican):
    """A rail that the service refuses to quote has the reason, and neither amounts nor an id."""
    frame = lab.quotes.compare(mexican, source_amount="0.10")
    assert list(frame["problem"]) == ["source_amount: is too small: the fee alone is 0.50 USD"]
    assert frame[["source_amount", "destination_amount", "quote_id"]].isna().all(axis=None)


@pytest.mark.parametrize(("reference", "status"), SCENARIOS.items())
def test_every_end_can_be_brought_about(lab, mexican, reference, status):
    """The reference selects the final status, which the status line explains in words."""
    form = lab.forms.transfer(mexican, amount="100")
    form.fields["client_reference_id"].value = reference
    until = {status} if status == "under_review" else None
    wait = {"until": until} if until else {}
    done = lab.transfers.wait(form.submit().id, **wait)
    assert done.status == status
    assert dict(lab.status(done).rows())["Meaning"]
    assert (done.failure_reason is not None) == (status == "failed")


def test_an_off_ramp_is_refused_and_then_done(lab, seller):
    """Without a wallet an off-ramp is warned about and refused; with one it completes."""
    form = lab.forms.quote(seller, source_currency="USDC", amount="100.123456")
    assert "no crypto_wallet on base" in form.check().warnings[0].message
    quote = form.submit()
    assert "Will be refused" in lab.forms.quote_card(quote).warning_node.html
    with pytest.raises(paylab.UnprocessableError) as refused:
        lab.transfers.create(quote_id=quote.id)
    assert "no crypto_wallet on base" in str(refused.value)
    assert "financial_accounts.create" in refused.value.hint
    wallet = dict(paylab.examples.WALLET)
    lab.financial_accounts.create(seller.id, "crypto_wallet", wallet | {"network": "polygon"})
    with pytest.raises(paylab.UnprocessableError):
        lab.transfers.create(quote_id=quote.id)
    lab.financial_accounts.create(seller.id, "crypto_wallet", wallet)
    again = lab.forms.quote(seller, source_currency="USDC")
    assert not again.check().warnings
    transfer = lab.forms.quote_card(quote, new=True).submit()
    assert transfer.source_amount.text == "100.123456"
    assert lab.transfers.wait(transfer.id).status == "completed"


TERMS = {"payout_method": "spei", "destination_currency": "MXN"}
STABLE = {"source_currency": "USDC", "source_network": "base"}


def test_a_failed_off_ramp_shows_where_the_stablecoin_goes(lab, seller):
    """The status line of a failed off-ramp shows the returned amount and the wallet."""
    lab.financial_accounts.create(seller.id, "crypto_wallet", paylab.examples.WALLET)
    account = seller.financial_accounts[0]
    reference = {"client_reference_id": "scenario:failed"}
    made = lab.transfers.create(account, **TERMS, **STABLE, source_amount="40", **reference)
    back = dict(lab.status(lab.transfers.wait(made.id)).rows())["Goes back"]
    assert "40.000000 USDC" in back
    assert paylab.examples.WALLET["address"] in back


def test_a_deposit_is_shown_as_an_address_with_its_code(lab, seller):
    """The deposit card's QR code holds the address; an unpaid deposit expires after 24 hours."""
    from paylab.views.qr import scan

    lab.financial_accounts.create(seller.id, "crypto_wallet", paylab.examples.WALLET)
    account = seller.financial_accounts[0]
    terms = {**TERMS, **STABLE, "source_amount": "75", "source_type": "deposit"}
    made = lab.transfers.create(account, **terms)
    card = lab.deposit_card(made)
    assert scan(card.png(300)) == made.deposit_instructions.details["address"]
    assert "only over Base" in card.caution
    assert "<img" in lab.status(made).deposit_node.html
    assert made.deposit_instructions.deadline - made.created_at == timedelta(hours=24)
    lab.simulator.clock.advance(24 * 3600)
    assert lab.transfers.get(made.id).status == "expired"


def test_a_cell_run_again_sends_nothing_new(lab, mexican):
    """Submitting the same form again or clicking twice makes one transfer."""
    quote = lab.forms.quote(mexican).submit()
    assert lab.forms.quote(mexican).submit().id == quote.id
    card = lab.forms.quote_card(quote)
    card.click()
    card.click()
    assert lab.forms.quote_card(quote).submit().id == card.result.id
    assert len([one for one in lab.transfers.list() if one.recipient_id == mexican.id]) == 1
