"""Output to a terminal: control characters in files, names and headers are escaped."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import pytest

import paylab
from paylab.cli.main import main

NASTY = {
    "colour": "\x1b[31mred",
    "title": "\x1b]0;owned\x07",
    "line": "a\rb",
    "new line": "a\nrow 9: fine",
    "C1": "\x9b2J",
    "bidi": "abc\u202egpj.exe",
    "isolate": "\u2066x\u2069",
    "zero width": "a\u200bb",
}


def raw_controls(text):
    """The control characters in a text, except line ends."""
    return [each for each in text if not (each.isprintable() or each == "\n")]


def rows(path, *cells):
    """Write rows to a CSV and return its path."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(cells)
    return str(path)


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_names_and_values_of_a_csv(tmp_path, capsys, nasty):
    """Column names, references, refused values and file names are printed escaped."""
    head = ("client_reference_id", "source_amount", "payout_method", nasty)
    path = rows(tmp_path / "x.csv", head, (nasty, nasty, nasty, nasty), (nasty, "1", nasty, "1"))
    main(["payout", path, "--dry-run"])
    main(["payout", str(tmp_path / nasty.replace("\0", ""))])
    told = capsys.readouterr()
    assert raw_controls(told.out + told.err) == []
    assert "row 9: fine" not in (told.out + told.err).splitlines()


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_headers_of_somebody_else_are_printed_escaped(tmp_path, capsys, monkeypatch, nasty):
    """Headers to compare are printed escaped."""
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "s")
    file = tmp_path / "headers.txt"
    named = ("X-Date", "X-Nonce", "X-Content-SHA256", "Authorization", "X-Api-Key", "Host")
    file.write_text("".join(f"{name}: {nasty}\n" for name in named), encoding="utf-8")
    main(["sign", "POST", "https://h/v1/x", "--compare", str(file)])
    told = capsys.readouterr()
    assert raw_controls(told.out + told.err) == []


WORDS = {
    ("qr", "漢字"): "A QR code cannot be drawn in",
    ("sign", "GET", "/v1/漢"): r"/v1/\u6f22",
    ("walkthrough", "ph"): "A QR code cannot be drawn in",
    ("openapi",): '"openapi": "3.1',
    ("list", "individuals", "--limit", "1"): '"country": "DE"',
}
"""What the output of a command has, whatever characters the encoding of stdout has."""
ALL = """
import sys
from paylab.__main__ import main
for number, words in enumerate({commands!a}):
    sys.argv[1:] = words
    main()
    print("end of", number, flush=True)
"""
"""Runs commands one after the other, which starts Python and imports once."""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_lacks_characters_gets_escapes(encoding):
    """No command ends in the middle because the encoding of stdout lacks a character."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", ALL.format(commands=[[*command] for command in WORDS])],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    output = done.stdout.decode(encoding)
    for number, words in enumerate(WORDS.values()):
        of_command, _, output = output.partition(f"end of {number}\n")
        assert words in of_command


def test_json_for_a_terminal_that_lacks_characters_is_json():
    """The escapes are those of JSON, also for a character above U+FFFF."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "paylab", "qr", "ñ漢😀", "--json"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert json.loads(done.stdout.decode("ascii"))["payload"] == "ñ漢😀"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_body_from_a_pipe_is_utf_8_in_every_locale(mark):
    """The encoding of the terminal does not decide what a piped body means."""
    person = paylab.examples.recipient("MX") | {"given_name": "Ñandú"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "paylab", "post", "individuals", "--json", "-"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        input=mark + json.dumps(person, ensure_ascii=False).encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, json.loads(done.stdout)["given_name"]) == (0, "Ñandú")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("post", "individuals", "--json", "-"), "stdin is closed"),
        (("sign", "POST", "/v1/x", "--body", "-"), "stdin is closed"),
        (("init",), "or run this in a terminal"),
    ],
)
def test_a_closed_stdin_is_one_sentence(monkeypatch, capsys, command, words):
    """A service manager may start a command without stdin, which is None in Python then."""
    monkeypatch.setattr(sys, "stdin", None)
    assert main([*command]) == 2
    assert words in capsys.readouterr().err


def test_one_payout_is_one(tmp_path, capsys):
    """One payout is counted in the singular."""
    head = ("client_reference_id", "financial_account_id", "source_amount", "payout_method")
    path = rows(tmp_path / "x.csv", head, ("a", "fa_1", "1", "spei"))
    main(["payout", path, "--dry-run", "--source-currency=USD", "--destination-currency=MXN"])
    assert capsys.readouterr().out.startswith("1 payout, no problems")
