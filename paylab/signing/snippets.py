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
from .canonical import VERSION_PATTERN, in_order, signed_host, signed_path, signed_query
from .findings import hosts_of
from .snippet_texts import (
    BASH_DATE_OPTIONS,
    BASH_HASH_COMMANDS,
    BASH_KEY_COMMANDS,
    BASH_NONCE_COMMANDS,
    BASH_SIGNATURE_EXPRESSIONS,
    BASH_TEMPLATE,
    HTTPX_LINES,
    HTTPX_TEMPLATE,
    PYTHON_DATE_EXPRESSIONS,
    PYTHON_KEY_EXPRESSIONS,
    PYTHON_NONCE_EXPRESSIONS,
    PYTHON_PORTLESS_LINE,
    PYTHON_SIGNATURE_EXPRESSIONS,
    PYTHON_SIGNING_TEMPLATE,
    PYTHON_TEMPLATE,
)

BODY_FILE = "body.json"
SIGNED_NAMES = ("host", "x-api-key", "x-content-sha256", "x-date", "x-nonce")
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
        path = signed_path(parts.path or "/", signing.signed_path, signing.base_path)
        lines = [self.method, path]
        if parts.query or signing.empty_query == "blank":
            lines.append(signed_query(parts.query, signing.query_order))
        return lines

    @property
    def names(self) -> list[str]:
        """The names of the signed headers, in the order in which they are signed."""
        names = [*SIGNED_NAMES]
        if self.signing.nonce == "refused":
            names.remove("x-nonce")
        return in_order(names, self.signing.header_order)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that are not signed."""
        headers: dict[str, str] = {}
        if self.body != "":
            headers["Content-Type"] = "application/json"
        if self.idempotency_key:
            headers[self.key_header] = self.idempotency_key
        return headers


def curl(request: SnippetRequest) -> str:
    """Bash with openssl and curl."""
    signing = request.signing
    header_options = "".join(
        f" \\\n  -H {shlex.quote(f'{name}: {value}')}" for name, value in request.headers.items()
    )
    body_option = "" if request.body == "" else ' \\\n  --data-binary "$BODY"'
    has_glob_signs = any(sign in request.url for sign in "[]{}")
    nonce_lines = ""
    nonce_option = ""
    if "x-nonce" in request.names:
        nonce_lines = BASH_NONCE_COMMANDS[signing.nonce_form]
        nonce_option = '-H "X-Nonce: $NONCE" '
    blank_hash_line = ""
    hash_header = ": $HASH"
    if signing.empty_body == "blank":
        # $(...) has removed the line break before a blank hash.
        blank_hash_line = "[ -n \"$HASH\" ] || CANONICAL+=$'\\n'\n"
        # curl sends a header without a value only if a semicolon is in place of the colon.
        hash_header = "${HASH:+: }${HASH:-;}"
    return BASH_TEMPLATE.format(
        note=_body_note(request),
        body=_bash_body_line(request),
        host=shlex.quote(request.host),
        lines=" ".join(map(shlex.quote, request.lines)),
        date=BASH_DATE_OPTIONS[signing.date_form],
        nonce=nonce_lines,
        nonce_header=nonce_option,
        names=";".join(request.names),
        headers=_bash_header_lines(request),
        mac=BASH_HASH_COMMANDS["base64" if signing.signature == "base64" else "hex"],
        signature=BASH_SIGNATURE_EXPRESSIONS[signing.signature],
        hashed=_bash_hash_expression(request),
        blank=blank_hash_line,
        hash=hash_header,
        key=BASH_KEY_COMMANDS[signing.key_encoding],
        method=shlex.quote(request.method),
        url=shlex.quote(request.url),
        literal="g" if has_glob_signs else "",  # no globbing
        extra=header_options,
        data=body_option,
    )


def python(request: SnippetRequest) -> str:
    """Python with the standard library alone."""
    signing_code = _python_signing_code(
        request,
        secret="secret_key",  # noqa: S106 - the name of a variable
        body="body",
        host=repr(request.host),
        api_key="api_key",
        lines=f"lines = {request.lines!r} +",
    )
    return PYTHON_TEMPLATE.format(**_python_template_fields(request), signed=signing_code)


def httpx(request: SnippetRequest) -> str:
    """Python with httpx: an Auth that signs every request."""
    signing = request.signing
    template_fields = _python_template_fields(request)
    lines = HTTPX_LINES[signing.empty_query]
    if signing.query_order == "sorted":
        lines += 'lines[2:] = ["&".join(sorted(text.split("&"))) for text in lines[2:]]\n'
    if signing.base_path != NONE:
        lines += f"lines[1] = lines[1].removeprefix({signing.base_path!r})\n"
    if signing.signed_path != "whole":
        template_fields["modules"] += ", re"
        lines += f'lines[1] = re.sub(r"{VERSION_PATTERN.pattern}", "", lines[1], count=1)\n'
    signing_code = _python_signing_code(
        request,
        secret="self.secret_key",  # noqa: S106 - the name of an attribute
        body="request.content",
        host='request.headers["host"]',
        api_key="self.api_key",
        lines=f"{lines}lines +=",
    )
    indented_code = indent(signing_code, " " * 8).lstrip()
    return HTTPX_TEMPLATE.format(**template_fields, signed=indented_code)


def _python_signing_code(  # noqa: PLR0913 - the expressions that differ between the programs
    request: SnippetRequest, *, secret: str, body: str, host: str, api_key: str, lines: str
) -> str:
    """The code that signs, from the expressions of its parts in a program."""
    signing = request.signing
    values = {
        "host": host,
        "x-api-key": api_key,
        "x-content-sha256": "body_hash",
        "x-date": PYTHON_DATE_EXPRESSIONS[signing.date_form],
        "x-nonce": PYTHON_NONCE_EXPRESSIONS[signing.nonce_form],
    }
    return PYTHON_SIGNING_TEMPLATE.format(
        fields="".join(f'    "{name}": {values[name]},\n' for name in request.names),
        lines=lines,
        portless=PYTHON_PORTLESS_LINE if signing.signed_host == "portless" else "",
        hashed=_python_hash_expression(request, body),
        key=PYTHON_KEY_EXPRESSIONS[signing.key_encoding].format(secret),
        signature=PYTHON_SIGNATURE_EXPRESSIONS[signing.signature],
    )


def _python_template_fields(request: SnippetRequest) -> dict[str, Any]:
    modules = "uuid" if request.signing.nonce_form == "uuid" else "random"
    if request.signing.signed_host == "portless":
        modules += ", re"
    return {
        "method": request.method,
        "url": request.url,
        "extra": request.headers,
        "modules": modules,
        "note": _body_note(request),
        "body": _python_body_expression(request),
    }


def _body_note(request: SnippetRequest) -> str:
    if request.body is not None:
        return ""
    return f"# The body holds what must not be printed: put it into {BODY_FILE} first.\n"


def _bash_body_line(request: SnippetRequest) -> str:
    # The dot keeps line breaks at the end, which $(...) would take off.
    if request.body is None:
        return f"BODY=$(cat {BODY_FILE}; printf .); BODY=${{BODY%.}}"
    return f"BODY={shlex.quote(request.body)}"


def _python_body_expression(request: SnippetRequest) -> str:
    if request.body is None:
        return f'open("{BODY_FILE}", "rb").read()'
    if not request.body:
        return 'b""'
    return f"{request.body!r}.encode()"


def _bash_header_lines(request: SnippetRequest) -> str:
    """The signed header lines as words of bash, in the order in which they are signed."""
    signed_line = f"host:{signed_host(request.host, request.signing.signed_host)}"
    words = {
        "host": shlex.quote(signed_line),
        "x-api-key": '"x-api-key:$PAYLAB_API_KEY"',
        "x-content-sha256": '"x-content-sha256:$HASH"',
        "x-date": '"x-date:$DATE"',
        "x-nonce": '"x-nonce:$NONCE"',
    }
    return " ".join(words[name] for name in request.names)


def _bash_hash_expression(request: SnippetRequest) -> str:
    command = f'printf %s "$BODY" | openssl {BASH_HASH_COMMANDS[request.signing.hash_encoding]}'
    guard = '[ -z "$BODY" ] || ' if request.signing.empty_body == "blank" else ""
    return f"$({guard}{command})"


def _python_hash_expression(request: SnippetRequest, body: str) -> str:
    expression = f"hashlib.sha256({body}).hexdigest()"
    if request.signing.hash_encoding == "base64":
        expression = f"base64.b64encode(hashlib.sha256({body}).digest()).decode()"
    if request.signing.empty_body == "blank":
        return f'{expression} if {body} else ""'
    return expression
