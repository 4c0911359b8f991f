"""What a batch does with rows whose reference has a payment in the list."""

from __future__ import annotations

import csv
import signal
from unicodedata import normalize

import pytest
from batch_killing import Holding, arguments, settings
from forked import ended, fork

import paylab
from paylab.cli.main import main
from paylab.errors import ChoiceError, RuleError, RuleWarning
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
DAY = 24 * 3600


@pytest.fixture
def simulator():
    """A simulator without payments."""
    return Simulator()


@pytest.fixture
def lab(simulator):
    """A lab on it."""
    return paylab.connect(simulator=simulator)


@pytest.fixture
def payments(simulator):
    """The payments of the simulator by their id."""
    return simulator.world.tables["transfers"].rows


@pytest.fixture
def account(lab):
    """The id of a Mexican bank account."""
    return lab.individuals.create(**paylab.examples.recipient("MX")).financial_accounts[0].id


@pytest.fixture
def row(account):
    """A function that makes a payout of a reference and an amount."""

    def make(reference="inv-1", amount="10.50", **fields):
        named = {} if reference is None else {"client_reference_id": reference}
        return {**named, "financial_account_id": account, "source_amount": amount, **fields}

    return make


@pytest.fixture
def send(lab, payments):
    """A function that sends a batch, and returns its outcomes and how many payments it made."""

    def run(*rows, **options):
        before = len(payments)
        frame = lab.transfers.create_many(list(rows), **TERMS, **options)
        assert list(frame["row"]) == list(range(1, len(rows) + 1))
        return [*frame["outcome"]], len(payments) - before

    return run


@pytest.mark.parametrize("age", [0, 2 * DAY, 6 * DAY])
def test_an_equal_live_payment_is_already_paid(simulator, lab, row, age):
    """A row of up to 7 days is not sent again, from any lab, and has the id of its payment."""
    made = lab.transfers.create_many([row()], **TERMS)
    lab.simulator.clock.advance(age)
    other = paylab.connect(simulator=simulator)
    again = other.transfers.create_many([row(amount="10.5")], **TERMS)
    assert [*again["outcome"]] == ["already paid"]
    assert [*again["id"]] == [*made["id"]]


def test_an_older_equal_payment_is_a_question(send, lab, row):
    """After 7 days the batch stops and asks; each answer does what it says, once."""
    send(row())
    lab.simulator.clock.advance(8 * DAY)
    with pytest.raises(ChoiceError, match=r"row 1: tr_.* 8 days old") as asked:
        send(row(), row("inv-2"))
    assert 'older="paid"' in asked.value.hint
    assert send(row(), older="paid") == (["already paid"], 0)
    assert send(row(), older="pay") == (["created"], 1)
    assert send(row(), older="pay") == (["already paid"], 0)


def test_a_payment_that_failed_is_paid_again_on_request_only(send, lab, row):
    """A row of a dead payment is `failed before`; --retry-failed pays it once, also corrected."""
    dead = row("scenario:failed:1")
    send(dead)
    lab.simulator.clock.advance(60)
    assert send(dead) == (["failed before"], 0)
    assert send(dead, lookback=None) == (["failed before"], 0)
    corrected = row("scenario:failed:1", "11.00")
    assert send(corrected, retry_failed=True) == (["created"], 1)
    assert send(corrected, retry_failed=True) == (["already paid"], 0)


def test_the_newest_of_several_dead_payments_names_the_next(send, lab, row):
    """Without the list, a payout that failed twice is paid again as the newest of both."""
    dead = row("scenario:failed:1")
    for outcomes in (["created"], ["created"], ["created"]):
        assert send(dead, retry_failed=True, lookback=None) == (outcomes, 1)
        lab.simulator.clock.advance(60)


def test_other_values_are_a_conflict_and_nothing_is_sent(send, lab, row):
    """A reference with other values stops the batch; each row says why it was not sent."""
    send(row())
    frame = lab.transfers.create_many([row(amount="11"), row("inv-2")], **TERMS)
    assert [*frame["outcome"]] == ["conflict", "unsent"]
    assert "source_amount is 10.5, not 11" in frame["error"][0]
    assert "row 1 is a conflict" in frame["error"][1]


def test_a_list_that_hides_the_amount_cannot_tell(send, payments, row):
    """A payment whose amount is not shown is no proof that the row was paid."""
    send(row())
    for payment in payments.values():
        payment["source_amount"] = None
    assert send(row()) == (["conflict"], 0)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_reference_is_found_in_any_spelling(send, lab, row, form):
    """A reference is one payout, whether its accents are composed or not."""
    send(row(normalize(form, "año-1")))
    lab.simulator.clock.advance(2 * DAY)
    for other in ("NFC", "NFD"):
        assert send(row(normalize(other, "año-1"))) == (["already paid"], 0)


def test_a_row_needs_a_reference(send, row):
    """A row without a reference is an error before anything is sent, unless it is accepted."""
    with pytest.raises(RuleError, match="row 2, client_reference_id: is required"):
        send(row(), row(None))
    with pytest.warns(RuleWarning, match="24 hours only"):
        assert send(row(), row(None), references=False) == (["created"] * 2, 2)
    with pytest.warns(RuleWarning):
        outcomes = send(row(None), row("inv-1"), references=False)
    assert outcomes == (["replayed", "already paid"], 0)


@pytest.mark.parametrize("rows", [("inv-1", "inv-1"), ("inv-1", " inv-1"), ("año", "an\u0303o")])
def test_two_rows_of_one_reference_are_an_error_that_names_both(send, row, rows):
    """Rows of one reference are refused, whatever their amounts."""
    with pytest.raises(RuleError, match=r"row 2.*reference of row 1"):
        send(row(rows[0]), row(rows[1], "99"))


def test_the_list_is_read_no_further_than_the_bound(send, lab, row):
    """A payment older than `lookback` is not found: the key of 24 hours decides then."""
    send(row())
    lab.simulator.clock.advance(3 * DAY)
    assert send(row(), lookback="2 days") == (["created"], 1)
    assert send(row("inv-2"), lookback=None) == (["created"], 1)
    assert send(row("inv-2"), lookback=None) == (["replayed"], 0)


@pytest.mark.parametrize("options", [{"older": "yes"}, {"lookback": "soon"}, {"lookback": 0}])
def test_a_choice_that_is_none_is_named(send, row, options):
    """A wrong choice is an error before anything is sent."""
    with pytest.raises(RuleError, match=next(iter(options))):
        send(row(), **options)


def test_a_list_that_cannot_be_read_stops_the_batch(send, lab, payments, row):
    """If the list fails, nothing is sent, and the results say so."""
    lab.simulator.faults.add("status", status=500, method="GET", path="/v1/transfers", times=9)
    with pytest.raises(ChoiceError, match="could not be told"):
        send(row())
    assert not payments


def test_a_refused_key_in_the_middle_keeps_the_rows(lab, row):
    """A 401 after the first payment ends the batch, and every payout has its row."""
    made = []

    def refuse(done, _total):
        made.append(done)
        lab.simulator.faults.add("status", status=401, method="POST", path="/v1/transfers")

    frame = lab.transfers.create_many([row(f"i-{at}") for at in range(4)], progress=refuse, **TERMS)
    assert [*frame["outcome"]] == ["created", "unsent", "unsent", "unsent"]


def test_the_results_are_whole_after_a_kill(tmp_path, monkeypatch):
    """Killed in the middle, the file has a row for each payout, and those that were answered."""
    simulator = Holding()
    recipient = paylab.examples.recipient("MX")
    person = paylab.connect(simulator=simulator).individuals.create(**recipient)
    account = person.financial_accounts[0].id
    path, results = tmp_path / "payouts.csv", tmp_path / "results.csv"
    lines = [f"inv-{at},{account},10.50" for at in range(20)]
    head = "client_reference_id,financial_account_id,source_amount"
    path.write_text("\n".join([head, *lines]))
    words = arguments(path, TERMS, "--to", str(results), "--concurrency", "1")
    with Server(simulator) as server:
        for name, value in settings(server).items():
            monkeypatch.setenv(name, value)
        killed = simulator.stop(lambda: fork(lambda: main(words)), 8, signal.SIGKILL)
        assert ended(killed) == -signal.SIGKILL
        with results.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["outcome"] for row in rows] == ["created"] * 7 + ["unknown"] * 13
        assert main(words) == 0
    with results.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["outcome"] for row in rows[:8]} == {"already paid"}
    assert len({row["id"] for row in rows}) == 20


TEXTS = [
    *("=1+1", "+1", "-x", "@x", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "-", "''=1", "'q"),
    *("'000123", "000123", "plain", "a=1", "12E45", "é"),
]


def test_results_are_read_back_and_sent_as_they_were(lab, row, tmp_path):
    """No cell of the file is a formula, and both readers give each as it was."""
    results = tmp_path / "results.csv"
    rows = [row(text, **{"=cmd|x": text}) for text in TEXTS]
    lab.transfers.create_many(rows, to=results, **TERMS)
    with results.open(newline="", encoding="utf-8") as lines:
        written = list(csv.reader(lines))
    assert not [cell for line in written for cell in line if cell[:1] in {*"=+-@\uff1d\uff0b"}]
    renamed = results.rename(tmp_path / "renamed.csv")
    assert [*paylab.read_csv(renamed)["=cmd|x"]] == TEXTS
    assert [payout.name for payout in lab.transfers.check_many(renamed).rows] == TEXTS
    assert str(paylab.read_csv(renamed)["source_amount"].iloc[0]) == "10.50"
