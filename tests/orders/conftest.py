"""A payments service for each test, and labs that are connected to it."""

import os
import subprocess
import sys
import textwrap

import pytest
from order_reports import visible_text
from service_http import HttpService

import paylab
from paylab.cli.main import main


@pytest.fixture
def service():
    """A payments service that keeps the spec; its switches break it."""
    with HttpService() as server:
        yield server.service
        assert not server.problems, server.problems


@pytest.fixture
def connect(service):
    """A function that connects a new lab to the service, as a new cell or program does."""

    def connect_lab(base_url=service.base_url, key="key-1", **options):
        secret = service.keys[key]
        return paylab.connect(base_url=base_url, api_key=key, secret_key=secret, **options)

    return connect_lab


@pytest.fixture
def cell(connect):
    """A lab; named so because the root has a fixture `lab` on the embedded simulator."""
    return connect()


@pytest.fixture
def command(service, monkeypatch):
    """A function that runs a command of paylab and returns its status and what it printed."""
    monkeypatch.setenv("PAYLAB_BASE_URL", service.base_url)
    monkeypatch.setenv("PAYLAB_API_KEY", "key-1")
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "secret-1")

    def run(*arguments):
        with visible_text() as texts:
            try:
                status = main(list(arguments))
            except SystemExit as end:
                status = end.code
        return status or 0, texts[0]

    return run


@pytest.fixture
def start(service, tmp_path):
    """A function that starts a script on a machine, which has its own home and temporary folder."""
    processes = []

    def run(script, machine="first", **variables):
        home = tmp_path / machine
        home.mkdir(exist_ok=True)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment = {
            **kept,
            "HOME": str(home),
            "TMPDIR": str(home),
            "PAYLAB_BASE_URL": service.base_url,
            "PAYLAB_API_KEY": "key-1",
            "PAYLAB_SECRET_KEY": "secret-1",
            **variables,
        }
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)],
            env=environment,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()
