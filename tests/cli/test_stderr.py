"""Log records and warnings of unknown variables on stderr."""

from __future__ import annotations

import subprocess
import sys

from paylab.cli.main import main

LOGGING = """
import logging
from paylab.cli.log_lines import log_without_blocking
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


def test_a_misspelt_variable_is_one_sentence(capsys, monkeypatch):
    """A misspelt variable gives a one-line warning without a file name or line number."""
    monkeypatch.setenv("PAYLAB_APIKEY", "sk_private")
    main(["doctor"])
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "PAYLAB_APIKEY" in line] == [
        "paylab: the environment variable PAYLAB_APIKEY is not known and has no effect; "
        "nearest: PAYLAB_API_KEY"
    ]
