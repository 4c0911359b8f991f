"""How an order is recognised: by its reference, its open entry, or its call site and count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

import paylab
from paylab.client.orders import Order
from paylab.client.settings import Secret, Settings
from paylab.corridors import examples
from paylab.errors import APIConnectionError, APIStatusError, ChoiceError, PaylabError
from paylab.lab.lab import Lab
from paylab.payments.call_site import cell_steps, without_values
from paylab.simulator.simulator import Simulator, SimulatorTransport
from paylab.views.calls import ledger_table

TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}


@pytest.fixture
def lab(tmp_path):
    """A lab whose calls come from a script, which is this file."""
    return paylab.connect(simulator=Simulator(), ledger=tmp_path / "ledger.sqlite3")


@pytest.fixture
def account(lab):
    """The id of the account to pay."""
    person = lab.individuals.create(**examples.recipient("MX"))
    made = lab.financial_accounts.create(person.id, **examples.account("MX"))
    lab.individuals.wait(person.id)
    return made.id


def pay(lab, account, amount="10.00", **more):
    """Make one payment; the call site is always this function."""
    return lab.transfers.create(account, source_amount=amount, **TERMS, **more)


def lose(lab, calls=1):
    """Drop the answers to the next payments, on all three attempts."""
    lab.simulator.faults.drop_after(path="/v1/transfers", times=3 * calls)


def made(lab):
    """The number of transfers at the service."""
    return len(list(lab.transfers.list()))


def insisted(lab, account, **more):
    """Pay, with up to three tries, as a retry loop does."""
    for _ in range(3):
        try:
            return pay(lab, account, **more)
        except APIConnectionError:
            pass
    raise AssertionError("lost three times")


@pytest.mark.parametrize("more", [{}, {"new": True}, {"client_reference_id": "a"}])
def test_a_loop_that_tries_again_pays_once(lab, account, more):
    """A retry loop pays once, even if two answers are lost."""
    lose(lab, 2)
    assert insisted(lab, account, **more).replayed
    assert made(lab) == 1


def test_a_payment_that_was_tried_again_takes_one_turn(lab, account):
    """A retried payment counts once, so the next call with the same body pays again."""
    lose(lab)
    ids = {insisted(lab, account).id for _ in range(3)}
    assert len(ids) == made(lab) == 3


def test_an_open_order_is_found_from_another_place(lab, account):
    """An order without an answer is continued when another function sends the same body."""
    lose(lab)
    with pytest.raises(APIConnectionError):
        pay(lab, account)
    again = lab.transfers.create(account, source_amount="10.00", **TERMS)
    assert (again.replayed, made(lab)) == (True, 1)


def test_a_reference_is_one_order_wherever_it_is_paid(lab, account):
    """The same body of a reference is replayed; another body raises ChoiceError without `new`."""
    first = pay(lab, account, client_reference_id="a")
    again = lab.transfers.create(account, source_amount="10.00", client_reference_id="a", **TERMS)
    assert (again.id, again.replayed) == (first.id, True)
    with pytest.raises(ChoiceError, match=r"client_reference_id 'a' made tr_.*10.00 -> 11.00"):
        pay(lab, account, "11.00", client_reference_id="a")
    assert not pay(lab, account, client_reference_id="b").replayed
    assert not pay(lab, account, "11.00", client_reference_id="a", new=True).replayed
    assert made(lab) == 3


def test_a_reference_is_not_paid_again_the_next_day(lab, account):
    """A reference whose key has expired raises ChoiceError and is not paid again."""
    pay(lab, account, client_reference_id="a")
    lab.simulator.clock.advance("25h")
    with pytest.raises(ChoiceError, match="its key has expired"):
        pay(lab, account, client_reference_id="a")


def test_a_refusal_after_a_lost_answer_keeps_the_order_open(lab, account):
    """After a lost answer and a refused retry, the next call sends the same key."""
    lab.simulator.faults.drop_after(path="/v1/transfers", times=1)
    lab.simulator.faults.status(path="/v1/transfers", status=401, times=1)
    with pytest.raises(APIStatusError) as refused:
        pay(lab, account)
    assert "an earlier attempt: it may have been carried out" in refused.value.hint
    assert (pay(lab, account).replayed, made(lab)) == (True, 1)


@pytest.mark.parametrize(
    ("age", "outcome"),
    [("23h45m", "replayed"), ("23h55m", "too late")],
)
def test_a_key_near_its_end_is_not_sent(lab, account, age, outcome):
    """A key is not sent in the last ten minutes of its 24 hours."""
    lose(lab)
    with pytest.raises(APIConnectionError):
        pay(lab, account)
    hours, minutes = age[:-1].split("h")
    lab.simulator.clock.advance(int(hours) * 3600 + int(minutes) * 60)
    if outcome == "replayed":
        assert pay(lab, account).replayed
    else:
        with pytest.raises(ChoiceError, match="its key has expired"):
            pay(lab, account)
    assert made(lab) == 1


def answering(status, ahead=timedelta(0), content=b""):
    """A transport that gives every request the same answer, with a Date `ahead` of now."""

    def answer(request):
        date = format_datetime(datetime.now(UTC) + ahead, usegmt=True)
        return httpx.Response(status, headers={"date": date}, content=content)

    return httpx.MockTransport(answer)


def bare(transport, ledger, key="k", url="https://pay.example"):
    """A lab on a transport, without retries."""
    settings = Settings(url, Secret(key * 20), Secret("s" * 20))
    return Lab(settings, transport=transport, ledger=ledger, max_retries=0)


def test_a_key_is_judged_by_the_date_the_service_gave(tmp_path):
    """The age of a key is measured by the service's Date, not by the local clock."""
    ledger = tmp_path / "ledger.sqlite3"
    with pytest.raises(PaylabError):
        pay(bare(answering(503), ledger), "fa_1")
    later = bare(answering(503, timedelta(hours=25)), ledger)
    with pytest.raises(PaylabError):
        later.transfers.get("tr_1")
    with pytest.raises(ChoiceError, match="its key has expired"):
        pay(later, "fa_1")


def _cut(request):
    raise httpx.ReadError("cut off")


@pytest.mark.parametrize(
    "transport",
    [
        *map(answering, (408, 409, 503)),
        answering(201, content=b"<html>"),
        httpx.MockTransport(_cut),
    ],
)
def test_without_a_ledger_the_error_names_the_key(transport):
    """Without a ledger, the error names the key when the payment may have been carried out."""
    lab = bare(transport, "none")
    with pytest.raises(PaylabError) as error:
        pay(lab, "fa_1")
    assert f"idempotency_key={lab.calls[-1].idempotency_key!r}" in error.value.hint


def test_a_request_that_timed_out_there_may_have_been_carried_out(tmp_path):
    """With a ledger, a 408 leaves the outcome unknown, and the next call sends the same key."""
    lab = bare(answering(408), tmp_path / "ledger.sqlite3")
    with pytest.raises(APIStatusError) as error:
        pay(lab, "fa_1")
    assert "may have been carried out" in error.value.hint
    with pytest.raises(APIStatusError):
        pay(lab, "fa_1")
    assert len({call.idempotency_key for call in lab.calls if call.method == "POST"}) == 1


@pytest.mark.parametrize(("url", "warned"), [("https://a.example", 1), ("https://b.example", 0)])
def test_a_reference_that_was_paid_with_another_key_is_a_warning(tmp_path, recwarn, url, warned):
    """A reference paid with another API key gives a warning, if the address is the same."""
    service, ledger = answering(201, content=b'{"id": "tr_1"}'), tmp_path / "ledger.sqlite3"
    pay(bare(service, ledger, "old", "https://a.example"), "fa_1", client_reference_id="inv-77")
    pay(bare(service, ledger, "new", url), "fa_1", client_reference_id="inv-77")
    pay(bare(service, ledger, "new", url), "fa_1", client_reference_id="inv-78")
    messages = [str(each.message) for each in recwarn if "another API key" in str(each.message)]
    assert len(messages) == warned == sum("'inv-77'" in each for each in messages)


def test_looking_at_a_lab_asks_nothing(lab, account, tmp_path):
    """The repr of a lab and its lists, and the ledger's length and table, send no request."""
    pay(lab, account)
    sent = []

    def answer(request):
        sent.append(request)
        return httpx.Response(500)

    looked = bare(httpx.MockTransport(answer), tmp_path / "ledger.sqlite3")
    with pytest.raises(PaylabError):
        pay(looked, "fa_1")
    sent.clear()
    assert len(looked.ledger) == 1
    for value in (looked, looked.ledger, looked.calls, looked.transfers, looked.transfers.list()):
        assert repr(value)
    assert ledger_table(looked.ledger)
    assert sent == []


class Interrupted(SimulatorTransport):
    """A transport that carries out a POST and then raises KeyboardInterrupt."""

    def handle_request(self, request):
        """Answer the request; after a POST, interrupt as a stopped kernel does."""
        response = super().handle_request(request)
        if request.method == "POST":
            raise KeyboardInterrupt
        return response


def test_an_account_whose_202_was_not_seen_is_looked_for(tmp_path):
    """After a lost 202, the account is found in the list: a repeat would make a second one."""
    simulator, ledger = Simulator(), tmp_path / "ledger.sqlite3"
    lab = paylab.connect(simulator=simulator, ledger=ledger)
    person = lab.individuals.create(**examples.individual("MX", consent_at=lab.clock()))
    wallet = lab.financial_accounts.create(person.id, "crypto_wallet", examples.WALLET)
    for side in ("document-front", "document-back", "selfie"):
        lab.individuals.upload_images(person.id, {side: b"\x89PNG\r\n\x1a\n" + bytes(20_000)})
    lab.individuals.wait(person.id)
    order = {"client_reference_id": "scenario:slow"}
    keys = {"api_key": Secret(simulator.api_key), "secret_key": Secret(simulator.secret_key)}
    stopped = Lab(
        Settings("http://localhost", **keys),
        transport=Interrupted(simulator),
        clock=simulator.world.now,
        ledger=ledger,
    )
    with pytest.raises(KeyboardInterrupt) as stop:
        stopped.conversion_accounts.create(person.id, wallet.id, "mxn", **order)
    assert "the same Idempotency-Key" in stop.value.__notes__[0]
    lab = Lab(
        Settings("http://localhost", **keys),
        transport=SimulatorTransport(simulator),
        clock=simulator.world.now,
        ledger=ledger,
    )
    again = lab.conversion_accounts.create(person.id, wallet.id, "mxn", **order)
    assert [each.id for each in lab.conversion_accounts.list()] == [again.id]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ('lab = connect(api_key="sk_live_123", n=1)', 'lab = connect(api_key="…", n=1)'),
        ("curp = '''GODE561231HDFRRN09", 'curp = "…"'),
        ("# for GODE561231HDFRRN09", "# for …"),
        ("pay(account, 12.50)", "pay(account, 12.50)"),
        ("pay(cpf=11144477735)", "pay(cpf=…)"),
    ],
)
def test_the_line_kept_of_a_cell_holds_no_values(line, kept):
    """The stored line of a cell has no string literals and no long numbers."""
    assert without_values(line) == kept


@pytest.mark.parametrize(
    ("edited", "same"),
    [
        ("pay( 1 )  # again", True),
        ("try:\n    pay(1)\nexcept Exception as error:\n    print(error)", True),
        ("%time pay(1)", False),
        ("pay(2)", False),
    ],
)
def test_a_cell_is_known_by_what_it_does(edited, same):
    """Comments, layout and a `try` do not change the identity of a cell."""
    assert (cell_steps(edited) == cell_steps("pay(1)")) is same


def test_a_refusal_does_not_close_an_order_that_was_sent_again(tmp_path):
    """The order stays open when it was sent again before the refusal."""
    lab = paylab.connect(simulator=Simulator(), ledger=tmp_path / "ledger.sqlite3")
    order = Order("/v1/transfers", b'{"client_reference_id": "a"}', None, False, lambda: "key")
    first, _ = lab.ledger.open(order), lab.ledger.open(order)
    first.refused(422)
    [entry] = lab.ledger.rows()
    assert (entry["state"], entry["times"]) == ("no answer yet", 2)
