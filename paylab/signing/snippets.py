"""Code that signs and sends a request: bash, Python, httpx.

The code reads the keys from PAYLAB_API_KEY and PAYLAB_SECRET_KEY, and never passes them as
arguments of a program. A body with redacted parts (an image, a document number) is read from the
file `body.json`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from textwrap import indent
from typing import Any
from urllib.parse import urlsplit

from ..spec.service.signing import SigningSettings
from ..spec.service.value_types import NONE
from .canonical import VERSION, EmptyQuery, signed_path
from .findings import hosts_of

BODY_FILE = "body.json"


def dialect_of(signing: SigningSettings) -> dict[str, Any]:
    """The settings of a service that change the code, as arguments of a `SnippetRequest`."""
    return {
        "empty_query": signing.empty_query,
        "key_encoding": signing.key_encoding,
        "hash_encoding": signing.hash_encoding,
        "empty_body": signing.empty_body,
        "signed_path": signing.signed_path,
        "base_path": signing.base_path,
    }


@dataclass(frozen=True)
class SnippetRequest:
    """The request of a snippet, and how its service is signed for.

    `body` is None if it must not be shown.
    """

    method: str
    url: str
    body: str | None = ""
    idempotency_key: str | None = None
    empty_query: EmptyQuery = "omit"
    key_encoding: str = "utf-8"
    hash_encoding: str = "hex"
    empty_body: str = "hash"
    signed_path: str = "whole"
    base_path: str = NONE

    @property
    def host(self) -> str:
        """Host as it is sent, without the default port."""
        return hosts_of(self.url)[0]

    @property
    def lines(self) -> list[str]:
        """The first lines of the canonical request: method, path and query."""
        parts = urlsplit(self.url)
        is_shown = parts.query or self.empty_query == "blank"
        path = signed_path(parts.path or "/", self.signed_path, self.base_path)
        return [self.method, path, *[parts.query] * bool(is_shown)]


def curl(request: SnippetRequest) -> str:
    """Bash with openssl and curl."""
    extra = [f"Idempotency-Key: {request.idempotency_key}"] if request.idempotency_key else []
    extra += ["Content-Type: application/json"] if request.body != "" else []
    return _BASH.format(
        note=_note(request),
        body=_bash_body(request),
        host=shlex.quote(request.host),
        lines=" ".join(map(shlex.quote, request.lines)),
        hashed=_bash_hash(request),
        # $(...) has removed the line break before a blank hash.
        blank="[ -n \"$HASH\" ] || CANONICAL+=$'\\n'\n" * (request.empty_body == "blank"),
        # curl sends a header without a value only if a semicolon is in place of the colon.
        hash="${HASH:+: }${HASH:-;}" if request.empty_body == "blank" else ": $HASH",
        key=_BASH_KEYS[request.key_encoding],
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
    return _PYTHON.format(**_python_parts(request), signed=signed)


def httpx(request: SnippetRequest) -> str:
    """Python with httpx: an Auth that signs every request."""
    parts = _python_parts(request)
    lines = _HTTPX_LINES[request.empty_query]
    if request.base_path != NONE:
        lines += f"lines[1] = lines[1].removeprefix({request.base_path!r})\n"
    if request.signed_path != "whole":
        parts["note"] += "import re\n"
        lines += f'lines[1] = re.sub(r"{VERSION.pattern}", "", lines[1], count=1)\n'
    names = {"host": 'request.headers["host"]', "api_key": "self.api_key"}
    secret = "self.secret_key"
    body = "request.content"
    signed = _python_signed(request, secret, body, **names, lines=f"{lines}lines +=")
    return _HTTPX.format(**parts, signed=indent(signed, " " * 8).lstrip())


def _python_signed(request: SnippetRequest, secret: str, body: str, **names: str) -> str:
    """What both Python programs do to sign; `secret`, `body` and `names` are expressions."""
    key = _PYTHON_KEYS[request.key_encoding].format(secret)
    return _PYTHON_SIGNED.format(**names, hashed=_python_hash(request, body), key=key)


def _python_parts(request: SnippetRequest) -> dict[str, Any]:
    extra = {"Content-Type": "application/json"} if request.body != "" else {}
    if request.idempotency_key:
        extra["Idempotency-Key"] = request.idempotency_key
    facts = {"method": request.method, "url": request.url, "extra": extra}
    return {**facts, "note": _note(request), "body": _python_body(request)}


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
    forms = {"hex": "dgst -sha256 -r | cut -d' ' -f1", "base64": _BASH_BASE64}
    hashed = f'printf %s "$BODY" | openssl {forms[request.hash_encoding]}'
    guard = '[ -z "$BODY" ] || ' if request.empty_body == "blank" else ""
    return f"$({guard}{hashed})"


def _python_hash(request: SnippetRequest, body: str) -> str:
    hashed = f"hashlib.sha256({body}).hexdigest()"
    if request.hash_encoding == "base64":
        hashed = f"base64.b64encode(hashlib.sha256({body}).digest()).decode()"
    return f'{hashed} if {body} else ""' if request.empty_body == "blank" else hashed


_BASH_BASE64 = "dgst -sha256 -binary | openssl base64 -A"
_BASH_KEYS = {
    "utf-8": 'printf %s "$PAYLAB_SECRET_KEY"',
    "hex": """printf "$(printf %s "$PAYLAB_SECRET_KEY" | sed 's/../\\\\x&/g')\"""",
    "base64": 'printf %s "$PAYLAB_SECRET_KEY" | openssl base64 -d -A',
}
"""Commands that print the HMAC key, by the encoding of the secret."""

_PYTHON_KEYS = {
    "utf-8": "{}.encode()",
    "hex": "bytes.fromhex({})",
    "base64": "base64.b64decode({})",
}

_HTTPX_LINES = {
    "omit": """\
target = request.url.raw_path.decode().split("?", 1)
lines = [request.method, *filter(None, target)]
""",
    "blank": """\
path, _, query = request.url.raw_path.decode().partition("?")
lines = [request.method, path, query]
""",
}

_PYTHON_SIGNED = """\
now = datetime.now(timezone.utc)
body_hash = {hashed}
signed = {{
    "host": {host},
    "x-api-key": {api_key},
    "x-content-sha256": body_hash,
    "x-date": now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{{now.microsecond // 1000:03d}}Z",
    "x-nonce": f"{{int(now.timestamp() * 1000)}}{{random.randrange(10**6):06d}}",
}}
names = ";".join(signed)
{lines} [f"{{name}}:{{value}}" for name, value in signed.items()] + [names, body_hash]
hashed = hashlib.sha256("\\n".join(lines).encode()).hexdigest()
payload = "\\n".join(["HMAC-SHA256", signed["x-date"], hashed])
digest = hmac.new({key}, payload.encode(), hashlib.sha256).hexdigest()
signature = base64.b64encode(digest.encode()).decode()
"""

_BASH = """\
#!/usr/bin/env bash
{note}set -euo pipefail
: "${{PAYLAB_API_KEY:?}}" "${{PAYLAB_SECRET_KEY:?}}"
{body}
HASH={hashed}
DATE=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
NONCE=$(date +%s)000$(printf %06d $((RANDOM * 32768 % 1000000 + RANDOM % 10000)))
NONCE=${{NONCE:0:19}}
HOST={host}
NAMES='host;x-api-key;x-content-sha256;x-date;x-nonce'
CANONICAL=$(printf '%s\\n' {lines} "host:$HOST" "x-api-key:$PAYLAB_API_KEY" \\
  "x-content-sha256:$HASH" "x-date:$DATE" "x-nonce:$NONCE" "$NAMES" "$HASH")
{blank}HASHED=$(printf %s "$CANONICAL" | openssl dgst -sha256 -r | cut -d' ' -f1)
# HMAC by hand: as an argument of openssl the secret would stand in the list of processes.
SECRET=$({key} | od -An -v -tx1 | tr -d ' \\n')
if ((${{#SECRET}} > 128)); then
  SECRET=$({key} | openssl dgst -sha256 -r | cut -d' ' -f1)
fi
pad() {{
  local at byte
  for ((at = 0; at < 128; at += 2)); do
    byte=${{SECRET:at:2}}
    printf -v byte '\\\\x%02x' $((0x${{byte:-00}} ^ $1))
    printf "$byte"
  done
}}
HEX=$({{
  pad 0x5c
  {{ pad 0x36; printf 'HMAC-SHA256\\n%s\\n%s' "$DATE" "$HASHED"; }} | openssl dgst -sha256 -binary
}} | openssl dgst -sha256 -r | cut -d' ' -f1)
SIGNATURE=$(printf %s "$HEX" | openssl base64 -A)
AUTHORIZATION="HMAC-SHA256 Credential=$PAYLAB_API_KEY,SignedHeaders=$NAMES,Signature=$SIGNATURE"
printf '%s\\n' "X-API-Key: $PAYLAB_API_KEY" "Authorization: $AUTHORIZATION" \\
  | curl -sS{literal} -X {method} {url} -H @- \\
  -H "Host: $HOST" -H "X-Date: $DATE" -H "X-Nonce: $NONCE" -H "X-Content-SHA256{hash}"{extra}{data}
echo
"""

_PYTHON = """\
{note}import base64, hashlib, hmac, os, random, urllib.error, urllib.request
from datetime import datetime, timezone

api_key, secret_key = os.environ["PAYLAB_API_KEY"], os.environ["PAYLAB_SECRET_KEY"]
body = {body}
{signed}line = f"HMAC-SHA256 Credential={{api_key}},SignedHeaders={{names}},Signature={{signature}}"
headers = signed | {extra!r} | {{"authorization": line}}
request = urllib.request.Request({url!r}, body or None, headers, method={method!r})
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
"""

_HTTPX = """\
{note}import base64, hashlib, hmac, os, random
from datetime import datetime, timezone

import httpx


class SignatureAuth(httpx.Auth):
    requires_request_body = True

    def __init__(self, api_key, secret_key):
        self.api_key, self.secret_key = api_key, secret_key

    def auth_flow(self, request):
        {signed}        request.headers.update(signed)
        line = f"Credential={{self.api_key}},SignedHeaders={{names}},Signature={{signature}}"
        request.headers["authorization"] = f"HMAC-SHA256 {{line}}"
        yield request


auth = SignatureAuth(os.environ["PAYLAB_API_KEY"], os.environ["PAYLAB_SECRET_KEY"])
response = httpx.request(
    {method!r}, {url!r}, content={body} or None, headers={extra!r}, auth=auth, timeout=30
)
print(response.status_code, response.text)
"""
