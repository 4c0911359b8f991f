"""A signature opened: every layer, every line, and where the spec says so."""

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
# Made with openssl from the spec's steps, for the secret "s3cret" and the body {"a":1}.
VALUE = "MmM0YTA3ZmVjMDg3MDdjN2M4YzAxODg3ZTNjMzVkNDc4YTAxMzFjYWMwMzQyNzFhZjE3ZWMwOTM4ODk5NjViYQ=="


@pytest.fixture
def layers():
    """The layers of a request, by name."""
    found = signing.explain("POST", URL, HEADERS, b'{"a":1}', secret="s3cret", reveal=True)
    return {layer.name: layer.lines for layer in found.layers}


def test_from_the_body_to_the_header(layers):
    """Five layers, in the order they are made."""
    assert [*layers] == ["body hash", "canonical request", "payload", "signature", "header"]


def test_every_line_says_what_it_is_and_where_it_comes_from(layers):
    """A part of the spec, and the gap where there is one."""
    lines = [line for each in layers.values() for line in each]
    assert all(line.text and line.what and line.source.startswith("spec, ") for line in lines)
    assert len(layers["canonical request"]) == 10


def test_the_layers_build_on_one_another(layers):
    """The last is the signature that openssl makes."""
    canonical = "\n".join(line.text for line in layers["canonical request"])
    assert canonical.startswith("POST\n/v1/transfers\nlimit=2\nhost:api.pay.test:8443\nx-api-key:")
    assert layers["signature"][0].text == VALUE
    assert layers["header"][0].text.endswith(f"Signature={VALUE}")


def test_nothing_secret_unless_asked():
    """Key and signature are hidden; without the secret the last layers are left out."""
    hidden = signing.explain("POST", URL, HEADERS, b'{"a":1}', secret="s3cret")
    assert not {"pk_1", VALUE, "s3cret"} & {*repr(hidden).replace("=", " ").split()}
    assert "pk_1" not in repr(hidden)
    assert VALUE not in repr(hidden)
    assert len(signing.explain("GET", URL, {}).layers) == 3


def test_a_call_of_the_lab():
    """Explained by the lab, the latest without naming it."""
    lab = paylab.connect()
    lab.transfers.list(limit=1).first()
    assert repr(lab.explain(lab.calls[-1])) == repr(lab.explain())
    assert lab.settings.api_key.reveal() not in repr(lab.explain())


def test_before_the_first_call_there_is_nothing_to_explain(lab):
    """The error says how to make one."""
    with pytest.raises(paylab.ConfigError, match=r"no call yet: make one, as lab\.transfers\.list"):
        lab.explain()


@pytest.mark.parametrize("url", ["http://[bad", "v1/transfers", "//host/v1", "ftp://host/v1"])
def test_a_lab_compares_with_a_url_only(lab, url):
    """Another text is refused with the forms to write."""
    with pytest.raises(paylab.ConfigError, match=r"is not a URL to sign: write https://host/v1"):
        lab.compare({}, "GET", url)
