"""Each mistake that the verifier can name, made by the independent signer of conftest."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from urllib.parse import unquote, unquote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

SECRET = "sk_sandbox_Zm9yIHRlc3RzIG9ubHk="
HEX_SECRET = "5ec2e70f" * 8
EMPTY = sha256(b"").hexdigest()
BARE = {"method": "GET", "query": "", "body": b""}
PAGE = {"query": "product_type=off_ramp&limit=100&cursor=eyJ%3D"}
FIVE = {"query": "e=1&d=2&c=3&b=4&a=5"}
SEVEN = {"query": "d=4&b=6&f=2&c=5&g=1&a=7&e=3"}
LONG = {"query": "g=1&f=2&e=3&d=4&c=5&b=6&a=7"}
ENCODED = {"path": "/v1/x%2Fy/Jos%C3%A9", "query": "a=b%26c&name=Mar%C3%ADa"}
SIX = {"headers": {"idempotency-key": "1"}}
SORTED = ["host", "x-api-key", "x-content-sha256", "x-date", "x-nonce"]
SAMPLE = ["host", "x-api-key", "x-date", "x-content-sha256", "x-nonce"]


def swap(old, new):
    """A function that replaces one piece of text by another."""
    return lambda text: text.replace(old, new)


def instead(pattern, new):
    """A function that replaces each match of a pattern."""
    return lambda text: re.sub(pattern, new, text, flags=re.MULTILINE)


def both(*changes):
    """A function that applies several changes in order."""

    def change(text):
        for each in changes:
            text = each(text)
        return text

    return change


def upper(match):
    """The matched text in upper case."""
    return match[0].upper()


def titled(match):
    """The matched text in title case."""
    return match[0].title()


def query_line(change):
    """A function that changes the query, the third line of the canonical request."""

    def edit(text):
        lines = text.split("\n")
        return "\n".join([*lines[:2], change(lines[2]), *lines[3:]])

    return edit


LINES = instead(r"^(x-content-sha256:.*)\n(x-date:.*)$", r"\2\n\1")
NAMES = swap("x-content-sha256;x-date", "x-date;x-content-sha256")
LINE_NAMES = instead(r"^(host|x-[a-z0-9-]+):", titled)
LIST_NAMES = instead(r"^host;.*$", titled)
AS_SENT = both(swap("X-Api-Key", "X-API-Key"), swap("X-Content-Sha256", "X-Content-SHA256"))
CRLF = swap("\n", "\r\n")
END = "{}\n".format
HOST = "^host:.*$"

SPACES = instead("^([A-Za-z0-9-]+):", r"\1: ")


def unhashed(canonical):
    """A signer that uses the canonical request in place of its hash."""
    texts = []
    return {
        "canonical": lambda text: texts.append(text) or text,
        "payload": lambda payload: canonical(payload, texts[-1]),
    }


MISTAKES = [
    ("hex-signature", {"finish": lambda digest: digest.hex().encode()}),
    ("hex-signature", {**BARE, "finish": lambda digest: digest.hex().encode()}),
    ("unhashed-canonical", unhashed(lambda payload, text: f"{payload[:-64]}{text}")),
    ("unhashed-canonical", unhashed(lambda payload, text: text)),
    ("no-algorithm-line", {"payload": swap("HMAC-SHA256\n", "")}),
    ("no-algorithm-line", {"payload": lambda payload: payload[-64:]}),
    ("method-case", {"canonical": swap("POST", "post")}),
    ("method-case", {**BARE, "canonical": swap("GET", "Get")}),
    ("query-mark", {"canonical": query_line("?{}".format)}),
    ("query-mark", {**BARE, "canonical": instead("^(/v1.*)$", r"\1\n?")}),
    ("query-in-path-line", {"canonical": instead(r"^(/v1.*)\n(limit)", r"\1?\2")}),
    ("query-in-path-line", {"canonical": instead(r"^(/v1.*)\n(limit.*)$", r"\1?\2\n")}),
    ("space-after-colon", {"canonical": SPACES}),
    ("space-after-colon", {"canonical": both(LINE_NAMES, SPACES)}),
    ("raw-digest", {"finish": b64encode}),
    ("raw-digest", {**BARE, "finish": b64encode}),
    ("uppercase-signature", {"finish": lambda digest: b64encode(digest.hex().upper().encode())}),
    (
        "double-base64",
        {"finish": lambda digest: b64encode(b64encode(digest.hex().encode()))},
    ),
    ("blank-query-line", {**BARE, "canonical": instead("^(/v1.*)$", r"\1\n")}),
    ("unsorted-headers", {"canonical": both(LINES, NAMES)}),
    ("unsorted-headers", {"canonical": both(LINES, NAMES), "names": SAMPLE}),
    ("unsorted-headers", {"canonical": LINES}),
    ("unsorted-headers", {"canonical": NAMES}),
    (
        "unsorted-headers",
        {
            **SIX,
            "canonical": instead(r"^(host:.*)\n(idempotency-key:1)\n(x-api.*)$", r"\2\n\1\n\3"),
            "names": ["idempotency-key", "host", "x-api-key", *SORTED[2:]],
        },
    ),
    ("header-name-case", {"canonical": both(LINE_NAMES, LIST_NAMES)}),
    ("header-name-case", {"canonical": LINE_NAMES}),
    ("header-name-case", {"canonical": instead("^(host|x-.*?):", upper)}),
    ("header-name-case", {"canonical": both(LINE_NAMES, AS_SENT)}),
    ("path-without-version", {"canonical": swap("/v1/", "/")}),
    ("path-without-version", {"path": "/api/v1/quotes", "canonical": swap("/v1/", "/")}),
    ("path-without-version", {"path": "/api/v1/quotes", "canonical": swap("/api/v1/", "/")}),
    ("uppercase-hash", {"hashed": str.upper}),
    ("uppercase-hash", {"canonical": instead(r"^[0-9a-f]{64}\Z", upper)}),
    ("uppercase-hash", {"hashed": str.upper, "canonical": instead(r"^[0-9a-f]{64}\Z", upper)}),
    ("body-changed", {"canonical": instead(r"^[0-9a-f]{64}\Z", EMPTY)}),
    ("missing-header", {"canonical": instead(r"^x-nonce:.*\n|;x-nonce$", "")}),
    ("missing-header", {"canonical": instead(r"^x-nonce:.*\n", "")}),
    ("missing-header", {"canonical": instead(r"^host;", "")}),
    ("host-differs", {"canonical": instead(HOST, "host:api.example.test")}),
    ("host-differs", {"canonical": instead(HOST, "host:api.example.test:443")}),
    ("host-differs", {"canonical": instead(HOST, "host:localhost:8443")}),
    ("host-differs", {"canonical": instead(HOST, "host:https://api.example.test:8443")}),
    (
        "host-differs",
        {"headers": {"host": "[::1]:80"}, "canonical": instead(HOST, "host:127.0.0.1")},
    ),
    (
        "host-differs",
        {"headers": {"host": "API.Example"}, "canonical": instead(HOST, "host:api.example")},
    ),
    ("plus-for-space", {"canonical": swap("%20", "+")}),
    ("plus-for-space", {"query": "name=a+b+c", "canonical": swap("+", "%20")}),
    (
        "query-reordered",
        {**PAGE, "canonical": query_line(lambda q: "&".join(sorted(q.split("&"))))},
    ),
    (
        "query-reordered",
        {**LONG, "canonical": query_line(lambda q: "&".join(sorted(q.split("&"))))},
    ),
    ("query-reordered", {**PAGE, "canonical": query_line(lambda q: "&".join(q.split("&")[::-1]))}),
    ("query-reordered", {**FIVE, "canonical": query_line(lambda q: "c=3&a=5&e=1&b=4&d=2")}),
    (
        "query-reordered",
        {**SEVEN, "canonical": query_line(lambda q: "g=1&f=2&e=3&d=4&c=5&b=6&a=7")},
    ),
    (
        "query-reordered",
        {**SEVEN, "canonical": query_line(lambda q: "e=3&a=7&g=1&c=5&f=2&b=6&d=4")},
    ),
    ("query-decoded", {"canonical": query_line(unquote)}),
    ("query-decoded", {**ENCODED, "canonical": query_line(unquote)}),
    ("query-decoded", {**ENCODED, "canonical": unquote}),
    ("query-decoded", {**ENCODED, "canonical": instead("^/v1.*$", "/v1/x/y/José")}),
    ("query-decoded", {**ENCODED, **BARE, "canonical": instead("^/v1.*$", "/v1/x/y/José")}),
    ("query-decoded", {"query": "q=a+b", "canonical": query_line(unquote_plus)}),
    ("query-decoded", {"query": "q=a%c3%a1", "canonical": swap("%c3%a1", "%C3%A1")}),
    ("query-decoded", {"query": "t=9:30", "canonical": swap("t=9:30", "t=9%3A30")}),
    ("key-decoded", {"issued": HEX_SECRET, "secret": bytes.fromhex(HEX_SECRET)}),
    ("key-decoded", {"issued": "c2VjcmV0", "secret": b"secret"}),
    ("key-decoded", {"issued": "-_c2VjcmV0LQ", "secret": b"\xfb\xf7\x36\x56\x37\x26\x57\x42\xd0"}),
    ("key-trimmed", {"secret": SECRET.rstrip("=")}),
    ("key-trimmed", {"secret": SECRET + "\n"}),
    ("key-trimmed", {"secret": f'"{SECRET}"'}),
    ("key-trimmed", {"issued": f" {SECRET}\n", "secret": SECRET}),
    ("wrong-line-ending", {"canonical": CRLF, "payload": CRLF}),
    ("wrong-line-ending", {"canonical": CRLF}),
    ("wrong-line-ending", {"payload": CRLF}),
    ("wrong-line-ending", {"canonical": END, "payload": END}),
    ("wrong-line-ending", {"canonical": END}),
    ("wrong-line-ending", {"payload": END}),
    ("wrong-line-ending", {"canonical": swap("\n", "\\n"), "payload": swap("\n", "\\n")}),
    ("wrong-line-ending", {"canonical": instead("^host;", "\nhost;")}),
    ("wrong-line-ending", {"finish": lambda digest: b64encode(digest.hex().encode() + b"\n")}),
]


@pytest.mark.parametrize(("mistake", "change"), MISTAKES)
def test_a_known_mistake_is_named_by_its_id(signed, check, mistake, change):
    """The reason is the signature, the mistake has its id, and the message explains it."""
    change = dict(change)
    issued = change.pop("issued", SECRET)
    refusal = check(signed(**change), secret=issued)
    assert (refusal.reason, refusal.mistake) == ("signature", mistake)
    assert refusal.message.startswith("the signature differs: ")


@pytest.mark.parametrize(("mistake", "change"), MISTAKES)
def test_not_named_with_another_secret(signed, check, mistake, change):
    """No mistake is named if the request was also signed with another secret."""
    change = {**change, "secret": "sk_sandbox_another"}
    issued = change.pop("issued", SECRET)
    refusal = check(signed(**change), secret=issued)
    assert (refusal.reason, refusal.mistake) == ("signature", None)


UNNAMED = [
    ("of three lines", {"payload": instead("^2026.*\n", "")}),
    ("no query was signed", {"canonical": swap("limit=2&name=a%20b\n", "")}),
    ("signed is '/v1/transfers/'", {"canonical": swap("/v1/transfers", "/v1/transfers/")}),
]


@pytest.mark.parametrize(("words", "change"), UNNAMED)
def test_a_mistake_without_an_id_is_described(signed, check, words, change):
    """The message of the refusal says what was signed, without the id of a mistake."""
    refusal = check(signed(**change))
    assert (refusal.reason, refusal.mistake) == ("signature", None)
    assert words in refusal.message


@pytest.mark.parametrize(
    "secret",
    ["", "s", SECRET.upper(), SECRET[:-2], SECRET[1:], SECRET * 2, "\n", "=", b"\x00", b"\xff"],
)
@pytest.mark.parametrize("issued", [SECRET, HEX_SECRET, "____", "=", " "])
def test_another_secret_is_not_named_as_a_mistake(signed, check, secret, issued):
    """Another secret is not reported as a mistake, even if it is similar to the issued one."""
    if secret != issued:
        assert check(signed(secret=secret), secret=issued).mistake is None


@settings(deadline=None, max_examples=50)
@given(
    secret=st.text(st.characters(exclude_categories=["Cs"])),
    query=st.text("ab=&+%2 C0", max_size=20),
)
def test_never_a_false_name(signed, check, secret, query):
    """With any other secret and any query, no mistake is named."""
    refusal = check(signed(secret=secret, query=query))
    assert (refusal.reason, refusal.mistake) == ("signature", None)


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        ({"query": "a=1&b=2&c=3&d=4&e=5&f=6", "canonical": swap("a=1&b=2&c", "b=2&a=1&c")}, None),
        ({"headers": {"a-b": "1"}, "canonical": both(LINES, NAMES)}, None),
        ({"path": "/" + "p" * 19_667, "finish": b64encode}, "raw-digest"),
        ({"path": "/" + "p" * 19_668, "finish": b64encode}, None),
    ],
)
def test_the_search_is_bounded(signed, check, change, mistake):
    """Up to five parameters or headers in any order, in a request of up to 20,000 characters."""
    refusal = check(signed(**change))
    assert (refusal.reason, refusal.mistake) == ("signature", mistake)


def test_a_change_without_effect_is_no_mistake(signed, check):
    """A change without effect is not a mistake: removing the port from a host that has none."""
    request = signed(**BARE, headers={"host": "api.example.test"}, canonical=swap(":8443", ""))
    assert check(request) is None
