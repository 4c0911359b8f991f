"""What a repeated order does: it waits, is sent again, returns the payment, or asks you."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import warnings
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from paylab.client.settings import Secret, Settings
from paylab.errors import (
    APIStatusError,
    ChoiceError,
    PaylabError,
    RuleWarning,
)
from paylab.lab.lab import Lab
from paylab.locks import Locks
from paylab.payments.ledger_store import LedgerStore
from paylab.views.calls import ledger_table

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
KEY = "11111111-1111-4111-8111-111111111111"
SHOWN = ("client_reference_id", "source_amount", *TERMS)


class Service(httpx.BaseTransport):
    """A service with sequential ids that stores answers by key; `answers` are those to come.

    "cut" makes a payment and drops the connection, "refused" cannot be reached; a function is
    called before the payment is made. `hidden` are fields that its list does not show.
    """

    def __init__(self):
        self.made, self.bodies, self.keys, self.answers = {}, [], [], []
        self.hidden, self.now, self.quotes, self.reads_one = (), NOON, 0, True

    def handle_request(self, request):
        """The answer to a request, with the service's time."""
        status, body = self._pay(request) if request.method == "POST" else self._read(request)
        headers = {"Date": format_datetime(self.now, usegmt=True)}
        return httpx.Response(status, headers=headers, content=json.dumps(body))

    def _read(self, request):
        rows = [
            {name: value for name, value in row.items() if name not in self.hidden}
            for row in self.made.values()
        ]
        if request.url.path == "/v1/transfers":
            return 200, {"data": rows, "has_next_page": False, "cursor": None}
        one = [row for row in rows if request.url.path.endswith(f"/{row['id']}")]
        found = one if self.reads_one else []
        return (200, found[0]) if found else (404, {"error": "unknown id"})

    def _pay(self, request):
        if request.url.path == "/v1/quotes":
            self.quotes += 1
            return 201, {"id": f"q_{self.quotes}"}
        fields, key = json.loads(request.content), request.headers["idempotency-key"]
        self.bodies.append(request.content)
        self.keys.append(key)
        answer = self.answers.pop(0) if self.answers else 201
        if callable(answer):
            answer = answer() or 201
        if answer == "refused":
            raise httpx.ConnectError("refused")
        if answer in (201, "cut", "hidden 404"):
            self.made.setdefault(key, self._row(fields))
        if answer == "cut":
            raise httpx.ReadError("cut off")
        if answer == 201:
            return 201, self.made[key]
        return (404 if answer == "hidden 404" else answer), {"error": "no"}

    def _row(self, fields):
        account = fields.get("financial_account", {}).get("id") or fields.get(
            "financial_account_id"
        )
        created = self.now.isoformat().replace("+00:00", "Z")
        row = {"id": f"tr_{len(self.made)}", "financial_account_id": account, "created_at": created}
        return {**row, **{name: fields.get(name) for name in SHOWN}}


@pytest.fixture
def service():
    """A service without payments."""
    return Service()


@pytest.fixture
def lab_of(tmp_path, service):
    """A function that makes labs as other processes would have them, with one ledger."""

    def make(*, key="k", host="pay.example", **options):
        settings = Settings(f"https://{host}", Secret(key * 20), Secret("s" * 20))
        given = {"ledger": tmp_path / "ledger.sqlite3", "max_retries": 0, "transport": service}
        return Lab(settings, clock=lambda: service.now, **{**given, **options})

    return make


def pay(lab, amount="10.00", **more):
    """Make one payment."""
    return lab.transfers.create(
        more.pop("account", "fa_1"), source_amount=amount, **{**TERMS, **more}
    )


def lose(lab, answer="cut", **more):
    """Make one payment without getting a good answer."""
    lab.client._transport.answers = [answer]
    with pytest.raises(PaylabError) as error:
        pay(lab, **more)
    return error.value


def test_an_answered_order_is_read_and_told_once(lab_of, service, capsys):
    """An equal order creates nothing: it returns the payment as it is now, and says so once."""
    first = pay(lab_of())
    service.made[service.keys[0]]["status"] = "completed"
    capsys.readouterr()
    again = pay(lab_of(key="k"), "10", source_currency="usd")
    assert (again.id, again.replayed, again.status) == (first.id, True, "completed")
    assert len(service.keys) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "tr_0 was made for this order at 2026-03-01T12:00:00.000Z" in said
    assert "another client_reference_id or new=True makes another" in said


def test_a_lost_order_is_sent_again_with_the_first_bytes(lab_of, service):
    """After a lost answer, another spelling sends the same key and the same bytes."""
    assert "send the same order again" in lose(lab_of(), amount="10.00").hint
    assert pay(lab_of(), "10").id == "tr_0"
    assert len(set(service.keys)) == len(set(service.bodies)) == 1
    assert len(service.keys) == 2


def test_a_gateways_refusal_that_hides_a_payment_pays_once(lab_of, service):
    """A 4xx repeated in a loop is sent under the same key, so a payment behind it is found."""
    for answer in ("hidden 404", 403, 429):
        lose(lab_of(), answer)
    assert pay(lab_of()).id == "tr_0"
    assert (len(set(service.keys)), len(service.made)) == (1, 1)


def test_a_conflict_after_a_refusal_says_what_it_may_mean(lab_of):
    """A 409 after a refusal says that the refused attempt may have been carried out."""
    lose(lab_of(), 400)
    assert "may have been carried out all the same" in lose(lab_of(), 409).hint


def test_a_refused_order_with_another_quote_sends_that_quote(lab_of, service):
    """An expired quote does not block its order: the next quote is sent under the same key."""
    lab, quoted = lab_of(), {"source_amount": "10", **TERMS}
    first, second = (lab.quotes.create("fa_1", **quoted) for _ in range(2))
    service.answers = [422]
    with pytest.raises(APIStatusError):
        lab.transfers.create(quote_id=first)
    lab_of().transfers.create(quote_id=second)
    assert [json.loads(body)["quote_id"] for body in service.bodies] == [first.id, second.id]
    assert len(set(service.keys)) == 1
    assert pay(lab_of(), "10").replayed  # the terms without a quote are the same order
    assert len(service.made) == 1


@pytest.mark.parametrize(
    ("hours", "paid"),
    [(23.5, 1), (23.9, 1), (24, 2), (24.1, 2)],
    ids=["fresh", "margin", "day", "old"],
)
def test_an_answered_order_counts_for_24_hours(lab_of, service, hours, paid):
    """After 24 hours, an equal order is a new one."""
    pay(lab_of())
    service.now += timedelta(hours=hours)
    assert (pay(lab_of()).replayed, len(service.made)) == (paid == 1, paid)


@pytest.mark.parametrize("named", [{}, {"client_reference_id": "a"}])
def test_an_old_lost_order_is_searched_in_the_list(lab_of, service, named):
    """After 24 hours, a lost order is found in the list; one that is surely not there is sent."""
    lose(lab_of(), **named)
    service.now += timedelta(hours=25)
    found = pay(lab_of(), **named)
    assert (found.id, found.replayed, len(service.keys)) == ("tr_0", True, 1)
    lose(lab_of(), 503, amount="11.00", **named)
    service.now += timedelta(hours=25)
    assert not pay(lab_of(), "11.00", **named).replayed
    assert pay(lab_of(), "11.00", **named).replayed  # its 24 hours count from now
    assert len(service.made) == 2


def test_the_hours_of_an_order_count_from_its_first_attempt(lab_of, service):
    """The service stores a key from its first use on, however late the answer came."""
    lose(lab_of())
    service.now += timedelta(hours=20)
    assert pay(lab_of()).id == "tr_0"
    service.now += timedelta(hours=5)
    assert not pay(lab_of()).replayed
    assert len(service.made) == 2


def test_a_reference_with_other_values_is_told_once(lab_of, service):
    """However often a reference was used before, one warning names its latest other order."""
    for amount in ("1.00", "2.00"):
        with warnings.catch_warnings(action="ignore"):
            pay(lab_of(), amount, client_reference_id="a")
    with pytest.warns(RuleWarning, match="was used with other values") as told:
        pay(lab_of(), "3.00", client_reference_id="a")
    assert [one.category for one in told].count(RuleWarning) == 1
    assert len(service.made) == 3


@pytest.mark.parametrize("hidden", [*zip(("created_at", "financial_account_id", *SHOWN))])
def test_an_old_lost_order_that_cannot_be_told_is_your_choice(lab_of, service, hidden):
    """If a row of the list may be the payment, nothing is sent and ChoiceError names it."""
    lose(lab_of())
    service.hidden = hidden
    service.now += timedelta(hours=25)
    with pytest.raises(ChoiceError, match="tr_0 in the list may be its payment"):
        pay(lab_of())
    assert len(service.keys) == 1


def test_an_equal_payment_of_another_order_is_not_taken(lab_of, service):
    """The search for a lost order leaves out the payments of other orders, and earlier ones."""
    pay(lab_of(ledger="none"))
    service.now += timedelta(hours=1)
    lose(lab_of(), 503)
    pay(lab_of(), new=True)
    service.now += timedelta(hours=25)
    assert pay(lab_of()).id == "tr_2"


@pytest.mark.parametrize(
    ("first", "named", "outcome"),
    [
        ("cut", {}, "choice"),
        ("cut", {"client_reference_id": "a"}, "choice"),
        (201, {"client_reference_id": "a"}, "choice"),
        (201, {}, "replayed"),
        (401, {}, "sent"),
    ],
)
def test_an_equal_order_with_another_api_key(lab_of, service, first, named, outcome):
    """A lost or named order of another API key is your choice; an answered one is returned."""
    service.answers = [first]
    try:
        pay(lab_of(), **named)
    except PaylabError:
        assert first != 201
    rotated = lab_of(key="n")
    if outcome == "choice":
        with pytest.raises(ChoiceError, match="another API key") as error:
            pay(rotated, **named)
        assert "new=True" in error.value.hint
    else:
        assert pay(rotated, **named).replayed is (outcome == "replayed")
    assert len(set(service.keys)) == 1
    assert not pay(lab_of(key="n", host="b.example"), **named).replayed


def test_a_payment_that_the_service_does_not_have_is_your_choice(lab_of, service):
    """If the service does not have the payment of an answered order, nothing is sent."""
    pay(lab_of())
    service.made.clear()
    with pytest.raises(ChoiceError, match="but the service does not have it"):
        pay(lab_of())
    assert len(service.keys) == 1


def test_a_payment_that_cannot_be_read_alone_is_in_the_list(lab_of, service):
    """Where one payment cannot be read alone, an answered order is found in the list."""
    service.reads_one = False
    made = pay(lab_of())
    again = pay(lab_of())
    assert (again.id, again.replayed, len(service.keys)) == (made.id, True, 1)


def test_a_reference_with_other_values_is_another_order_with_a_warning(lab_of, service):
    """The same reference with another amount is sent, and one warning names the earlier payment."""
    pay(lab_of(), client_reference_id="a")
    with pytest.warns(RuleWarning, match="'a' was used with other values.*tr_0") as told:
        assert pay(lab_of(), "11.00", client_reference_id="a").id == "tr_1"
    assert len(told) == 1
    assert pay(lab_of(), client_reference_id="a").id == "tr_0"


def test_new_makes_another_payment_each_time(lab_of, service):
    """`new=True` pays again; after a lost answer or a refusal it repeats that payment."""
    pay(lab_of())
    assert pay(lab_of(), new=True).id == "tr_1"
    for answer in ("cut", 400):
        lose(lab_of(), answer, new=True)
    assert pay(lab_of(), new=True).id == "tr_2"
    assert pay(lab_of()).id == "tr_2"  # the latest
    assert pay(lab_of(), new=True).id == "tr_3"


def test_an_own_key_decides_alone(lab_of, service):
    """Your own key is sent as it is, with a warning if an equal order stands under another."""
    pay(lab_of())
    with pytest.warns(RuleWarning, match="an equal order stands under the key"):
        assert pay(lab_of(), idempotency_key=KEY).id == "tr_1"
    assert pay(lab_of(), "10.0", idempotency_key=KEY).id == "tr_1"
    assert service.keys[1:] == [KEY, KEY]
    assert service.bodies[1] != service.bodies[2]
    lose(lab_of(), amount="12", idempotency_key=KEY.replace("1", "2"))
    pay(lab_of(), "12.00")
    assert service.keys[-1] == KEY.replace("1", "2")


def test_an_own_key_warns_neither_of_itself_nor_of_a_refused_order(lab_of):
    """Neither is a second payment."""
    lose(lab_of(), 400)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuleWarning)
        assert pay(lab_of(), idempotency_key=KEY).id == "tr_0"
        assert pay(lab_of(), idempotency_key=KEY).id == "tr_0"


def test_without_a_ledger_every_call_is_a_new_order(lab_of, service):
    """With ledger="none" nothing is remembered; the error of a lost answer names the key."""
    assert pay(lab_of(ledger="none")).id == "tr_0"
    assert pay(lab_of(ledger="none")).id == "tr_1"
    assert "idempotency_key='" in lose(lab_of(ledger="none")).hint


def test_nothing_was_sent_leaves_no_lost_order(lab_of, service):
    """An order that did not reach the service is not searched, even after a day."""
    lose(lab_of(), "refused")
    service.now += timedelta(hours=25)
    service.hidden = ("created_at",)
    assert pay(lab_of()).id == "tr_0"


@pytest.mark.parametrize("in_memory", [False, True])
def test_a_lock_has_one_holder(tmp_path, in_memory):
    """A lock is taken once, until it is released; a lock of another order is free."""
    locks = Locks(None if in_memory else tmp_path)
    held = locks.take("a")
    assert locks.take("a", 0.01) is None
    assert locks.take("b")
    held.release(done=True)
    assert locks.take("a", 5)


@pytest.mark.parametrize(("answer", "left"), [(None, 0), ("cut", 1), (400, 1)])
def test_the_lock_of_an_order_that_may_go_on_stays(lab_of, service, tmp_path, answer, left):
    """Whoever waits for an unanswered or refused order holds the same file as the next."""
    if answer:
        lose(lab_of(), answer)
    else:
        pay(lab_of())
    assert len(list((tmp_path / "ledger.sqlite3.locks").iterdir())) == left


def test_an_equal_order_under_way_is_waited_for(lab_of, service):
    """Threads that ask for one order get one payment; past its timeout, a call says so."""
    lab = lab_of()
    arrived, go_on, found = threading.Event(), threading.Event(), []

    def wait():
        arrived.set()
        go_on.wait(30)

    service.answers = [wait]
    threads = [threading.Thread(target=lambda: found.append(pay(lab).id)) for _ in range(3)]
    threads[0].start()
    arrived.wait(30)
    with pytest.raises(PaylabError, match="under way since 2026-03-01T12") as error:
        pay(lab, timeout=0.01)
    assert "without paying twice" in error.value.hint
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert found == ["tr_0"] * 3
    assert len(service.made) == 1


def test_a_call_that_waited_is_waited_for(lab_of, service, monkeypatch):
    """A call that asks again after its wait still holds the order while it does."""
    lab, take, found = lab_of(), LedgerStore.take, []
    arrived, waits, outcomes = threading.Event(), threading.Event(), []

    def taken(store, name, timeout=0.0):
        if timeout:
            waits.set()
        return take(store, name, timeout)

    def lost():
        arrived.set()
        waits.wait(30)
        return "cut"

    def meanwhile():
        monkeypatch.undo()
        with pytest.raises(PaylabError, match="under way") as error:
            pay(lab, timeout=0.01)
        outcomes.append(error.value)

    def first():
        with pytest.raises(PaylabError):
            pay(lab)

    monkeypatch.setattr(LedgerStore, "take", taken)
    service.answers = [lost, meanwhile]
    threads = [
        threading.Thread(target=first),
        threading.Thread(target=lambda: found.append(pay(lab).id)),
    ]
    threads[0].start()
    arrived.wait(30)
    threads[1].start()
    for thread in threads:
        thread.join()
    assert (found, len(outcomes)) == (["tr_0"], 1)


def test_new_does_not_wait(lab_of, service):
    """`new=True` pays while an equal order is under way."""
    lab, found = lab_of(), []
    service.answers = [lambda: found.append(pay(lab, new=True, timeout=0.01).id)]
    assert [pay(lab).id, *found] == ["tr_1", "tr_0"]


DYING = """
import os, sys
sys.path.insert(0, sys.argv[2])
from test_orders import *

def die():
    os._exit(7)

service = Service()
service.answers = [die]
settings = Settings("https://pay.example", Secret("k" * 20), Secret("s" * 20))
pay(Lab(settings, transport=service, clock=lambda: NOON, ledger=sys.argv[1]))
"""


def test_a_process_that_died_is_not_waited_for(lab_of, service, tmp_path):
    """The lock of an order ends with its process: the next call sends its key without a wait."""
    here = os.path.dirname(__file__)
    command = [sys.executable, "-c", DYING, str(tmp_path / "ledger.sqlite3"), here]
    assert subprocess.run(command, check=False).returncode == 7
    [lost] = LedgerStore(tmp_path / "ledger.sqlite3").find(state="no answer")
    assert pay(lab_of(), timeout=0.01).id == "tr_0"
    assert service.keys == [lost.key]
    assert [*(tmp_path / "ledger.sqlite3.locks").iterdir()] == []


def test_the_ledger_shows_what_was_asked(lab_of, service):
    """A row has time, amount, account, reference, state, payment and key; looking sends nothing."""
    lab = lab_of()
    pay(lab, client_reference_id="inv-7")
    lose(lab, amount="11.00")
    service.keys.clear()
    assert lab.ledger.rows()[1] == {
        "time": "2026-03-01T12:00:00.000Z",
        "amount": "10.00 USD",
        "account": "fa_1",
        "reference": "inv-7",
        "state": "answered",
        "payment": "tr_0",
        "key": lab.ledger.rows()[1]["key"],
    }
    assert lab.ledger.rows()[0]["state"] == "no answer"
    for text in (repr(lab.ledger), ledger_table(lab.ledger)):
        assert all(word in text for word in ("10.00 USD", "inv-7", "no answer", "tr_0"))
    assert service.keys == []


def test_a_redacted_value_is_not_shown(lab_of):
    """What the ledger shows is redacted; the bytes go when the order is answered."""
    lab = lab_of()
    pay(lab, client_reference_id="k" * 20)
    assert "k" * 20 not in repr(lab.ledger)
    [entry] = lab.ledger._store.find(state="answered")
    assert entry.body is None


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503])
def test_a_status_that_leaves_it_open_keeps_the_key(lab_of, service, status):
    """Whatever the status was, the next equal order sends the same key."""
    lose(lab_of(), status)
    assert pay(lab_of()).id == "tr_0"
    assert len(set(service.keys)) == 1


def test_a_lost_order_is_found_from_a_thread_that_gave_up(lab_of, service):
    """A refusal after a lost answer keeps the order lost: the error says so."""
    service.answers = ["cut", 401]
    with pytest.raises(APIStatusError) as error:
        pay(lab_of(max_retries=2))
    assert "an earlier attempt: it may have been carried out" in error.value.hint
    lose(lab_of())
    assert (pay(lab_of()).id, len(service.made)) == ("tr_0", 1)
