"""The payments service for tests keeps the spec until a switch breaks it."""

import json

import pytest
from payments_service import ORDER, PaymentsService

KEY = "0b54eae0-6b8a-4f0c-9d3b-3a3f8a1f2c11"
OTHER = "7d9f0b0e-0a4f-4a53-8f7e-6d1f1a2b3c4d"
ACCOUNT = {"individual_id": "ind_1", "payout_account": {"id": "fa_wallet"}}


def post(service, key, body=ORDER, path="/v1/transfers", api_key="key-1"):
    """Answer one POST without a network."""
    headers = {"x-api-key": api_key, **({"idempotency-key": key} if key else {})}
    return service.respond("POST", path, {}, headers, json.dumps(body).encode())


RULES = [
    ("the same key and body", KEY, ORDER, 0, 201, 1, True),
    ("the same key in upper case", KEY.upper(), ORDER, 0, 201, 1, True),
    ("another body", KEY, {**ORDER, "source_amount": "10"}, 0, 409, 1, False),
    ("another key", OTHER, ORDER, 0, 201, 2, False),
    ("no key", None, ORDER, 0, 201, 2, False),
    ("a key that is no UUID", "1234", ORDER, 0, 400, 1, False),
    ("a UUID of 32 characters", KEY.replace("-", ""), ORDER, 0, 400, 1, False),
    ("almost 24 hours", KEY, ORDER, 24 * 3600 - 5, 201, 1, True),
    ("24 hours", KEY, ORDER, 24 * 3600, 201, 2, False),
    (
        "another body after 24 hours",
        KEY,
        {**ORDER, "source_amount": "10"},
        24 * 3600,
        201,
        2,
        False,
    ),
]


@pytest.mark.parametrize(("rule", "key", "body", "seconds", "status", "paid", "replayed"), RULES)
def test_the_paragraph_on_idempotency(rule, key, body, seconds, status, paid, replayed):
    """A key replays its success for 24 hours, refuses other bodies, and must be a UUID."""
    service = PaymentsService()
    first = post(service, KEY)
    service.payments[0]["status"] = "failed"
    service.clock.advance(seconds=seconds)
    second = post(service, key, body)
    assert (second.status, len(service.payments)) == (status, paid), rule
    assert (second.headers == {"Idempotency-Replayed": "true"}) is replayed
    assert not replayed or second.body == first.body


UNSTORED = [(400, {**ORDER, "source_amount": 10}), (404, {**ORDER, "financial_account_id": "fa_9"})]


@pytest.mark.parametrize(("status", "body"), UNSTORED)
def test_errors_are_not_stored(status, body):
    """After a refusal the same key can be used, with another body as well."""
    service = PaymentsService()
    assert post(service, KEY, body).status == status
    assert post(service, KEY).status == 201
    assert len(service.payments) == 1


@pytest.mark.parametrize(("provisioning", "accounts"), [(201, 1), (202, 2)])
def test_a_202_is_not_stored(provisioning, accounts):
    """The key of a 202 makes another account; that of a 201 does not."""
    service = PaymentsService()
    service.provisioning = provisioning
    for _ in range(2):
        post(service, KEY, ACCOUNT, "/v1/conversion_accounts")
    assert len(service.conversion_accounts) == accounts


def test_keys_belong_to_an_api_key():
    """Another API key has keys of its own."""
    service = PaymentsService()
    post(service, KEY)
    post(service, KEY, api_key="key-2")
    assert len(service.payments) == 2


def test_pages_and_cursors():
    """A list is newest first, in pages, and any other cursor is refused."""
    service = PaymentsService()
    for number in range(5):
        service.add_payment(str(number))
    ids = []
    query = {"limit": "2"}
    while True:
        page = service.respond("GET", "/v1/transfers", query, {}, b"").body
        ids += [row["id"] for row in page["data"]]
        if not page["has_next_page"]:
            break
        query = {"limit": "2", "cursor": page["cursor"]}
    assert ids == ["tr_5", "tr_4", "tr_3", "tr_2", "tr_1"]
    answer = service.respond("GET", "/v1/transfers", {"cursor": "nonsense"}, {}, b"")
    assert (answer.status, answer.body) == (400, {"error": "Invalid pagination token"})
