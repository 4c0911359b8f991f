"""Drift: what a service's answers have and the settings do not, found in the calls of a lab."""

import httpx
import pytest
from independent_service import Service as Independent

from paylab.client.settings import Settings
from paylab.errors import NotFoundError
from paylab.lab.lab import Lab, connect


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
