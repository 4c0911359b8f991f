"""Each problem names its source: the spec, or the row of an assumption."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from paylab import emvqr
from paylab.corridors import examples
from paylab.rules import accounts, deposits, images, individuals, transfers, webhooks
from paylab.spec import assumptions

JPEG = b"\xff\xd8\xff\xe0"
EMVCO = Path(__file__).parents[1] / "emvqr" / "golden" / "emvco.txt"


def details(country, kind="", **change):
    """The problems of an example account with some details changed."""
    own = examples.account(country)
    given = own["details"] if not kind else {}
    return accounts.check_details(country, kind or own["type"], given | change)


def image(size, uri="data:image/jpeg;base64,", data=JPEG, breaks=False):
    """The problems of an image of this size."""
    text = b64encode(data.ljust(size, b"\0")).decode()
    text = "\n".join([text[:76], text[76:]]) if breaks else text
    return images.check({"images": [{"type": "selfie", "content": uri + text}]})


def person(**change):
    """The problems of a valid individual with some fields changed."""
    good = {"given_name": "A", "family_name": "B", "country": "GB", "address": {}}
    return individuals.check(good | {"product_types": ["global_payouts"]} | change)


def qr(**change):
    """The problems of a QR Ph account whose code has some fields changed."""
    good = emvqr.qrph(acquirer="EAWRPHM2XXX", account="1", name="Ana", city="Cebu")
    tree = emvqr.parse(good).tree() | change
    return details("PH", "ph_qr_code", qrph_payload=emvqr.build(tree))


def payout(**change):
    """The problems of a valid transfer with some fields changed."""
    terms = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
    return transfers.check(
        terms | {"financial_account": {"id": "fa_1"}, "source_amount": "10"} | change
    )


CASES = {
    "IBAN in lower case": (details("DE", iban="de89370400440532013000"), "account.iban"),
    "IBAN with spaces": (details("DE", iban="DE89 3704 0044 0532 0130 00"), "account.iban"),
    "long IBAN with spaces": (
        details("DE", iban="MT84 MALT 0110 0001 2345 MTLC AST0 01S"),
        "account.iban",
    ),
    "IBAN of 14": (details("DE", iban="DE893704004405"), "spec"),
    "IBAN of 35": (details("DE", iban="DE89" + "1" * 31), "spec"),
    "IBAN without country": (details("DE", iban="8989370400440532013000"), "spec"),
    "BIC of 9": (details("DE", bic="COBADEFFX"), "spec"),
    "BIC with a hyphen": (details("DE", bic="COBA-EFF"), "details.sepa"),
    "PIX key of another form": (
        details("BR", pix_key="a b", pix_key_type="email"),
        "details.br",
    ),
    "PIX CPF with points": (
        details("BR", pix_key="390.533.447-05", pix_key_type="cpf"),
        "details.br",
    ),
    "PIX key as a number": (details("BR", pix_key=5, pix_key_type="cpf"), "spec"),
    "QR as a number": (details("PH", "ph_qr_code", qrph_payload=5), "spec"),
    "unknown PIX key type": (details("BR", pix_key_type="random"), "details.br"),
    "UPI with a space": (details("IN", upi_id="a b@ok"), "details.in"),
    "UPI with two @": (details("IN", upi_id="a@b@ok"), "spec"),
    "CLABE of 17": (details("MX", clabe="1" * 17), "spec"),
    "empty CLABE": (details("MX", clabe=""), "spec"),
    "blank holder name": (details("GB", account_holder_name="  "), "field.empty"),
    "sort code with hyphens": (details("GB", sort_code="20-00-00"), "spec"),
    "wallet address as a number": (
        details("MX", "crypto_wallet", address=5, network="base"),
        "details.wallet",
    ),
    "unknown network": (
        details("MX", "crypto_wallet", address="x", network="tron"),
        "details.wallet",
    ),
    "bank code as a number": (details("CO", bank_code=7), "details.co"),
    "unknown issuer": (details("PH", issuer="other"), "details.ph"),
    "QR of China": (
        details("PH", "ph_qr_code", qrph_payload=EMVCO.read_text().strip()),
        "details.ph-qr",
    ),
    "QR in dollars": (qr(**{"53": "840"}), "details.ph-qr"),
    "QR without a name": (qr(**{"59": " "}), "details.ph-qr"),
    "10,239 bytes": (image(10_239), "images.bounds"),
    "10,000 bytes": (image(10_000), "images.bounds"),
    "9,999 bytes": (image(9_999), "spec"),
    "capitals in a data URI": (image(10_240, "DATA:image/JPEG;base64,"), "images.content"),
    "parameters in a data URI": (
        image(10_240, "data:image/jpeg;name=a.jpg;base64,"),
        "images.content",
    ),
    "GIF": (image(10_240, "data:image/gif;base64,"), "spec"),
    "other bytes": (image(10_240, data=b"GIF89a"), "images.content"),
    "line breaks": (image(10_241, breaks=True), "images.content"),
    "blank name": (person(given_name=" "), "field.empty"),
    "unknown country": (person(country="XX"), "spec"),
    "CURP with a small letter": (
        person(country="MX", document={"type": "curp", "number": "BOXW310820HNERXNa9"}),
        "document.number",
    ),
    "consent on a day": (person(idv_consent_recorded_at="2026-01-31"), "timestamp.form"),
    "consent yesterday": (person(idv_consent_recorded_at="yesterday"), "spec"),
    "amount": (payout(source_amount="abc"), "amount.form"),
    "rail that is none": (payout(payout_method="pigeon"), "spec"),
    "network of a transfer": (payout(source_network="tron"), "details.wallet"),
    "blank reference": (payout(client_reference_id=" "), "transfer.create"),
    "local for MXN": (
        transfers.check_route("MX", "bank_account", "USD", "MXN", "local"),
        "corridor.rails",
    ),
    "pix for MXN": (
        transfers.check_rail({"destination_currency": "MXN", "payout_method": "pix"}),
        "spec",
    ),
    "deposit over the cap": (
        deposits.check({"conversion_account_id": "c", "amount": "51", "currency": "mxn"}),
        "spec",
    ),
    "no events": (
        webhooks.check({"url": "https://example.com", "event_types": []}),
        "field.empty",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_problem_has_its_source(case):
    """Each case has one problem with this source: the spec or an existing assumption."""
    (problem,), source = CASES[case]
    assert problem.source == source
    assert source == "spec" or assumptions.get(source)


@pytest.mark.parametrize(
    ("currency", "rail", "refused", "doubted"),
    [
        ("COP", "ach_co", False, False),
        ("COP", "ach", False, True),
        ("MXN", "bitso", False, True),
        ("mxn", "local", False, True),
        ("MXN", "pix", True, False),
        ("USDC", "base", False, False),
        ("USDC", "spei", True, False),
        ("VND", "local", False, False),
        ("MXN", "\x1b[31m", False, False),
    ],
)
def test_a_rail_of_another_currency_is_a_problem(currency, rail, refused, doubted):
    """A rail of another currency is a problem; one that no corridor names is a warning."""
    body = {"destination_currency": currency, "payout_method": rail}
    assert bool(transfers.check_rail(body)) is refused
    assert bool(transfers.find_rail_warnings(body)) is doubted


@pytest.mark.parametrize(
    ("size", "doubted"), [(15_000_000, False), (15_000_001, True), (15_728_641, False)]
)
def test_a_size_between_two_readings_of_megabytes_is_a_warning(size, doubted):
    """A size above 15,000,000 and up to 15 x 1,048,576 bytes gives a warning."""
    assert bool(images.find_warnings(size, "selfie")) is doubted
