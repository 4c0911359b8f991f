"""On-ramp: conversion accounts, deposits, conversions."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paylab import emvqr

WEIGHTS = [3, 7, 1] * 5 + [3, 7]


def test_mexico_is_ready_at_once(service):
    """A Mexican account returns 201 with a CLABE whose check digit is valid."""
    account = service.on_ramp("MX")
    instructions = account["deposit_instructions"]
    clabe = instructions["details"]["clabe"]
    total = sum(int(digit) * weight for digit, weight in zip(clabe[:17], WEIGHTS, strict=True))
    assert (len(clabe), (total + int(clabe[17])) % 10) == (18, 0)
    assert instructions | {"details": 0} == {
        "type": "mx_virtual_account",
        "currency": "mxn",
        "payment_methods": ["spei"],
        "details": 0,
    }


def test_the_answer_contains_the_payout_account_and_the_source_currency_in_lower_case(service):
    """The answer contains the payout account, and the source currency in lower case."""
    account = service.on_ramp("MX", client_reference_id="r")
    assert account.keys() == {
        *("id", "individual_id", "payout_account", "source_currency", "destination_currency"),
        *("status", "created_at", "updated_at", "deposit_instructions", "client_reference_id"),
    }
    assert account["payout_account"]["details"] == {"address": "0xabc", "network": "base"}
    assert (account["source_currency"], account["destination_currency"]) == ("mxn", "USDC")


@pytest.mark.parametrize(
    ("country", "reference", "first", "seconds"),
    [
        ("MX", None, 201, 0),
        ("PH", None, 202, 1),
        ("MX", "scenario:slow", 202, 30),
        ("PH", "scenario:slow:2", 202, 30),
    ],
)
def test_an_account_is_pending_without_instructions_until_its_provisioning_time(
    service, country, reference, first, seconds
):
    """An account is pending without instructions until its provisioning time."""
    made = service.on_ramp(country, client_reference_id=reference)
    assert made["status"] == ("active" if first == 201 else "pending")
    if seconds:
        assert "deposit_instructions" not in made
        assert service.deposit(made).status == 422
        service.advance(seconds - 0.001)
        assert service.get(f"/v1/conversion_accounts/{made['id']}")["status"] == "pending"
        service.advance(0.001)
    ready = service.get(f"/v1/conversion_accounts/{made['id']}")
    assert (ready["status"], "deposit_instructions" in ready.json) == ("active", True)


def test_the_philippines_pay_by_qr(service):
    """A Philippine account has a QR Ph payload with a valid checksum."""
    made = service.on_ramp("PH")
    service.advance(1)
    ready = service.get(f"/v1/conversion_accounts/{made['id']}")["deposit_instructions"]
    payload = ready["details"]["qrph_payload"]
    assert emvqr.build(emvqr.parse(payload)) == payload
    assert "com.p2pqrpay" in payload
    assert (ready["type"], ready["currency"]) == ("ph_qr_code", "php")
    assert ready["payment_methods"] == ["instapay"]


@pytest.fixture
def parts(service):
    """The body of a Mexican conversion account."""
    owner = service.active("MX", "on_ramp")
    wallet = service.wallet(owner)
    return {
        "individual_id": owner["id"],
        "payout_account": {"id": wallet["id"]},
        "source_currency": "MXN",
    }


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 201),
        ({"individual_id": "x"}, 404),
        ({"payout_account": {"id": "x"}}, 404),
        ({"individual_id": None}, 400),
        ({"payout_account": None}, 400),
        ({"payout_account": {"id": 7}}, 400),
        ({"payout_account": {"type": "crypto_wallet"}}, 400),
        ({"source_currency": "php"}, 400),
        ({"source_currency": None}, 400),
        ({"destination_currency": "usdc"}, 201),
        ({"destination_currency": "USD"}, 400),
        ({"client_reference_id": "r" * 255}, 201),
        ({"client_reference_id": "r" * 256}, 400),
    ],
)
def test_an_invalid_body_returns_400_an_unknown_individual_or_wallet_404(
    service, parts, change, status
):
    """An invalid body returns 400, an unknown individual or wallet 404."""
    assert service.post("/v1/conversion_accounts", parts | change).status == status


def test_an_inactive_owner_a_missing_product_or_a_wrong_payout_account_returns_422(service, parts):
    """An inactive owner, a missing product, or a wrong payout account returns 422."""
    waiting, without = service.person("MX", "on_ramp"), service.active("MX")
    other = service.wallet(service.active("MX", "on_ramp"))
    bank = service.account(service.get(f"/v1/individuals/{parts['individual_id']}").json)
    changes = [
        {"individual_id": waiting["id"]},
        {"individual_id": without["id"]},
        {"payout_account": {"id": other["id"]}},
        {"payout_account": {"id": bank["id"]}},
    ]
    answers = [service.post("/v1/conversion_accounts", parts | each) for each in changes]
    assert [answer.status for answer in answers] == [422] * 4
    assert len({answer["error"] for answer in answers}) == 3


def test_a_country_without_on_ramp_is_refused(service):
    """A conversion account in a country without on-ramp returns 400, in the words of the rules."""
    owner = service.active("AR", "on_ramp")
    body = {
        "individual_id": owner["id"],
        "payout_account": {"id": service.wallet(owner)["id"]},
        "source_currency": "ars",
    }
    answer = service.post("/v1/conversion_accounts", body)
    assert answer.status == 400
    assert b"source_currency: no on-ramp is known for AR: " in answer.body


def test_the_list_and_a_get_show_the_same_account(service):
    """The list and a GET show the same account; an unknown id returns 404."""
    made = service.on_ramp("MX")
    assert service.get("/v1/conversion_accounts")["data"] == [made]
    assert service.get(f"/v1/conversion_accounts/{made['id']}").json == made
    assert service.get("/v1/conversion_accounts/x").status == 404


@pytest.mark.parametrize(
    ("country", "change", "status"),
    [
        ("MX", {"amount": "50"}, 201),
        ("MX", {"amount": "50.00"}, 201),
        ("MX", {"amount": "50.01"}, 400),
        ("PH", {"amount": "100"}, 201),
        ("PH", {"amount": "100.01"}, 400),
        ("MX", {"amount": "0.01"}, 201),
        ("MX", {"amount": "0"}, 400),
        ("MX", {"amount": "0.001"}, 400),
        ("MX", {"amount": 10}, 400),
        ("MX", {"amount": None}, 400),
        ("MX", {"currency": "MXN"}, 201),
        ("MX", {"currency": "php"}, 400),
        ("MX", {"currency": None}, 400),
        ("MX", {"conversion_account_id": "x"}, 404),
        ("MX", {"conversion_account_id": None}, 400),
        ("MX", {"sender_name": 7}, 400),
    ],
)
def test_a_valid_deposit_creates_a_conversion(service, country, change, status):
    """A valid deposit creates a conversion; an invalid one, or one above the cap, does not."""
    account = service.on_ramp(country)
    service.advance(1)
    assert service.deposit(account, **change).status == status
    assert len(service.get("/v1/conversions")["data"]) == (status == 201)


def test_the_sender_of_a_deposit_is_the_individual_by_default(service):
    """The sender of a deposit is the individual by default."""
    answer = service.deposit(service.on_ramp("MX"), "7.5")
    assert answer.json | {"id": 0, "conversion_account_id": 0} == {
        "id": 0,
        "conversion_account_id": 0,
        "amount": "7.50",
        "currency": "MXN",
        "sender_name": "María González Hernández",
        "created_at": "2026-01-15T12:00:02.000Z",
    }


def test_a_deposit_is_refused_outside_the_sandbox(make):
    """A deposit outside the sandbox returns 403 for any body; a bad signature returns 401."""
    service = make(production_like=True)
    assert service.post("/v1/sandbox/deposits", {}).status == 403
    assert service.post("/v1/sandbox/deposits", b"{").status == 403
    assert service.post("/v1/sandbox/deposits", {}, x_nonce="other").status == 401


def conversion(service):
    """The first conversion in the list."""
    return service.get("/v1/conversions")["data"][0]


@pytest.mark.parametrize(
    ("sender", "statuses", "last"),
    [
        (None, ["pending", "started", "started", "completed"], "completed"),
        ("Ana", ["pending", "started", "started", "completed"], "completed"),
        ("", ["pending"] * 4, None),
        ("Scenario Failed", ["pending", "failed", "failed", "failed"], "failed"),
    ],
)
def test_the_sender_name_determines_the_outcome_of_the_conversion(service, sender, statuses, last):
    """The sender's name determines the outcome of the conversion."""
    service.deposit(service.on_ramp("MX"), sender_name=sender)
    seen = []
    for _ in statuses:
        seen.append(conversion(service)["status"])
        service.advance(1)
    assert seen == statuses
    events = service.events(conversion(service)["id"])
    assert events[0] == "conversion.created"
    assert events[-1] == f"conversion.{last or 'created'}"


def test_the_fields_of_a_payout_are_null_until_its_steps_set_them(service):
    """The fields of a payout are null until its steps set them."""
    account = service.on_ramp("MX")
    service.deposit(account, "50")
    first = conversion(service)
    assert first.keys() == {
        *("id", "conversion_account_id", "individual_id", "status", "deposit", "payout"),
        *("total_fee", "fee_currency", "exchange_rate", "created_at", "updated_at"),
    }
    received = "2026-01-15T12:00:02.000Z"
    assert first["deposit"] == {"amount": "50.00", "currency": "MXN", "received_at": received}
    assert first["payout"] == {
        "amount": "2.699228",
        "currency": "USDC",
        "payout_account_id": account["payout_account"]["id"],
        "tx_hash": None,
        "initiated_at": None,
        "completed_at": None,
    }
    service.advance(1)
    started = conversion(service)["payout"]
    assert (len(started["tx_hash"]), started["initiated_at"]) == (66, "2026-01-15T12:00:03.000Z")
    assert started["completed_at"] is None
    service.advance(2)
    assert conversion(service)["payout"]["completed_at"] == "2026-01-15T12:00:05.000Z"


def test_the_fee_is_0_5_of_the_deposit_without_a_minimum(service):
    """The fee is 0.5 % of the deposit without a minimum. Assumption `conversion.fee`."""
    service.deposit(service.on_ramp("MX"), "50")
    made = conversion(service)
    assert (made["total_fee"], made["fee_currency"]) == ("0.25", "MXN")
    paid = (Decimal(50) - Decimal(made["total_fee"])) * Decimal(made["exchange_rate"])
    assert abs(paid - Decimal(made["payout"]["amount"])) <= Decimal("0.0000005")


def test_a_held_conversion_waits_until_it_is_released(service):
    """A held conversion completes after a move to `started`."""
    service.deposit(service.on_ramp("MX"), sender_name="")
    service.advance(1000)
    held = conversion(service)
    service.post(f"/_simulator/objects/{held['id']}", {"to": "started"})
    service.advance(2)
    assert conversion(service)["status"] == "completed"
