"""`paylab reconcile`: its output and its exit status."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

import paylab
from paylab.cli.main import main


@pytest.fixture
def books(tmp_path, paylab_world):
    """A file of books that agrees with the service but for one cent and a word."""
    lab = paylab.connect()
    account = paylab_world.account()
    terms = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
    lab.transfers.create(
        financial_account_id=account.id,
        source_amount="100.00",
        client_reference_id="INV-1",
        **terms,
    )
    path = tmp_path / "books.csv"
    status = lab.transfers.list().first().status
    path.write_text(f"Beleg;Betrag;status\ninv-1;100,01;{status}!\n")
    return path, status


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ([], 1, ["1 x amount, +0.01 USD", "1 x status (USD)", "decimal comma was found"]),
        (["--tolerance", "USD=0.01"], 1, ["1 x status (USD)"]),
        (["--tolerance", "=0.01", "--status", "MAP"], 0, ["everything agrees"]),
        (["--window", "soon"], 2, []),
        (["--status", "x"], 2, []),
    ],
)
def test_the_exit_status_says_whether_the_books_agree(books, capsys, more, status, words):
    """0 if everything agrees, 1 for a problem or an error, 2 for wrong use."""
    path, state = books
    own = ["--column", "reference=Beleg", "--column", "amount=Betrag"]
    more = [f"{state}!={state}" if word == "MAP" else word for word in more]
    try:
        ended = main(["reconcile", str(path), *own, *more])
    except SystemExit as stop:
        ended = stop.code
    out = capsys.readouterr().out
    assert (ended, [word for word in words if word not in out]) == (status, [])


@pytest.mark.parametrize(
    ("columns", "first_cells", "hidden"),
    [(80, ["kind", "key"], ["side, id"]), (200, ["kind", "side", "key", "id"], [])],
)
def test_the_report_fits_the_terminal(books, capsys, monkeypatch, columns, first_cells, hidden):
    """Lines are wrapped to the width, and columns without room are named."""
    monkeypatch.setenv("COLUMNS", str(columns))
    path, _ = books
    assert main(["reconcile", str(path), "--column", "reference=Beleg"]) == 1
    lines = capsys.readouterr().out.splitlines()
    header = next(line for line in lines if line.split()[:2] == first_cells[:2])
    assert header.split()[: len(first_cells)] == first_cells
    assert [line for line in lines if len(line) > columns] == []
    assert [line.split("columns ")[1] for line in lines if line.startswith("--json")] == hidden


def test_a_difference_of_times_is_a_duration(paylab_world, tmp_path, capsys):
    """A time that differs shows by how much, as a signed duration."""
    lab = paylab.connect()
    account = paylab_world.account()
    lab.transfers.create(
        account,
        source_currency="USD",
        destination_currency="MXN",
        payout_method="spei",
        source_amount="1.00",
        client_reference_id="INV-1",
    )
    later = lab.transfers.list().first().created_at + timedelta(days=2)
    path = tmp_path / "books.csv"
    path.write_text(f"reference,date\nINV-1,{later.isoformat()}\n")
    assert main(["reconcile", str(path)]) == 1
    assert " +2 d " in capsys.readouterr().out


def test_an_error_of_a_command_names_its_options(tmp_path, capsys):
    """An error about a parameter names the option, and not that nothing was sent."""
    path = tmp_path / "books.csv"
    path.write_text("Beleg,Betrag\ninv-1,1\n")
    assert main(["reconcile", str(path)]) == 2
    told = capsys.readouterr().err
    assert "name yours with --column\n" in told
    assert "not sent" not in told


def test_json_prints_the_problems_with_amounts_as_text_and_what_was_compared(books, capsys):
    """`--json` prints the problems with amounts as text, and what was compared."""
    path, _ = books
    own = ["--column", "reference=Beleg", "--column", "amount=Betrag"]
    assert main(["reconcile", str(path), *own, "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    problem = facts["problems"][0]
    assert (problem["kind"], problem["service_value"], problem["difference"]) == (
        *("amount", "100.00"),
        "0.01",
    )
    assert facts["compared"]["books"] == {"amount": "Betrag", "status": "status"}
    assert (facts["agrees"], facts["summary"][0]["difference"]) == (False, "0.01")
