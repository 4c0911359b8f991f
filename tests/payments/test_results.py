"""The results of a batch: columns, strange answers, and the file."""

from __future__ import annotations

import csv
import json
import re

import httpx
import pandas as pd
import pytest

import paylab
from paylab.cli.main import main
from paylab.lab import displays
from paylab.lab.lab import Lab
from paylab.payments.outcome import UnpaidWarning
from paylab.simulator.transport import SimulatorTransport


def test_a_column_of_the_file_does_not_replace_a_column_of_the_result(lab, row):
    """The file's own column `status` is shown as `status (given)`, another one by its name."""
    payouts = pd.DataFrame([row(status="mine", who="Ana")])
    frame = lab.transfers.create_many(payouts)
    assert [*frame["status (given)"], *frame["who"]] == ["mine", "Ana"]
    assert frame["status"].tolist() == ["awaiting_funds"]


def test_results_that_were_corrected_are_sent_again_as_they_are(lab, row, account):
    """A file of results has the same columns when it was sent, not each of them twice."""
    wrong = row(financial_account_id="fa_nope", note="keep")
    refused = lab.transfers.create_many(pd.DataFrame([wrong]))
    assert refused["outcome"].tolist() == ["refused"]
    refused["financial_account_id"] = account
    paid = lab.transfers.create_many(refused)
    assert paid["outcome"].tolist() == ["created"]
    assert [*paid.columns] == [*refused.columns]
    assert paid["note"].tolist() == ["keep"]


def test_a_listed_payment_has_its_times_as_sent(lab, row, tmp_path):
    """The times of a payment that was made before have the milliseconds that the service sent."""
    files = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for path in files:
        lab.transfers.create_many([row()], to=path)
    times = [next(csv.DictReader(path.open()))["created_at"] for path in files]
    assert times[0] == times[1]
    assert re.fullmatch(r".*:\d\d\.\d{3}Z", times[1])


def with_field(name, text):
    """A function that adds a field, given as JSON text, to an answer."""
    return lambda body: body.rstrip()[:-1] + f',"{name}":{text}}}'.encode()


STRANGE = {
    "float": with_field("risk_score", "0.25"),
    "huge exponent": with_field("risk_score", "1e400"),
    "surrogate": with_field("note", '"\\ud800"'),
    "deep": with_field("nested", "[" * 600 + "]" * 600),
    "known as a number": with_field("source_amount", "10.5"),
    "known as an object": with_field("status", '{"code": 1.5}'),
    "amount of many digits": with_field("total_fee", '"' + "9" * 90 + '.5"'),
    "amount that is none": with_field("total_fee", '"abc"'),
    "time that is none": with_field("created_at", '"soon"'),
    "wrapped": lambda body: b'{"data":' + body + b"}",
    "id as a number": lambda body: json.dumps({**json.loads(body), "id": 7}).encode(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("change", STRANGE.values(), ids=STRANGE)
def test_any_answer_is_kept_and_a_rerun_sends_nothing(simulator, lab, row, payments, change):
    """A strange answer to a payment makes its row; a run the next day sends nothing."""
    inner = SimulatorTransport(simulator.respond)

    def answer(request):
        response = inner.handle_request(request)
        is_payment = request.method == "POST" and request.url.path == "/v1/transfers"
        return httpx.Response(201, content=change(response.read())) if is_payment else response

    transport = httpx.MockTransport(answer)
    odd = Lab(lab.settings, embedded=simulator, transport=transport, clock=simulator.world.now)
    rows = [row("inv-0"), row("inv-1")]
    assert list(odd.transfers.create_many(rows)["outcome"]) == ["created"] * 2
    simulator.advance(25 * 3600)
    assert list(lab.transfers.create_many(rows)["outcome"]) == ["already paid"] * 2
    assert payments() == 2


@pytest.mark.parametrize(
    "place", ["nowhere/results.csv", "folder", "payouts.csv", "r" * 246 + ".csv", "loop.csv", ""]
)
def test_results_that_cannot_be_written_are_found_before_anything_is_paid(
    row, payments, tmp_path, capsys, place
):
    """A `--to` path that cannot be written is an error before any payout is sent."""
    path = tmp_path / "payouts.csv"
    pd.DataFrame([row("inv-0"), row("inv-1")]).to_csv(path, index=False)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    assert main(["payout", str(path), "--yes", "--to", place and str(tmp_path / place)]) == 2
    assert "nothing was sent" in capsys.readouterr().err
    assert payments() == 0


TEXTS = [
    *("=1+1", "+1", "-x", "@x", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "-", "''=1", "'q"),
    *("'000123", "000123", "plain", "a=1", "12E45", "é"),
]


def test_results_are_read_back_and_sent_as_they_were(lab, row, tmp_path):
    """No cell of the file is a formula, and both readers give each as it was."""
    results = tmp_path / "results.csv"
    lab.transfers.create_many([row(text, **{"=cmd|x": text}) for text in TEXTS], to=results)
    with results.open(newline="", encoding="utf-8") as lines:
        written = list(csv.reader(lines))
    assert not [cell for line in written for cell in line if cell[:1] in {*"=+-@\uff1d\uff0b"}]
    renamed = results.rename(tmp_path / "renamed.csv")
    assert [*paylab.read_csv(renamed)["=cmd|x"]] == TEXTS
    assert [payout.reference for payout in lab.transfers.check_many(renamed).rows] == TEXTS
    assert str(paylab.read_csv(renamed)["source_amount"].iloc[0]) == "10.50"


def test_what_became_of_a_row_is_in_the_first_columns(lab, row):
    """The reference, outcome, status, id and error are first; no column is there twice."""
    results = lab.transfers.create_many([row()])
    first_columns = ["row", "client_reference_id", "outcome", "status", "id", "error"]
    assert list(results.columns[:6]) == first_columns
    assert results.columns.is_unique


def conflicting(lab, row):
    """The results of a batch whose first row has a paid reference and another amount."""
    lab.transfers.create_many([row("inv-0"), row("inv-1")])
    with pytest.warns(UnpaidWarning, match=r"1 conflict, 1 unsent: .*row 1, conflict: tr_"):
        return lab.transfers.create_many([row("inv-0", source_amount="11"), row("inv-2")])


def test_a_batch_that_is_not_paid_says_so_before_its_rows(lab, row):
    """The text begins with the outcomes and the reasons; a selection is an ordinary frame."""
    results = conflicting(lab, row)
    first_lines = repr(results).splitlines()[:3]
    assert first_lines[0] == "1 conflict, 1 unsent: nothing new was paid"
    assert "source_amount is 10.5, not 11" in first_lines[1]
    assert first_lines[2].startswith("1 row unsent: ")
    assert type(results[["row"]]) is type(lab.transfers.frame(limit=1))


def test_the_card_of_a_batch_shows_reasons_outcomes_and_the_service(lab, row):
    """Why a row was not paid is in a table of its own, which paid batches do not have."""
    unpaid_card = displays.show(conflicting(lab, row))
    assert "nothing new was paid" in unpaid_card
    assert "source_amount is 10.5, not 11" in unpaid_card
    assert "SIMULATOR (embedded)" in unpaid_card
    paid_card = displays.show(lab.transfers.create_many([row("inv-3")]))
    assert "1 created" in paid_card
    assert '">Reason</th>' in unpaid_card
    assert '">Reason</th>' not in paid_card
