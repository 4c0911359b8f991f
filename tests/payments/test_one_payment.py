"""One order is one payment: in batches and alone, with own keys, other services, wrong clocks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest

from paylab.client.settings import Secret, Settings
from paylab.errors import APIConnectionError, ChoiceError, LedgerError, PaylabError
from paylab.lab.lab import Lab
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
KEY = "11111111-1111-4111-8111-111111111111"
OTHER_KEY = "22222222-2222-4222-8222-222222222222"


class Service(httpx.BaseTransport):
    """A fake service with sequential ids; `answers` are the answers to the next payments."""

    def __init__(self, stranger=404):
        self.stranger, self.made, self.posts, self.answers = stranger, {}, 0, []
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
        return (200, found[0]) if found else (self.stranger, {"error": "unknown id"})

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


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Use a folder for journals that no other test uses."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


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


@pytest.mark.parametrize("stranger", [404, 400, 422])
def test_the_journal_of_another_service_says_nothing_of_this_one(lab_of, stranger):
    """The journal of another service is not used, even if both services have the same ids."""
    for host in ("a.example", "b.example"):
        assert batch(lab_of(Service(), host), "s0", "s1", "s2") == ["created"] * 3
    service = Service(stranger)
    assert batch(lab_of(service, "c.example"), "x0", "x1", "x2") == ["created"] * 3
    assert batch(lab_of(service, "c.example"), "s0", "s1", "s2") == ["created"] * 3
    assert batch(lab_of(service, "c.example"), "s0", "x1", "x2") == ["done"] * 3
    assert service.posts == 6


@pytest.mark.parametrize("amount", ["10.00", "11.00"])
def test_a_reference_that_was_paid_alone_is_not_paid_in_a_batch(lab_of, amount):
    """A batch sends the key of the earlier payment again; other terms are a conflict."""
    service = Service()
    pay(lab_of(service), "inv-1", amount)
    hidden, service.made = service.made, {}
    service._make = lambda request: service.made.update(hidden)
    assert batch(lab_of(service), "inv-1") == ["created" if amount == "10.00" else "conflict"]
    assert len(hidden) == 1
    assert service.posts == (2 if amount == "10.00" else 1)


def test_a_reference_that_was_paid_in_a_batch_is_not_paid_alone(lab_of):
    """A payment after a batch sends the key of the batch; other terms raise ChoiceError."""
    service = Service()
    batch(lab_of(service), "inv-1")
    assert pay(lab_of(service), "inv-1").id == "tr_0"
    with pytest.raises(ChoiceError, match="inv-1"):
        pay(lab_of(service), "inv-1", "11.00")
    assert len(service.made) == 1


@pytest.mark.parametrize(
    ("first", "second"), [({"idempotency_key": KEY}, {}), ({}, {"idempotency_key": OTHER_KEY})]
)
@pytest.mark.parametrize("lost", [False, True])
def test_a_reference_is_one_order_with_a_key_and_without(lab_of, first, second, lost):
    """A repeated reference is sent with its first key, whether or not the caller names a key."""
    service = Service()
    service.answers = ["cut"] if lost else []
    try:
        pay(lab_of(service), "inv-1", **first)
    except APIConnectionError:
        assert lost
    pay(lab_of(service), "inv-1", **second)
    assert (service.posts, len(service.made)) == (2, 1)


def test_a_lost_answer_to_an_own_key_is_asked_for_without_it(lab_of):
    """A call without a key sends the caller's key of the lost call; another key pays again."""
    service = Service()
    service.answers = ["cut"]
    with pytest.raises(APIConnectionError):
        pay(lab_of(service), idempotency_key=KEY)
    assert pay(lab_of(service)).id == "tr_0"
    assert pay(lab_of(service), idempotency_key=OTHER_KEY).id == "tr_1"


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


@pytest.mark.parametrize("first", [{}, {"journal": "other.journal"}])
@pytest.mark.parametrize("second", [{}, {"journal": "third.journal"}])
def test_a_new_journal_does_not_pay_again(lab_of, tmp_path, monkeypatch, first, second):
    """A batch with a new journal and no ledger finds a payout whose key has expired."""
    monkeypatch.chdir(tmp_path)
    service = Service()
    assert batch(lab_of(service, ledger="none"), "inv-1", **first) == ["created"]
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "gone"))
    later = lab_of(service, ledger="none", clock=lambda: NOON + timedelta(hours=30))
    assert batch(later, "inv-1", **second) == ["found"]
    assert service.posts == 1


def test_a_transfer_of_the_list_with_other_terms_is_a_conflict(lab_of):
    """A listed transfer with the same reference and another amount is a conflict."""
    service = Service()
    pay(lab_of(service, ledger="none"), "inv-1", "11.00")
    assert batch(lab_of(service, ledger="none"), "inv-1") == ["conflict"]


@pytest.mark.parametrize(
    ("first", "later", "hours"),
    [
        (NOON, NOON + timedelta(hours=2), 30),  # a Date 28 hours behind
        (NOON + timedelta(hours=24), NOON + timedelta(hours=40), 40),
        (NOON.replace(year=9998), NOON + timedelta(hours=40), 40),
        (NOON, NOON - timedelta(hours=2), -2),
    ],
)
def test_an_expired_key_is_not_sent_whatever_a_date_says(lab_of, first, later, hours):
    """A key that has expired or is from the future is not sent, whatever the Date header says."""
    service = Service()
    service.date = first
    lab = lab_of(service)
    lab.transfers.list().first()
    pay(lab, "inv-1")
    service.date = later
    lab = lab_of(service, clock=lambda: NOON + timedelta(hours=hours))
    lab.transfers.list().first()
    with pytest.raises(ChoiceError, match="its key has expired"):
        pay(lab, "inv-1")
    assert service.posts == 1


def test_a_commit_that_fails_takes_no_turn(lab_of):
    """An order whose COMMIT fails is not counted, so a repeated payment is still found."""
    service = Service()
    lab = lab_of(service)
    execute, fail = lab.ledger._store._execute, ["COMMIT"]

    def failing(sql, values=()):
        if fail and sql == fail[0]:
            fail.pop()
            raise LedgerError("disk I/O error")
        return execute(sql, values)

    lab.ledger._store._execute = failing  # a disk that fails once
    with pytest.raises(LedgerError):
        pay(lab)
    service.answers = ["cut"]
    with pytest.raises(APIConnectionError):
        pay(lab)
    assert pay(lab).id == "tr_0"
    assert len(service.made) == 1


def test_an_id_that_is_no_text_is_kept(lab_of):
    """An id with an unpaired surrogate is stored escaped, and the order can be repeated."""
    service = Service()
    service._make = lambda request: service.made.setdefault(
        request.headers["idempotency-key"], {"id": "\ud800"}
    )
    for _ in range(2):
        assert pay(lab_of(service), "inv-1").id == "\ud800"
    assert lab_of(service).ledger.rows()[0]["made_id"] == "\\ud800"


SCRIPT = """
import paylab
lab = paylab.connect()
lab.transfers.create("{account}", payout_method="spei", source_currency="USD",
                     destination_currency="MXN", source_amount="10.00")
"""


def test_a_script_that_ipython_runs_pays_once(tmp_path):
    """A script that IPython runs twice pays once."""
    from paylab.corridors import examples

    with Server(Simulator(frozen=False, speed=100)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        environment = {
            **os.environ,
            **dict(zip(("PAYLAB_API_KEY", "PAYLAB_SECRET_KEY"), keys, strict=True)),
            "PAYLAB_BASE_URL": server.base_url,
            "PAYLAB_LEDGER": str(tmp_path / "l.sqlite3"),
            "IPYTHONDIR": str(tmp_path),
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        from paylab import connect

        person = connect(server.base_url, *keys, ledger="none").individuals.create(
            **examples.recipient("MX")
        )
        script = tmp_path / "pay.py"
        script.write_text(SCRIPT.format(account=person.financial_accounts[0].id))
        for _ in range(2):
            command = [sys.executable, "-m", "IPython", "--no-banner", str(script)]
            subprocess.run(command, env=environment, check=True, capture_output=True)
        assert len(server.simulator.world.tables["transfers"]) == 1
