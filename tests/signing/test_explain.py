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


@pytest.fixture
def layers():
    """The lines of each layer of a signature, by the name of the layer."""
    found = signing.explain("POST", URL, HEADERS, b'{"a":1}', secret="s3cret", reveal=True)
    return {layer.name: layer.lines for layer in found.layers}


def test_from_the_body_to_the_header(layers):
    """There are five layers, in the order in which they are computed."""
    assert [*layers] == ["body hash", "canonical request", "payload", "signature", "header"]


def test_every_line_says_what_it_is_and_where_it_comes_from(layers):
    """Each line has a text, a meaning and a source in the spec."""
    lines = [line for each in layers.values() for line in each]
    assert all(line.text and line.what and line.source.startswith("spec, ") for line in lines)
    assert len(layers["canonical request"]) == 10


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
