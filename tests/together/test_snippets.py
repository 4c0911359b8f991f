"""Each code snippet of a call is run as printed, against a served simulator."""

from __future__ import annotations

import dataclasses
import hmac
import json
import os
import shutil
import subprocess
import sys
from typing import get_args

import pytest
import tools

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
    """A simulator on a port with a running clock."""
    with Server(Simulator(frozen=False, transfers=5)) as server:
        yield server


@pytest.fixture
def lab(server):
    """A lab on the served simulator."""
    keys = server.simulator.api_key, server.simulator.secret_key
    return paylab.connect(server.base_url, *keys)


def run(lab, name, code):
    """Run code with the keys in its environment only; return its output."""
    keys = lab.settings.api_key.reveal(), lab.settings.secret_key.reveal()
    assert not any(key in code for key in keys)
    names = dict(zip(("PAYLAB_API_KEY", "PAYLAB_SECRET_KEY"), keys, strict=True))
    done = subprocess.run(
        RUN[name](code), env={**os.environ, **names}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


OTHERS = [
    {"signing.key_encoding": "hex"},
    {"signing.key_encoding": "base64", "signing.empty_query": "blank"},
    {"signing.hash_encoding": "base64", "signing.signed_path": "unversioned"},
    {"signing.empty_body": "blank"},
]


@pytest.mark.parametrize("settings", OTHERS, ids=str)
def test_a_service_that_is_signed_for_otherwise(settings, tmp_path):
    """The code follows the service's signing settings, for a call and for its replay."""
    with Server(Simulator(frozen=False, transfers=5, service=paylab.Service(settings))) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        lab = paylab.connect(server.base_url, *keys, service=settings)
        with lab.record(tmp_path / "recorded.har"):
            lab.request("GET", "/v1/transfers")
        replay = paylab.connect(replay=tmp_path / "recorded.har")
        replay.request("GET", "/v1/transfers")
        for name in RUN:
            code = getattr(lab.calls[-1], name)()
            assert getattr(replay.calls[-1], name)() == code
            if name != "as_httpx" or settings == OTHERS[1]:  # it signs by the lines of `as_python`
                assert '"has_next_page"' in run(lab, name, code)


def test_sign_prints_curl_for_a_service_that_is_signed_for_otherwise(monkeypatch, capsys, tmp_path):
    """`paylab sign --curl` follows the service's signing settings."""
    service = paylab.Service(OTHERS[1])
    (tmp_path / "service.toml").write_text(service.to_toml())
    monkeypatch.setenv("PAYLAB_SERVICE", str(tmp_path / "service.toml"))
    with Server(Simulator(frozen=False, service=service)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        for name, value in zip(("API_KEY", "SECRET_KEY"), keys, strict=True):
            monkeypatch.setenv(f"PAYLAB_{name}", value)
        monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
        assert main(["sign", "GET", "/v1/transfers", "--curl"]) == 0
        lab = paylab.connect()
        assert '"has_next_page"' in run(lab, "as_curl", capsys.readouterr().out)


def test_curl_sends_one_request_whatever_the_address(lab):
    """curl expands no braces or brackets of a URL, and the shell does not run the method."""
    lab.request("GET", "/v1/transfers?limit=2&x={a,b}[1-2]")
    assert run(lab, "as_curl", lab.calls[-1].as_curl()).count('"has_next_page"') == 1
    words = snippets.curl(snippets.SnippetRequest("GET; exit 7 #", "http://localhost/v1"))
    assert "-X 'GET; exit 7 #' " in words


HOSTILE = "Ana 'O' \"M\" $(id) `id` ${HOME} \\n \\ % é {x} \u2028 end"


@pytest.mark.parametrize("name", RUN)
def test_text_that_a_shell_would_carry_out_arrives_unchanged(lab, name):
    """A POST with a body and a GET with a query are answered; shell syntax arrives unchanged."""
    fields = examples.recipient("MX") | {"given_name": HOSTILE}
    lab.individuals.create(**fields)
    said = run(lab, name, getattr(lab.calls[-1], name)())
    assert json.loads(said[said.index("{") :])["given_name"] == HOSTILE
    lab.request("GET", "/v1/transfers", params={"limit": 2, "x": "a b'c$(id)&d=ñ+%"})
    assert '"has_next_page"' in run(lab, name, getattr(lab.calls[-1], name)())


@pytest.mark.parametrize("name", RUN)
def test_a_body_that_must_not_be_printed(lab, name, tmp_path, monkeypatch):
    """A document number is not in the code; the code reads the body from a file."""
    person = examples.individual("MX", consent_at=lab.clock())
    lab.individuals.create(**person)
    code = getattr(lab.calls[-1], name)()
    assert person["document"]["number"] not in code
    monkeypatch.chdir(tmp_path)
    (tmp_path / "body.json").write_bytes(encode(parameters.body_fields(person)))
    assert '"ind_' in run(lab, name, code)


def test_curl_puts_no_secret_into_the_arguments_of_a_program(lab, tmp_path):
    """No program started by the curl code has a key or signature in its arguments."""
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
    """The HMAC of the curl code equals that of the standard library, for any secret."""
    request = snippets.SnippetRequest(
        "GET",
        "http://h.test/v1",
        signing=paylab.Service({"signing.key_encoding": encoding}).signing,
    )
    code = snippets.curl(request)
    code = code[: code.index("SIGNATURE=")] + 'printf "%s %s %s" "$DATE" "$HASHED" "$MAC"'
    keys = {"PAYLAB_API_KEY": "k", "PAYLAB_SECRET_KEY": secret}
    done = subprocess.run(
        ["bash", "-c", code], env={**os.environ, **keys}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    date, hashed, found = done.stdout.split()
    payload = f"HMAC-SHA256\n{date}\n{hashed}".encode()
    assert found == hmac.new(key_bytes(secret, encoding), payload, "sha256").hexdigest()


FILES = {"node": "call.mjs", "go": "call.go", "java": "Call.java"}
DIALECTS = [
    {},
    {
        "signing.empty_query": "blank",
        "signing.key_encoding": "hex",
        "signing.hash_encoding": "base64",
        "signing.signed_path": "unversioned",
        "signing.signature": "hex",
        "signing.date_form": "seconds",
        "signing.nonce": "refused",
    },
    {
        "signing.key_encoding": "base64",
        "signing.empty_body": "blank",
        "signing.signature": "base64",
        "signing.date_form": "compact",
        "signing.nonce_form": "uuid",
        "signing.query_order": "sorted",
        "signing.header_order": "sample",
        "signing.signed_host": "portless",
    },
]


def run_file(lab, language, code, folder):
    """The output of a program in a file, whose address and keys are in its environment only."""
    tool = tools.go_command() if language == "go" else shutil.which(language)
    if tool is None:
        pytest.skip(f"{language} is not installed")
    keys = lab.settings.api_key.reveal(), lab.settings.secret_key.reveal()
    assert not any(text in code for text in (*keys, "PAYLAB_BASE_URL=", lab.settings.base_url[7:]))
    names = ("PAYLAB_BASE_URL", "PAYLAB_API_KEY", "PAYLAB_SECRET_KEY")
    values = dict(zip(names, (f"{lab.settings.base_url}/", *keys), strict=True))
    (folder / FILES[language]).write_text(code)
    command = [tool, *["run"] * (language == "go"), FILES[language]]
    env = {**os.environ, "GOCACHE": str(folder.parent / "go"), "GOFLAGS": "-mod=mod", **values}
    done = subprocess.run(command, check=False, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.other_tools
@pytest.mark.parametrize("settings", DIALECTS, ids=["spec", "hex", "base64"])
@pytest.mark.parametrize("language", FILES)
def test_another_language_signs_and_sends(language, settings, tmp_path):
    """Node, Go and Java are answered for any text of a body, a query, and a body in a file."""
    service = paylab.Service(settings)
    with Server(Simulator(frozen=False, transfers=5, service=service)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        lab = paylab.connect(server.base_url, *keys, service=settings)
        fields = examples.recipient("MX") | {"given_name": HOSTILE + "\U0001f600"}
        lab.individuals.create(**fields)
        elsewhere = SnippetRequestAt("https://elsewhere.test", lab.calls[-1])
        answer = run_file(lab, language, elsewhere.code(language), tmp_path)
        assert json.loads(answer[answer.index("{") :])["given_name"] == fields["given_name"]
        lab.request("GET", "/v1/transfers", params={"limit": 2, "x": "a b'c$(id)&d=ñ+%", "a": ""})
        elsewhere = SnippetRequestAt("https://elsewhere.test", lab.calls[-1])
        assert '"has_next_page"' in run_file(lab, language, elsewhere.code(language), tmp_path)
        if not settings:
            person = examples.individual("MX", consent_at=lab.clock())
            lab.individuals.create(**person)
            code = SnippetRequestAt("https://elsewhere.test", lab.calls[-1]).code(language)
            assert person["document"]["number"] not in code
            (tmp_path / "body.json").write_bytes(encode(parameters.body_fields(person)))
            assert '"ind_' in run_file(lab, language, code, tmp_path)


class SnippetRequestAt:
    """A call as if it had been sent to another address, which PAYLAB_BASE_URL replaces."""

    def __init__(self, origin, call):
        path = call.url.partition("://")[2].partition("/")[2]
        self.call = dataclasses.replace(call, url=f"{origin}/{path}")

    def code(self, language):
        """The program in a language."""
        return self.call.snippet(language)


def test_a_call_in_a_notebook_says_how_to_get_an_address():
    """The code of a call to an embedded simulator names lab.serve() and has no address."""
    lab = paylab.connect()
    lab.transfers.list().first()
    for language in get_args(snippets.LanguageName):
        code = lab.calls[-1].snippet(language)
        assert "server = lab.serve()" in code
        assert "localhost" not in code


def test_an_unknown_language_names_the_known_ones():
    """The error lists the languages, and the nearest."""
    lab = paylab.connect()
    lab.transfers.list().first()
    with pytest.raises(paylab.ArgumentError, match=r"curl, .*java.*is 'node' meant"):
        lab.calls[-1].snippet("nodejs")
