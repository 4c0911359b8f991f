"""Many kinds of signing mistake: the comparison gives each its right name or `unknown`.

The first item of a row is the only right name, `-` if there is none; `unknown` is always allowed.
The secret may be named as the mistake only if the secret is wrong.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote, unquote

import pytest

from paylab.signing.comparison import compare
from paylab.signing.corrections import CORRECTIONS
from paylab.signing.findings import SignedRequest

NOW = datetime(2026, 1, 31, 9, 30, 10, tzinfo=UTC)
DATE = "2026-01-31T09:30:00.123Z"
SECRET = "sk_test_c2VjcmV0IGtleSBmb3IgdGVzdHM="
KEY = "pk_test_77"
HOST = "api.example.test:8443"
BODY = '{"amount": "10.00", "note": "Ñuñoa"}'.encode()
POST = ("POST", "/v1/transfers", "", BODY)
GET = ("GET", "/v1/individuals/a%20b%2Fc", "limit=2&name=a%20b&after=x%2Fy", b"")
PLAIN = ("GET", "/v1/conversions", "", b"")


@dataclass
class Parts:
    """The parts of a canonical request."""

    method: str
    path: str
    query: str
    headers: list
    names: str
    content_hash: str
    colon: str = ":"
    joint: str = "\n"

    def text(self):
        """The canonical request, in the form of the spec unless a part was changed."""
        lines = [self.method, self.path, *([self.query] if self.query else [])]
        lines += [f"{name}{self.colon}{value}" for name, value in self.headers]
        return self.joint.join([*lines, self.names, self.content_hash])


def same(value):
    """Return the value unchanged."""
    return value


def sign(request, **step):
    """The signed headers of a request; `step` replaces headers, parts or steps of the spec."""
    method, path, query, body = request
    sent = {
        "host": HOST,
        "x-api-key": KEY,
        "x-content-sha256": step.get("body_hash", sha)(body),
        "x-date": DATE,
        "x-nonce": "1769851800123004217",
    } | step.get("sent", {})
    sent = {name: value for name, value in sent.items() if value is not None}
    signed = sorted((sent | step.get("signed", {})).items())
    names = ";".join(name for name, _ in signed)
    parts = Parts(method, path, query, signed, names, dict(signed)["x-content-sha256"])
    for name, change in step.get("parts", {}).items():
        setattr(parts, name, change(getattr(parts, name)) if callable(change) else change)
    canonical = step.get("text", same)(parts.text())
    hashed = step.get("hashed", sha)(canonical.encode())
    lines = ["HMAC-SHA256", step.get("date", dict(signed)["x-date"]), hashed]
    payload = step.get("payload", "\n".join)(lines)
    payload = payload(canonical, lines) if callable(payload) else payload
    key = step.get("key", SECRET)
    key = key if isinstance(key, bytes) else key.encode()
    digest = step.get("mac", mac("sha256"))(key, payload.encode())
    value = step.get("encode", hex64)(digest)
    listed = step.get("names", ";".join(sorted(sent)))
    form = step.get("form", "HMAC-SHA256 Credential={0},SignedHeaders={1},Signature={2}")
    return sent | {"authorization": form.format(KEY, listed, value)}


def sha(data, algorithm="sha256"):
    """The hash in hex."""
    return hashlib.new(algorithm, data).hexdigest()


def mac(algorithm):
    """A function that computes an HMAC with this hash algorithm."""
    return lambda key, text: hmac.new(key, text, algorithm).digest()


def hex64(digest):
    """Base64 of the digest's hex text."""
    return base64.b64encode(digest.hex().encode()).decode()


def b64(data):
    """Base64 as text."""
    return base64.b64encode(data).decode()


def put(old, new):
    """A function that replaces one piece of text by another."""
    return lambda text: text.replace(old, new)


def instead(make):
    """Another text for the HMAC, made of the canonical request and the payload's three lines."""
    return lambda lines: lambda canonical, _: make(canonical, *lines)


def over(change):
    """A function that changes the value of every header line."""
    return lambda headers: [(name, change(value)) for name, value in headers]


def named(change):
    """A function that changes the name of every header line."""
    return lambda headers: [(change(name), value) for name, value in headers]


def only(name, value):
    """A function that replaces the value of one header line."""
    return lambda headers: [(each, value if each == name else v) for each, v in headers]


def less(name):
    """A function that removes one header line."""
    return lambda headers: [pair for pair in headers if pair[0] != name]


def json_again(**options):
    """A function that writes the body's JSON with other options and hashes it."""
    return lambda body: sha(json.dumps(json.loads(body), **options).encode())


TITLE = str.title
LOW = ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.123+00:00", "2026-01-31 09:30:00.123Z")
ODD = ("2026-01-31T09:30:00.123", "20260131T093000Z", "1769851800", "1769851800123")
DATES = (*LOW, *ODD, "Sat, 31 Jan 2026 09:30:00 GMT", "2026-01-31T09:30:00.123456Z", "today")

KINDS = [
    # the form of the signature
    ("raw-digest", "raw bytes", POST, {"encode": b64}),
    ("hex-signature", "hex without Base64", POST, {"encode": bytes.hex}),
    (
        "raw-digest",
        "raw bytes, url-safe",
        POST,
        {"encode": lambda d: base64.urlsafe_b64encode(d).decode()},
    ),
    ("-", "no padding", POST, {"encode": lambda d: hex64(d).rstrip("=")}),
    (
        "uppercase-signature",
        "upper-case hex",
        POST,
        {"encode": lambda d: b64(d.hex().upper().encode())},
    ),
    ("double-base64", "Base64 twice", POST, {"encode": lambda d: b64(hex64(d).encode())}),
    (
        "double-base64",
        "Base64 twice of the raw bytes",
        POST,
        {"encode": lambda d: b64(b64(d).encode())},
    ),
    ("-", "Base32", POST, {"encode": lambda d: base64.b32encode(d).decode()}),
    ("-", "hex of hex", POST, {"encode": lambda d: b64(d.hex().encode().hex().encode())}),
    ("-", "0x before the hex", POST, {"encode": lambda d: b64(f"0x{d.hex()}".encode())}),
    ("-", "hex with colons", POST, {"encode": lambda d: b64(d.hex(":").encode())}),
    (
        "wrong-line-ending",
        "a newline after the hex",
        POST,
        {"encode": lambda d: b64(f"{d.hex()}\n".encode())},
    ),
    ("-", "half of the hex", POST, {"encode": lambda d: b64(d.hex()[:32].encode())}),
    ("-", "quoted hex", POST, {"encode": lambda d: b64(f'"{d.hex()}"'.encode())}),
    (
        "-",
        "quoted signature",
        POST,
        {"form": 'HMAC-SHA256 Credential={0},SignedHeaders={1},Signature="{2}"'},
    ),
    ("-", "url-encoded signature", POST, {"encode": lambda d: quote(hex64(d))}),
    ("-", "the hex reversed", POST, {"encode": lambda d: hex64(d[::-1])}),
    # the HMAC
    *[
        ("-", f"HMAC with {name}", POST, {"mac": mac(name)})
        for name in ("sha1", "sha512", "md5", "sha384")
    ],
    ("-", "key and text swapped", POST, {"mac": lambda k, t: hmac.new(t, k, "sha256").digest()}),
    ("-", "a hash of key and text", POST, {"mac": lambda k, t: hashlib.sha256(k + t).digest()}),
    ("-", "a hash of text and key", POST, {"mac": lambda k, t: hashlib.sha256(t + k).digest()}),
    ("-", "an HMAC of the HMAC", POST, {"mac": lambda k, t: mac("sha256")(k, mac("sha256")(k, t))}),
    ("-", "no HMAC", POST, {"mac": lambda k, t: hashlib.sha256(t).digest()}),
    (
        "-",
        "HMAC of the hashed text",
        POST,
        {"mac": lambda k, t: mac("sha256")(k, hashlib.sha256(t).digest())},
    ),
    (
        "-",
        "a key derived from the date",
        POST,
        {"key": mac("sha256")(SECRET.encode(), b"20260131")},
    ),
    # the text that the HMAC is computed of
    (
        "unhashed-canonical",
        "the canonical request itself",
        POST,
        {"payload": instead(lambda c, s, d, h: c)},
    ),
    ("no-algorithm-line", "its hash alone", POST, {"payload": instead(lambda c, s, d, h: h)}),
    (
        "no-algorithm-line",
        "without the scheme",
        POST,
        {"payload": instead(lambda c, s, d, h: f"{d}\n{h}")},
    ),
    ("-", "without the date", POST, {"payload": instead(lambda c, s, d, h: f"{s}\n{h}")}),
    ("-", "hash before date", POST, {"payload": instead(lambda c, s, d, h: f"{s}\n{h}\n{d}")}),
    (
        "unhashed-canonical",
        "not hashed",
        POST,
        {"payload": instead(lambda c, s, d, h: f"{s}\n{d}\n{c}")},
    ),
    ("-", "joined with spaces", POST, {"payload": " ".join}),
    ("-", "joined with nothing", POST, {"payload": "".join}),
    ("-", "joined with semicolons", POST, {"payload": ";".join}),
    (
        "-",
        "the scheme in lower case",
        POST,
        {"payload": instead(lambda c, s, d, h: f"{s.lower()}\n{d}\n{h}")},
    ),
    (
        "-",
        "another scheme",
        POST,
        {"payload": instead(lambda c, s, d, h: f"AWS4-HMAC-SHA256\n{d}\n{h}")},
    ),
    (
        "-",
        "a scope line",
        POST,
        {"payload": instead(lambda c, s, d, h: f"{s}\n{d}\n20260131/x\n{h}")},
    ),
    (
        "-",
        "the API key in it",
        POST,
        {"payload": instead(lambda c, s, d, h: f"{s}\n{KEY}\n{d}\n{h}")},
    ),
    ("wrong-line-ending", "CRLF in it", POST, {"payload": "\r\n".join}),
    (
        "wrong-line-ending",
        "a newline at its end",
        POST,
        {"payload": lambda lines: "\n".join([*lines, ""])},
    ),
    ("uppercase-hash", "its hash in upper case", POST, {"hashed": lambda t: sha(t).upper()}),
    ("-", "its hash in Base64", POST, {"hashed": lambda t: b64(hashlib.sha256(t).digest())}),
    *[
        ("-", f"hashed with {name}", POST, {"hashed": lambda t, name=name: sha(t, name)})
        for name in ("sha1", "md5", "sha512")
    ],
    ("-", "hashed twice", POST, {"hashed": lambda t: sha(sha(t).encode())}),
    ("stale-date", "another date in it", POST, {"date": "2026-01-31T09:30:00.124Z"}),
    ("stale-date", "the date without milliseconds in it", POST, {"date": "2026-01-31T09:30:00Z"}),
    ("stale-date", "a compact date in it", POST, {"date": "20260131T093000Z"}),
    # the canonical request: lines
    ("wrong-line-ending", "CRLF", POST, {"parts": {"joint": "\r\n"}}),
    ("wrong-line-ending", "written-out newlines", POST, {"parts": {"joint": "\\n"}}),
    ("wrong-line-ending", "a newline at its end", POST, {"text": lambda t: f"{t}\n"}),
    ("-", "spaces for newlines", POST, {"parts": {"joint": " "}}),
    ("-", "nothing for newlines", POST, {"parts": {"joint": ""}}),
    ("-", "a bar for newlines", POST, {"parts": {"joint": "|"}}),
    (
        "wrong-line-ending",
        "a blank line before the names",
        GET,
        {"parts": {"names": lambda n: f"\n{n}"}},
    ),
    ("wrong-line-ending", "blank lines between all", GET, {"parts": {"joint": "\n\n"}}),
    ("wrong-line-ending", "a blank line first", POST, {"text": lambda t: f"\n{t}"}),
    (
        "wrong-line-ending",
        "a blank line before the hash",
        POST,
        {"parts": {"content_hash": lambda h: f"\n{h}"}},
    ),
    ("-", "a space at each line's end", POST, {"parts": {"joint": " \n"}}),
    ("blank-query-line", "a blank line for no query", POST, {}),
    ("blank-query-line", "a blank line for no query, GET", PLAIN, {}),
    (
        "-",
        "without the names line",
        POST,
        {"text": lambda t: "\n".join([*t.split("\n")[:-2], t.split("\n")[-1]])},
    ),
    ("-", "without the hash line", POST, {"text": lambda t: t.rpartition("\n")[0]}),
    ("-", "without header lines", POST, {"parts": {"headers": []}}),
    (
        "-",
        "names after the hash",
        POST,
        {"text": lambda t: "\n".join([*t.split("\n")[:-2], *t.split("\n")[:-3:-1]])},
    ),
    ("-", "a byte order mark", POST, {"text": lambda t: f"\ufeff{t}"}),
    # method and path
    ("method-case", "method in lower case", POST, {"parts": {"method": "post"}}),
    ("-", "another method", POST, {"parts": {"method": "PUT"}}),
    ("-", "no method", POST, {"parts": {"method": ""}}),
    ("path-without-version", "no version", POST, {"parts": {"path": "/transfers"}}),
    ("-", "a whole URL as path", POST, {"parts": {"path": lambda p: f"https://{HOST}{p}"}}),
    (
        "-",
        "a whole URL with its query as path",
        GET,
        {"parts": {"path": lambda p: f"https://{HOST}{p}?{GET[2]}", "query": ""}},
    ),
    ("-", "host and path", POST, {"parts": {"path": lambda p: HOST + p}}),
    ("-", "path without its first slash", POST, {"parts": {"path": lambda p: p[1:]}}),
    ("-", "a slash at the path's end", POST, {"parts": {"path": lambda p: f"{p}/"}}),
    ("-", "two slashes", POST, {"parts": {"path": lambda p: f"/{p}"}}),
    ("-", "path in upper case", POST, {"parts": {"path": str.upper}}),
    ("-", "a prefix before the path", POST, {"parts": {"path": lambda p: f"/api{p}"}}),
    ("query-decoded", "path decoded", GET, {"parts": {"path": unquote}}),
    ("query-decoded", "path encoded again", GET, {"parts": {"path": quote}}),
    ("query-decoded", "%2f in the path", GET, {"parts": {"path": put("%2F", "%2f")}}),
    ("query-decoded", "slashes encoded", POST, {"parts": {"path": lambda p: quote(p, "")}}),
    (
        "query-in-path-line",
        "path with its query in one line",
        GET,
        {"parts": {"path": lambda p: f"{p}?{GET[2]}", "query": ""}},
    ),
    # the query
    ("query-decoded", "query decoded", GET, {"parts": {"query": unquote}}),
    ("query-decoded", "%2f in the query", GET, {"parts": {"query": put("%2F", "%2f")}}),
    ("query-decoded", "query encoded again", GET, {"parts": {"query": lambda q: quote(q, "=&")}}),
    ("query-decoded", "query encoded whole", GET, {"parts": {"query": lambda q: quote(q, "")}}),
    ("plus-for-space", "+ for %20", GET, {"parts": {"query": put("%20", "+")}}),
    (
        "query-reordered",
        "parameters sorted",
        GET,
        {"parts": {"query": lambda q: "&".join(sorted(q.split("&")))}},
    ),
    (
        "query-reordered",
        "parameters reversed",
        GET,
        {"parts": {"query": lambda q: "&".join(q.split("&")[::-1])}},
    ),
    ("-", "query left out", GET, {"parts": {"query": ""}}),
    ("query-mark", "query with its ?", GET, {"parts": {"query": lambda q: f"?{q}"}}),
    ("-", "an & at the query's end", GET, {"parts": {"query": lambda q: f"{q}&"}}),
    ("query-decoded", "query in lower case", GET, {"parts": {"query": str.lower}}),
    ("-", "query as JSON", GET, {"parts": {"query": '{"limit": 2}'}}),
    ("-", "a parameter too many", GET, {"parts": {"query": lambda q: f"{q}&a=b"}}),
    ("-", "a parameter left out", GET, {"parts": {"query": "limit=2&name=a%20b"}}),
    ("-", "semicolons in the query", GET, {"parts": {"query": put("&", ";")}}),
    # header lines
    ("space-after-colon", "a space after the colon", POST, {"parts": {"colon": ": "}}),
    ("-", "a space before the colon", POST, {"parts": {"colon": " :"}}),
    ("-", "= for the colon", POST, {"parts": {"colon": "="}}),
    ("-", "values alone", POST, {"parts": {"headers": named(lambda n: ""), "colon": ""}}),
    ("header-name-case", "names in title case", POST, {"parts": {"headers": named(TITLE)}}),
    ("header-name-case", "names in upper case", POST, {"parts": {"headers": named(str.upper)}}),
    (
        "header-name-case",
        "one name in upper case",
        POST,
        {"parts": {"headers": named(put("x-date", "X-Date"))}},
    ),
    ("header-name-case", "names line in title case", POST, {"parts": {"names": TITLE}}),
    (
        "header-name-case",
        "SignedHeaders in title case",
        POST,
        {"names": "Host;X-Api-Key;X-Content-Sha256;X-Date;X-Nonce"},
    ),
    ("-", "names with commas", POST, {"parts": {"names": put(";", ",")}}),
    ("-", "names with spaces", POST, {"parts": {"names": put(";", "; ")}}),
    ("-", "a semicolon at the names' end", POST, {"parts": {"names": lambda n: f"{n};"}}),
    (
        "unsorted-headers",
        "the order of the samples",
        POST,
        {
            "parts": {
                "headers": lambda h: [h[0], h[1], h[3], h[2], h[4]],
                "names": "host;x-api-key;x-date;x-content-sha256;x-nonce",
            }
        },
    ),
    ("unsorted-headers", "reversed", POST, {"parts": {"headers": lambda h: h[::-1]}}),
    (
        "unsorted-headers",
        "names line unsorted",
        POST,
        {"parts": {"names": lambda n: ";".join(n.split(";")[::-1])}},
    ),
    ("-", "values in lower case", POST, {"parts": {"headers": over(str.lower)}}),
    ("-", "values in quotes", POST, {"parts": {"headers": over(lambda v: f'"{v}"')}}),
    ("-", "a space after each value", POST, {"parts": {"headers": over(lambda v: f"{v} ")}}),
    ("missing-header", "no line for the nonce", POST, {"parts": {"headers": less("x-nonce")}}),
    (
        "missing-header",
        "the nonce not signed",
        POST,
        {"parts": {"headers": less("x-nonce"), "names": put(";x-nonce", "")}},
    ),
    (
        "missing-header",
        "the date not sent",
        POST,
        {"sent": {"x-date": None}, "signed": {"x-date": DATE}},
    ),
    (
        "missing-header",
        "the nonce not in SignedHeaders",
        POST,
        {"names": "host;x-api-key;x-content-sha256;x-date"},
    ),
    ("-", "a Content-Type line too many", POST, {"signed": {"content-type": "application/json"}}),
    ("-", "an Accept line too many", POST, {"signed": {"accept": "*/*"}}),
    ("-", "an empty nonce signed", POST, {"parts": {"headers": only("x-nonce", "")}}),
    (
        "-",
        "a nonce made twice",
        POST,
        {"parts": {"headers": only("x-nonce", "1769851800124999999")}},
    ),
    (
        "-",
        "a nonce cut to milliseconds",
        POST,
        {"parts": {"headers": only("x-nonce", "1769851800123")}},
    ),
    ("-", "another API key signed", POST, {"parts": {"headers": only("x-api-key", "pk_live_1")}}),
    (
        "stale-date",
        "a date made twice",
        POST,
        {"parts": {"headers": only("x-date", "2026-01-31T09:30:00.456Z")}},
    ),
    ("-", "a header line twice", POST, {"parts": {"headers": lambda h: [h[0], *h]}}),
    # host
    (
        "host-differs",
        "host without its port",
        POST,
        {"parts": {"headers": only("host", "api.example.test")}},
    ),
    (
        "host-differs",
        "host with another port",
        POST,
        {"parts": {"headers": only("host", "api.example.test:443")}},
    ),
    (
        "host-differs",
        "host with its scheme",
        POST,
        {"parts": {"headers": only("host", f"https://{HOST}")}},
    ),
    ("host-differs", "localhost", POST, {"parts": {"headers": only("host", "localhost")}}),
    (
        "host-differs",
        "host in upper case",
        POST,
        {"parts": {"headers": only("host", HOST.upper())}},
    ),
    ("host-differs", "host of a proxy", POST, {"sent": {"host": "internal:80"}}),
    (
        "host-differs",
        "host with a dot",
        POST,
        {"parts": {"headers": only("host", "api.example.test.")}},
    ),
    ("host-differs", "an empty host", POST, {"parts": {"headers": only("host", "")}}),
    # body
    ("uppercase-hash", "body hash in upper case", POST, {"body_hash": lambda b: sha(b).upper()}),
    ("-", "body hash in Base64", POST, {"body_hash": lambda b: b64(hashlib.sha256(b).digest())}),
    *[
        ("-", f"body hashed with {name}", POST, {"body_hash": lambda b, name=name: sha(b, name)})
        for name in ("md5", "sha1", "sha512")
    ],
    ("-", "body not hashed", POST, {"body_hash": lambda b: "UNSIGNED-PAYLOAD"}),
    ("-", "body hash empty", POST, {"body_hash": lambda b: ""}),
    ("-", "body hash with a prefix", POST, {"body_hash": lambda b: f"sha256={sha(b)}"}),
    ("body-changed", "hash of nothing", POST, {"body_hash": lambda b: sha(b"")}),
    (
        "body-changed",
        "hash of compact JSON",
        POST,
        {"body_hash": json_again(separators=(",", ":"))},
    ),
    ("body-changed", "hash of escaped JSON", POST, {"body_hash": json_again(ensure_ascii=True)}),
    (
        "body-changed",
        "hash of sorted JSON",
        POST,
        {"body_hash": json_again(sort_keys=True, indent=2)},
    ),
    ("body-changed", "hash with a newline", POST, {"body_hash": lambda b: sha(b + b"\n")}),
    (
        "body-changed",
        "hash of another body",
        POST,
        {"body_hash": lambda b: sha(b.replace(b"10", b"11"))},
    ),
    (
        "body-changed",
        "hash of Latin-1",
        POST,
        {"body_hash": lambda b: sha(b.decode().encode("latin-1"))},
    ),
    (
        "body-changed",
        "hash of UTF-16",
        POST,
        {"body_hash": lambda b: sha(b.decode().encode("utf-16"))},
    ),
    ("body-changed", "hash of null for no body", PLAIN, {"body_hash": lambda b: sha(b"null")}),
    ("body-changed", "hash of {} for no body", PLAIN, {"body_hash": lambda b: sha(b"{}")}),
    ("-", "hash of the hash", POST, {"body_hash": lambda b: sha(sha(b).encode())}),
    ("body-changed", "the last line of nothing", POST, {"parts": {"content_hash": sha(b"")}}),
    ("-", "the body as the last line", POST, {"parts": {"content_hash": BODY.decode()}}),
    (
        "-",
        "UNSIGNED-PAYLOAD as the last line",
        POST,
        {"parts": {"content_hash": "UNSIGNED-PAYLOAD"}},
    ),
    ("uppercase-hash", "the last line in upper case", POST, {"parts": {"content_hash": str.upper}}),
    # dates
    *[("-", f"X-Date {text}", POST, {"sent": {"x-date": text}}) for text in DATES],
    ("stale-date", "an hour off", POST, {"sent": {"x-date": "2026-01-31T10:30:00.123Z"}}),
    ("stale-date", "local time with Z", POST, {"sent": {"x-date": "2026-01-31T03:30:00.123Z"}}),
    ("-", "the 30th of February", POST, {"sent": {"x-date": "2026-02-30T09:30:00.123Z"}}),
    # the key
    ("key-decoded", "key decoded from Base64", POST, {"key": base64.b64decode(SECRET[8:])}),
    ("-", "key encoded in Base64", POST, {"key": b64(SECRET.encode())}),
    ("-", "key encoded in hex", POST, {"key": SECRET.encode().hex()}),
    ("-", "key hashed", POST, {"key": hashlib.sha256(SECRET.encode()).digest()}),
    ("-", "key hashed, as hex", POST, {"key": sha(SECRET.encode())}),
    ("-", "key in UTF-16", POST, {"key": SECRET.encode("utf-16-le")}),
    ("-", "key in upper case", POST, {"key": SECRET.upper()}),
    ("-", "a prefix before the key", POST, {"key": f"AWS4{SECRET}"}),
    ("-", "key reversed", POST, {"key": SECRET[::-1]}),
    ("-", "key twice", POST, {"key": SECRET * 2}),
    *[
        ("key-trimmed", f"key with {end!r}", POST, {"key": SECRET + end})
        for end in ("\n", "\r\n", " ", "\t")
    ],
    ("key-trimmed", "a space before the key", POST, {"key": f" {SECRET}"}),
    ("key-trimmed", "key without padding", POST, {"key": SECRET.rstrip("=")}),
    ("key-trimmed", "key without its prefix", POST, {"key": SECRET[8:]}),
    ("key-trimmed", "key in quotes", POST, {"key": f'"{SECRET}"'}),
    ("key-trimmed", "key without its last character", POST, {"key": SECRET[:-1]}),
    ("wrong-secret", "the API key as secret", POST, {"key": KEY}),
    ("wrong-secret", "an empty secret", POST, {"key": b""}),
    ("-", "API key and secret", POST, {"key": f"{KEY}:{SECRET}"}),
    # the Authorization header
    *[
        ("-", f"Authorization: {form[:40]}", POST, {"form": form})
        for form in (
            "HMAC-SHA256 {2}",
            "Bearer {2}",
            "HMAC-SHA512 Credential={0},SignedHeaders={1},Signature={2}",
            "Credential={0},SignedHeaders={1},Signature={2}",
            "HMAC-SHA256 Credential={0};SignedHeaders={1};Signature={2}",
            "HMAC-SHA256 SignedHeaders={1},Credential={0},Signature={2}",
            "HMAC-SHA256 Credential={0}/20260131,SignedHeaders={1},Signature={2}",
            "HMAC-SHA256 Credential=other,SignedHeaders={1},Signature={2}",
            "HMAC-SHA256 Credential={0},Signature={2}",
        )
    ],
]


def blank(text):
    """Insert a blank line in place of the query."""
    first, path, rest = text.split("\n", 2)
    return f"{first}\n{path}\n\n{rest}"


SEARCHED = {
    *("the hex reversed", "a parameter too many", "query as JSON", "a Content-Type line too many"),
    *("an Accept line too many", "another API key signed", "API key and secret", "a scope line"),
}
"""Kinds for which the search goes to its end, as it does for `a nonce made twice`."""
SEARCHED |= {row[1] for number, row in enumerate(KINDS) if row[0] == "-" and number % 3}

SAID = {}
"""Cache of the comparisons by kind and request."""


def found(request, step, right, kind):
    """The comparison of a mistake, computed once."""
    if (kind, request) not in SAID:
        SAID[kind, request] = compared(request, step, right)
    return SAID[kind, request]


def compared(request, step, right):
    """Compare the headers of a mistake with its request."""
    step = {"text": blank} | step if right == "blank-query-line" else step
    method, path, query, body = request
    url = f"https://{HOST}{path}" + (f"?{query}" if query else "")
    return compare(sign(request, **step), SignedRequest(method, url, body), SECRET, now=NOW)


def check_kinds(rows, right):
    """The findings have a layer, a line, a message and the right name or `unknown`."""
    told = {kind: found(request, step, right, kind) for kind, request, step in rows}
    assert [kind for kind, each in told.items() if each.match] == []
    wrong = {kind: each.mistake for kind, each in told.items()}
    assert {kind: name for kind, name in wrong.items() if name not in {right, "unknown"}} == {}
    assert [kind for kind, one in told.items() if not all((one.layer, one.line, one.message))] == []


@pytest.mark.parametrize("right", sorted({row[0] for row in KINDS}))
def test_a_kind_of_mistake_is_named_rightly_or_unknown(right):
    """Each kind but most of those that need the whole search."""
    check_kinds([row[1:] for row in KINDS if row[0] == right and row[1] not in SEARCHED], right)


@pytest.mark.whole_table
def test_a_kind_that_needs_the_whole_search_is_unknown():
    """None of them has a name."""
    rows = [row for row in KINDS if row[1] in SEARCHED]
    assert ({row[0] for row in rows}, len(rows)) == ({"-"}, len(SEARCHED))
    check_kinds([row[1:] for row in rows], "-")


def test_most_kinds_with_a_name_are_given_it():
    """At least nine in ten kinds that have a name get it, and there are at least 100 kinds."""
    rows = [row for row in KINDS if row[0] != "-"]
    told = [
        found(request, step, right, kind).mistake == right for right, kind, request, step in rows
    ]
    assert (len(KINDS) >= 100, sum(told) >= 0.9 * len(rows)) == (True, True)


def test_another_secret_is_blamed_on_evidence_alone():
    """A wrong secret is named only if the signature is that of one of `other_secrets`."""
    headers = sign(POST, key="sk_live_9")
    request = SignedRequest("POST", f"https://{HOST}/v1/transfers", BODY)
    told = compare(headers, request, SECRET, now=NOW)
    assert (told.mistake, "secret key" in told.message) == ("unknown", True)
    assert compare(headers, request, SECRET, now=NOW, other_secrets=["sk_live_9"]).mistake == (
        "wrong-secret"
    )


SLASH = "the path that was signed is 'v1/individuals/a%20b%2Fc'"
FULL_URL = f"https://{HOST}{GET[1]}"


@pytest.mark.parametrize(
    ("request_", "parts", "line", "words"),
    [
        (GET, {"path": lambda p: p[1:]}, "path", SLASH),
        (GET, {"path": lambda p: p[1:], "query": ""}, "path", SLASH),
        (GET, {"path": lambda p: f"{p[1:]}?{GET[2]}", "query": ""}, "path", SLASH),
        (GET, {"path": f"{FULL_URL}?{GET[2]}", "query": ""}, "path", f"signed is '{FULL_URL}'"),
        (GET, {"query": ""}, "query string", "no query was signed"),
    ],
)
def test_a_mistake_without_a_name_says_what_was_signed(request_, parts, line, words):
    """Method, path, query and header lines: the message says what was signed."""
    told = compared(request_, {"parts": parts}, "-")
    assert (told.mistake, told.layer, told.line) == ("unknown", "canonical request", line)
    assert words in told.message


@pytest.mark.parametrize(
    ("mistake", "request_", "step", "layer", "line"),
    [
        ("hex-signature", POST, {"encode": bytes.hex}, "signature", "encoding"),
        ("unhashed-canonical", POST, {"hashed": bytes.decode}, "payload", "canonical hash"),
        (
            *("unhashed-canonical", POST),
            *({"payload": instead(lambda c, s, d, h: c)}, "payload", "canonical hash"),
        ),
        (
            *("no-algorithm-line", POST),
            *({"payload": lambda lines: "\n".join(lines[1:])}, "payload", "scheme"),
        ),
        (
            *("query-mark", GET, {"parts": {"query": lambda q: f"?{q}"}}),
            *("canonical request", "query string"),
        ),
        (
            *("query-in-path-line", GET),
            *({"parts": {"path": f"{GET[1]}?{GET[2]}", "query": ""}}, "canonical request", "path"),
        ),
        ("space-after-colon", POST, {"parts": {"colon": ": "}}, "canonical request", "host"),
        ("method-case", POST, {"parts": {"method": "post"}}, "canonical request", "method"),
    ],
)
def test_a_mistake_has_the_line_in_which_it_is(mistake, request_, step, layer, line):
    """Each mistake of a signer that was written from memory has its layer, line and correction."""
    told = compared(request_, step, mistake)
    assert (told.mistake, told.layer, told.line) == (mistake, layer, line)
    assert told.message.endswith(CORRECTIONS[mistake])
