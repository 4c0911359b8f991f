"""Strictness: what a strict simulator refuses, and a usual one notes in its journal."""

import pytest

from paylab.corridors import examples
from paylab.simulator.requests import Requests

CASES = [
    ("GET", "/v1/transfers?limt=1", None, {}, "limt", "is limit meant"),
    ("POST", "/v1/transfers?dry_run=1", {}, {}, "dry_run", "no query parameter"),
    (
        *("POST", "/v1/transfers", {"client_refernce_id": "a"}, {}),
        *("client_refernce_id", "is client_reference_id meant"),
    ),
    (
        *("POST", "/v1/individuals", {"adress": {}, "address": {"citty": "x"}}, {}),
        *("address.citty", "is city meant"),
    ),
    (
        *("POST", "/v1/webhook_subscriptions", {"ulr": "https://example.com"}, {}),
        *("ulr", "is url meant"),
    ),
    (
        *("POST", "/v1/transfers", {"financial_account": {"id": "fa_1", "typ": "pix"}}, {}),
        *("financial_account.typ", "is not known"),
    ),
    (
        *("POST", "/v1/conversion_accounts", {"payout_account": {"di": "fa_1"}}, {}),
        *("payout_account.di", "is id meant"),
    ),
    (
        *("POST", "/v1/transfers", {}, {"x_idempotency_key": "x"}),
        *("x-idempotency-key", "is Idempotency-Key meant"),
    ),
    (
        "POST",
        "/v1/financial_accounts",
        {"type": "crypto_wallet", "details": {"adress": "0x", "network": "base"}},
        {},
        "details.adress",
        "is address meant",
    ),
    (
        *("POST", "/v1/financial_accounts/fa_1", {"details": {"clabe": "0", "iban": "0"}}, {}),
        *("details.iban", "is not known"),
    ),
    (
        "POST",
        "/v1/individuals",
        {
            "country": "MX",
            "financial_accounts": [{"type": "bank_account", "details": {"clabee": "0"}}],
        },
        {},
        "financial_accounts.0.details.clabee",
        "is clabe meant",
    ),
    (
        *("POST", "/v1/transfers", {"financial_account_id": "fa_1"}, {}),
        *("financial_account_id", "is financial_account.id meant"),
    ),
    (
        "POST",
        "/v1/financial_accounts",
        {"type": "bank_account", "details": {"clabe": "0", "iban": "0"}},
        {},
        "details.iban",
        "is not known",
    ),
    (
        *("POST", "/v1/individuals", {"address": {"city": None}}, {}),
        *("address.city", "is null: leave the field out"),
    ),
    ("GET", "/v1/webhook_subscriptions?limit=1", None, {}, "limit", "no query parameter"),
    (
        *("GET", "/v1/transfers", None, {"idempotency_key": "x"}),
        *("Idempotency-Key", "transfers.list takes none"),
    ),
]


@pytest.mark.parametrize(("method", "target", "body", "headers", "field", "words"), CASES)
def test_what_is_not_known_is_refused_or_noted(make, method, target, body, headers, field, words):
    """A strict simulator answers 400 with the near miss; otherwise it is a remark."""
    strict, usual = make(strict=True), make()
    answer = strict.call(method, target, body, **headers)
    assert answer.status == 400
    assert words in answer.fields[field]
    usual.call(method, target, body, **headers)
    seen = Requests(lambda after=0: usual.get("/_simulator/requests").json)
    noted = {one["field"]: one["message"] for one in seen[-1].verdicts["strictness"]["remarks"]}
    assert words in noted[field]


PERSON = {**examples.recipient("MX"), "date_of_birth": "1990-02-28"}
WALLET = {"type": "crypto_wallet", "details": examples.wallet()}
MAYA = {"type": "digital_wallet"}
MAYA["details"] = {"issuer": "maya", "account_number": "0917", "account_holder_name": "Ana Reyes"}


def changed(account, **details):
    """An account with other details."""
    return {**account, "details": {**account["details"], **details}}


IMPLAUSIBLE = [
    ({**PERSON, "email": "ana at example"}, "email", "e-mail address"),
    ({**PERSON, "date_of_birth": "1890-02-28"}, "date_of_birth", "years old"),
    ({**PERSON, "date_of_birth": "2015-02-28"}, "date_of_birth", "not yet 18"),
    ({**PERSON, "date_of_birth": "2099-02-28"}, "date_of_birth", "in the future"),
    (
        {**PERSON, "idv_consent_recorded_at": "2026-01-15T12:05:01Z"},
        *("idv_consent_recorded_at", "in the future"),
    ),
    (
        {**PERSON, "financial_accounts": [changed(WALLET, address="0x12")]},
        *("financial_accounts.0.details.address", "40 hex digits"),
    ),
    (
        {**examples.recipient("PH"), "financial_accounts": [MAYA]},
        *("financial_accounts.0.details.account_number", "mobile number"),
    ),
    (changed(WALLET, network="solana", address="abc"), "details.address", "Solana"),
    (MAYA, "details.account_number", "mobile number"),
]


@pytest.mark.parametrize(("body", "field", "words"), IMPLAUSIBLE)
def test_what_a_real_service_would_refuse_is_refused_or_noted(make, body, field, words):
    """A strict simulator answers 400; otherwise the request passes, with a remark."""
    for is_strict in (True, False):
        service = make(strict=is_strict)
        path = "/v1/individuals"
        if "type" in body:
            owner = service.post("/_simulator/people", {"country": "PH", "verified": True})
            body = {**body, "individual_id": owner["id"]}
            path = "/v1/financial_accounts"
        answer = service.post(path, body)
        assert answer.status == (400 if is_strict else 201), answer.body
        remarks = service.get("/_simulator/requests").json[-1]["verdicts"]["strictness"]["remarks"]
        assert words in {remark["field"]: remark["message"] for remark in remarks}[field]


@pytest.mark.parametrize(
    "body",
    [
        {**PERSON, "email": "ana@example.com", "idv_consent_recorded_at": "2026-01-15T12:05:00Z"},
        {**PERSON, "date_of_birth": "2008-01-15"},
        {**PERSON, "financial_accounts": [WALLET]},
        {
            **examples.recipient("PH"),
            "financial_accounts": [changed(MAYA, account_number="+639171234567")],
        },
    ],
)
def test_a_strict_simulator_accepts_values_at_the_limits(make, body):
    """At the limits a strict simulator accepts the values."""
    answer = make(strict=True).post("/v1/individuals", body)
    assert answer.status == 201, answer.body


@pytest.mark.parametrize("country", ["MX", "PH", "BR", "IN", "GB", "DE", "AR", "CO"])
def test_examples_are_strictly_valid(make, country):
    """The recipients of the examples contain nothing unknown."""
    answer = make(strict=True).post("/v1/individuals", examples.recipient(country))
    assert answer.status == 201, answer.body
