"""A benchmark of signing, compared with only the cryptography that it needs."""

from __future__ import annotations

import hmac
from base64 import b64encode
from hashlib import sha256

from paylab import signing

KEY = "key_sandbox_4f2a"
SECRET = "sk_sandbox_0123456789abcdef01234567"
SET_UP = signing.keyed(SECRET.encode())  # done once, as in a client
HOST, PATH = "api.sandbox.example", "/v1/transfers"
QUERY = "limit=100&cursor=eyJkaXJlY3Rpb24iOiJuZXh0IiwiaWQiOiJ0cl84TTBSRTRFU0FBRyJ9"
DATE, NONCE = "2026-01-31T09:30:00.123Z", "1769851800123004217"
HEADERS = {
    "host": HOST,
    "x-api-key": KEY,
    "x-content-sha256": signing.EMPTY_HASH,
    "x-date": DATE,
    "x-nonce": NONCE,
}


def sign(secret=SET_UP):
    """The signature of a GET."""
    return signing.sign(secret, "GET", PATH, QUERY, HEADERS, signing.EMPTY_HASH)


def headers():
    """All headers of a signed request, as a client sends them."""
    return signing.signed_headers(KEY, SET_UP, "GET", HOST, PATH, QUERY, date=DATE, nonce=NONCE)


def test_signing_a_get_takes_little_longer_than_its_digests(compare):
    """Signing takes at most 1.5 times as long as its digests, HMAC and Base64 alone."""
    signature = sign()
    key, canonical, payload = map(str.encode, (SECRET, signature.canonical, signature.payload))

    def bare():
        sha256(b"").hexdigest()
        sha256(canonical).hexdigest()
        return b64encode(hmac.digest(key, payload, "sha256").hex().encode())

    assert bare().decode() == signature.value == headers()[1].value
    calls = {
        "bare digests, HMAC, Base64": bare,
        "sign": sign,
        "sign, from the text of the secret": lambda: sign(SECRET),
        "signed_headers": headers,
    }
    figures = compare("One signed GET", calls, loops=3_000, goal="sign 1.5 x")
    assert figures["sign"]["ratio"] <= 1.5
