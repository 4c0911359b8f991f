"""The exit status of every command: 0 done, 1 failed or a mismatch, 2 misuse."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from paylab.cli.main import COMMANDS, main

CSV = "client_reference_id,financial_account_id\na,b\n"
QR_WITHOUT_CRC = "000201"

STATUS_BY_LINE = {
    "calls": 2,
    "doctor": 0,
    "export transfers": 2,
    "export transfers --to -": 0,
    "export transfers --to nowhere/a.csv": 2,
    "export transfers --to a.parquet --scale 99": 2,
    "get transfers": 0,
    "get ''": 2,
    "get transfers/tr_x": 1,
    "init": 2,
    "init --base-url nope": 2,
    "lab nothing": 2,
    "list transfers --limit 1": 0,
    "list transfers --status done": 2,
    "list nothing": 1,
    "listen": 2,
    "openapi": 0,
    "openapi --to nowhere/a.json": 2,
    "payout --template": 0,
    "payout a.csv": 1,
    "payout a.csv --delimiter ;": 2,
    "payout a.csv --reference nothing": 2,
    "payout nothing.csv": 2,
    "post transfers --json {}": 1,
    "post transfers --json x": 2,
    "probe --to a.csv": 2,
    "proxy": 2,
    "proxy --to nope": 2,
    "qr ''": 2,
    "qr hello --size 3": 2,
    "qr --scan a.csv": 2,
    f"qr {QR_WITHOUT_CRC}": 1,
    "ready": 2,
    "ready --har a.csv": 2,
    "reconcile nothing.csv": 2,
    "reconcile a.csv": 1,
    "reconcile a.csv --sheet x": 2,
    "requests": 2,
    "scrub a.csv": 2,
    "sign GET /v1/transfers": 0,
    "sign GET transfers": 2,
    "sign GET /v1/transfers --nonce ''": 2,
    "simulator --data a.csv": 2,
    "site --out a.csv": 2,
    "sync transfers a.csv": 2,
    "trigger transfer.completed": 0,
    "trigger transfer.completed --id tr_x": 1,
    "walkthrough mx": 0,
    "walkthrough mx --out a.csv": 2,
    "walkthrough us": 2,
}
"""The status by command line, with the file a.csv in the folder and no service configured."""


@pytest.mark.parametrize("line", STATUS_BY_LINE)
def test_the_status_says_whether_the_line_was_wrong(line, tmp_path, monkeypatch, capsys):
    """What no service has to be asked about is misuse, an empty word and a wrong file included."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(CSV)
    words = ["" if word == "''" else word for word in line.split()]
    try:
        status = main(words)
    except SystemExit as ended:
        status = ended.code
    assert status == STATUS_BY_LINE[line]
    assert "Traceback" not in capsys.readouterr().err


def test_every_command_has_its_status():
    """No command is missing in the table."""
    assert {line.split()[0] for line in STATUS_BY_LINE} == set(COMMANDS)


@pytest.mark.parametrize("both", [False, True], ids=["stdout", "both"])
@pytest.mark.parametrize(
    "line", ["--print-completion bash", "--help", "export --help", "list transfers", "doctor"]
)
def test_a_closed_pipe_is_no_failure(line, both):
    """A reader that went away before the first word ends a command quietly, with status 0."""
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen(
        [sys.executable, "-m", "paylab", *line.split()],
        stdout=writer,
        stderr=writer if both else subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    os.close(writer)
    _, error_bytes = process.communicate()
    assert process.returncode == 0
    assert b"BrokenPipeError" not in (error_bytes or b"")


@pytest.mark.parametrize("line", ["get transfers", "sign GET /v1/transfers"])
@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_stream_that_the_shell_closed_is_no_failure(line, stream):
    """A command with a closed stdout or stderr does its work, and prints no traceback."""
    command = f'exec "{sys.executable}" -m paylab {line} {stream}>&-'
    process = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    assert (process.returncode, b"Traceback" in process.stderr) == (0, False)


@pytest.mark.parametrize(
    "line",
    [
        "reconcile books.csv",
        "reconcile books.csv --json",
        "payout a.csv --dry-run --json",
        f"qr {QR_WITHOUT_CRC}",
        f"qr {QR_WITHOUT_CRC} --json",
    ],
)
def test_a_verdict_holds_also_if_nobody_reads_it(line, tmp_path):
    """A command that finds a problem ends with 1, also if its reader went away."""
    (tmp_path / "a.csv").write_text(CSV)
    (tmp_path / "books.csv").write_text("id,source_amount\ntr_none,1.00\n")
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen(
        [sys.executable, "-m", "paylab", *line.split()],
        stdout=writer,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    os.close(writer)
    _, error_bytes = process.communicate()
    assert (process.returncode, b"BrokenPipe" in error_bytes) == (1, False)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("payout a.csv --delimiter ;", "pass --delimiter ','"),
        ("payout a.csv --reference x", "--reference: the payouts have no column 'x'"),
        ("reconcile a.csv --status x=y", "--status: 'y' is no status"),
        ("export transfers", "write --to FILE, as in --to transfers.csv"),
        ("export transfers --to a.parquet --scale 99", "--scale: must be"),
        ("sync transfers a.csv", "a.csv is a file: name a folder, such as transfers/"),
        ("ready --world nope", "PAYLAB_PROFILE names a profile"),
        ("ready --world http://127.0.0.1:9", "are missing: set PAYLAB_API_KEY"),
        ("proxy --to https://example.com", "are missing: set PAYLAB_API_KEY"),
        ("get transfers/tr_x", "look in paylab list transfers"),
    ],
)
def test_advice_is_in_the_terms_of_the_command_line(line, words, tmp_path, monkeypatch, capsys):
    """An error names options, variables and commands, and no parameter or call of Python."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(CSV)
    main(line.split())
    told = capsys.readouterr().err
    assert words in told
    assert "connect()" not in told
    assert "lab." not in told
