"""Batches with strange answers, lists in any order, full disks and two simultaneous runs."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from functools import partial
from urllib.parse import parse_qs

import httpx
import pandas as pd
import pytest
from batch_killing import arguments, settings
from forked import ended, fork

import paylab
from paylab.cli.main import main
from paylab.lab.lab import Lab
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport

HEAD = ("client_reference_id", "financial_account_id", "source_amount", "payout_method", "who")
COMMON = {"source_currency": "USD", "destination_currency": "MXN"}


@pytest.fixture
def simulator():
    """A simulator with a few earlier transfers."""
    return Simulator(transfers=3)


@pytest.fixture
def payouts(tmp_path, simulator):
    """A function that writes a CSV of `count` payouts."""
    recipient = paylab.examples.recipient("MX")
    person = paylab.connect(simulator=simulator).individuals.create(**recipient)

    def write(count, delimiter=","):
        path = tmp_path / "payouts.csv"
        account = person.financial_accounts[0].id
        with path.open("w", newline="") as file:
            rows = ((f"inv-{at}", account, "10.50", "spei", f"Ana {at}") for at in range(count))
            csv.writer(file, delimiter=delimiter).writerows([HEAD, *rows])
        return path

    return write


class Answering(httpx.BaseTransport):
    """The simulator's transport, with changed answers to payments or another order of the list."""

    def __init__(self, simulator, change=None, order=None):
        self.inner, self.simulator = SimulatorTransport(simulator.respond), simulator
        self.change, self.order = change, order

    def handle_request(self, request):
        """The simulator's response, changed for payments and for the list of transfers."""
        response = self.inner.handle_request(request)
        if request.url.path != "/v1/transfers":
            return response
        if request.method == "GET" and self.order:
            return httpx.Response(200, content=self._page(request))
        if request.method == "POST" and self.change:
            return httpx.Response(201, content=self.change(response.read()))
        return response

    def _page(self, request):
        """A page of the list in another order; the cursor is a number."""
        query = parse_qs(request.url.query.decode())
        start, size = int(query.get("cursor", ["0"])[0]), int(query["limit"][0])
        rows = sorted(self.simulator.world.tables["transfers"].rows.values(), key=self.order)
        page = [
            {name: value if value is None else str(value) for name, value in row.items()}
            for row in rows[start : start + size]
        ]
        more = start + size < len(rows)
        cursor = str(start + size) if more else None
        return json.dumps({"data": page, "has_next_page": more, "cursor": cursor}).encode()


def run(simulator, path, change=None, order=None, **options):
    """Run a batch with a new lab, as another process would."""
    settings = paylab.connect(simulator=simulator).settings
    transport = Answering(simulator, change, order)
    clock = simulator.world.now
    lab = Lab(settings, embedded=simulator, transport=transport, clock=clock, max_retries=0)
    return lab.transfers.create_many(path, **COMMON, **options)


def made(simulator):
    """The number of transfers for each reference of the batch."""
    rows = simulator.world.tables["transfers"].rows.values()
    names = Counter(row["client_reference_id"] for row in rows)
    return {name: count for name, count in names.items() if name.startswith("inv-")}


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
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("change", STRANGE.values(), ids=STRANGE)
def test_any_answer_is_kept_and_a_rerun_sends_nothing(simulator, payouts, change):
    """A strange answer to a payment makes its row; a run the next day sends nothing."""
    path = payouts(2)
    assert list(run(simulator, path, change)["outcome"]) == ["created"] * 2
    simulator.advance(25 * 3600)
    assert list(run(simulator, path)["outcome"]) == ["already paid"] * 2
    assert made(simulator) == {"inv-0": 1, "inv-1": 1}


@pytest.mark.parametrize("body", [b"{}", b'{"error": "later"}', b'{"id": null}', b'{"data": {}}'])
def test_an_answer_that_holds_no_transfer_is_unknown_and_found_by_a_rerun(simulator, payouts, body):
    """A 201 answer without an id makes the row unknown; the next run finds its transfer."""
    path = payouts(2)
    assert list(run(simulator, path, lambda _: body)["outcome"]) == ["unknown"] * 2
    simulator.advance(25 * 3600)
    assert list(run(simulator, path)["outcome"]) == ["already paid"] * 2
    assert set(made(simulator).values()) == {1}


ORDERS = {
    "oldest first": lambda row: str(row["created_at"]),
    "by update": lambda row: str(row.get("updated_at")),
    "by id backwards": lambda row: row["id"][::-1],
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_what_was_made_is_found_in_a_list_of_any_order(simulator, payouts, order):
    """After 24 hours, when the keys have expired, the list is searched, whatever its order."""
    path = payouts(3)
    paylab.connect(simulator=simulator).simulator.seed(transfers=130)  # two pages
    run(simulator, path, lambda _: b"<html>")
    simulator.advance(25 * 3600)
    assert list(run(simulator, path, order=order)["outcome"]) == ["already paid"] * 3
    assert set(made(simulator).values()) == {1}


@pytest.mark.parametrize("place", ["renamed.csv", "elsewhere/payouts.csv"])
def test_a_copied_or_renamed_file_pays_nobody_twice(simulator, payouts, tmp_path, place):
    """A row is known by its values, not by the path of its file."""
    path = payouts(3)
    run(simulator, path)
    simulator.advance(25 * 3600)
    copy = tmp_path / place
    copy.parent.mkdir(exist_ok=True)
    shutil.move(path, copy)
    assert list(run(simulator, copy)["outcome"]) == ["already paid"] * 3


def test_own_columns_come_back(simulator, payouts):
    """A column of the user is in the result, with the text of each row."""
    assert list(run(simulator, payouts(2))["who"]) == ["Ana 0", "Ana 1"]


def test_semicolons_are_named_and_can_be_read(simulator, payouts):
    """A CSV with semicolons is one error that names the delimiter to pass; with it, it is read."""
    path = payouts(2, ";")
    with pytest.raises(paylab.PaylabError, match="semicolons; pass delimiter=';'"):
        run(simulator, path)
    assert list(run(simulator, path, delimiter=";")["outcome"]) == ["created"] * 2


TWINS = pd.DataFrame(
    [["a", "1", "1000"]], columns=["client_reference_id", "source_amount", "Source Amount"]
)


@pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"payouts.csv", "of type bytes"),
        (memoryview(b"payouts.csv"), "of type memoryview"),
        (7, "of type int"),
        (pd.Series(["x"]), "row 1 of the payouts is of type str"),
        (TWINS, "the column 'source_amount' is duplicated"),
        ([memoryview(b"x")], "row 1 of the payouts is of type memoryview"),
        ([{"client_reference_id": memoryview(b"x")}], "client_reference_id: must be text"),
        ([{"client_reference_id": 7, "financial_account_id": 8}], "payout_method: is required"),
    ],
)
def test_what_is_no_payout_is_one_clear_error(lab, given, words):
    """Input of the wrong type is a PaylabError that says what is wrong."""
    with pytest.raises(paylab.PaylabError, match=words):
        lab.transfers.create_many(given, source_amount="1", **COMMON)


@pytest.fixture
def server(simulator, monkeypatch):
    """The simulator behind a port, which the commands of this process and its children use."""
    with Server(simulator) as server:
        for name, value in settings(server).items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.mark.usefixtures("server")
def test_two_processes_at_the_same_moment_pay_once(simulator, payouts, tmp_path):
    """Two runs at once, one with a copy of the file, make each payout once."""
    path = payouts(12)
    copy = shutil.copy(path, tmp_path / "copy.csv")
    commands = [partial(main, arguments(name, COMMON)) for name in (path, copy)]
    assert [ended(child) for child in [fork(command) for command in commands]] == [0, 0]
    assert made(simulator) == {f"inv-{at}": 1 for at in range(12)}


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    "place", ["nowhere/results.csv", "folder", "payouts.csv", "r" * 246 + ".csv", "loop.csv", ""]
)
def test_results_that_cannot_be_written_are_found_before_anything_is_paid(
    simulator, payouts, tmp_path, capsys, place
):
    """A `--to` path that cannot be written is an error before any payout is sent."""
    path = payouts(2)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    assert main(arguments(path, COMMON, "--to", place and str(tmp_path / place))) == 2
    assert "nothing was sent" in capsys.readouterr().err
    assert made(simulator) == {}
