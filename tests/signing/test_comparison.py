"""Mistakes made by a signer that does not use paylab: the comparison names each one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import pytest

from paylab.signing import ReceivedRequest, verify
from paylab.signing.comparison import compare
from paylab.signing.corrections import CORRECTIONS
from paylab.signing.findings import SignedRequest
from paylab.signing.guesses import guess_dates
from paylab.signing.inputs import make_correct_inputs
from paylab.spec.service import Service

NOW = datetime(2026, 1, 31, 9, 30, 10, tzinfo=UTC)
DATE = "2026-01-31T09:30:00.123Z"
SECRET = "sk_test_c2VjcmV0IGtleSBmb3IgdGVzdHM="
KEY = "pk_test_77"
BODY = b'{"amount": "10.00", "note": "a b"}'
HOST = "api.example.test:8443"
REQUEST = SignedRequest("POST", f"https://{HOST}/v1/transfers", BODY)


def sign(method="POST", path="/v1/transfers", query="", body=BODY, **change):
    """Sign as the spec says, with hashlib and hmac; `change` replaces headers or steps."""
    sent = {
        "host": HOST,
        "x-api-key": KEY,
        "x-content-sha256": hashlib.sha256(body).hexdigest(),
        "x-date": DATE,
        "x-nonce": "1769851800123004217",
    } | change.get("sent", {})
    sent = {name: value for name, value in sent.items() if value is not None}
    order = change.get("order", sorted)(sent)
    signed = sent | change.get("signed", {})
    lines = [method, path, *([query] if query else [])]
    lines += [f"{name}:{signed[name]}" for name in order]
    lines += [";".join(order), signed["x-content-sha256"]]
    canonical = change.get("canonical", lambda text: text)("\n".join(lines))
    hashed = change.get("hashed", str)(hashlib.sha256(canonical.encode()).hexdigest())
    payload = change.get("payload", lambda text: text)(
        "\n".join(["HMAC-SHA256", change.get("date", signed["x-date"]), hashed])
    )
    key = change.get("key", SECRET)
    key = key if isinstance(key, bytes) else key.encode()
    digest = change.get("mac", hmac256)(key, payload.encode())
    signature = change.get("finish", lambda d: base64.b64encode(d.hex().encode()))(digest).decode()
    names = change.get("names", ";".join(order))
    line = f"HMAC-SHA256 Credential={KEY},SignedHeaders={names},Signature={signature}"
    return sent | {"authorization": line}


def sub(pattern, new, flags=re.MULTILINE):
    """A function that replaces each match of a pattern."""
    return lambda text: re.sub(pattern, new, text, flags=flags)


def b64(change):
    """A function that changes the digest's hex text and encodes it in Base64."""
    return lambda digest: base64.b64encode(change(digest.hex()).encode())


def shuffled(names):
    """The header order of the spec's sample."""
    return ["host", "x-api-key", "x-date", "x-content-sha256", "x-nonce"]


DIFFERS = "the signature differs:"
COMPACT = json.dumps(json.loads(BODY), separators=(",", ":")).encode()
QUERY = {"method": "GET", "body": b"", "query": "limit=2&name=a%20b&after=x%2Fy"}
BARE = {"method": "GET", "body": b""}
URL_QUERY = {"query": "after=x%2Fy&limit=2&name=a%20b"}
CASES = [
    ("raw-digest", "signature", {"finish": base64.b64encode}, {}),
    ("raw-digest", "signature", {"finish": base64.b64encode, "key": "another"}, {}),
    ("blank-query-line", "canonical request", {**BARE, "canonical": sub("^(/v1.*)$", "\\1\n")}, {}),
    ("unsorted-headers", "canonical request", {"order": shuffled}, {}),
    ("unsorted-headers", "canonical request", {"order": lambda names: sorted(names)[::-1]}, {}),
    ("body-changed", "body hash", {"body": COMPACT}, {"body": BODY}),
    ("body-changed", "body hash", {"body": b"{}"}, {"body": BODY}),
    ("body-changed", "body hash", {"body": b""}, {"body": BODY}),
    (
        "body-changed",
        "canonical request",
        {"canonical": sub("^[0-9a-f]{64}\\Z", hashlib.sha256(COMPACT).hexdigest())},
        {},
    ),
    ("path-without-version", "canonical request", {"path": "/transfers"}, {}),
    ("uppercase-hash", "payload", {"hashed": str.upper}, {}),
    (
        "uppercase-hash",
        "body hash",
        {"sent": {"x-content-sha256": hashlib.sha256(BODY).hexdigest().upper()}},
        {},
    ),
    ("uppercase-signature", "signature", {"finish": b64(str.upper)}, {}),
    ("unknown", "signature", {"key": "sk_test_another"}, {}),
    ("unknown", "signature", {**QUERY, "key": "sk_test_another"}, {"query": QUERY["query"]}),
    ("wrong-secret", "signature", {"key": KEY}, {}),
    ("wrong-secret", "signature", {**QUERY, "key": ""}, {"query": QUERY["query"]}),
    ("stale-date", "headers", {"sent": {"x-date": "2026-01-31T09:20:00.000Z"}}, {}),
    ("stale-date", "headers", {"sent": {"x-date": "2026-01-31T09:40:00.000Z"}}, {}),
    ("stale-date", "payload", {"date": "2026-01-31T09:30:00.789Z"}, {}),
    ("host-differs", "canonical request", {"sent": {"host": "internal:80"}}, {}),
    ("host-differs", "canonical request", {"signed": {"host": "api.example.test"}}, {}),
    ("host-differs", "canonical request", {"signed": {"host": "api.example.test:8000"}}, {}),
    ("query-reordered", "canonical request", QUERY, URL_QUERY),
    (
        "query-decoded",
        "canonical request",
        {**QUERY, "query": unquote(QUERY["query"])},
        {"query": QUERY["query"]},
    ),
    (
        "plus-for-space",
        "canonical request",
        {**QUERY, "query": QUERY["query"].replace("%20", "+")},
        {"query": QUERY["query"]},
    ),
    ("key-decoded", "signature", {"key": base64.b64decode(SECRET[8:])}, {}),
    ("key-decoded", "signature", {"key": bytes.fromhex("ab" * 16)}, {"secret": "ab" * 16}),
    ("key-trimmed", "signature", {"key": SECRET.rstrip("=")}, {}),
    ("key-trimmed", "signature", {"key": SECRET + "\n"}, {}),
    ("key-trimmed", "signature", {"key": SECRET.removeprefix("sk_test_")}, {}),
    ("key-trimmed", "signature", {"key": SECRET.removeprefix("sk_")}, {}),
    *(
        ("key-trimmed", "signature", {"key": ("k" * 80)[:size]}, {"secret": "k" * 80})
        for size in (16, 32, 64, 79)
    ),
    *(
        ("unknown", "canonical request", {**QUERY, "query": query}, {"query": QUERY["query"]})
        for query in ("limit=2&after=x%2Fy", "name=a%20b&after=x%2Fy")
    ),
    ("missing-header", "headers", {"sent": {"x-nonce": None, "x-date": DATE}, "names": "x"}, {}),
    ("missing-header", "canonical request", {"canonical": sub("^x-nonce:.*\n|;x-nonce$", "")}, {}),
    ("header-name-case", "headers", {"names": "Host;X-API-Key;X-Content-SHA256;X-Date"}, {}),
    (
        "header-name-case",
        "canonical request",
        {"canonical": sub("^x-api-key:", "X-API-Key:")},
        {},
    ),
    ("double-base64", "signature", {"finish": lambda d: base64.b64encode(b64(str)(d))}, {}),
    (
        "wrong-line-ending",
        "canonical request",
        {"canonical": lambda t: t.replace("\n", "\r\n")},
        {},
    ),
    ("wrong-line-ending", "canonical request", {"canonical": lambda t: t + "\n"}, {}),
    ("wrong-line-ending", "payload", {"payload": lambda t: t + "\n"}, {}),
    ("unknown", "signature", {"finish": lambda d: b"not+a/signature"}, {}),
    ("method-case", "canonical request", {"canonical": sub("\\APOST", "post")}, {}),
]


PORTS = (3000, 5000, 8000, 8080, 9000)
NEAR = ("2026-01-31T09:30:00Z", "2026-01-31T09:29:59.123Z", "2026-01-31T09:30:01.123Z")
PATHS = ("/v1/transfers/", "/api/v1/transfers")


def hmac256(key, text):
    """The HMAC-SHA256 of bytes."""
    return hmac.digest(key, text, "sha256")


@pytest.mark.parametrize(("mistake", "layer", "theirs", "url"), CASES)
def test_the_mistake_is_named(mistake, layer, theirs, url):
    """The finding has the id of the mistake, its layer and line, and a message."""
    target = url.get("query", theirs.get("query", ""))
    where = f"https://{HOST}/v1/transfers" + (f"?{target}" if target else "")
    body = url.get("body", theirs.get("body", BODY))
    request = SignedRequest(theirs.get("method", "POST"), where, body)
    found = compare(sign(**theirs), request, url.get("secret", SECRET), now=NOW)
    assert (found.match, found.mistake, found.layer) == (False, mistake, layer)
    assert found.line
    assert found.message
    is_named = found.layer != "canonical request" or found.mistake != "unknown"
    assert is_named or "was signed" in found.message


def test_a_good_signature_matches():
    """A correct signature matches, without a layer, a line or a mistake."""
    found = compare(
        sign(), SignedRequest("POST", f"https://{HOST}/v1/transfers", BODY), SECRET, now=NOW
    )
    assert found.json() == {"match": True, "layer": None, "line": None, "mistake": None}


def test_the_host_is_compared_without_case():
    """A Host in capitals is not the mistake."""
    theirs = sign(sent={"host": HOST.upper()})
    found = compare(theirs, REQUEST, SECRET, now=NOW)
    assert found.mistake != "host-differs"


@pytest.mark.parametrize(
    ("change", "line", "texts"),
    [
        ({"hashed": str.upper}, "canonical hash", (None, None)),
        ({"payload": lambda text: text + "\n"}, "line ending", (None, None)),
        ({"date": "2026-01-31T09:30:00.789Z"}, "x-date", ("2026-01-31T09:30:00.789Z", DATE)),
        ({"key": SECRET + "\n"}, "key", (None, None)),
        ({"finish": base64.b64encode}, "encoding", (None, None)),
        ({"canonical": sub("^host:.*$", "host:x")}, "signature", (None, None)),
        (
            {"canonical": sub("^host:.*$", "host:localhost")},
            "host",
            ("host:localhost", f"host:{HOST}"),
        ),
        ({"canonical": sub("^x-api-key:", "X-API-Key:")}, "x-api-key", ("x-api-key:***",) * 2),
        ({"canonical": "{}\n".format}, "end", ("", "")),
    ],
)
def test_the_first_line_that_differs_is_shown_in_both_versions(change, line, texts):
    """The line is the first that differs, with both versions when they can be shown."""
    found = compare(sign(**change), REQUEST, SECRET, now=NOW)
    assert (found.line, (found.theirs, found.ours)) == (line, texts)


@pytest.mark.parametrize(
    ("change", "mistake", "words"),
    [
        *(({"signed": {"host": f"api.example.test:{port}"}}, "host-differs", "") for port in PORTS),
        *(({"date": date}, "stale-date", "made anew, or cut") for date in NEAR),
        ({"date": "2026-01-31T09:30:01.124Z"}, "unknown", "no known mistake"),
        ({"finish": lambda d: base64.b64encode(d.hex()[:32].encode())}, "unknown", "64 lower-case"),
        ({"finish": lambda d: b"a!" + base64.b64encode(d)}, "unknown", "is not Base64"),
        ({"finish": lambda d: base64.b64encode(d + b"x")}, "unknown", "64 lower-case hex digits"),
        ({"sent": {"x-content-sha256": "x"}}, "unknown", "64 lower-case"),
        *(({"method": name}, "method-case", "in capitals") for name in ("post", "Post")),
        *(({"path": path}, "unknown", f"signed is {path!r}") for path in PATHS),
    ],
)
def test_a_rare_mistake_is_told(change, mistake, words):
    """Development ports, dates near the one sent, and other methods and paths."""
    found = compare(sign(**change), REQUEST, SECRET, now=NOW)
    assert (found.match, found.mistake) == (False, mistake)
    assert words in found.message


@pytest.fixture(scope="module")
def tried_dates():
    """The recipes with another date than the one sent."""
    headers = {name: text for name, text in sign().items() if name != "authorization"}
    signing = Service().signing
    correct = make_correct_inputs(SECRET.encode(), "POST", "/v1/transfers", "", headers, signing)
    return [guess.inputs for guess in guess_dates(correct)]


@pytest.mark.parametrize(
    ("date", "is_tried"),
    [
        *((f"2026-01-31T09:{time}Z", True) for time in ("30:01.123", "29:59.123", "30:00.122")),
        *((f"2026-01-31T09:{time}Z", False) for time in ("30:01.124", "29:59.122")),
        ("2026-01-31T09:30:00Z", True),
        *((each, True) for each in ("2026-01-31T09:30:00", "1769851800", "20260131T093000Z")),
    ],
)
def test_dates_that_are_tried(tried_dates, date, is_tried):
    """A second before and after the one sent, and the same second in other formats."""
    assert {(each.date, dict(each.headers)["x-date"]) for each in tried_dates} >= (
        {(date, date), (date, DATE), (DATE, date)} if is_tried else set()
    )
    assert (date in {each.date for each in tried_dates}) == is_tried


@pytest.mark.parametrize("given", [{}, {"host": HOST}])
def test_a_log_needs_no_host(given):
    """A client that adds Host itself need not log it."""
    theirs = {name: text for name, text in sign().items() if name != "host"} | given
    assert compare(theirs, REQUEST, SECRET, now=NOW).match


def test_the_date_is_compared_with_the_clock_of_the_service():
    """X-Date is compared with the Date of the answer, if there is one."""
    late, theirs = NOW + timedelta(hours=1), sign() | {"Date": "Sat, 31 Jan 2026 09:30:10 GMT"}
    assert compare(theirs, REQUEST, SECRET, now=late).match
    assert compare(sign(), REQUEST, SECRET).match
    assert compare(sign(), REQUEST, now=late).mistake == "stale-date"


def test_a_blank_query_line_is_named_the_query_string():
    """The line of a blank query has its own name, not that of the next line."""
    theirs = sign(canonical=sub("^(/v1.*)$", "\\1\n"))
    found = compare(theirs, REQUEST, SECRET, now=NOW)
    assert (found.mistake, found.line) == ("blank-query-line", "query string")


def arrived(headers, request):
    """A request as the simulator receives it."""
    sent = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    return ReceivedRequest(request.method, request.path, request.query, sent, request.body)


FORMS = {
    "as the spec says": str,
    "spaces around commas": lambda line: line.replace(",", " , "),
    "two spaces": lambda line: line.replace(" ", "  "),
    "a tab": lambda line: line.replace(",", ",\t"),
    "in lower case": lambda line: line.replace("HMAC-SHA256", "hmac-sha256"),
    "a comma at the end": "{},".format,
    "one space": lambda line: line.replace(",", ", "),
}


@pytest.mark.parametrize(
    ("form", "change", "late"),
    [
        *[(form, {}, 0) for form in FORMS.values()],
        *[(str, {}, late) for late in (290, 291, 3600, -311, -3600)],
        *[(str, {"sent": sent}, 0) for sent in ({"x-note": "Ñ"}, {"x-nonce": None})],
        (FORMS["two spaces"], {"key": "another"}, 3600),
    ],
)
def test_a_match_is_what_the_simulator_accepts(form, change, late):
    """The comparison matches exactly if `verify` accepts the request, whatever its form."""
    theirs = sign(**change)
    theirs["authorization"] = form(theirs["authorization"])
    now = NOW + timedelta(seconds=late)
    found = compare(theirs, REQUEST, SECRET, now=now)
    refused = verify(arrived(theirs, REQUEST), {KEY: SECRET}.get, now)
    assert found.match == (refused is None)
    assert found.match or found.mistake


@pytest.mark.parametrize(
    ("seconds", "change", "words"),
    [
        (3600, {}, "the signature is right, but an hour old"),
        (601, {}, "but 10 minutes old"),
        (-7200, {}, "but 2 hours ahead"),
        (1799, {}, "but 30 minutes old"),
        (5400.2, {}, "but 2 hours old"),
        (129600.2, {}, "but 2 days old"),
        (3 * 86400, {}, "but 3 days old"),
        (86400, {"finish": base64.b64encode}, f"and also: {DIFFERS} {CORRECTIONS['raw-digest']}"),
        (86400, {"key": "another"}, f"and also: {DIFFERS}"),
    ],
)
def test_an_old_signature_says_whether_the_rest_is_right(seconds, change, words):
    """The refusal of an old date says how old it is, and what else is wrong."""
    theirs, now = sign(**change), NOW.replace(second=0) + timedelta(seconds=seconds)
    refused = verify(arrived(theirs, REQUEST), {KEY: SECRET}.get, now)
    assert (refused.reason, refused.mistake) == ("stale-date", "stale-date")
    assert words in refused.message
    if not change:
        assert compare(theirs, REQUEST, SECRET, now=now).message == refused.message


def test_one_mistake_has_one_text():
    """Checks and guesses give a mistake the same correction."""
    slow = compare(sign(finish=base64.b64encode, key="x"), REQUEST, SECRET, now=NOW)
    fast = verify(arrived(sign(finish=base64.b64encode), REQUEST), {KEY: SECRET}.get, NOW)
    assert slow.message in fast.message
    assert slow.message == CORRECTIONS["raw-digest"]


BASE64 = base64.b64encode(hashlib.sha256(BODY).digest()).decode()
GET = SignedRequest("GET", REQUEST.url, b"")


@pytest.mark.parametrize(
    ("settings", "request_", "change", "mistake"),
    [
        ({"hash_encoding": "base64"}, REQUEST, {"sent": {"x-content-sha256": BASE64}}, None),
        ({"hash_encoding": "base64"}, REQUEST, {}, "unknown"),
        ({}, REQUEST, {"sent": {"x-content-sha256": BASE64}}, "unknown"),
        ({"empty_body": "blank"}, GET, {**BARE, "sent": {"x-content-sha256": ""}}, None),
        ({"empty_body": "blank"}, GET, BARE, "unknown"),
        ({"empty_body": "blank"}, REQUEST, {}, None),
        ({"signed_path": "unversioned"}, REQUEST, {"path": "/transfers"}, None),
        ({"signed_path": "unversioned"}, REQUEST, {}, "path-with-version"),
        ({}, REQUEST, {"path": "/transfers"}, "path-without-version"),
    ],
)
def test_forms_that_the_spec_leaves_open(settings, request_, change, mistake):
    """Verifying and comparing follow the settings of the body's hash and of the path."""
    signing = Service({f"signing.{name}": value for name, value in settings.items()}).signing
    theirs = sign(**change)
    refused = verify(arrived(theirs, request_), {KEY: SECRET}.get, NOW, signing=signing)
    found = compare(theirs, request_, SECRET, now=NOW, signing=signing)
    assert (found.match, found.mistake) == (refused is None, mistake)
    assert refused is None or refused.mistake in (None, mistake)
