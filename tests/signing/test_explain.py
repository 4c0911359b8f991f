"""The explanation of a signature: every layer, every line and its source in the spec."""

from __future__ import annotations

from functools import partial
from hashlib import sha256

import pytest

import paylab
from paylab import signing

CANONICAL = "canonical request"
BODY_HASH = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
EXPLAINED = [
    (CANONICAL, "POST", "method", "Canonical request 1"),
    (CANONICAL, "/v1/transfers", "path", "Canonical request 2"),
    (CANONICAL, "limit=2", "query", "Canonical request 3"),
    (CANONICAL, "host:api.pay.test:8443", "Host", "Canonical request 4"),
    (CANONICAL, "x-api-key:***", "API key", "Canonical request 4"),
    (CANONICAL, f"x-content-sha256:{BODY_HASH}", "hash", "Canonical request 4"),
    (CANONICAL, "x-date:2026-01-31T09:30:00.123Z", "ISO 8601", "Canonical request 4"),
    (CANONICAL, "x-nonce:1769851800123004217", "unix milliseconds", "Canonical request 4"),
    (CANONICAL, "host;x-api-key;x-content-sha256;x-date", "names", "Canonical request 5"),
    (CANONICAL, BODY_HASH, "SHA-256 of the body", "Canonical request 6"),
    ("payload", "HMAC-SHA256", "scheme", "Signature 2"),
    ("payload", "2026-01-31T09:30:00.123Z", "X-Date", "Signature 2"),
    ("payload", "12562ff39cb36a32", "SHA-256 of the canonical request", "Signature 1 and 2"),
    ("signature", "***", "HMAC-SHA256 of the payload", "Signature 3 and 4"),
    ("header", "HMAC-SHA256 Credential=***,", "Authorization", "Headers"),
]


TEXT = f"""\
POST
/v1/transfers
limit=2
host:api.pay.test:8443
x-api-key:pk_1
x-content-sha256:{BODY_HASH}
x-date:2026-01-31T09:30:00.123Z
x-nonce:1769851800123004217
host;x-api-key;x-content-sha256;x-date;x-nonce
{BODY_HASH}"""
PAYLOAD = "HMAC-SHA256\n2026-01-31T09:30:00.123Z\n12562ff39cb36a32"


def test_every_line_says_what_it_is_and_where_it_comes_from():
    """Each line has its text, its meaning and its source; key and signature are hidden."""
    layers = signing.explain_text(TEXT, PAYLOAD).layers
    lines = [(layer.name, line) for layer in layers for line in layer.lines]
    for (name, line), (layer, start, word, source) in zip(lines, EXPLAINED, strict=True):
        assert (name, line.source.partition(", assumption")[0]) == (layer, f"spec, {source}")
        assert line.text.startswith(start)
        assert word in line.what


def test_a_request_is_explained_by_its_texts():
    """The texts of a request are made as the spec says; Host is that of the URL."""
    headers = dict(line.split(":", 1) for line in TEXT.splitlines()[4:8])
    url = "https://api.pay.test:8443/v1/transfers?limit=2"
    found = signing.explain("POST", url, headers, b'{"a":1}')
    digest = sha256(TEXT.encode()).hexdigest()
    payload = f"HMAC-SHA256\n2026-01-31T09:30:00.123Z\n{digest}"
    assert found == signing.explain_text(TEXT, payload)


@pytest.mark.parametrize(
    ("canonical", "what"),
    [("GET", ["request method"]), ("GET\n/v1", ["names of the lines above, sorted", "SHA-256"])],
)
def test_texts_that_were_cut(canonical, what):
    """A text that is not whole is explained as far as it goes."""
    layers = signing.explain_text(canonical, "HMAC-SHA256").layers
    assert [line.what for line in layers[0].lines][:1] == what[:1]
    assert [line.what for line in layers[1].lines] == ["the scheme"]


def test_texts_that_are_missing():
    """Without the texts, as in a recording, two layers have no lines."""
    assert [layer.lines for layer in signing.explain_text("", "").layers] == [(), ()]


def test_the_latest_call_is_explained():
    """`lab.explain()` explains the latest call by default, and hides the API key."""
    lab = paylab.connect()
    lab.transfers.list(limit=1).first()
    assert repr(lab.explain(lab.calls[-1])) == repr(lab.explain())
    assert lab.settings.api_key.reveal() not in repr(lab.explain())


def test_before_the_first_call_there_is_nothing_to_explain(lab):
    """Without a call, `lab.explain()` is an error that says how to make one."""
    with pytest.raises(paylab.ConfigError, match=r"no call yet: make one, as lab\.transfers\.list"):
        lab.explain()


@pytest.mark.parametrize("url", ["http://[bad", "v1/transfers", "//host/v1", "ftp://host/v1"])
def test_only_a_url_is_compared_or_explained(lab, url):
    """Text that is not a URL is refused with an example of a valid one."""
    for ask in (partial(lab.compare, {}, "GET", url), partial(signing.explain, "GET", url, {})):
        with pytest.raises(paylab.ConfigError, match=r"is not a URL to sign: write https://host/v"):
            ask()


def test_every_name_of_the_package_is_found():
    """Names that are loaded on first use exist, and a module does not replace a function."""
    for name in dir(signing):
        getattr(signing, name)
    assert callable(signing.explain)
