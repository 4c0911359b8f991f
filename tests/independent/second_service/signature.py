"""The signature of a request, checked by the text of the interface description alone."""

import base64
import hashlib
import hmac
import re
from datetime import UTC, datetime

SCHEME = re.compile(r"HMAC-SHA256 Credential=([^,]*),SignedHeaders=([^,]*),Signature=(\S+)")
NEEDED = {"host", "x-api-key", "x-date", "x-content-sha256"}
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TOLERANCE = 300


def complaint(request, signing, api_key, secret, now):  # noqa: PLR0911 - one for each mistake
    """Why the signature is not accepted; empty when it is."""
    headers = request.headers
    found = SCHEME.fullmatch(headers.get("authorization", ""))
    if not found:
        return "the Authorization header is missing or malformed"
    credential, signed, signature = found.groups()
    names = sorted(signed.split(";"))
    if credential != api_key or headers.get("x-api-key") != api_key:
        return "the API key is not known"
    if missing := NEEDED - {*names}:
        return f"not signed: {', '.join(sorted(missing))}"
    if signing["nonce"] == "required" and "x-nonce" not in names:
        return "the header X-Nonce is required"
    if not DATE.fullmatch(headers["x-date"]):
        return "X-Date has the wrong form"
    if abs(_seconds(headers["x-date"]) - now) > TOLERANCE:
        return "X-Date is too far from our clock"
    digest = content_hash(request.body, signing)
    if headers["x-content-sha256"] != digest:
        return "X-Content-SHA256 is not the hash of the body"
    expected = sign(canonical(request, names, digest, signing), headers["x-date"], secret, signing)
    if not hmac.compare_digest(expected, signature):
        return "the signature does not match"
    return ""


def content_hash(body, signing):
    """The hash of a body as the header has it."""
    if not body and signing["empty"] == "blank":
        return ""
    digest = hashlib.sha256(body).digest()
    return base64.b64encode(digest).decode() if signing["hash"] == "base64" else digest.hex()


def canonical(request, names, digest, signing):
    """The canonical request."""
    path, _, query = request.target.partition("?")
    if signing["path"] == "unversioned":
        path = path.removeprefix("/v1")
    lines = [request.method, path]
    if query or signing["query"] == "blank":
        lines.append(query)
    lines += [f"{name}:{request.headers.get(name, '')}" for name in names]
    return "\n".join([*lines, ";".join(names), digest])


def sign(text, date, secret, signing):
    """The Base64 of the hex text of the HMAC."""
    payload = "\n".join(["HMAC-SHA256", date, hashlib.sha256(text.encode()).hexdigest()])
    code = hmac.new(_key(secret, signing["key"]), payload.encode(), hashlib.sha256)
    return base64.b64encode(code.hexdigest().encode()).decode()


def _key(secret, form):
    if form == "hex":
        return bytes.fromhex(secret)
    return base64.b64decode(secret) if form == "base64" else secret.encode()


def _seconds(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC).timestamp()
