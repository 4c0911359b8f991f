"""`paylab payout`: its checks, its requests and its exit status."""

from __future__ import annotations

import csv
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

import paylab
from paylab.cli import payout
from paylab.cli.main import main
from paylab.payments.batch_results import BatchResults
from paylab.payments.outcome import MADE
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

HEAD = (
    *("invoice", "financial_account_id", "source_amount"),
    *("payout_method", "source_currency", "destination_currency"),
)
GOOD = ("a-1", "fa_1", "10.50", "spei", "USD", "MXN")


@pytest.fixture
def file(tmp_path):
    """A function that writes rows to a CSV and returns its path as text."""

    def write(*rows, head=HEAD):
        path = tmp_path / "payouts.csv"
        with path.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([head, *rows])
        return str(path)

    return write


@pytest.fixture
def service(monkeypatch):
    """A simulator without transfers that is configured in the environment."""
    with Server(Simulator()) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        names = ("PAYLAB_BASE_URL", "PAYLAB_API_KEY", "PAYLAB_SECRET_KEY")
        for name, value in zip(names, (server.base_url, *keys), strict=True):
            monkeypatch.setenv(name, value)
        yield server.simulator


@pytest.fixture
def account(service):
    """The id of a financial account at the simulator."""
    person = paylab.connect().individuals.create(**paylab.examples.recipient("MX"))
    return person.financial_accounts[0].id


def run(*arguments):
    """Run the command with the reference column of these files."""
    return main(["payout", *arguments, "--reference", "invoice"])


def test_a_dry_run_sends_nothing(file, capsys, monkeypatch):
    """A dry run contacts no service and prints the total of the good payouts."""
    monkeypatch.setenv("PAYLAB_BASE_URL", "https://127.0.0.1:9")
    monkeypatch.setenv("PAYLAB_API_KEY", "key")
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "secret")
    assert run(file(GOOD, ("a-2", *GOOD[1:])), "--dry-run") == 0
    assert capsys.readouterr().out.startswith("2 payouts, no problems; total: 21.00 USD")


BAD = {
    "amount": (("a-2", "fa_1", "10.505", *GOOD[3:]), "row 2 (line 3), source_amount"),
    "no amount": (("a-2", "fa_1", "", *GOOD[3:]), "row 2 (line 3), source_amount: is required"),
    "reference": (GOOD, "row 2 (line 3), invoice: is also the reference of row 1"),
    "equal rows": (("", *GOOD[1:]), "row 3 (line 4), equals row 2"),
    "too long": (("x" * 65, *GOOD[1:]), "row 2 (line 3), invoice: must be at most 64"),
    "rail": (("a-2", *GOOD[1:3], "pix", "USD", "MXN"), "row 2 (line 3), payout_method: must be"),
    "account": (("a-2", "", *GOOD[2:]), "row 2 (line 3), financial_account_id: is required"),
    "comma": (("a-2", *GOOD[1:], "7"), "row 2 (line 3), has more cells than the header"),
    "formula": (("a-2", "fa_1", "=1+1", *GOOD[3:]), "row 2 (line 3), source_amount: must be plain"),
    "arabic": (
        ("a-2", "fa_1", "\u0661\u0660", *GOOD[3:]),
        "row 2 (line 3), source_amount: must be plain",
    ),
    "nan": (("a-2", "fa_1", "NaN", *GOOD[3:]), "row 2 (line 3), source_amount: must be plain"),
}


@pytest.mark.parametrize(("row", "words"), BAD.values(), ids=BAD)
def test_a_bad_row_is_named_and_nothing_is_sent(file, service, account, capsys, row, words):
    """A bad row is named by row and line with status 1; the good row is not sent either."""
    twice = [row, row] if row[0] == "" else [row]
    path = file(("a-1", account, *GOOD[2:]), *twice)
    for arguments in ([path, "--dry-run"], [path, "--to", "results.csv"]):
        assert run(*arguments) == 1
        told = capsys.readouterr().err
        assert words in told
        assert ("results.csv is not written, since nothing is sent" in told) is (
            "--to" in arguments
        )
    assert not Path("results.csv").exists()
    assert not service.world.tables["transfers"].rows


def test_a_problem_of_many_rows_is_one_line(file, capsys):
    """It names the first three rows and the number of all."""
    rows = [(f"a-{number}", "fa_1", "10.505", *GOOD[3:]) for number in range(5)]
    assert run(file(*rows), "--dry-run") == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("5 rows (1, 2, 3, ...), source_amount: ")


def test_with_json_each_problem_has_its_row_line_and_field(file, capsys):
    """With --json, each problem has its row, line and field, and the payouts are counted."""
    assert run(file(GOOD, BAD["amount"][0], BAD["rail"][0]), "--dry-run", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["payouts"] == 3
    assert [(each["row"], each["line"], each["field"]) for each in told["problems"]] == [
        (2, 3, "source_amount"),
        (3, 4, "invoice"),
        (3, 4, "payout_method"),
    ]


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (b"\xff\xfe\x00", 2, "junk.csv cannot be read as CSV in UTF-8"),
        (b'a,"b\n', 2, "junk.csv cannot be read as CSV in UTF-8"),
        (
            b"client_reference_id,client_reference_id\n1,2\n",
            1,
            "columns that are there twice: client_reference_id",
        ),
        (b"\0\0", 2, "junk.csv has no rows below its header"),
        (b"", 2, "junk.csv is empty: nothing to send"),
        (b"client_reference_id,amount\n", 2, "junk.csv has no rows below its header"),
    ],
)
def test_what_is_no_csv_is_one_sentence(tmp_path, capsys, content, status, words):
    """A file that is not a usable CSV is reported in one line, without a traceback."""
    path = tmp_path / "junk.csv"
    path.write_bytes(content)
    assert main(["payout", str(path), "--dry-run"]) == status
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_an_unknown_header_is_named_with_the_column_that_is_meant(tmp_path, capsys):
    """Columns that no row has are named once, and options by their names."""
    path = tmp_path / "payouts.csv"
    path.write_text("account,amount,note\nfa_1,10,x\n")
    options = ["--source-currency", "USD", "--destination-currency", "MXN"]
    assert main(["payout", str(path), "--payout-method", "spei", *options]) == 1
    reference, account, amount = capsys.readouterr().err.splitlines()
    assert "--no-references sends a row without one" in reference
    assert account.endswith("(unknown: account; is financial_account_id meant?)")
    assert amount.endswith("(unknown: amount; is source_amount meant?)")


def test_a_file_that_is_not_there(capsys):
    """A missing file is wrong use: it ends with status 2 and is named."""
    assert main(["payout", "nowhere.csv"]) == 2
    assert "nowhere.csv" in capsys.readouterr().err


def test_a_row_that_is_refused_ends_with_1(file, account, capsys):
    """A refused row ends with status 1 and the service's reason; the other row is paid."""
    assert run(file(("b-1", account, *GOOD[2:]), ("b-2", "fa_unknown", *GOOD[2:]))) == 1
    said = capsys.readouterr()
    assert said.out.startswith("1 created, 1 refused")
    assert "row 2, refused: 404 financial account not found" in said.err


def test_a_second_run_reports_the_same_payouts(file, account, tmp_path, capsys):
    """The results are written to a file, and a second run reports the same five payouts."""
    path = file(*((f"año-{at}", account, *GOOD[2:]) for at in range(5)))
    assert run(path, "--to", str(tmp_path / "results.csv")) == 0
    [counts, created] = capsys.readouterr().out.splitlines()
    assert counts == "5 created"
    assert re.fullmatch(r"from [\d.]+ USD: (tr_\w+, ){3}\.\.\. \(all with --to .*", created)
    assert run(path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["outcomes"] == {"already paid": 5}
    written = (tmp_path / "results.csv").read_text(encoding="utf-8")
    assert [f"año-{at}" in written for at in range(5)] == [True] * 5


@pytest.mark.parametrize(
    ("mark", "cell", "status"), [(";", ";", 0), ("tab", "\t", 0), ("\\t", "\t", 0), (",", ";", 2)]
)
def test_a_delimiter_is_one_character_or_tab(file, tmp_path, mark, cell, status):
    """--delimiter is one character, or tab."""
    path = tmp_path / "other.csv"
    path.write_text("\n".join(cell.join(row) for row in (HEAD, GOOD)))
    assert run(str(path), "--dry-run", "--delimiter", mark) == status


@pytest.mark.parametrize("mark", ["", ";;", '"', "\n"])
def test_what_cannot_be_between_cells(mark, capsys):
    """A quote, a line end, and more or less than one character are wrong use."""
    with pytest.raises(SystemExit) as ended:
        run("x.csv", "--delimiter", mark)
    assert ended.value.code == 2
    assert "must be one character, or tab" in capsys.readouterr().err


def test_a_payout_needs_a_file(capsys):
    """Without a file the command names --template, with status 2."""
    assert main(["payout"]) == 2
    assert "paylab payout --template prints an example" in capsys.readouterr().err


def test_the_results_may_not_replace_the_input(file):
    """`--to` with the input's path ends with 2."""
    path = file(GOOD)
    assert run(path, "--to", path, "--yes") == 2


def test_refused_rows_can_be_corrected_and_sent_again(file, account, tmp_path, capsys):
    """The refused rows of `--to` have their account and amount: corrected, they are paid."""
    path, results = (
        file(("c-1", account, *GOOD[2:]), ("c-2", "fa_x", *GOOD[2:])),
        tmp_path / "r.csv",
    )
    assert run(path, "--to", str(results)) == 1
    with results.open(newline="", encoding="utf-8") as lines:
        [refused] = [row for row in csv.DictReader(lines) if row["outcome"] == "refused"]
    kept = {**refused, "financial_account_id": account}
    with results.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, kept)
        writer.writeheader()
        writer.writerow(kept)
    capsys.readouterr()
    assert main(["payout", str(results), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcomes"] == {"created": 1}


@pytest.mark.parametrize(
    ("outcomes", "complete", "ending"),
    [
        (["created"], True, ""),
        (sorted(MADE), True, ""),
        ([*sorted(MADE), "refused"], False, ""),
        (["already paid", "refused"], False, ": nothing new was paid"),
        (["unsent"], False, ": nothing new was paid"),
        (["unknown"], False, ""),
    ],
)
def test_each_row_that_was_not_paid_is_printed(capsys, outcomes, complete, ending):
    """Each row that was not paid is on stderr with its reason; unsent rows are counted."""
    paid = [None if word in MADE else f"{word} because" for word in outcomes]
    rows = {"row": range(1, len(outcomes) + 1), "outcome": outcomes, "error": paid}
    amounts = {"id": "tr_1", "source_amount": Decimal(5), "source_currency": "USD"}
    frame = BatchResults(rows | amounts)
    frame.attrs["outcomes"] = dict.fromkeys(outcomes, 1)
    payout._print_results(frame, as_json=False)
    told = capsys.readouterr()
    counts = ", ".join(f"1 {word}" for word in outcomes) + ending
    created = ["from 5 USD: tr_1"] if "created" in outcomes else []
    assert told.out.splitlines() == [counts, *created]
    reasons = {"unsent": "1 row unsent: unsent because\n"}
    usual = f"row {len(outcomes)}, {outcomes[-1]}: {outcomes[-1]} because\n"
    assert told.err == ("" if complete else reasons.get(outcomes[-1], usual))
