"""Usual mistakes: each error is one of paylab's, names what is wrong, and says what to do."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

import paylab
from paylab.errors import PaylabError
from paylab.spec.models import Quote

pytestmark = pytest.mark.filterwarnings("ignore")  # the errors are looked at


@pytest.fixture(scope="module")
def lab():
    """A lab on an embedded simulator."""
    return paylab.connect()


@pytest.fixture(scope="module")
def person(lab):
    """A Mexican individual that is not verified yet."""
    return lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))


@pytest.fixture(scope="module")
def account(lab):
    """The account of a Mexican recipient."""
    payee = lab.individuals.create(**paylab.examples.recipient("MX"))
    return payee.financial_accounts[0]


ORDER = {
    "client_reference_id": "invoice-1",
    "source_amount": "20",
    "source_currency": "USD",
    "destination_currency": "MXN",
    "payout_method": "spei",
}
MONEY = "must be plain digits, with a point before decimals, like 10.50"
NO_ID = "must be an id, or an object that has one, and not empty"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"source_amount": 20.5}, "source_amount: must be text or a Decimal: a float is not exact"),
        ({"source_amount": True}, "a bool is no amount"),
        ({"source_amount": b"20"}, "a value of type bytes cannot be sent as JSON"),
        ({"source_amount": Decimal("NaN")}, "must be a finite amount"),
        ({"source_amount": "20,5"}, f"{MONEY}, not 20,5"),
        ({"source_amount": "$20"}, f"{MONEY}, not $20"),
        ({"source_amount": ""}, f"{MONEY}, not ''"),
        ({"source_amount": "-1"}, "must be more than 0"),
        ({"source_amount": "20.123"}, "at most 2 decimals in USD"),
        ({"source_amount": None}, "give exactly one of source_amount, destination_amount"),
        ({"source_currency": "US"}, "is USD meant?"),
        ({"source_currency": ""}, "must be one of USD, USDC, PHP, not ''"),
        ({"destination_currency": "BRL"}, "payout_method: must be pix for BRL, not spei"),
        ({"payout_method": "wire transfer"}, "payout_method: must be one of"),
        ({"financial_account": " "}, f"financial_account: {NO_ID}"),
        ({"financial_account": {}}, "financial_account.id: is required"),
        (
            {"financial_account": Quote.model_validate({"id": "qt_1"})},
            "financial_account: must be a FinancialAccount or its id, not a Quote: "
            "a Quote goes into quote_id= of transfers.create()",
        ),
        ({"financial_account": []}, "must be one id, not a list"),
        ({"client_reference_id": " "}, "client_reference_id: must be text that is not blank"),
        ({"client_reference_id": 5}, "client_reference_id: must be text"),
        ({"new": " "}, "new: must be text that is not blank"),
        ({"lookback": 45}, 'lookback: must be a duration such as "45 days"'),
        ({"idempotency_key": 7}, "idempotency_key: must be a UUID of 36 characters"),
        ({"timeout": 10**7}, "timeout: must be a number of seconds above 0 and at most 1,000,000"),
        ({"headers": ["x"]}, "headers: must be a dict of names and texts"),
    ],
)
def test_a_wrong_order_is_named(lab, account, change, words):
    """A wrong value of a payment is named with its rule, and nothing is paid."""
    with pytest.raises(PaylabError) as raised:
        lab.transfers.create(**{"financial_account": account} | ORDER | change)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"date_of_birth": datetime(1990, 12, 31, tzinfo=UTC)}, "not a time: pass its .date()"),
        ({"date_of_birth": datetime(1990, 12, 31)}, "must be a date like 1990-12-31"),
        ({"date_of_birth": "31/12/1990"}, "must be a date like 1990-12-31"),
        ({"date_of_birth": "1990-02-30"}, "must be a date that exists"),
        ({"idv_consent_recorded_at": datetime(2026, 1, 1)}, "with a time zone"),
        ({"country": "Mexico"}, "is MX meant?"),
        ({"product_types": "on_ramp"}, "product_types: must be a list"),
        ({"product_types": []}, "must name at least one product"),
        ({"document": {"type": "passport", "number": "1"}}, "must be curp in MX, not passport"),
        ({"address": {"country": "PH"}}, "must equal country: MX, not PH"),
        ({"given_name": " "}, "given_name: must not be blank"),
        ({"email": 5}, "email: must be text"),
    ],
)
def test_a_wrong_person_is_named(lab, change, words):
    """A wrong value of a person is named with its rule."""
    person_fields = paylab.examples.individual("MX", consent_at=lab.clock())
    with pytest.raises(PaylabError) as raised:
        lab.individuals.create(**person_fields | change)
    assert words in str(raised.value)


CALLS = [
    (lambda lab, _: lab.individuals.get(""), NO_ID),
    (lambda lab, _: lab.individuals.get(" "), NO_ID),
    (lambda lab, _: lab.individuals.get(None), NO_ID),
    (lambda lab, person: lab.transfers.get(person.id), "looks like the id of an individual"),
    (lambda lab, _: lab.transfers.get("tr_1\n"), r"'tr_1\n' is written with a line end at its end"),
    (lambda lab, _: lab.transfers.get(" tr_1"), "' tr_1' is written with a space at its start"),
    (lambda lab, person: lab.transfers.get(person), "must be a Transfer or its id"),
    (lambda lab, _: lab.transfers.list(limit=500), "since it is the size of a page"),
    (lambda lab, _: lab.transfers.list(status="done"), "is 'completed' meant?"),
    (lambda lab, _: lab.request("GET", "/v1/payouts"), "is /v1/transfers meant?"),
    (lambda lab, _: lab.request("GET", "/v1/tr_123"), "is /v1/transfers/tr_123 meant?"),
    (lambda lab, _: lab.request("GET", "transfers"), "must begin with /, as in /v1/transfers"),
    (lambda lab, _: lab.sandbox.deposit("ca", 50.0, "php"), "a float is not exact"),
    (lambda lab, _: lab.simulator.clock.advance(-5), "span must not be negative"),
    (lambda lab, _: lab.simulator.clock.advance(None), "is not a time span"),
    (lambda lab, _: lab.individuals.wait("x", timeout=-1), "timeout: must be a number of seconds"),
    (lambda lab, _: lab.transfers.export("nowhere/x.csv"), "there is no folder nowhere"),
    (lambda lab, _: lab.transfers.export("x.txt"), "must end in .csv"),
    (lambda lab, _: lab.transfers.frame()["amout"], "use source_amount, destination_amount or net"),
    (lambda lab, _: lab.trigger("transfer.complete"), "is transfer.completed meant?"),
    (lambda lab, _: lab.simulator.faults.on("transfers.crate"), "nearest: transfers.create"),
    (lambda lab, _: lab.trigger("individual.status_changed", to="actve"), "is active meant?"),
    (lambda lab, _: lab.transfers.create(ORDER), "is a whole order, not an account"),
    (lambda lab, _: lab.simulator.add_person(outcomes="active"), "must be a list: ['active']"),
    (lambda lab, _: lab.simulator.add_person(outcomes=["zzz"]), "known are passes, active"),
    (lambda lab, _: lab.simulator.faults.add("slow"), "is called 'slow'; known are status, refuse"),
    (lambda lab, _: lab.simulator.faults.drop_after(time=1), "is not known; is times meant?"),
    (lambda lab, _: lab.simulator.faults.add("status", code=500), "code: is not known; is status"),
    (lambda lab, _: lab.simulator.load("nowhere.json"), "as a saved world: No such file"),
    (lambda lab, _: lab.transfers.frame(columns=["amout"]), "is source_amount, destination_amou"),
    (lambda *_: paylab.connect(5), "base_url must be text such as https://"),
    (lambda *_: paylab.specimen("selfie", fault="blury"), "is verification_image_blurry meant?"),
    (lambda *_: paylab.specimen("selfy"), "side: no specimen has 'selfy'; is selfie meant?"),
    (lambda *_: paylab.connect("sandbox.example.com", "k", "s"), "like https://sandbox.example"),
    (lambda *_: paylab.connect("https://sandbox.example.com"), "set PAYLAB_API_KEY"),
    (lambda *_: paylab.connect("https://sandbox.example.com", "k k", "s"), "without spaces"),
    (lambda *_: paylab.connect(service={"paths": {"quote": "/"}}), "nearest: paths.quotes"),
]


@pytest.mark.parametrize("index", range(len(CALLS)))
def test_a_wrong_call_is_named(lab, person, index):
    """A wrong id, name, number, file or setting is named, with what to write instead."""
    call, words = CALLS[index]
    with pytest.raises((PaylabError, AttributeError)) as raised:
        call(lab, person).first()
    assert words in f"{raised.value} {getattr(raised.value, 'hint', '')}"


def test_a_person_who_is_not_verified_is_told_what_to_upload(lab, person):
    """An account that needs a verified person says at once to upload images."""
    wallet = lab.financial_accounts.create(person.id, "crypto_wallet", paylab.examples.WALLET)
    with pytest.raises(PaylabError) as raised:
        lab.conversion_accounts.create(person.id, wallet.id, "mxn")
    assert "upload the images that status_details lists" in raised.value.hint
