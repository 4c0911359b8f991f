"""Drift: what a service's answers have and the settings do not, found in the calls of a lab."""

import json
from types import SimpleNamespace

import httpx
import pytest
from independent_service import Service as Independent

from paylab.client.settings import Settings
from paylab.drift.answers import find_renamed_keys
from paylab.drift.drift import find_drift
from paylab.errors import NotFoundError
from paylab.lab.lab import Lab, connect
from paylab.spec.models import Quote
from paylab.spec.service import Service


def lab_on(*deviations):
    """A lab on the independent service with these deviations."""
    there = Independent(deviations)
    there.seed_transfers(5)

    def answer(request):
        target, pairs = request.url.raw_path.decode(), request.headers.multi_items()
        status, headers, body = there.handle(request.method, target, pairs, request.read())
        return httpx.Response(status, headers=headers, content=body)

    settings = Settings("http://127.0.0.1", there.api_key, there.secret_key)
    return Lab(settings, transport=httpx.MockTransport(answer))


@pytest.mark.parametrize(
    ("deviation", "kind", "what", "key"),
    [
        ("unknown-fields", "field", "organization_id", ""),
        ("amounts-numbers", "type", "total_fee as number", "amounts.answers"),
        ("request-id", "header", "x-request-id", ""),
    ],
)
def test_what_a_list_has_beyond_the_settings_is_drift(deviation, kind, what, key):
    """An unexpected field, type or header is drift, with its first call and setting."""
    lab = lab_on(deviation)
    lab.transfers.list().first()
    found = next(each for each in lab.drift if each.what == what)
    assert (found.kind, found.key, found.first) == (kind, key, 1)
    count = sum(each.kind == kind for each in lab.drift)
    assert f"{count} {kind}" in repr(lab).splitlines()[-1]


def test_reading_drift_sends_nothing():
    """Drift is computed from the stored calls, without a request."""
    lab = lab_on("unknown-fields")
    lab.transfers.list().first()
    assert lab.drift
    assert len(lab.calls) == 1


def test_a_service_that_is_as_assumed_has_no_drift():
    """A simulator with default settings has no drift, and the lab's repr has no line for it."""
    with connect() as lab:
        lab.transfers.list(limit=5).first()
        lab.individuals.list().first()
        assert lab.drift == ()
        assert "drift" not in repr(lab)


def test_a_refusal_is_no_drift():
    """The body of a refusal is not compared with a resource."""
    with connect() as lab:
        with pytest.raises(NotFoundError):
            lab.transfers.get("tr_none")
        assert lab.drift == ()


def call(status=200, body="", headers=(), path="/v1/transfers", method="GET", number=1):
    """A call as far as drift looks at it."""
    return SimpleNamespace(
        status=status,
        path=path,
        method=method,
        number=number,
        response_headers=dict(headers),
        response_body=SimpleNamespace(text=body) if body else None,
        request_body="",
        failed=status is None or status >= 400,
        replayed="idempotency-replayed" in dict(headers),
    )


def test_drift_counts_events_headers_and_codes():
    """Each with its number, the first call and the key to set."""
    page = '{"data": [{"id": "ind_1", "status_details": [{"code": "verification_new"}]}]}'
    calls = [
        call(None),
        call(429, headers={"X-RateLimit-Left": "0"}.items(), number=2),
        call(200, headers={"X-Limit": "0", "Date": "x"}.items(), number=3),
        call(body=page, path="/v1/individuals", number=4),
        call(body=page, path="/v1/individuals", number=5),
        call(body="no JSON", number=6),
    ]
    events = [("transfer.created", None), ("transfer.paid", None), ("transfer.paid", None)]
    drift = find_drift(calls, Service(), events)
    assert [tuple(each) for each in drift] == [
        ("code", "individuals", "verification_new", 2, 4, "statuses.detail_codes"),
        ("event type", "webhooks", "transfer.paid", 2, None, "webhooks.event_types"),
        ("header", "answers", "x-limit", 1, 3, ""),
        ("header", "answers", "x-ratelimit-left", 1, 2, "rate_limits.header"),
    ]
    assert drift.line == "drift: 1 code, 1 event type, 2 header (lab.drift shows them)"
    assert repr(drift).splitlines()[0].endswith("4; set statuses.detail_codes")
    assert repr(drift).splitlines()[2] == "header x-limit of answers, 1 times, first in call 3"
    assert (repr(find_drift([], Service())), find_drift([], Service()).line) == ("<no drift>", "")


def listed(row):
    """A call whose answer is a page with one transfer."""
    return call(body=json.dumps({"data": [row], "has_next_page": False, "cursor": None}))


@pytest.mark.parametrize(
    ("answers", "row", "found"),
    [
        ("number", {"total_fee": 1, "exchange_rate": "17"}, {"exchange_rate as text": ""}),
        ("text", {"total_fee": "1", "exchange_rate": 17}, {"exchange_rate as number": ""}),
        ("text", {"exchange_rate": 17}, {"exchange_rate as number": ""}),
        ("text", {"total_fee": 1, "source_amount": "2"}, {"total_fee as number": ""}),
        (
            "text",
            {"total_fee": 1, "exchange_rate": "1"},
            {"total_fee as number": "amounts.answers"},
        ),
        ("number", {"total_fee": None, "source_amount": 2}, {}),
    ],
)
def test_the_form_of_amounts_is_advised_if_all_amounts_have_it(answers, row, found):
    """A rate, or one amount among others, does not advise to set the form of all amounts."""
    drift = find_drift([listed({"id": "t", **row})], Service({"amounts.answers": answers}))
    assert {each.what: each.key for each in drift} == found


def test_a_new_status_names_what_its_setting_does():
    """The setting makes a status known; a wait ends at it only with `until`."""
    (found,) = find_drift([listed({"id": "t", "status": "approved"})], Service())
    assert str(found) == (
        "status approved of transfers, 1 times, first in call 1; statuses.transfers makes it known"
        " (it ends no wait: pass until='approved')"
    )


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"exchange_rate": "17"}, []),
        ({"rate": "17"}, [("rate", "quotes.fields.exchange_rate")]),
        ({"expires": "2026-01-31T00:00:00Z"}, [("expires", "quotes.fields.expires_at")]),
        ({"note": "17"}, []),
        ({}, []),
    ],
)
def test_another_name_in_an_answer_is_named(row, found):
    """A missing field is named with the field of the answer that shares a telling word with it."""
    assert list(find_renamed_keys(Quote, row, Service())) == found
