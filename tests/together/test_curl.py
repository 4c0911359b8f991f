"""Requests signed with curl and openssl alone: the simulator accepts them, or refuses a change."""

import json
import shutil
import subprocess

import pytest

from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

pytestmark = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("openssl")), reason="needs curl and openssl"
)

SCRIPT = r"""
set -euo pipefail
hash=$(printf '%s' "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)
date=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
nonce=$(date +%s%3N)$NONCE
names='host;x-api-key;x-content-sha256;x-date;x-nonce'
canonical=$(printf '%s\n' "$METHOD" "$TARGET" "host:$HOST" "x-api-key:$KEY" \
  "x-content-sha256:$hash" "x-date:$date" "x-nonce:$nonce" "$names" "$hash")
hashed=$(printf '%s' "$canonical" | openssl dgst -sha256 -r | cut -d' ' -f1)
hex=$(printf 'HMAC-SHA256\n%s\n%s' "$date" "$hashed" | openssl dgst -sha256 -hmac "$SECRET" -r \
  | cut -d' ' -f1)
signature=$(printf '%s' "$hex" | openssl base64 -A)
curl -sS -X "$METHOD" "http://$HOST$SENT_TARGET" -H "X-API-Key: $KEY" -H "X-Date: $date" \
  -H "X-Content-SHA256: $hash" -H "X-Nonce: $nonce" -H 'Content-Type: application/json' \
  -H "Authorization: HMAC-SHA256 Credential=$KEY,SignedHeaders=$names,Signature=$signature$TAIL" \
  --data-binary "$SENT_BODY" -w '\n%{http_code}'
"""

BODY = json.dumps(
    {
        "product_types": ["global_payouts"],
        "given_name": "María",
        "family_name": "González Hernández",
        "country": "MX",
        "address": {"country": "MX"},
    },
    ensure_ascii=False,
)


@pytest.fixture(scope="module")
def server():
    """A simulator on a port with a running clock."""
    with Server(Simulator(frozen=False)) as server:
        yield server


def send(server, nonce, **changed):
    """Run the script against the simulator; return status and answer."""
    given = {
        "METHOD": "POST",
        "TARGET": "/v1/individuals",
        "SENT_TARGET": "/v1/individuals",
        "BODY": BODY,
        "SENT_BODY": BODY,
        "HOST": server.base_url.removeprefix("http://"),
        "KEY": server.simulator.api_key,
        "SECRET": server.simulator.secret_key,
        "NONCE": f"{nonce:06d}",
        "TAIL": "",
        "PATH": "/usr/bin:/bin:/usr/local/bin",
    }
    environment = given | changed
    done = subprocess.run(
        ["bash", "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    answer, _, status = done.stdout.rpartition("\n")
    return int(status), json.loads(answer)


def test_curl_and_openssl_are_enough(server):
    """A request that is signed by following the spec creates an individual."""
    status, answer = send(server, 1)
    assert (status, answer["family_name"]) == (201, "González Hernández")


@pytest.mark.parametrize(
    ("number", "change", "reason"),
    [
        (2, {"SENT_BODY": BODY.replace("MX", "PH", 1)}, "body-hash"),
        (3, {"SENT_TARGET": "/v1/individual"}, "signature"),
        (4, {"SECRET": "another"}, "signature"),
        (5, {"KEY": "another"}, "unknown-key"),
        (6, {"TAIL": "="}, "signature"),
    ],
)
def test_one_change_is_refused_with_the_reason(server, number, change, reason):
    """A request with one wrong part is answered 401 with the reason."""
    status, answer = send(server, number, **change)
    assert (status, answer["reason"]) == (401, reason)
