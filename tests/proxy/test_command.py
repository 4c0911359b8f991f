"""The command: its address, its lines, its file at the end, and the programs that it runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from proxy_front import Integration

from paylab.cli.main import main
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

PAYLAB = [sys.executable, "-P", "-m", "paylab"]
SECONDS = 60


@pytest.fixture(scope="module")
def server():
    """A service over HTTP."""
    with Server(Simulator(frozen=False)) as server:
        yield server


def environment(server):
    """A shell with the keys of the service."""
    keys = {"PAYLAB_API_KEY": server.api_key, "PAYLAB_SECRET_KEY": server.secret_key}
    return {**os.environ, **keys}


def run(command, variables=None):
    """A command that has ended, with what it printed."""
    pipes = {"capture_output": True, "text": True}
    return subprocess.run(command, env=variables, timeout=SECONDS, check=False, **pipes)


@contextmanager
def started(server, *options):
    """A command that runs, what it printed when ready, and its end by Ctrl-C."""
    command = [*PAYLAB, "proxy", "--to", server.base_url, "--json", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=environment(server), **pipes)
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


def test_the_command_shows_each_request_and_writes_a_file(server, tmp_path, capsys, monkeypatch):
    """Lines appear while it runs, other commands read its journal, Ctrl-C writes the HAR file."""
    path = tmp_path / "calls.har"
    with started(server, "--har", str(path)) as (process, facts):
        client = Integration(facts["base_url"], server.api_key, server.secret_key)
        assert client.send("GET", "/v1/transfers?limit=1").status_code == 200
        line = json.loads(process.stdout.readline())
        assert (line["operation"], line["verdicts"]["contract"]["result"]) == (
            "transfers.list",
            "passed",
        )
        monkeypatch.setenv("PAYLAB_BASE_URL", facts["base_url"])
        monkeypatch.setenv("PAYLAB_CONTROL_TOKEN", facts["control_token"])
        monkeypatch.setenv("PAYLAB_API_KEY", server.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", server.secret_key)
        assert main(["requests"]) == 0
        assert "GET /v1/transfers -> 200  passed" in capsys.readouterr().out
        main(["ready", "--json"])
        report = json.loads(capsys.readouterr().out)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, errors
        assert "has 1 request, redacted bodies" in errors
        assert server.secret_key not in output + errors + path.read_text()
    assert len(json.loads(path.read_text())["log"]["entries"]) == 1
    main(["ready", "--json", "--har", str(path)])
    from_file = json.loads(capsys.readouterr().out)
    assert verdict_of(report, "signing.query") == verdict_of(from_file, "signing.query") == "shown"


def verdict_of(report, name):
    """The verdict on an item of a report."""
    return next(item["verdict"] for item in report["items"] if item["id"] == name)


def test_a_program_runs_on_the_proxy(server):
    """It finds address and keys; its exit status is that of the command."""
    command = [*PAYLAB, "proxy", "--to", server.base_url, "--", *PAYLAB, "get", "/v1/transfers"]
    done = run(command, environment(server))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["data"] == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--to", "http://pay.test"), "must begin with https://"),
        (("--to", "https://pay.test", "--raw"), "add --har FILE"),
        ((), "--to https://sandbox.example.com"),
        (("--to", "https://pay.test", "--profile", "none"), "none"),
    ],
)
def test_a_wrong_use_is_one_sentence(options, words, capsys):
    """Status 2, and what to write."""
    assert main(["proxy", *options]) == 2
    errors = capsys.readouterr().err
    assert words in errors
    assert errors.count("\n") == 1


def test_curl_passes_with_the_host_of_the_service(server):
    """With --pass-through a client signs the service's host and connects to the proxy."""
    curl = shutil.which("curl")
    if not curl:
        pytest.skip("curl is not installed")
    with started(server, "--pass-through") as (_, facts):
        url = f"{facts['base_url']}/v1/transfers"
        assert "leave --pass-through out" in json.loads(run([curl, "-s", url]).stdout)["error"]
        signer = Integration(server.base_url, server.api_key, server.secret_key)
        headers = signer.headers("GET", "/v1/transfers")
        options = [text for name in headers for text in ("-H", f"{name}: {headers[name]}")]
        assert json.loads(run([curl, "-s", *options, url]).stdout)["data"] == []


def test_a_killed_proxy_leaves_its_file(server, tmp_path):
    """The HAR file is written while the proxy runs, and each version of it is whole."""
    path = tmp_path / "calls.har"
    with started(server, "--har", str(path)) as (process, facts):
        client = Integration(facts["base_url"], server.api_key, server.secret_key)
        for request_count in (1, 2):
            assert client.send("GET", "/v1/transfers").status_code == 200
            deadline = time.monotonic() + SECONDS
            while count_entries(path) < request_count:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        process.kill()
        process.wait()
        client.http.close()
    assert count_entries(path) == 2
    assert path.stat().st_mode & 0o777 == 0o600


def count_entries(path):
    """The number of exchanges in a HAR file, or 0 if there is none."""
    return len(json.loads(path.read_text())["log"]["entries"]) if path.exists() else 0
