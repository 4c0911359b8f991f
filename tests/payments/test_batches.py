"""Batches on the simulator: killed at any point and continued, no payout is made twice."""

from __future__ import annotations

import csv
import re
import signal
from collections import Counter
from contextlib import redirect_stderr
from decimal import Decimal
from random import Random

import httpx
import pandas as pd
import pytest
from batch_killing import Holding, arguments, settings
from forked import ended, fork

import paylab
from paylab.cli.main import main
from paylab.lab.lab import Lab
from paylab.payments.plan import ACCOUNT, plan
from paylab.simulator.server import Server
from paylab.simulator.transport import SimulatorTransport

HEAD = ("client_reference_id", "financial_account_id", "source_amount", "payout_method")
COMMON = {"source_currency": "USD", "destination_currency": "MXN"}
SOME = 20


class KilledError(BaseException):
    """Stands for the end of the process; no `except Exception` catches it."""


class Dying(httpx.BaseTransport):
    """A transport that ends the process just before or just after a POST of a transfer."""

    def __init__(self, simulator, lives, after):
        self.inner, self.lives, self.after = SimulatorTransport(simulator.respond), lives, after

    def handle_request(self, request):
        """The simulator's response, or KilledError once `lives` transfers were sent."""
        if request.url.path != "/v1/transfers" or request.method != "POST":
            return self.inner.handle_request(request)
        self.lives -= 1
        if self.lives < 0 and not self.after:
            raise KilledError
        response = self.inner.handle_request(request)
        if self.lives < 0:
            raise KilledError
        return response


@pytest.fixture
def simulator():
    """A simulator with a few earlier transfers besides those of the batch."""
    return Holding(transfers=3)


@pytest.fixture
def account(simulator):
    """A Mexican bank account to pay to."""
    bank = {"type": "bank_account", "details": {"clabe": "032180000118359719"}}
    person = paylab.connect(simulator=simulator).individuals.create(
        product_types=["global_payouts"],
        given_name="Ana",
        family_name="Ejemplo",
        country="MX",
        address={"country": "MX"},
        financial_accounts=[bank],
    )
    return person.financial_accounts[0].id


@pytest.fixture
def payouts(tmp_path, account):
    """A function that writes a CSV of `count` payouts."""

    def write(count):
        path = tmp_path / "payouts.csv"
        with path.open("w", newline="") as file:
            rows = ((f"inv-{at}", account, f"{10 + at % 7}.50", "spei") for at in range(count))
            csv.writer(file).writerows([HEAD, *rows])
        return path

    return write


def lab_on(simulator, transport=None):
    """A lab on the same simulator, as another process would have it."""
    settings = paylab.connect(simulator=simulator).settings
    given = transport or SimulatorTransport(simulator.respond)
    return Lab(settings, embedded=simulator, transport=given, clock=simulator.world.now)


def made(simulator):
    """The number of transfers for each reference of the batch."""
    rows = simulator.world.tables["transfers"].rows.values()
    return Counter(
        row["client_reference_id"] for row in rows if row["client_reference_id"].startswith("inv-")
    )


def killed(simulator, path, lives, *, after, **options):
    """Run a batch that may be killed on the way; return True if it was."""
    lab = lab_on(simulator, Dying(simulator, lives, after))
    try:
        lab.transfers.create_many(path, **COMMON, **options)
    except KilledError:
        return True
    return False


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("pause", [0, 25 * 3600])
def test_killed_at_random_and_gone_on_with(simulator, payouts, pause, concurrency):
    """Each payout is made once, also if the service no longer stores the idempotency keys."""
    path, draw = payouts(SOME), Random(f"{pause}{concurrency}")
    options = {"concurrency": concurrency}
    while killed(simulator, path, draw.randrange(15), after=draw.random() < 0.5, **options):
        simulator.advance(pause)
    assert made(simulator) == {f"inv-{at}": 1 for at in range(SOME)}


def test_a_refused_row_keeps_nobody_back_and_is_tried_again(simulator, payouts):
    """A refused row does not stop the other rows; after the correction only that row is sent."""
    path = payouts(3)
    good = path.read_text()
    path.write_text(good.replace("inv-1,fa_", "inv-1,xx_"))
    first = lab_on(simulator).transfers.create_many(path, **COMMON)
    assert list(first["outcome"]) == ["created", "refused", "created"]
    assert "financial account not found" in first["error"][1]
    path.write_text(good)
    again = lab_on(simulator).transfers.create_many(path, **COMMON)
    assert list(again["outcome"]) == ["already paid", "created", "already paid"]


def test_a_service_that_falls_silent_ends_the_batch(simulator, payouts):
    """After five rows without an answer the batch ends; a second run sends all rows."""
    path = payouts(20)
    lab = lab_on(simulator)
    lab.simulator.faults.add("status", status=503, method="POST", path="/v1/transfers", times=15)
    first = lab.transfers.create_many(path, **COMMON)
    assert first.attrs["outcomes"] == {"unknown": 5, "unsent": 15}
    assert lab_on(simulator).transfers.create_many(path, **COMMON).attrs["outcomes"] == {
        "created": 20
    }


def test_a_service_that_limits_requests_gets_one_at_a_time(simulator, payouts):
    """After a 429 a batch sends each row when the one before is settled; it gets past a few."""
    lab, sent = lab_on(simulator), []
    lab.simulator.faults.add("status", status=429, method="POST", path="/v1/transfers", times=13)

    def note(_done, _total):
        sent.append(len(lab.calls.where(method="POST", path="/v1/transfers")))

    first = lab.transfers.create_many(payouts(20), **COMMON, concurrency=4, progress=note)
    assert first.attrs["outcomes"] == {"created": 20}
    assert sent == list(range(14, 34))  # four rows at once, each three times: 12 calls with a 429


def test_a_service_that_refuses_every_request_by_its_limit_ends_the_batch(lab):
    """If every answer is 429, the batch ends after five rows without an answer."""
    lab.simulator.faults.add("status", status=429, method="POST", path="/v1/transfers", times=99)
    account = lab.individuals.create(**paylab.examples.recipient("MX")).financial_accounts[0]
    rows = [{"financial_account_id": account.id, "payout_method": "spei"} for _ in range(20)]
    more = [row | {"client_reference_id": f"limited-{at}"} for at, row in enumerate(rows)]
    terms = COMMON | {"destination_currency": "MXN", "source_amount": "5"}
    none = lab.transfers.create_many(more, **terms, concurrency=4)
    assert none.attrs["outcomes"] == {"unknown": 5, "unsent": 15}


def test_a_cut_connection_is_looked_for(simulator, payouts):
    """If the answers to a transfer were lost, the next run finds the transfer in the list."""
    path = payouts(1)
    lab = lab_on(simulator)
    lab.simulator.faults.add("drop_after", method="POST", path="/v1/transfers", times=3)
    assert list(lab.transfers.create_many(path, **COMMON)["outcome"]) == ["unknown"]
    simulator.advance(25 * 3600)
    assert list(lab.transfers.create_many(path, **COMMON)["outcome"]) == ["already paid"]


def test_a_read_only_lab_sends_nothing(simulator, payouts):
    """A read-only lab raises an error before it sends anything."""
    lab = paylab.connect(simulator=simulator, read_only=True)
    with pytest.raises(paylab.ReadOnlyError):
        lab.transfers.create_many(payouts(3), **COMMON)
    assert not made(simulator)


def test_a_frame_of_the_file_has_the_same_terms(simulator, payouts):
    """A frame read from the CSV has the same terms as the CSV: 10.50 equals 10.5."""
    path, lab = payouts(3), lab_on(simulator)
    lab.transfers.create_many(path, **COMMON)
    again = lab.transfers.create_many(paylab.frames.read_csv(path), **COMMON)
    assert set(again["outcome"]) == {"already paid"}


@pytest.mark.parametrize(
    ("runs", "last"),
    [
        ([(0, 1), (0, 1, 2)], ["already paid", "already paid", "created"]),  # a row more
        ([(0, 1), (1,)], ["already paid"]),  # a row less
        ([(0,), (1,), (1, 0)], ["already paid", "already paid"]),  # two lists put together
        ([(0, 1), (1, 2), (0, 2)], ["already paid", "already paid"]),
    ],
)
def test_a_list_that_changed_pays_nobody_twice(simulator, account, runs, last):
    """A row that was paid as part of one list is not paid again as part of another."""
    common = COMMON | {"source_amount": "10", "payout_method": "spei"}
    for run in runs:
        rows = [{"client_reference_id": f"inv-{at}", ACCOUNT: account} for at in run]
        result = lab_on(simulator).transfers.create_many(rows, **common)
        simulator.advance(25 * 3600)
    assert list(result["outcome"]) == last
    assert set(made(simulator).values()) == {1}


def test_the_total_of_a_plan_is_exact():
    """The total of a plan is exact beyond the default precision of Decimal."""
    rows = [
        {"client_reference_id": amount, ACCOUNT: "fa_1", "source_amount": amount}
        for amount in ("999999999999999999999999999999.01", "0.01")
    ]
    found = plan(rows, payout_method="spei", **COMMON).totals()
    assert found == {"USD source amount": Decimal("999999999999999999999999999999.02")}


@pytest.mark.parametrize(
    ("cell", "sent", "wrong"),
    [
        (10, "10", []),
        ("10.50", "10.50", []),
        (Decimal("10.50"), "10.5", []),
        (" 10 ", "10", []),
        (True, True, ["source_amount"]),
        (10.5, 10.5, ["source_amount"]),
        (Decimal("NaN"), None, ["source_amount"]),
        (" ", None, ["source_amount"]),
    ],
)
def test_a_cell_is_an_exact_amount_or_a_problem(cell, sent, wrong):
    """Whole and decimal numbers become text; true, a float and an empty cell are problems."""
    row = {"client_reference_id": "a", ACCOUNT: "fa_1", "source_amount": cell}
    made = plan([row], payout_method="spei", **COMMON)
    assert made.rows[0].body().get("source_amount") == sent
    assert type(made.rows[0].body().get("source_amount")) is type(sent)
    assert [each.field for each in made.problems] == wrong


def test_progress_is_told_row_by_row(simulator, payouts):
    """The callback is called after each row with the number of rows done and the total."""
    told = []
    lab_on(simulator).transfers.create_many(
        payouts(3), progress=lambda done, all_: told.append((done, all_)), **COMMON
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_interrupted_then_killed_and_gone_on_with(simulator, payouts, tmp_path, monkeypatch):
    """After Ctrl-C a command says how many payouts were made; after SIGKILL, too, none is twice."""
    words, told = arguments(payouts(32), COMMON), tmp_path / "told"

    def command():
        with told.open("w") as file, redirect_stderr(file):
            return main(words)

    with Server(simulator) as server:
        for name, value in settings(server).items():
            monkeypatch.setenv(name, value)
        assert ended(simulator.stop(lambda: fork(command), 4, signal.SIGINT)) == 130
        complaint = told.read_text()
        killed = simulator.stop(lambda: fork(command), 10, signal.SIGKILL)
        assert ended(killed) == -signal.SIGKILL
        assert 14 <= sum(made(simulator).values()) <= 32
        assert main(words) == 0
    assert re.search(r"interrupted: \d+ of 32 payouts were made; run the same batch", complaint)
    assert "Traceback" not in complaint
    assert made(simulator) == {f"inv-{at}": 1 for at in range(32)}


def test_a_column_of_the_file_does_not_replace_a_column_of_the_result(simulator, account):
    """The file's own column `status` is shown as `status (given)`."""
    row = {"client_reference_id": "a", ACCOUNT: account, "source_amount": "10.00", **COMMON}
    given = pd.DataFrame([row | {"payout_method": "spei", "status": "mine"}])
    frame = lab_on(simulator).transfers.create_many(given)
    assert frame["status (given)"].tolist() == ["mine"]
    assert frame["status"].tolist() == ["awaiting_funds"]


def test_results_that_were_corrected_are_sent_again_as_they_are(simulator, account):
    """A file of results has the same columns when it was sent, not each of them twice."""
    row = {"client_reference_id": "a", ACCOUNT: "fa_nope", "source_amount": "10.00", **COMMON}
    lab = lab_on(simulator)
    refused = lab.transfers.create_many(
        pd.DataFrame([row | {"payout_method": "spei", "note": "keep"}])
    )
    assert refused["outcome"].tolist() == ["refused"]
    refused[ACCOUNT] = account
    paid = lab.transfers.create_many(refused)
    assert paid["outcome"].tolist() == ["created"]
    assert [*paid.columns] == [*refused.columns]
    assert paid["note"].tolist() == ["keep"]
