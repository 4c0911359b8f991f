"""Golden cases, made by openssl: each step of a signature is compared byte for byte."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from paylab import signing

GOLDEN = Path(__file__).with_name("golden")
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
STEPS = ("request", "body", "canonical", "payload", "authorization")
KEY = "key_sandbox_4f2a"
SECRET = "sk_sandbox_Zm9yIHRlc3RzIG9ubHk="
NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
SAMPLE = ("host", "x-api-key", "x-date", "x-content-sha256", "x-nonce")


def read(case, step):
    """Read one file of a case, with its line endings unchanged."""
    return (GOLDEN / case / step).read_bytes().decode()


def received(case):
    """The request of a case, as a service receives it."""
    first, *rest = read(case, "request").splitlines()
    method, target = first.split(" ")
    path, _, query = target.partition("?")
    headers = {name.lower(): value for name, value in (line.split(": ") for line in rest)}
    headers["authorization"] = read(case, "authorization")
    return signing.ReceivedRequest(method, path, query, headers, read(case, "body").encode())


def signed(case):
    """The headers and the signature that paylab makes for a case."""
    request = received(case)
    return signing.signed_headers(
        KEY,
        SECRET,
        request.method,
        request.headers["host"],
        request.path,
        request.query,
        content_hash=signing.body_hash(request.body),
        date=request.headers["x-date"],
        nonce=request.headers.get("x-nonce"),
    )


@pytest.mark.parametrize("case", CASES)
def test_canonical_request_payload_and_signature_are_equal_to_those_of_openssl(case):
    """Canonical request, payload and signature are equal to those of openssl."""
    _, signature = signed(case)
    assert signature.canonical == read(case, "canonical")
    assert signature.payload == read(case, "payload")
    assert read(case, "authorization").endswith(f",Signature={signature.value}")


@pytest.mark.parametrize("case", [case for case in CASES if case != "sample-order"])
def test_the_sent_headers_are_equal_to_those_of_the_case(case):
    """The sent headers are equal to those of the case."""
    sent, _ = signed(case)
    assert {name.lower(): value for name, value in sent.items()} == received(case).headers


def test_signedheaders_can_list_the_names_in_the_order_of_the_spec_sample():
    """SignedHeaders can list the names in the order of the spec's sample."""
    _, signature = signed("sample-order")
    line = signing.authorization(KEY, SAMPLE, signature.value)
    assert line == read("sample-order", "authorization")


@pytest.mark.parametrize("case", CASES)
def test_a_request_signed_with_openssl_is_accepted(case):
    """A request signed with openssl is accepted."""
    assert signing.verify(received(case), {KEY: SECRET}.get, NOW) is None


def test_the_script_makes_exactly_the_committed_files(tmp_path):
    """The script makes exactly the committed files; it needs bash and openssl."""
    if not (shutil.which("bash") and shutil.which("openssl")):
        return  # the other tests compare the committed files with paylab's signatures
    subprocess.run(["bash", GOLDEN / "make.sh", tmp_path], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == CASES
    for case in CASES:
        made = {step: (tmp_path / case / step).read_bytes().decode() for step in STEPS}
        assert made == {step: read(case, step) for step in STEPS}


def test_with_empty_query_set_to_blank_a_missing_query_is_an_empty_line():
    """With `empty_query` set to `blank`, a missing query is an empty line."""
    omit = signing.canonical_request("GET", "/v1/x", "", {"host": "h"}, "0")
    blank = signing.canonical_request("GET", "/v1/x", "", {"host": "h"}, "0", empty_query="blank")
    assert omit == "GET\n/v1/x\nhost:h\nhost\n0"
    assert blank == "GET\n/v1/x\n\nhost:h\nhost\n0"


def test_the_repr_of_a_signature_does_not_contain_its_value():
    """The repr of a signature does not contain its value."""
    _, signature = signed("no-query")
    assert signature.value not in repr(signature)


def test_a_key_that_was_set_up():
    """A prepared key gives the same signature as the secret, also on its second use."""
    key, parts = signing.keyed(SECRET.encode()), ("GET", "/v1/x", "", {"host": "h", "x-date": "d"})
    wanted = signing.sign(SECRET, *parts, signing.EMPTY_HASH)
    assert [signing.sign(key, *parts, signing.EMPTY_HASH) for _ in range(2)] == [wanted, wanted]
