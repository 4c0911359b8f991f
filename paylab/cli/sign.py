"""Sign a request: show each layer of the signature, and print the headers or a curl script.

With --compare, the headers of another program are compared with the right ones, and the first
difference is named; the exit status is then 1 for a mismatch.
"""

from __future__ import annotations

import argparse
import re
import secrets
import time
from collections.abc import Mapping
from datetime import datetime
from uuid import uuid4

from .. import signing
from ..client.service_clock import utcnow
from ..client.settings import Settings, resolve
from ..errors.base import ConfigError
from ..redaction.hiding import Secret
from ..signing.canonical import path_to_sign, query_to_sign
from ..signing.comparison import compare
from ..signing.dates import date_text, read_date
from ..signing.findings import SignedRequest, check_url, read_headers
from ..signing.snippets import SnippetRequest, curl
from ..spec import timestamps
from ..spec.service.signing import SigningSettings
from ..spec.text import show_json
from .service import service_for
from .terminal import ignore_closed_pipe, read_input, say, sections, warn_user

EXAMPLE = "paylab sign GET '/v1/transfers?limit=2' --curl"
EMBEDDED = "http://localhost"
METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Z-]+")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("method", metavar="METHOD", type=str.upper, help="such as GET or POST")
    parser.add_argument("url", metavar="URL", help="a full URL, or a path under the base URL")
    parser.add_argument("--body", metavar="FILE", help="file with the exact body; - reads stdin")
    parser.add_argument("--date", help="X-Date (default: now)")
    parser.add_argument("--nonce", help="X-Nonce (default: a new one)")
    parser.add_argument(
        "--compare", metavar="HEADERS_FILE", help="compare with these `Name: value` lines"
    )
    parser.add_argument(
        "--curl",
        action="store_true",
        help="print a script that signs and sends the request with curl",
    )
    parser.add_argument("--json", action="store_true", help="print the layers as JSON")


def run(options: argparse.Namespace) -> int:
    """Sign with the configured keys, or with the simulator's when there are none."""
    if not METHOD.fullmatch(options.method):
        raise ConfigError(f"{options.method!r} is not a method: write GET, POST or another word")
    if options.nonce is not None and not options.nonce.strip():
        raise ConfigError("--nonce is empty: omit it for a new one")
    check_url(options.url)
    return _compare_headers(options) if options.compare else _sign_request(options)


def _compare_headers(options: argparse.Namespace) -> int:
    """Compare another program's headers with the right ones; the secret is PAYLAB_SECRET_KEY."""
    # Only the secret is needed, and a base URL for a path.
    settings = _find_settings({"api_key": "none", **_make_base_setting(options.url)})
    request = _make_request(options, settings)
    now = _read_instant(options.date) if options.date else utcnow()
    headers = read_headers(read_input(options.compare).decode("utf-8-sig", errors="replace"))
    if not headers:
        raise ConfigError(f"{options.compare} has no `Name: value` line")
    _, simulator_secret = _simulator_keys()
    finding = compare(
        headers,
        request,
        settings.secret_key.reveal(),
        now=now,
        other_secrets=[simulator_secret],  # it may have been used by mistake
        signing=settings.service.signing,
    )
    with ignore_closed_pipe():
        say(show_json(finding.json()) if options.json else finding)
    return 0 if finding.match else 1


def _read_instant(time_text: str, form: str = "milliseconds") -> datetime:
    """The time of --date in the form of X-Date; ConfigError if it has another form."""
    try:
        if form == "milliseconds":
            return timestamps.from_text(time_text)
        return read_date(time_text, form)
    except ValueError as error:
        raise ConfigError(f"--date: {error}") from None


def _sign_request(options: argparse.Namespace) -> int:
    """Print the layers and the headers of a signed request, or a script that sends it."""
    settings = _find_settings(_make_base_setting(options.url))
    request = _make_request(options, settings)
    signing_settings = settings.service.signing
    date_header = options.date or date_text(utcnow(), signing_settings.date_form)
    _read_instant(date_header, signing_settings.date_form)  # ConfigError for a wrong --date
    if options.curl:
        body_text = request.body.decode(errors="replace")
        say(curl(SnippetRequest(options.method, request.url, body_text, signing=signing_settings)))
        return 0
    headers, signature_parts = _make_headers(options, request, settings, date_header)
    if options.json:
        text_by_layer = {"canonical": signature_parts.canonical, "payload": signature_parts.payload}
        say(show_json({**text_by_layer, "signature": signature_parts.value, "headers": headers}))
        return 0
    header_lines = [f"{header_name}: {header_text}" for header_name, header_text in headers.items()]
    text_by_title = {
        "Canonical request": signature_parts.canonical,
        "Payload: scheme, date, SHA-256 of the canonical request": signature_parts.payload,
        _SIGNATURE_TITLES[signing_settings.signature]: signature_parts.value,
        "Headers": "\n".join(header_lines),
    }
    say(sections(text_by_title))
    return 0


def _make_headers(
    options: argparse.Namespace, request: SignedRequest, settings: Settings, date: str
) -> tuple[dict[str, str], signing.Signature]:
    """Make the headers of a request in the dialect of the service, and its signature."""
    signing_settings = settings.service.signing
    headers, signature_parts = signing.signed_headers(
        settings.api_key.reveal(),
        signing.key_bytes(settings.secret_key.reveal(), signing_settings.key_encoding),
        options.method,
        request.hosts[0],
        path_to_sign(request.path, signing_settings.signed_path, signing_settings.base_path),
        query_to_sign(request.query, signing_settings.query_order),
        content_hash=signing.body_hash(
            request.body, signing_settings.hash_encoding, signing_settings.empty_body
        ),
        date=date,
        nonce=options.nonce or _new_nonce(signing_settings),
        empty_query=signing_settings.empty_query,
        header_order=signing_settings.header_order,
        host_form=signing_settings.signed_host,
        form=signing_settings.signature,
    )
    if request.body:
        headers["Content-Type"] = "application/json"
    return headers, signature_parts


def _make_base_setting(url: str) -> dict[str, str]:
    """The setting `base_url` for a full URL, which needs no configured one; empty for a path."""
    return {"base_url": EMBEDDED} if "://" in url else {}


_SIGNATURE_TITLES = {
    "base64_hex": "Signature: Base64 of the HMAC's hex text",
    "hex": "Signature: the HMAC's hex text",
    "base64": "Signature: Base64 of the HMAC's bytes",
}


def _new_nonce(signing: SigningSettings) -> str | None:
    """A new X-Nonce in the form of a service; None if the service refuses one."""
    if signing.nonce == "refused":
        return None
    if signing.nonce_form == "uuid":
        return str(uuid4())
    milliseconds = time.time_ns() // 1_000_000
    random_digits = f"{secrets.randbelow(10**6):06d}"
    return f"{milliseconds}{random_digits}"


def _find_settings(defaults: Mapping[str, str]) -> Settings:
    """The configured settings, with `defaults` for missing ones; without any, the simulator's."""
    configured_settings = resolve(otherwise=defaults)
    if configured_settings is not None:
        return configured_settings
    warn_user("no keys are configured: signing with the simulator's")
    service = service_for(None)
    api_key, secret_key = _simulator_keys(service.signing.key_encoding)
    return Settings(EMBEDDED, Secret(api_key), Secret(secret_key), service=service)


def _simulator_keys(encoding: str = "utf-8") -> tuple[str, str]:
    """The API key and the secret key of the embedded simulator."""
    from ..simulator.credentials import seeded_keys

    return seeded_keys(seed=7, key_encoding=encoding)


def _make_request(options: argparse.Namespace, settings: Settings) -> SignedRequest:
    """Make the request of the options; a path is one below the base URL."""
    url = options.url if "://" in options.url else settings.base_url + options.url
    body_bytes = b"" if options.body is None else read_input(options.body)
    return SignedRequest(options.method, url, body_bytes)
