"""Batches and single payments are orders of one ledger: each is paid once."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Barrier, current_thread

import httpx
import pytest

from paylab.client.settings import Secret, Settings
from paylab.errors import APIConnectionError, LedgerError, PaylabError, RuleError
from paylab.lab.lab import Lab

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}


class Service(httpx.BaseTransport):
    """A fake service with sequential ids; `answers` are the answers to the next payments."""

    def __init__(self):
        self.made, self.posts, self.answers = {}, 0, []
        self.date = NOON

    def handle_request(self, request):
        """Answer with a transfer by its id, all transfers, or a new transfer."""
        headers = {"Date": format_datetime(self.date, usegmt=True)}
        status, body = self._answer(request)
        return httpx.Response(status, headers=headers, content=json.dumps(body))

    def _answer(self, request):
        if request.method == "POST":
            return self._pay(request)
        rows = [*self.made.values()]
        if request.url.path == "/v1/transfers":
            return 200, {"data": rows, "has_next_page": False, "cursor": None}
        found = [row for row in rows if request.url.path.endswith(f"/{row['id']}")]
        return (200, found[0]) if found else (404, {"error": "unknown id"})

    def _pay(self, request):
        self.posts += 1
        answer = self.answers.pop(0) if self.answers else 201
        if answer in (201, "cut"):
            self._make(request)
        if answer == "cut":
            raise httpx.ReadError("cut off")
        row = self.made.get(request.headers["idempotency-key"])
        return answer, row if answer == 201 else {"error": "no"}

    def _make(self, request):
        row = {**json.loads(request.content), "id": f"tr_{len(self.made)}"}
        row["created_at"] = "2026-03-01T12:00:00.000Z"
        self.made.setdefault(request.headers["idempotency-key"], row)


@pytest.fixture
def lab_of(tmp_path):
    """A function that makes labs; they share one ledger unless `options` name another."""

    def make(service, host="pay.example", clock=lambda: NOON, **options):
        settings = Settings(f"https://{host}", Secret("k" * 20), Secret("s" * 20))
        given = {"ledger": tmp_path / "ledger.sqlite3", "max_retries": 0}
        return Lab(settings, transport=service, clock=clock, **{**given, **options})

    return make


def rows(*names, amount="10.00"):
    """Payouts with these references."""
    one = {"financial_account_id": "fa_1", "source_amount": amount, **TERMS}
    return [{**one, "client_reference_id": name} for name in names]


def batch(lab, *names, **options):
    """Send a batch and return its outcomes."""
    return list(lab.transfers.create_many(rows(*names), concurrency=1, **options)["outcome"])


def pay(lab, reference=None, amount="10.00", **more):
    """Make one payment."""
    named = {"client_reference_id": reference, "source_amount": amount}
    return lab.transfers.create("fa_1", **named, **TERMS, **more)


def test_the_orders_of_another_service_say_nothing_of_this_one(lab_of):
    """The payments of another address are not used, even if both services have the same ids."""
    one, other = Service(), Service()
    assert batch(lab_of(one, "a.example"), "s0", "s1") == ["created"] * 2
    assert batch(lab_of(other, "b.example"), "s0", "x1") == ["created"] * 2
    assert batch(lab_of(other, "b.example"), "s0", "x1") == ["done"] * 2
    assert (one.posts, other.posts) == (2, 2)


@pytest.mark.parametrize(("concurrency", "threads"), [(1, 1), (2, 2), (3, 3), (None, 8)])
def test_as_many_rows_are_sent_at_once_as_asked(lab_of, concurrency, threads):
    """Payouts of a batch are sent by so many threads, by default eight, and no more."""
    service, together, meet = Service(), [], Barrier(threads)
    pay = service._pay

    def waiting(request):
        meet.wait(timeout=60)  # an error if fewer are sent at once
        together.append(current_thread().name)
        return pay(request)

    service._pay = waiting
    names = [f"s{number}" for number in range(2 * threads)]
    sent = lab_of(service).transfers.create_many(rows(*names), concurrency=concurrency)
    assert set(sent["outcome"]) == {"created"}
    assert len(set(together)) == threads


def test_no_row_waits_behind_those_under_way(lab_of):
    """When a batch ends, no other row is sent than those that were under way."""
    service = Service()
    service.answers = [201] * 20 + [401] * 40
    with pytest.raises(PaylabError):
        lab_of(service).transfers.create_many(rows(*map(str, range(60))), concurrency=2)
    assert 21 <= service.posts <= 22


def test_five_rows_without_an_answer_end_a_batch(lab_of):
    """A row with an answer in between starts the count again."""
    service = Service()
    service.answers = [500] * 4 + [201] + [500] * 10
    found = batch(lab_of(service), *map(str, range(12)))
    assert found == ["unknown"] * 4 + ["created"] + ["unknown"] * 5 + ["unsent"] * 2


@pytest.mark.parametrize(
    ("amount", "hours", "word"), [("10.0", 0, "done"), ("10.0", 30, "done"), ("11", 30, "conflict")]
)
def test_a_reference_that_was_paid_alone_is_not_paid_in_a_batch(lab_of, amount, hours, word):
    """In a batch, a reference names one payment for good; other values are a conflict."""
    service = Service()
    pay(lab_of(service), "inv-1", amount)
    later = lab_of(service, clock=lambda: NOON + timedelta(hours=hours))
    assert batch(later, "inv-1") == [word]
    assert service.posts == 1


def test_a_reference_that_was_paid_in_a_batch_is_not_paid_alone(lab_of):
    """A payment that equals a row of a batch returns the payment of the row."""
    service = Service()
    batch(lab_of(service), "inv-1")
    assert pay(lab_of(service), "inv-1", "10").id == "tr_0"
    assert service.posts == 1


def test_rows_without_a_reference_are_orders_of_one_day(lab_of):
    """A row without a reference is paid once in 24 hours; two equal rows are named and refused."""
    service = Service()
    row = {name: value for name, value in rows("x")[0].items() if name != "client_reference_id"}
    other = {**row, "source_amount": "11"}
    for hours, word in ((0, "created"), (1, "done"), (26, "created")):
        service.date = NOON + timedelta(hours=hours)
        lab = lab_of(service, clock=lambda: service.date)
        assert list(lab.transfers.create_many([row, other])["outcome"]) == [word] * 2
    with pytest.raises(RuleError, match="row 3 equals row 1") as error:
        lab.transfers.create_many([row, other, {**row, "source_amount": "10.0"}])
    assert len(error.value.problems) == 1
    assert service.posts == 4


@pytest.mark.parametrize("answer", [400, 404, 409, 422])
def test_a_refusal_after_a_lost_answer_is_not_certain(lab_of, answer):
    """A refusal after a lost answer leaves the outcome unknown; a refusal alone is certain."""
    service = Service()
    service.answers = ["cut", answer, answer]
    assert batch(lab_of(service, max_retries=2), "inv-1") == ["unknown"]
    word = "conflict" if answer == 409 else "refused"
    assert batch(lab_of(service, max_retries=2, ledger="none"), "inv-2") == [word]


@pytest.mark.parametrize("answer", [401, 403])
def test_a_batch_that_ends_says_how_many_were_paid(lab_of, answer):
    """A 401 or 403 ends a batch; the error gives the number paid, and the next run continues."""
    service = Service()
    service.answers = [201, answer]
    with pytest.raises(PaylabError) as error:
        batch(lab_of(service), "inv-1", "inv-2", "inv-3")
    assert "1 of 3 payouts were made" in error.value.hint
    assert "run the same batch again" in error.value.hint
    assert batch(lab_of(service), "inv-1", "inv-2", "inv-3") == ["done", "created", "created"]


def test_results_sent_again_have_no_columns_twice(lab_of):
    """The columns of an earlier result are not taken for columns of your own."""
    earlier = [{**row, "row": 1, "outcome": "unsent", "error": "x"} for row in rows("inv-1")]
    found = lab_of(Service()).transfers.create_many(earlier)
    assert list(found["error"]) == [None]
    assert not [name for name in found.columns if "given" in name]
    own = lab_of(Service()).transfers.create_many([{**rows("inv-2")[0], "error": "mine"}])
    assert list(own["error (given)"]) == ["mine"]


def test_without_a_ledger_the_list_is_searched(lab_of):
    """Without a ledger, a batch finds the references that the list shows."""
    service = Service()
    assert batch(lab_of(service, ledger="none"), "inv-1") == ["created"]
    assert batch(lab_of(service, ledger="none"), "inv-1", "inv-2") == ["found", "created"]
    assert service.posts == 2


def test_a_transfer_of_the_list_with_other_terms_is_a_conflict(lab_of):
    """A listed transfer with the same reference and another amount is a conflict."""
    service = Service()
    pay(lab_of(service, ledger="none"), "inv-1", "11.00")
    assert batch(lab_of(service, ledger="none"), "inv-1") == ["conflict"]


def test_a_batch_on_a_ledger_that_cannot_be_written_sends_nothing(lab_of):
    """Rows whose order cannot be stored are "unsent" with the reason, and nothing is sent."""
    service = Service()
    lab = lab_of(service)
    execute, fails = lab.ledger._store.file.execute, [False]

    def failing(sql, values=()):
        if fails[0] and sql.startswith("INSERT"):
            raise LedgerError("the disk is full")
        return execute(sql, values)

    lab.ledger._store.file.execute = failing  # a disk that fills up
    told = lab.transfers.create_many(
        rows("a", "b", "c", "d", "e", "f", "g"),
        concurrency=1,
        progress=lambda done, _: fails.insert(0, done >= 2),
    )
    assert list(told["outcome"]) == ["created"] * 2 + ["unsent"] * 5
    assert set(told["error"][2:]) >= {"not sent: the disk is full"}
    assert service.posts == 2


def test_an_interrupted_batch_says_how_many_were_paid(lab_of):
    """After Ctrl-C, the exception says how many payouts were made; a rerun makes the others."""

    def interrupt(done, _):
        if done == 2:
            raise KeyboardInterrupt

    for concurrency in (1, 2):
        service, name = Service(), f"{concurrency}.example"
        with pytest.raises(KeyboardInterrupt) as stop:
            lab_of(service, name).transfers.create_many(
                rows("a", "b", "c", "d", "e"), concurrency=concurrency, progress=interrupt
            )
        assert f"{service.posts} of 5 payouts were made" in stop.value.__notes__[0]
        again = batch(lab_of(service, name), "a", "b", "c", "d", "e")
        assert again.count("done") + again.count("created") == 5 == len(service.made)


def test_a_refused_row_keeps_its_cells(lab_of):
    """A refused row keeps account, amount and every other cell, so that it can be sent again."""
    service = Service()
    service.answers = [404]
    more = {"source_network": "polygon", "source_currency": "USDC", "memo": "x"}
    [row] = rows("a")
    told = lab_of(service).transfers.create_many([{**row, **more}])
    [kept] = told.to_dict("records")
    assert kept["outcome"] == "refused"
    assert {name: str(kept[name]) for name in {**row, **more}} == {**row, **more}
    assert lab_of(service).transfers.create_many(told)["outcome"].tolist() == ["created"]


def test_a_misspelt_reference_column_sends_nothing(lab_of):
    """If the column of references is missing, nothing is sent."""
    with pytest.raises(PaylabError, match="no column 'invoise'"):
        lab_of(Service()).transfers.create_many(rows("a"), reference="invoise")


def test_a_commit_that_fails_takes_no_turn(lab_of):
    """An order whose COMMIT fails is not counted, so a repeated payment is still found."""
    service = Service()
    lab = lab_of(service)
    execute, fail = lab.ledger._store.file.execute, ["COMMIT"]

    def failing(sql, values=()):
        if fail and sql == fail[0]:
            fail.pop()
            raise LedgerError("disk I/O error")
        return execute(sql, values)

    lab.ledger._store.file.execute = failing  # a disk that fails once
    with pytest.raises(LedgerError):
        pay(lab)
    service.answers = ["cut"]
    with pytest.raises(APIConnectionError):
        pay(lab)
    assert pay(lab).id == "tr_0"
    assert len(service.made) == 1


def test_an_id_that_is_no_text_is_kept(lab_of):
    """An id with an unpaired surrogate is stored escaped."""
    service = Service()
    service._make = lambda request: service.made.setdefault(
        request.headers["idempotency-key"], {"id": "\ud800"}
    )
    assert pay(lab_of(service), "inv-1").id == "\ud800"
    assert lab_of(service).ledger.rows()[0]["payment"] == "\\ud800"
