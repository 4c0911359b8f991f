"""The rules of webhook subscriptions."""

from __future__ import annotations

import pytest

from paylab.rules import webhooks
from paylab.spec import codes

URL = "https://example.com/events"
TYPES = ["transfer.created"]


@pytest.mark.parametrize(
    "url",
    [
        URL,
        "https://example.com",
        "HTTPS://Example.com:8443/a?b=c&d=e@f",
        "https://xn--bcher-kva.example/",
        "https://10.0.0.1/",
        "https://[2001:db8::1]:443/",
        "http://localhost:8080/hook",
        "http://LOCALHOST/",
        "http://127.0.0.1:9/",
        "http://127.9.9.9/",
        "http://[::1]:8080/",
    ],
)
def test_https_is_accepted_for_any_host_and_http_for_this_machine(url):
    """https is accepted for any host and http for this machine; a query is accepted."""
    assert webhooks.check({"url": url, "event_types": TYPES}) == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://example.com/", "must be https"),
        ("http://127.0.0.1.example.com/", "must be https"),
        ("http://localhost.example.com/", "must be https"),
        ("http://128.0.0.1/", "must be https"),
        ("http://0.0.0.0/", "must be https"),
        ("http://127.1/", "must be https"),
        ("http://[::2]/", "must be https"),
        ("http://[::ffff:10.0.0.1]/", "must be https"),
        ("https://user:secret@example.com/", "user name"),
        ("http://localhost@example.com/", "user name"),
        ("https://@example.com/", "user name"),
        (URL + "#top", "fragment"),
        (URL + "#", "fragment"),
        ("ftp://example.com/", "https address"),
        ("javascript:alert(1)", "https address"),
        ("example.com/events", "https address"),
        ("//example.com/events", "https address"),
        ("https://", "https address"),
        ("https:///events", "https address"),
        ("https://:443/", "https address"),
        ("https://[::1/", "https address"),
        ("https://[x]/", "https address"),
        ("https://example.com:99999/", "https address"),
        ("https://example.com:x/", "https address"),
        ("https://exa mple.com/", "https address"),
        (" https://example.com/", "https address"),
        ("https://example.com/\n", "https address"),
        ("https://example.com/\0", "https address"),
        ("https://bücher.example/", "https address"),
        ("", "blank"),
        (None, "required"),
        (5, "text"),
        ([URL], "text"),
    ],
)
def test_an_invalid_address_has_one_problem_that_says_why(url, words):
    """An invalid address has one problem that says why."""
    (problem,) = webhooks.check({"url": url, "event_types": TYPES})
    assert problem.field == "url"
    assert words in problem.message


@pytest.mark.parametrize(
    ("event_types", "fields"),
    [
        (list(codes.EVENT_TYPES), []),
        (TYPES * 2, []),
        ([], ["event_types"]),
        (None, ["event_types"]),
        ("transfer.created", ["event_types"]),
        ({"transfer.created": True}, ["event_types"]),
        (["transfer.created", "transfer.lost", None], ["event_types.1", "event_types.2"]),
        ([["transfer.created"]], ["event_types.0"]),
    ],
)
def test_event_types_must_be_a_list_of_at_least_one_known_event_type(event_types, fields):
    """`event_types` must be a list of at least one known event type."""
    problems = webhooks.check({"url": URL, "event_types": event_types})
    assert [problem.field for problem in problems] == fields


@pytest.mark.parametrize("body", [None, [], "x", 7])
def test_a_body_that_is_not_an_object_has_one_problem_without_a_field_name(body):
    """A body that is not an object has one problem, without a field name."""
    assert [problem.field for problem in webhooks.check(body)] == [""]
