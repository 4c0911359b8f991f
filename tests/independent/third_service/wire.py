"""Requests, answers, refusals, and the check of a signature."""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

DATE_FORMS = {  # the form of X-Date, and how to read it
    "milliseconds": (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "%Y-%m-%dT%H:%M:%S.%fZ"),
    "seconds": (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "%Y-%m-%dT%H:%M:%SZ"),
    "compact": (r"\d{8}T\d{6}Z", "%Y%m%dT%H%M%SZ"),
    "unix": (r"\d{10}", None),
}
AUTHORIZATION = r"HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\S+)"
REQUIRED_HEADERS = {"host", "x-api-key", "x-date", "x-content-sha256"}
BODY_HASHES = {
    "hex": lambda body: hashlib.sha256(body).hexdigest(),
    "base64": lambda body: base64.b64encode(hashlib.sha256(body).digest()).decode(),
    "hex, nothing for no body": lambda body: hashlib.sha256(body).hexdigest() if body else "",
}
KEY_BYTES = {"text": str.encode, "hex": bytes.fromhex, "base64": base64.b64decode}
SIGNATURES = {
    "hex text in base64": lambda mac: base64.b64encode(mac.hex().encode()).decode(),
    "hex": lambda mac: mac.hex(),
    "bytes in base64": lambda mac: base64.b64encode(mac).decode(),
}


@dataclass
class Call:
    """A request; hooks of deviations may change it before it is carried out."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    raw: bytes
    body: Any = None
    operation: str = ""
    ids: list[str] = field(default_factory=list)
    params: dict[str, str] = field(default_factory=dict)


@dataclass
class Answer:
    """A response: `body` is text, bytes or what JSON can hold; None sends no body."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


class Refusal(Exception):  # noqa: N818
    """An answer that is not 2xx; `words`, when set, is the body as it stands."""

    def __init__(self, status, text="", *, field="", words=None, headers=None):
        super().__init__(text)
        self.status = status
        self.text = text
        self.problems = [(field, text)] if field else []
        self.words = words
        self.headers = headers or {}


def invalid(problems):
    """A 400 that lists every problem."""
    field, message = problems[0]
    refusal = Refusal(400, f"{field}: {message}")
    refusal.problems = problems
    return refusal


def canonical_request(call, settings, names):
    """The canonical text of the request as this service reads it."""
    path = call.path
    if not settings.base_path_signed:
        path = path.removeprefix(settings.base_path)
    if not settings.version_signed:
        path = path.removeprefix("/v1")
    lines = [call.method, path]
    if call.query or settings.query_line == "blank":
        query = call.query
        if settings.query_sorted:
            query = "&".join(sorted(query.split("&")))
        lines.append(query)
    for name in names:
        value = call.headers[name]
        if name == "host" and not settings.port_signed:
            value = value.partition(":")[0]
        lines.append(f"{name}:{value}")
    return "\n".join([*lines, ";".join(names), BODY_HASHES[settings.body_hash](call.raw)])


def check_signature(call, settings, keys, now, nonces):
    """Refuse a request whose signature, date, hash or nonce is not right."""

    def refuse(text):
        raise Refusal(settings.signature_status, text, words=settings.signature_words)

    match = re.fullmatch(AUTHORIZATION, call.headers.get("authorization", ""))
    if not match:
        refuse("Authorization is missing or malformed")
    api_key, signed, signature = match.groups()
    if api_key != keys[0] or call.headers.get("x-api-key") != api_key:
        refuse("Unknown API key")
    names = signed.split(";")
    nonce = call.headers.get("x-nonce")
    needed = REQUIRED_HEADERS | ({"x-nonce"} if nonce else set())
    if not needed <= set(names) or not set(names) <= set(call.headers):
        refuse(f"SignedHeaders must name {', '.join(sorted(needed))}")
    if (nonce is None and settings.nonce == "required") or (nonce and settings.nonce == "refused"):
        refuse(f"X-Nonce is {settings.nonce}")
    if nonce and not re.fullmatch(settings.nonce_form, nonce):
        refuse("X-Nonce has the wrong form")
    check_date(call.headers["x-date"], settings, now, refuse)
    if call.headers["x-content-sha256"] != BODY_HASHES[settings.body_hash](call.raw):
        refuse("X-Content-SHA256 is not the hash of the body")
    if settings.header_order == "sorted":
        names = sorted(names)
    elif signed != settings.header_order:
        refuse(f"SignedHeaders must be {settings.header_order}")
    text = canonical_request(call, settings, names)
    digest = hashlib.sha256(text.encode()).hexdigest()
    payload = f"HMAC-SHA256\n{call.headers['x-date']}\n{digest}"
    mac = hmac.new(KEY_BYTES[settings.key](keys[1]), payload.encode(), hashlib.sha256).digest()
    expected = SIGNATURES[settings.signature](mac)
    if not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
        refuse("The signature does not match")
    if nonce in nonces:
        refuse("X-Nonce was used before")
    if nonce:
        nonces.add(nonce)


def check_date(text, settings, now, refuse):
    """Refuse an X-Date that is not near the time of the service."""
    pattern, form = DATE_FORMS[settings.date_form]
    if not re.fullmatch(pattern, text):
        refuse("X-Date does not have the form that is expected")
    try:
        date = datetime.strptime(text, form).replace(tzinfo=UTC) if form else None
    except ValueError:
        refuse("X-Date is not a date")
    date = date or datetime.fromtimestamp(int(text), UTC)
    if abs((now - date).total_seconds()) > settings.tolerance:
        refuse("X-Date is too far from the time of the service")
