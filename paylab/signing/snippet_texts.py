"""The texts of the snippets: bash, Python and httpx, with the parts that settings change."""

from __future__ import annotations

BASH_HASH_COMMANDS = {
    "hex": "dgst -sha256 -r | cut -d' ' -f1",
    "base64": "dgst -sha256 -binary | openssl base64 -A",
}
"""Arguments of openssl that print the hash of its input, by the encoding of the hash."""

BASH_DATE_OPTIONS = {
    "milliseconds": "-u +%Y-%m-%dT%H:%M:%S.000Z",
    "seconds": "-u +%Y-%m-%dT%H:%M:%SZ",
    "compact": "-u +%Y%m%dT%H%M%SZ",
    "unix": "+%s",
}
BASH_NONCE_COMMANDS = {
    "digits": """\
NONCE=$(date +%s)000$(printf %06d $((RANDOM * 32768 % 1000000 + RANDOM % 10000)))
NONCE=${NONCE:0:19}
""",
    "uuid": """\
NONCE=$(openssl rand -hex 16)
NONCE=${NONCE:0:8}-${NONCE:8:4}-${NONCE:12:4}-${NONCE:16:4}-${NONCE:20}
""",
}
BASH_SIGNATURE_EXPRESSIONS = {
    "base64_hex": '$(printf %s "$MAC" | openssl base64 -A)',
    "hex": "$MAC",
    "base64": "$MAC",
}
BASH_KEY_COMMANDS = {
    "utf-8": 'printf %s "$PAYLAB_SECRET_KEY"',
    "hex": """printf "$(printf %s "$PAYLAB_SECRET_KEY" | sed 's/../\\\\x&/g')\"""",
    "base64": 'printf %s "$PAYLAB_SECRET_KEY" | openssl base64 -d -A',
}
"""Commands that print the HMAC key, by the encoding of the secret."""

PYTHON_KEY_EXPRESSIONS = {
    "utf-8": "{}.encode()",
    "hex": "bytes.fromhex({})",
    "base64": "base64.b64decode({})",
}

PYTHON_DATE_EXPRESSIONS = {
    "milliseconds": """\
now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z\"""",
    "seconds": 'now.strftime("%Y-%m-%dT%H:%M:%SZ")',
    "compact": 'now.strftime("%Y%m%dT%H%M%SZ")',
    "unix": "str(int(now.timestamp()))",
}
PYTHON_NONCE_EXPRESSIONS = {
    "digits": 'f"{int(now.timestamp() * 1000)}{random.randrange(10**6):06d}"',
    "uuid": "str(uuid.uuid4())",
}
PYTHON_SIGNATURE_EXPRESSIONS = {
    "base64_hex": "base64.b64encode(digest.encode()).decode()",
    "hex": "digest",
    "base64": "base64.b64encode(bytes.fromhex(digest)).decode()",
}
PYTHON_PORTLESS_LINE = 'lines = [re.sub(r"^(host:.*):\\d+$", r"\\1", line) for line in lines]\n'

HTTPX_LINES = {
    "omit": """\
target = request.url.raw_path.decode().split("?", 1)
lines = [request.method, *filter(None, target)]
""",
    "blank": """\
path, _, query = request.url.raw_path.decode().partition("?")
lines = [request.method, path, query]
""",
}

PYTHON_SIGNING_TEMPLATE = """\
now = datetime.now(timezone.utc)
body_hash = {hashed}
signed = {{
{fields}}}
names = ";".join(signed)
{lines} [f"{{name}}:{{value}}" for name, value in signed.items()] + [names, body_hash]
{portless}hashed = hashlib.sha256("\\n".join(lines).encode()).hexdigest()
payload = "\\n".join(["HMAC-SHA256", signed["x-date"], hashed])
digest = hmac.new({key}, payload.encode(), hashlib.sha256).hexdigest()
signature = {signature}
"""

BASH_TEMPLATE = """\
#!/usr/bin/env bash
{note}set -euo pipefail
: "${{PAYLAB_API_KEY:?}}" "${{PAYLAB_SECRET_KEY:?}}"
{body}
HASH={hashed}
DATE=$(date {date})
{nonce}HOST={host}
NAMES='{names}'
CANONICAL=$(printf '%s\\n' {lines} \\
  {headers} "$NAMES" "$HASH")
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
MAC=$({{
  pad 0x5c
  {{ pad 0x36; printf 'HMAC-SHA256\\n%s\\n%s' "$DATE" "$HASHED"; }} | openssl dgst -sha256 -binary
}} | openssl {mac})
SIGNATURE={signature}
AUTHORIZATION="HMAC-SHA256 Credential=$PAYLAB_API_KEY,SignedHeaders=$NAMES,Signature=$SIGNATURE"
printf '%s\\n' "X-API-Key: $PAYLAB_API_KEY" "Authorization: $AUTHORIZATION" \\
  | curl -sS{literal} -X {method} {url} -H @- \\
  -H "Host: $HOST" -H "X-Date: $DATE" {nonce_header}-H "X-Content-SHA256{hash}"{extra}{data}
echo
"""

PYTHON_TEMPLATE = """\
{note}import base64, hashlib, hmac, os, {modules}, urllib.error, urllib.request
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

HTTPX_TEMPLATE = """\
{note}import base64, hashlib, hmac, os, {modules}
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
