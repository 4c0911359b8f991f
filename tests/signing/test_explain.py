"""The explanation of a signature: every layer, every line and its source in the spec."""

from __future__ import annotations

import pytest

import paylab
from paylab import signing

HEADERS = {
    "X-API-Key": "pk_1",
    "X-Date": "2026-01-31T09:30:00.123Z",
    "X-Nonce": "1769851800123004217",
}
URL = "https://api.pay.test:8443/v1/transfers?limit=2"
# Computed with openssl by the spec's steps, for the secret "s3cret" and the body {"a":1}.
VALUE = "MmM0YTA3ZmVjMDg3MDdjN2M4YzAxODg3ZTNjMzVkNDc4YTAxMzFjYWMwMzQyNzFhZjE3ZWMwOTM4ODk5NjViYQ=="

CANONICAL = "canonical request"
BODY_HASH = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
EXPLAINED = [
    ("body hash", BODY_HASH, "SHA-256 of the 7 bytes", "Headers"),
    (CANONICAL, "POST", "method", "Canonical request 1"),
    (CANONICAL, "/v1/transfers", "path", "Canonical request 2"),
    (CANONICAL, "limit=2", "query", "Canonical request 3"),
    (CANONICAL, "host:api.pay.test:8443", "Host", "Canonical request 4"),
    (CANONICAL, "x-api-key:pk_1", "API key", "Canonical request 4"),
    (CANONICAL, f"x-content-sha256:{BODY_HASH}", "hash", "Canonical request 4"),
    (CANONICAL, "x-date:2026-01-31T09:30:00.123Z", "ISO 8601", "Canonical request 4"),
    (CANONICAL, "x-nonce:1769851800123004217", "unix milliseconds", "Canonical request 4"),
    (CANONICAL, "host;x-api-key;x-content-sha256;x-date", "names", "Canonical request 5"),
    (CANONICAL, BODY_HASH, "SHA-256 of the body", "Canonical request 6"),
    ("payload", "HMAC-SHA256", "scheme", "Signature 2"),
    ("payload", "2026-01-31T09:30:00.123Z", "X-Date", "Signature 2"),
    ("payload", "12562ff39cb36a32", "SHA-256 of the canonical request", "Signature 1 and 2"),
    ("signature", VALUE, "HMAC-SHA256 of the payload", "Signature 3 and 4"),
    ("header", "HMAC-SHA256 Credential=pk_1,", "Authorization", "Headers"),
]


@pytest.fixture
def layers():
    """The lines of each layer of a signature, by the name of the layer."""
    found = signing.explain("POST", URL, HEADERS, b'{"a":1}', secret="s3cret", reveal=True)
    return {layer.name: layer.lines for layer in found.layers}


def test_from_the_body_to_the_header(layers):
    """There are five layers, in the order in which they are computed."""
    assert [*layers] == ["body hash", "canonical request", "payload", "signature", "header"]


def test_every_line_says_what_it_is_and_where_it_comes_from(layers):
    """Each line has its text, its meaning, and the step of the spec that it comes from."""
    lines = [(name, line) for name, each in layers.items() for line in each]
    for (name, line), (layer, start, word, source) in zip(lines, EXPLAINED, strict=True):
        assert (name, line.source.partition(", assumption")[0]) == (layer, f"spec, {source}")
        assert line.text.startswith(start)
        assert word in line.what


def test_the_layers_build_on_one_another(layers):
    """The signature at the end is the one that openssl computes."""
    canonical = "\n".join(line.text for line in layers["canonical request"])
    assert canonical.startswith("POST\n/v1/transfers\nlimit=2\nhost:api.pay.test:8443\nx-api-key:")
    assert layers["signature"][0].text == VALUE
    assert layers["header"][0].text.endswith(f"Signature={VALUE}")


def test_nothing_secret_unless_asked():
    """The key and the signature are hidden; without a secret there are three layers."""
    hidden = signing.explain("POST", URL, HEADERS, b'{"a":1}', secret="s3cret")
    assert not {"pk_1", VALUE, "s3cret"} & {*repr(hidden).replace("=", " ").split()}
    assert "pk_1" not in repr(hidden)
    assert VALUE not in repr(hidden)
    assert len(signing.explain("GET", URL, {}).layers) == 3


def test_texts_alone_show_the_key_only_if_asked():
    """Of a canonical request and a payload, the API key is hidden unless `reveal` is true."""
    texts = "GET\n/v1\nhost:h\nx-api-key:pk_1\nhost;x-api-key\ne3b0", "HMAC-SHA256\nD\nH"
    assert "pk_1" not in repr(signing.explain_text(*texts))
    assert "x-api-key:pk_1" in repr(signing.explain_text(*texts, reveal=True))


def test_a_call_of_the_lab():
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
def test_a_lab_compares_with_a_url_only(lab, url):
    """Text that is not a URL is refused with an example of a valid one."""
    with pytest.raises(paylab.ConfigError, match=r"is not a URL to sign: write https://host/v1"):
        lab.compare({}, "GET", url)
