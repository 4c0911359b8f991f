"""Idempotency: one effect and the same answer for 24 hours."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

KEY = "6f1c1c5e-5f0b-4d51-9d0d-0e3a4c8f3b11"
OTHER = "6f1c1c5e-5f0b-4d51-9d0d-0e3a4c8f3b12"
DAY = 24 * 3600


def total(service):
    """The number of transfers."""
    return len(service.get("/v1/transfers?limit=100")["data"])


def test_the_same_key_and_body_replay_the_status_and_bytes_with_a_header(service, transfer_body):
    """The same key and body replay the status and bytes, with a header; one transfer exists."""
    first = service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    service.advance(10)
    second = service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    assert (second.status, second.body) == (first.status, first.body) == (201, first.body)
    assert second.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert total(service) == 1


def test_another_body_with_the_same_key_returns_409_and_the_stored_answer_stays(
    service, transfer_body
):
    """Another body with the same key returns 409, and the stored answer stays."""
    service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    spaced = json.dumps(transfer_body, indent=1).encode()
    assert service.post("/v1/transfers", spaced, idempotency_key=KEY).status == 409
    assert service.post("/v1/transfers", b"{", idempotency_key=KEY).status == 409
    assert service.post("/v1/transfers", transfer_body, idempotency_key=KEY).status == 201
    assert total(service) == 1


@pytest.mark.parametrize(
    ("key", "status"),
    [
        (KEY, 201),
        (KEY.upper(), 201),
        ("00000000-0000-0000-0000-000000000000", 201),
        ("", 400),
        (KEY[:-1], 400),
        (KEY + "0", 400),
        (KEY.replace("-", "0"), 400),
        ("{" + KEY[:-2] + "}", 400),
        (KEY[:-1] + "g", 400),
        (KEY[:-1] + "é", 400),
    ],
)
def test_the_key_is_a_uuid(service, transfer_body, key, status):
    """A key must be a UUID in the form of 36 characters."""
    assert service.post("/v1/transfers", transfer_body, idempotency_key=key).status == status


def test_errors_are_not_stored(service, transfer_body):
    """A refused request can be corrected and sent again with its key."""
    bad = transfer_body | {"payout_method": "pix"}
    assert service.post("/v1/transfers", bad, idempotency_key=KEY).status == 400
    answer = service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    assert (answer.status, "idempotency-replayed" in answer.headers) == (201, False)


@pytest.mark.parametrize(("seconds", "replayed"), [(DAY - 0.001, True), (DAY, False)])
def test_a_stored_answer_expires_after_a_day(service, transfer_body, seconds, replayed):
    """A stored answer expires after 24 hours of the simulator's clock."""
    service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    service.advance(seconds)
    answer = service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    assert ("idempotency-replayed" in answer.headers) is replayed
    assert total(service) == (1 if replayed else 2)


def test_a_202_is_not_stored(service):
    """A 202 is not stored: the same request again creates a second account."""
    service.on_ramp("PH")
    made = service.get("/v1/conversion_accounts")["data"][0]
    body = {
        "individual_id": made["individual_id"],
        "payout_account": {"id": made["payout_account"]["id"]},
        "source_currency": "php",
    }
    answers = [service.post("/v1/conversion_accounts", body, idempotency_key=KEY) for _ in range(2)]
    assert [answer.status for answer in answers] == [202, 202]
    assert answers[0]["id"] != answers[1]["id"]


def test_the_same_key_can_be_used_for_two_operations(service, transfer_body):
    """The same key can be used for two operations; operations without keys ignore it."""
    service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    answer = service.post("/v1/conversion_accounts", {}, idempotency_key=KEY)
    assert answer.status == 400
    assert service.post("/v1/quotes", {}, idempotency_key="junk").fields


def test_two_keys_make_two_transfers(service, transfer_body):
    """Each new key creates a transfer, and so does each request without a key."""
    for key in ({"idempotency_key": KEY}, {"idempotency_key": OTHER}, {}, {}):
        service.post("/v1/transfers", transfer_body, **key)
    assert total(service) == 4


def test_identical_requests_at_once_are_processed_once(service, transfer_body):
    """Of identical requests at the same time one is processed, and the others replay it."""
    with ThreadPoolExecutor(8) as pool:
        futures = [
            pool.submit(service.post, "/v1/transfers", transfer_body, idempotency_key=KEY)
            for _ in range(24)
        ]
    answers = [future.result() for future in futures]
    assert {answer.body for answer in answers} == {answers[0].body}
    assert sum("idempotency-replayed" not in answer.headers for answer in answers) == 1
    assert total(service) == 1


def test_a_lost_answer_is_replayed(service, transfer_body):
    """After a lost answer, the same request with the same key returns the stored answer."""
    service.post("/_simulator/faults", {"kind": "drop_after", "method": "POST"})
    service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    answer = service.post("/v1/transfers", transfer_body, idempotency_key=KEY)
    assert (answer.status, answer.headers["idempotency-replayed"]) == (201, "true")
    assert total(service) == 1
