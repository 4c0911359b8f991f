"""Log records on stderr, the origin of the address, and warnings of unknown variables."""

from __future__ import annotations

import subprocess
import sys

import pytest

import paylab
from paylab.cli.main import main

LOGGING = """
import logging
from paylab.cli.terminal import log_without_blocking
log_without_blocking()
for number in range(5000):
    logging.getLogger("paylab").error("record %d %s", number, "x" * 200)
print("done", flush=True)
"""


def test_a_pipe_that_nobody_reads_holds_nothing_up():
    """A process that logs a megabyte to a full pipe does not block and ends."""
    process = subprocess.Popen([sys.executable, "-c", LOGGING], stdout=-1, stderr=-1)
    try:
        assert process.stdout.readline() == b"done\n"
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("shared", "words"),
    [
        ("http://127.0.0.1:9", "the simulator that paylab lab started"),
        ("http://127.0.0.1:8", "environment PAYLAB_BASE_URL"),
        (None, "environment PAYLAB_BASE_URL"),
    ],
)
def test_a_lab_says_truly_where_its_address_came_from(monkeypatch, shared, words):
    """`lab.sources()` says whether the user or `paylab lab` set the base URL."""
    names = {"BASE_URL": "http://127.0.0.1:9", "API_KEY": "k", "SECRET_KEY": "s"}
    for name, value in {**names, "SHARED_SIMULATOR": shared}.items():
        if value is not None:
            monkeypatch.setenv(f"PAYLAB_{name}", value)
    with paylab.connect() as lab:
        assert lab.sources()[0][2] == words


def test_a_misspelt_variable_is_one_sentence(capsys, monkeypatch):
    """A misspelt variable gives a one-line warning without a file name or line number."""
    monkeypatch.setenv("PAYLAB_APIKEY", "sk_private")
    main(["doctor"])
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "PAYLAB_APIKEY" in line] == [
        "paylab: the environment variable PAYLAB_APIKEY is not known and has no effect; "
        "nearest: PAYLAB_API_KEY"
    ]
