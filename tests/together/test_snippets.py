"""Each snippet run as it is printed, against a served simulator."""

import hmac
import json
import os
import shutil
import subprocess
import sys

import pytest

import paylab
from paylab.cli.main import main
from paylab.client import parameters
from paylab.client.request import encode
from paylab.corridors import examples
from paylab.signing import key_bytes, snippets
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

RUN = {
    "as_curl": lambda code: ["bash", "-c", code],
    "as_python": lambda code: [sys.executable, "-c", code],
    "as_httpx": lambda code: [sys.executable, "-c", code],
}


@pytest.fixture(scope="module")
def server():
    """A simulator on a port, on real time."""
    with Server(Simulator(frozen=False, transfers=5)) as server:
        yield server


@pytest.fixture
def lab(server):
    """A lab on it."""
    keys = server.simulator.api_key, server.simulator.secret_key
    return paylab.connect(server.base_url, *keys, ledger="none")


def run(lab, name, code):
    """What the code prints, and no error, with the keys in its environment and nowhere else."""
    keys = lab.settings.api_key.reveal(), lab.settings.secret_key.reveal()
    assert not any(key in code for key in keys)
    names = dict(zip(("PAYLAB_API_KEY", "PAYLAB_SECRET_KEY"), keys, strict=True))
    done = subprocess.run(
        RUN[name](code), env={**os.environ, **names}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", RUN)
def test_a_get_with_a_query(lab, name):
    """Signed afresh, and answered."""
    lab.request("GET", "/v1/transfers", params={"limit": 2})
    assert '"has_next_page"' in run(lab, name, getattr(lab.calls[-1], name)())


OTHERS = [
    {"signing.key_encoding": "hex"},
    {"signing.key_encoding": "base64", "signing.empty_query": "blank"},
]


@pytest.mark.parametrize("settings", OTHERS, ids=str)
def test_a_service_that_is_signed_for_otherwise(settings, tmp_path):
    """Its key and its query line, in the code of a call and of a replayed one."""
    with Server(Simulator(frozen=False, transfers=5, service=paylab.Service(settings))) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        lab = paylab.connect(server.base_url, *keys, service=settings, ledger="none")
        with lab.record(tmp_path / "recorded.calls"):
            lab.request("GET", "/v1/transfers")
        replay = paylab.connect(replay=tmp_path / "recorded.calls", ledger="none")
        replay.request("GET", "/v1/transfers")
        for name in RUN:
            code = getattr(lab.calls[-1], name)()
            assert '"has_next_page"' in run(lab, name, code)
            assert getattr(replay.calls[-1], name)() == code


def test_sign_prints_curl_for_a_service_that_is_signed_for_otherwise(monkeypatch, capsys, tmp_path):
    """As a call does."""
    service = paylab.Service(OTHERS[1])
    (tmp_path / "service.toml").write_text(service.to_toml())
    monkeypatch.setenv("PAYLAB_SERVICE", str(tmp_path / "service.toml"))
    with Server(Simulator(frozen=False, service=service)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        for name, value in zip(("API_KEY", "SECRET_KEY"), keys, strict=True):
            monkeypatch.setenv(f"PAYLAB_{name}", value)
        monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
        assert main(["sign", "GET", "/v1/transfers", "--curl"]) == 0
        lab = paylab.connect(ledger="none")
        assert '"has_next_page"' in run(lab, "as_curl", capsys.readouterr().out)


def test_curl_sends_one_request_whatever_the_address(lab):
    """Braces and brackets are no list, and a method is no command."""
    lab.request("GET", "/v1/transfers?limit=2&x={a,b}[1-2]")
    assert run(lab, "as_curl", lab.calls[-1].as_curl()).count('"has_next_page"') == 1
    words = snippets.curl(snippets.SnippetRequest("GET; exit 7 #", "http://localhost/v1"))
    assert "-X 'GET; exit 7 #' " in words


@pytest.mark.parametrize("name", RUN)
def test_a_post_with_a_body(lab, name):
    """The very bytes, quotes and accents included."""
    fields = examples.recipient("MX") | {"given_name": "Ana 'O' \"María\""}
    lab.individuals.create(**fields)
    assert '"ind_' in run(lab, name, getattr(lab.calls[-1], name)())


HOSTILE = "Ana 'O' \"M\" $(id) `id` ${HOME} \\n \\ % é {x} \u2028 end"


@pytest.mark.parametrize("name", RUN)
def test_text_that_a_shell_would_carry_out(lab, name):
    """Arrives as it was written: in the body and in the query."""
    fields = examples.recipient("MX") | {"given_name": HOSTILE}
    lab.individuals.create(**fields)
    said = run(lab, name, getattr(lab.calls[-1], name)())
    assert json.loads(said[said.index("{") :])["given_name"] == HOSTILE
    lab.request("GET", "/v1/transfers", params={"limit": 2, "x": "a b'c$(id)&d=ñ+%"})
    assert '"has_next_page"' in run(lab, name, getattr(lab.calls[-1], name)())


@pytest.mark.parametrize("name", RUN)
def test_a_body_that_must_not_be_printed(lab, name, tmp_path, monkeypatch):
    """A document number is not in the code; the body is read from a file."""
    person = examples.individual("MX", consent_at=lab.clock())
    lab.individuals.create(**person)
    code = getattr(lab.calls[-1], name)()
    assert person["document"]["number"] not in code
    monkeypatch.chdir(tmp_path)
    (tmp_path / "body.json").write_bytes(encode(parameters.body_fields(person)))
    assert '"ind_' in run(lab, name, code)


def test_curl_puts_no_secret_into_the_arguments_of_a_program(lab, tmp_path):
    """Every program that the script starts notes its arguments, which other users can list."""
    seen = tmp_path / "arguments"
    for name in ("curl", "openssl", "cut", "date", "od", "tr", "cat"):
        shim = tmp_path / name
        real = shutil.which(name)
        shim.write_text(f'#!/bin/sh\nprintf "%s\\n" "$0 $*" >> {seen}\nexec {real} "$@"\n')
        shim.chmod(0o700)
    lab.request("GET", "/v1/transfers", params={"limit": 2})
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    said = run(lab, "as_curl", f"PATH={path}\n{lab.calls[-1].as_curl()}")
    assert '"has_next_page"' in said
    listed = seen.read_text()
    assert "curl" in listed
    assert "openssl" in listed
    assert lab.settings.secret_key.reveal() not in listed
    assert lab.settings.api_key.reveal() not in listed
    assert "Signature=" not in listed


@pytest.mark.parametrize(
    ("secret", "encoding"),
    [
        *((each, "utf-8") for each in ("k", "é\"\\'$(id) %s\\n", "x" * 64, "x" * 65, "é" * 100)),
        *((each, "hex") for each in ("00ff2500", "0aFF" * 32, "00fF" * 33)),
        *((each, "base64") for each in ("AP8l/w==", "AP8l" * 30)),
    ],
)
def test_curl_computes_hmac_for_any_secret(secret, encoding):
    """As the standard library does."""
    request = snippets.SnippetRequest("GET", "http://localhost/v1", key_encoding=encoding)
    code = snippets.curl(request)
    code = code[: code.index("SIGNATURE=")] + 'printf "%s %s %s" "$DATE" "$HASHED" "$HEX"'
    keys = {"PAYLAB_API_KEY": "k", "PAYLAB_SECRET_KEY": secret}
    done = subprocess.run(
        ["bash", "-c", code], env={**os.environ, **keys}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    date, hashed, found = done.stdout.split()
    payload = f"HMAC-SHA256\n{date}\n{hashed}".encode()
    assert found == hmac.new(key_bytes(secret, encoding), payload, "sha256").hexdigest()
