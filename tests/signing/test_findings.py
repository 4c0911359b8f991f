"""How headers and URLs of another program are read, and how a finding is shown."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from paylab.errors import ConfigError
from paylab.signing import Finding, Mistake, ReceivedRequest, SignedRequest, explain_text
from paylab.signing.findings import check_url, read_headers
from paylab.signing.snippets import SnippetRequest

LOG = """\
* Trying: 127.0.0.1
> Host: localhost:8080
> X-Date: 2026-01-31T09:30:00.123Z
< HTTP/1.1 401 Unauthorized
< Date: Sat, 31 Jan 2026 09:30:10 GMT
< X-Date: of the answer
< Server: simulator
-H 'X-Nonce: 17' \\
X-Nonce: a second one
"Authorization": HMAC-SHA256 Credential=a
"""


def test_the_headers_of_a_log_are_read():
    """Headers of the request are read, the first of each; of the response only Date."""
    assert read_headers(LOG) == {
        "host": "localhost:8080",
        "x-date": "2026-01-31T09:30:00.123Z",
        "date": "Sat, 31 Jan 2026 09:30:10 GMT",
        "x-nonce": "17",
    }


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("https://a.test/v1", ("a.test",)),
        ("https://a.test:443/v1", ("a.test", "a.test:443")),
        ("http://a.test:80", ("a.test", "a.test:80")),
        ("https://a.test:80", ("a.test:80",)),
        ("https://user:word@a.test:8443/v1", ("a.test:8443",)),
    ],
)
def test_the_host_of_a_url_has_no_default_port(url, hosts):
    """The default port is not sent; a user and a password are no part of the host."""
    assert SignedRequest("GET", url).hosts == hosts


def test_a_url_without_a_path_has_the_root():
    """The request line of a URL without a path names the root."""
    assert (SignedRequest("GET", "https://a.test").path, SignedRequest("GET", "/v1").path) == (
        "/",
        "/v1",
    )


@pytest.mark.parametrize("url", ["https://a.test", "http://a.test/v1", "/v1/x?a=1"])
def test_a_url_to_sign_is_full_or_a_path(url):
    """A full URL, or a path under the base URL."""
    check_url(url)


@pytest.mark.parametrize(
    "url", ["v1/x", "ftp://a.test/v1", "//a.test/v1", "https:///v1", "http://[bad", "mailto:/v1"]
)
def test_anything_else_is_no_url_to_sign(url):
    """Anything else is refused with the text that was given."""
    with pytest.raises(ConfigError, match="is not a URL to sign"):
        check_url(url)


def test_a_finding_shows_both_lines_if_they_differ():
    """The lines of both sides are shown if there are any, even if one is empty."""
    head = "raw-digest: do this\n  layer   payload\n  line    x-date"
    facts = (False, "payload", "x-date", "raw-digest", "do this")
    assert repr(Finding(*facts)) == head
    assert repr(Finding(*facts, "", "b")) == f"{head}\n  theirs  (an empty line)\n  ours    b"
    assert repr(Finding(True)) == "match: the signature is the one the spec gives"


VALUES = [
    *(
        Finding(True),
        Mistake("a", "b"),
        ReceivedRequest("GET", "/", "", {}),
        SignedRequest("GET", "/"),
    ),
    *(SnippetRequest("GET", "/"), explain_text("GET", "H")),
    *(explain_text("GET", "H").layers[0], explain_text("GET", "H").layers[0].lines[0]),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_cannot_be_changed(value):
    """Requests, findings and explanations are immutable."""
    with pytest.raises(FrozenInstanceError):
        setattr(value, fields(value)[0].name, None)
