"""The differences between an event and the current state of its resource."""

from __future__ import annotations

import pytest

from paylab.webhooks.difference import differences


@pytest.mark.parametrize(
    ("payload", "now", "expected"),
    [
        ({"status": "started"}, {"status": "completed"}, [("status", "started", "completed")]),
        ({"a": None}, {}, []),
        ({"a": None}, {"a": "1"}, [("a", "-", "1")]),
        ({"a": {"b": "1", "c": "2"}}, {"a": {"b": "1"}}, [("a.c", "2", "-")]),
        ({"a": [{"code": "x"}]}, {"a": [{"code": "y"}]}, [("a.0.code", "x", "y")]),
        ({"source_currency": "usd"}, {"source_currency": "USD"}, []),
        ({"word": "usd"}, {"word": "USD"}, [("word", "usd", "USD")]),
        ({"amount": "10.0"}, {"amount": "10.00"}, []),
        ({"amount": "10.0"}, {"amount": "10.01"}, [("amount", "10.0", "10.01")]),
        ({"updated_at": "2026-01-15T12:00:00Z"}, {"updated_at": "2026-01-15T13:00:00+01:00"}, []),
        ({"previous_status": "pending"}, {"status": "active"}, []),
        ({"status": "active"}, {"status": "active", "given_name": "Ana"}, []),
        ({"n": 1}, {"n": True}, []),
        ({"n": 1}, {"n": "1"}, [("n", "1", "1")]),
    ],
)
def test_only_a_change_of_meaning_is_a_difference(payload, now, expected):
    """Only fields of the payload are compared, and only a change of meaning is a difference."""
    assert [tuple(each) for each in differences(payload, now)] == expected
