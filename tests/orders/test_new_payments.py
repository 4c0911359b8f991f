"""Paying again on purpose: `new=`, an own key, and payments that failed."""

import signal
import threading
from uuid import UUID

import pytest
from order_reports import report, visible_text
from payments_service import ORDER
from service_answer import Answer

INVOICE = {**ORDER, "client_reference_id": "invoice-7"}
CORRECTED = {**INVOICE, "financial_account_id": "fa_2"}
KEY = "0b54eae0-6b8a-4f0c-9d3b-3a3f8a1f2c11"
OTHER_KEY = "7d9f0b0e-0a4f-4a53-8f7e-6d1f1a2b3c4d"

NEW = [
    (ORDER, ["second"], "paid tr_2", 2),
    (ORDER, ["second", "second"], "repeated tr_2", 2),
    (ORDER, ["second", "third"], "paid tr_3", 3),
    (ORDER, ["second", "third", "second"], "repeated tr_2", 3),
    (ORDER, ["tr_1", "tr_1", "tr_1"], "repeated tr_2", 2),
    (INVOICE, ["second"], "paid tr_2", 2),
    (INVOICE, ["second", "second"], "repeated tr_2", 2),
    (ORDER, [True], "paid tr_2", 2),
    (ORDER, [True, True], "paid tr_3", 3),
    (INVOICE, [True, True], "paid tr_3", 3),
    (ORDER, [False], "repeated tr_1", 1),
]


@pytest.mark.parametrize(("order", "names", "reported", "paid"), NEW)
def test_a_named_new_order_is_paid_once_however_often_it_runs(
    service, cell, order, names, reported, paid
):
    """A named new order is paid once however often it runs; `new=True` pays each time."""
    report(cell.transfers.create, **order).check("paid tr_1")
    for name in names:
        last = report(cell.transfers.create, **order, new=name)
    last.check(reported)
    assert len(service.payments) == paid


@pytest.mark.parametrize("name", ["", "  "])
def test_a_blank_name_is_no_new_order(service, cell, name):
    """A blank `new` is an error, or no new order: nothing is paid again."""
    report(cell.transfers.create, **ORDER).check("paid tr_1")
    report(cell.transfers.create, **ORDER, new=name).check("kept")
    assert len(service.payments) == 1


DEAD = ["failed", "expired", "cancelled"]


@pytest.mark.parametrize("corrected", [INVOICE, CORRECTED], ids=["as it was", "corrected"])
@pytest.mark.parametrize("status", DEAD)
def test_a_dead_payment_is_paid_again_once(service, connect, status, corrected):
    """`new=` with the id of a dead payment pays its order again, once however often it runs."""
    report(connect().transfers.create, **INVOICE).check("paid tr_1")
    service.payments[0]["status"] = status
    refused = report(connect().transfers.create, **INVOICE)
    refused.check(f"error tr_1 {status} new=")
    report(connect().transfers.create, **corrected, new="tr_1").check("paid tr_2")
    for _ in range(2):
        report(connect().transfers.create, **corrected, new="tr_1").check("repeated tr_2")
    assert len(service.payments) == 2


def test_a_payment_that_fails_twice_is_paid_a_third_time(service, cell):
    """Each failure names the next order, and the order that failed stays an error."""
    report(cell.transfers.create, **INVOICE).check("paid tr_1")
    service.payments[0]["status"] = "failed"
    report(cell.transfers.create, **INVOICE, new="tr_1").check("paid tr_2")
    service.payments[1]["status"] = "failed"
    report(cell.transfers.create, **INVOICE, new="tr_1").check("error tr_2 failed new=")
    report(cell.transfers.create, **INVOICE, new="tr_2").check("paid tr_3")
    report(cell.transfers.create, **INVOICE, new="tr_2").check("repeated tr_3")
    assert len(service.payments) == 3


def test_other_values_under_a_named_order_are_an_error(service, cell):
    """A named new order is compared with what it paid, like any other."""
    report(cell.transfers.create, **INVOICE, new="second").check("paid tr_1")
    other = {**INVOICE, "source_amount": "12.00"}
    report(cell.transfers.create, **other, new="second").check("error may")
    assert len(service.payments) == 1


OWN_KEYS = [
    (INVOICE, KEY, INVOICE, KEY, "same tr_1", 1),
    (INVOICE, KEY, INVOICE, KEY.upper(), "same tr_1", 1),
    (INVOICE, KEY, INVOICE, UUID(KEY), "same tr_1", 1),
    (INVOICE, KEY, INVOICE, OTHER_KEY, "paid tr_2", 2),
    (INVOICE, KEY, INVOICE, None, "paid tr_2", 2),
    (ORDER, None, ORDER, KEY, "paid tr_2", 2),
    (INVOICE, KEY, CORRECTED, KEY, "error", 1),
    (ORDER, KEY, {**ORDER, "source_amount": "11.00"}, KEY, "error", 1),
    (ORDER, KEY, {**ORDER, "source_amount": "11.00"}, OTHER_KEY, "paid tr_2", 2),
]


@pytest.mark.parametrize(
    ("first", "first_key", "second", "second_key", "reported", "paid"), OWN_KEYS
)
def test_an_own_key_decides_alone(
    service, cell, first, first_key, second, second_key, reported, paid
):
    """With `idempotency_key` the key alone says whether it is the same request."""
    keys = [{"idempotency_key": key} if key else {} for key in (first_key, second_key)]
    report(cell.transfers.create, **first, **keys[0]).check("paid tr_1")
    report(cell.transfers.create, **second, **keys[1]).check(reported)
    assert len(service.payments) == paid
    if second_key:
        assert service.sent_keys()[-1].lower() == str(second_key).lower()


@pytest.mark.parametrize("key", ["", "1234", "0b54eae0-6b8a-4f0c-9d3b-3a3f8a1f2c1", "x" * 36])
def test_an_own_key_that_is_no_uuid(service, cell, key):
    """A key that is no UUID is an error and pays nothing."""
    report(cell.transfers.create, **ORDER, idempotency_key=key).check("error")
    assert service.payments == []


@pytest.mark.parametrize("spoiled", ["closed before the first byte", "HTML", "no id"])
def test_a_lost_random_key_is_named(service, connect, spoiled):
    """After a lost answer to `new=True` the error has the key, and the key repeats the call."""
    cell = connect(max_retries=0)
    service.spoiled.append(spoiled)
    lost = report(cell.transfers.create, **INVOICE, new=True)
    key = service.sent_keys()[0]
    lost.check(f"error {key}")
    report(cell.transfers.create, **INVOICE, idempotency_key=key).check("same tr_1")
    assert len(service.payments) == 1


@pytest.fixture
def interrupt():
    """A function that interrupts the main thread, as Ctrl-C does, after some seconds."""

    def raise_interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, raise_interrupt)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)
def test_an_interrupt_names_a_random_key(service, cell, interrupt):
    """Ctrl-C during `new=True` shows the key, with which the call can be repeated."""
    cell.transfers.create(**ORDER)
    service.delay = 0.4
    interrupt(0.15)
    with visible_text() as texts, pytest.raises(KeyboardInterrupt) as raised:
        cell.transfers.create(**INVOICE, new=True)
    key = service.sent_keys()[-1]
    shown = "\n".join([texts[0], str(raised.value), *getattr(raised.value, "__notes__", ())])
    assert key in shown
    report(cell.transfers.create, **INVOICE, idempotency_key=key).check("same tr_2")
    assert len(service.payments) == 2


@pytest.mark.parametrize("order", [ORDER, INVOICE], ids=["values", "reference"])
def test_an_interrupted_cell_is_run_again(service, cell, interrupt, order):
    """A cell that is interrupted and run again pays once."""
    service.delay = 0.3
    interrupt(0.1)
    with pytest.raises(KeyboardInterrupt):
        cell.transfers.create(**order)
    report(cell.transfers.create, **order).check("same tr_1")
    assert len(service.payments) == 1


REFUSED_AND_CORRECTED = [
    (INVOICE, CORRECTED, 422),
    (INVOICE, CORRECTED, 400),
    (INVOICE, INVOICE, 422),
    (INVOICE, INVOICE, 503),
    (ORDER, ORDER, 503),
    (ORDER, {**ORDER, "source_amount": "9.00"}, 400),
]


@pytest.mark.parametrize(("first", "second", "status"), REFUSED_AND_CORRECTED)
def test_a_refused_order_can_be_corrected(service, connect, first, second, status):
    """An order that the service refused is paid when it is sent again, corrected or not."""
    cell = connect(max_retries=0)
    service.refusals.append(Answer(status, {"error": "the account cannot be paid"}))
    report(cell.transfers.create, **first).check("error")
    report(cell.transfers.create, **second).check("paid tr_1")
    report(cell.transfers.create, **second).check("repeated tr_1")
    assert len(service.payments) == 1


FAILS = ["failed", "expired", "cancelled"]
ORDERS = {"values": ORDER, "reference": INVOICE}


@pytest.mark.parametrize("status", FAILS)
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_a_dead_payment_that_was_replaced_is_not_paid_again(service, connect, order, status):
    """The first call of a dead payment returns the live payment that replaced it."""
    report(connect().transfers.create, **order).check("paid tr_1")
    service.payments[0]["status"] = status
    report(connect().transfers.create, **order, new="retry").check("paid tr_2")
    report(connect().transfers.create, **order).check("repeated tr_2")
    report(connect().transfers.create, **order, lookback="45 days").check("repeated tr_2")
    assert len(service.payments) == 2


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_a_dead_attempt_that_was_replaced_is_not_paid_again(service, cell, order):
    """Of several attempts that are named by ids, each earlier call returns the live payment."""
    report(cell.transfers.create, **order).check("paid tr_1")
    service.payments[0]["status"] = "failed"
    report(cell.transfers.create, **order, new="tr_1").check("paid tr_2")
    service.payments[1]["status"] = "cancelled"
    report(cell.transfers.create, **order, new="tr_2").check("paid tr_3")
    for name in ("", "tr_1", "tr_2"):
        report(cell.transfers.create, **order, new=name).check("repeated tr_3")
    assert len(service.payments) == 3


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_a_dead_payment_of_a_name_tells_of_a_later_one(service, cell, order):
    """The later payment of another name is no success of a name, but the error tells of it."""
    report(cell.transfers.create, **order).check("paid tr_1")
    report(cell.transfers.create, **order, new="july").check("paid tr_2")
    service.payments[1]["status"] = "failed"
    july = report(cell.transfers.create, **order, new="july")
    july.check("error tr_2 failed new=")
    assert "tr_1" not in july.error
    report(cell.transfers.create, **order, new="august").check("paid tr_3")
    report(cell.transfers.create, **order, new="july").check("error tr_2 failed tr_3 new=")
    assert len(service.payments) == 3


REPLACED_BY = [
    ({"source_amount": "12.00"}, "error tr_2 12"),
    ({"financial_account_id": "fa_2"}, "error tr_2 fa_2"),
]


@pytest.mark.parametrize(("change", "reported"), REPLACED_BY)
def test_a_dead_payment_that_was_replaced_with_other_values(service, cell, change, reported):
    """The first call names the live payment with other values, which is no success of it."""
    report(cell.transfers.create, **INVOICE).check("paid tr_1")
    service.payments[0]["status"] = "failed"
    report(cell.transfers.create, **{**INVOICE, **change}, new="tr_1").check("paid tr_2")
    report(cell.transfers.create, **INVOICE).check(reported)
    assert len(service.payments) == 2


EARLIER = [
    ("invoice-7", 3, "repeated tr_1"),
    ("invoice-7", 30, "error tr_2 failed new="),
    (None, 3, "error tr_2 failed new="),
]


@pytest.mark.parametrize(("reference", "days", "reported"), EARLIER)
def test_a_live_payment_wins_over_a_later_dead_one(service, cell, reference, days, reported):
    """A live payment of the last 7 days is that of the reference; without one it is another's."""
    order = {**ORDER, "client_reference_id": reference} if reference else ORDER
    report(cell.transfers.create, **order).check("paid tr_1")
    service.clock.advance(days=days)
    report(cell.transfers.create, **order).check("paid tr_2")
    service.payments[1]["status"] = "failed"
    report(cell.transfers.create, **order).check(reported)
    assert len(service.payments) == 2


UNREADABLE_LISTS = [{"failing_page": 1}, {"html": True}, {"masked": True}]


@pytest.mark.parametrize("switches", UNREADABLE_LISTS)
def test_a_list_that_cannot_tell_of_a_replacement(service, connect, switches):
    """The error of the dead payment says that the list could not tell, before `new=`."""
    cell = connect(max_retries=0)
    report(cell.transfers.create, **INVOICE).check("paid tr_1")
    service.payments[0]["status"] = "failed"
    report(cell.transfers.create, **INVOICE, new="retry").check("paid tr_2")
    for name, value in switches.items():
        setattr(service.listing, name, value)
    again = report(cell.transfers.create, **INVOICE)
    again.check('error tr_1 could not new="tr_1"')
    assert again.error.index("could not tell") < again.error.index("new=")
    assert len(service.payments) == 2


def test_the_error_of_a_changed_order_says_what_would_be_paid(service, cell):
    """Paying a changed order again pays the changed one, and the error says so."""
    report(cell.transfers.create, **INVOICE).check("paid tr_1")
    service.payments[0]["status"] = "failed"
    changed = report(cell.transfers.create, **CORRECTED)
    changed.check("error tr_1 failed as it is now financial_account is fa_1, not fa_2")
    assert len(service.payments) == 1


def test_the_advice_of_a_dead_payment_pays_once_also_after_days(service, connect):
    """What the error of a dead payment advises pays once within 45 days."""
    report(connect().transfers.create, **INVOICE).check("paid tr_1")
    service.payments[0]["status"] = "failed"
    report(connect().transfers.create, **INVOICE).check('error new="tr_1" lookback="45 days"')
    advised = {"new": "tr_1", "lookback": "45 days"}
    report(connect().transfers.create, **INVOICE, **advised).check("paid tr_2")
    for _ in range(3):
        service.clock.advance(days=2)
        report(connect().transfers.create, **INVOICE, **advised).check("repeated tr_2")
    service.clock.advance(days=20)
    report(connect().transfers.create, **INVOICE, **advised).check("error tr_2 days old")
    assert len(service.payments) == 2


NOTICES = [
    (ORDER, {}, "needs new="),
    (INVOICE, {}, "another client_reference_id, or new="),
    (INVOICE, {"new": "tr_1"}, "needs another new="),
]


@pytest.mark.parametrize(("order", "options", "choice"), NOTICES)
def test_the_notice_of_a_repetition_has_no_call_to_copy(cell, order, options, choice):
    """The notice says what a second payment needs, and no value of `new=` to copy."""
    report(cell.transfers.create, **order, **options)
    again = report(cell.transfers.create, **order, **options)
    assert choice in again.visible
    assert 'new="' not in again.visible


def test_a_name_that_the_list_cannot_tell_names_the_newest_payment(service, cell):
    """With `lookback`, a free name is an error that names the id of the newest payment."""
    report(cell.transfers.create, **INVOICE, new="july").check("paid tr_1")
    service.clock.advance(days=3)
    again = report(cell.transfers.create, **INVOICE, new="july", lookback="45 days")
    again.check("error could not be told july tr_1 it is done")
    assert "the same call reads it again" not in again.error
    assert len(service.payments) == 1
