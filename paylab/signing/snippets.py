"""Code that signs and sends a request: bash, Python, httpx.

The code reads the keys from PAYLAB_API_KEY and PAYLAB_SECRET_KEY, and never passes them as
arguments of a program. A body with redacted parts (an image, a document number) is read from the
file `body.json`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from textwrap import indent
from typing import Any
from urllib.parse import urlsplit

from ..spec.service.signing import SigningSettings
from ..spec.service.value_types import NONE
from .canonical import VERSION, in_order, signed_host, signed_path, signed_query
from .findings import hosts_of
from .snippet_texts import (
    BASH,
    BASH_BASE64,
    BASH_DATES,
    BASH_HEX,
    BASH_KEYS,
    BASH_NONCES,
    BASH_SIGNATURES,
    HTTPX,
    HTTPX_LINES,
    PORTLESS,
    PYTHON,
    PYTHON_DATES,
    PYTHON_KEYS,
    PYTHON_NONCES,
    PYTHON_SIGNATURES,
    PYTHON_SIGNED,
)

BODY_FILE = "body.json"
SIGNED = ("host", "x-api-key", "x-content-sha256", "x-date", "x-nonce")
"""The names of the signed headers."""


@dataclass(frozen=True)
class SnippetRequest:
    """The request of a snippet, and how its service is signed for.

    `body` is None if it must not be shown; `key_header` has the idempotency key.
    """

    method: str
    url: str
    body: str | None = ""
    idempotency_key: str | None = None
    key_header: str = "Idempotency-Key"
    signing: SigningSettings = field(default_factory=SigningSettings)

    @property
    def host(self) -> str:
        """Host as it is sent, without the default port."""
        return hosts_of(self.url)[0]

    @property
    def lines(self) -> list[str]:
        """The first lines of the canonical request: method, path and query."""
        parts = urlsplit(self.url)
        signing = self.signing
        is_shown = parts.query or signing.empty_query == "blank"
        path = signed_path(parts.path or "/", signing.signed_path, signing.base_path)
        query = signed_query(parts.query, signing.query_order)
        return [self.method, path, *[query] * bool(is_shown)]

    @property
    def names(self) -> list[str]:
        """The names of the signed headers, in the order in which they are signed."""
        is_refused = self.signing.nonce == "refused"
        names = [name for name in SIGNED if name != "x-nonce" or not is_refused]
        return in_order(names, self.signing.header_order)

    @property
    def headers(self) -> dict[str, str]:
        """The other headers."""
        headers = {"Content-Type": "application/json"} if self.body != "" else {}
        return {
            **headers,
            **({self.key_header: self.idempotency_key} if self.idempotency_key else {}),
        }


def curl(request: SnippetRequest) -> str:
    """Bash with openssl and curl."""
    signing = request.signing
    extra = [f"{name}: {value}" for name, value in request.headers.items()]
    values = {
        "host": shlex.quote(f"host:{signed_host(request.host, signing.signed_host)}"),
        "x-api-key": '"x-api-key:$PAYLAB_API_KEY"',
        "x-content-sha256": '"x-content-sha256:$HASH"',
        "x-date": '"x-date:$DATE"',
        "x-nonce": '"x-nonce:$NONCE"',
    }
    has_nonce = "x-nonce" in request.names
    return BASH.format(
        note=_note(request),
        body=_bash_body(request),
        host=shlex.quote(request.host),
        lines=" ".join(map(shlex.quote, request.lines)),
        date=BASH_DATES[signing.date_form],
        nonce=BASH_NONCES[signing.nonce_form] * has_nonce,
        nonce_header='-H "X-Nonce: $NONCE" ' * has_nonce,
        names=";".join(request.names),
        headers=" ".join(values[name] for name in request.names),
        mac=BASH_BASE64 if signing.signature == "base64" else BASH_HEX,
        signature=BASH_SIGNATURES[signing.signature],
        hashed=_bash_hash(request),
        # $(...) has removed the line break before a blank hash.
        blank="[ -n \"$HASH\" ] || CANONICAL+=$'\\n'\n" * (signing.empty_body == "blank"),
        # curl sends a header without a value only if a semicolon is in place of the colon.
        hash="${HASH:+: }${HASH:-;}" if signing.empty_body == "blank" else ": $HASH",
        key=BASH_KEYS[signing.key_encoding],
        method=shlex.quote(request.method),
        url=shlex.quote(request.url),
        literal="g" * any(sign in request.url for sign in "[]{}"),  # no globbing
        extra="".join(f" \\\n  -H {shlex.quote(line)}" for line in extra),
        data=' \\\n  --data-binary "$BODY"' if request.body != "" else "",
    )


def python(request: SnippetRequest) -> str:
    """Python with the standard library alone."""
    names = {"host": repr(request.host), "api_key": "api_key"}
    signed = _python_signed(
        request, "secret_key", "body", **names, lines=f"lines = {request.lines!r} +"
    )
    return PYTHON.format(**_python_parts(request), signed=signed)


def httpx(request: SnippetRequest) -> str:
    """Python with httpx: an Auth that signs every request."""
    signing = request.signing
    parts = _python_parts(request)
    lines = HTTPX_LINES[signing.empty_query]
    if signing.query_order == "sorted":
        lines += 'lines[2:] = ["&".join(sorted(text.split("&"))) for text in lines[2:]]\n'
    if signing.base_path != NONE:
        lines += f"lines[1] = lines[1].removeprefix({signing.base_path!r})\n"
    if signing.signed_path != "whole":
        parts["modules"] += ", re"
        lines += f'lines[1] = re.sub(r"{VERSION.pattern}", "", lines[1], count=1)\n'
    names = {"host": 'request.headers["host"]', "api_key": "self.api_key"}
    secret = "self.secret_key"
    body = "request.content"
    signed = _python_signed(request, secret, body, **names, lines=f"{lines}lines +=")
    return HTTPX.format(**parts, signed=indent(signed, " " * 8).lstrip())


def _python_signed(request: SnippetRequest, secret: str, body: str, **names: str) -> str:
    """What both Python programs do to sign; `secret`, `body` and `names` are expressions."""
    signing = request.signing
    values = {
        "host": names["host"],
        "x-api-key": names["api_key"],
        "x-content-sha256": "body_hash",
        "x-date": PYTHON_DATES[signing.date_form],
        "x-nonce": PYTHON_NONCES[signing.nonce_form],
    }
    return PYTHON_SIGNED.format(
        fields="".join(f'    "{name}": {values[name]},\n' for name in request.names),
        lines=names["lines"],
        portless=PORTLESS if signing.signed_host == "portless" else "",
        hashed=_python_hash(request, body),
        key=PYTHON_KEYS[signing.key_encoding].format(secret),
        signature=PYTHON_SIGNATURES[signing.signature],
    )


def _python_parts(request: SnippetRequest) -> dict[str, Any]:
    modules = "uuid" if request.signing.nonce_form == "uuid" else "random"
    modules += ", re" if request.signing.signed_host == "portless" else ""
    facts = {"method": request.method, "url": request.url, "extra": request.headers}
    return {**facts, "modules": modules, "note": _note(request), "body": _python_body(request)}


def _note(request: SnippetRequest) -> str:
    if request.body is not None:
        return ""
    return f"# The body holds what must not be printed: put it into {BODY_FILE} first.\n"


def _bash_body(request: SnippetRequest) -> str:
    # The dot keeps line breaks at the end, which $(...) would take off.
    if request.body is None:
        return f"BODY=$(cat {BODY_FILE}; printf .); BODY=${{BODY%.}}"
    return f"BODY={shlex.quote(request.body)}"


def _python_body(request: SnippetRequest) -> str:
    if request.body is None:
        return f'open("{BODY_FILE}", "rb").read()'
    return repr(request.body) + ".encode()" if request.body else 'b""'


def _bash_hash(request: SnippetRequest) -> str:
    forms = {"hex": BASH_HEX, "base64": BASH_BASE64}
    hashed = f'printf %s "$BODY" | openssl {forms[request.signing.hash_encoding]}'
    guard = '[ -z "$BODY" ] || ' if request.signing.empty_body == "blank" else ""
    return f"$({guard}{hashed})"


def _python_hash(request: SnippetRequest, body: str) -> str:
    hashed = f"hashlib.sha256({body}).hexdigest()"
    if request.signing.hash_encoding == "base64":
        hashed = f"base64.b64encode(hashlib.sha256({body}).digest()).decode()"
    return f'{hashed} if {body} else ""' if request.signing.empty_body == "blank" else hashed
