"""Webhook subscriptions: creation, rules, listing, deletion."""

from __future__ import annotations

import pytest

PATH = "/v1/webhook_subscriptions"
GOOD = {"url": "https://example.com/hook?a=b&c", "event_types": ["transfer.created"]}


def test_a_subscription_has_six_fields(service):
    """A subscription has six fields; types are unique; is_active cannot be set."""
    body = GOOD | {"event_types": ["transfer.created"] * 2, "is_active": False}
    now = "2026-01-15T12:00:00.000Z"
    answer = service.post(PATH, body)
    assert answer.status == 201
    assert answer.json | {"id": 0} == {
        **GOOD,
        "id": 0,
        "is_active": True,
        "created_at": now,
        "updated_at": now,
    }


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"url": "http://localhost:80/x"}, 201),
        ({"url": "http://127.0.0.1/"}, 201),
        ({"url": "http://127.9.9.9"}, 201),
        ({"url": "http://[::1]:8080/x"}, 201),
        ({"url": "http://example.com/"}, 400),
        ({"url": "http://127.0.0.1.example.com/"}, 400),
        ({"url": "http://localhost@example.com/"}, 400),
        ({"url": "http://10.0.0.1/"}, 400),
        ({"url": "ftp://example.com/"}, 400),
        ({"url": "https://"}, 400),
        ({"url": "https://example.com:99999/"}, 400),
        ({"url": "https://exa mple.com/"}, 400),
        ({"url": "example.com"}, 400),
        ({"url": None}, 400),
        ({"url": 7}, 400),
        ({"event_types": []}, 400),
        ({"event_types": None}, 400),
        ({"event_types": "transfer.created"}, 400),
        ({"event_types": ["transfer.lost"]}, 400),
        ({"event_types": ["transfer.created", 7]}, 400),
    ],
)
def test_http_is_allowed_only_to_loopback_https_to_any_host(service, change, status):
    """http is allowed only to loopback, https to any host; event types must be known."""
    assert service.post(PATH, GOOD | change).status == status
    assert len(service.get(PATH).json) == (status == 201)


def test_the_list_is_an_array_newest_first(service):
    """The list is an array, newest first; a deletion returns 204, and later requests 404."""
    made = [service.made(PATH, GOOD) for _ in range(2)]
    listed = service.get(PATH)
    assert (listed.status, listed.json) == (200, made[::-1])
    target = f"{PATH}/{made[0]['id']}"
    assert service.get(target).json == made[0]
    deleted = service.delete(target)
    assert (deleted.status, deleted.body) == (204, b"")
    assert [service.get(target).status, service.delete(target).status] == [404, 404]
    assert service.get(PATH).json == made[1:]
