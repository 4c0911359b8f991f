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


# The number of payments at the end, whether the orders have a reference, and the steps: a call with
# its options and what it must report, the end of a payment, or a wait.
STORIES = {
    "a name is paid once": (2, "both", """
        -> paid tr_1
        new=second -> paid tr_2
        new=second -> repeated tr_2"""),
    "each name is an order of its own, also one that is an id": (3, "both", """
        -> paid tr_1
        new=second -> paid tr_2
        new=tr_1 -> paid tr_3
        new=second -> repeated tr_2
        new=tr_1 -> repeated tr_3"""),
    "True pays each time, and False never": (3, "both", """
        -> paid tr_1
        new=True -> paid tr_2
        new=True -> paid tr_3
        new=False -> repeated tr_1"""),
    "after failures each error names the next payment, and nothing is paid twice": (3, "both", """
        -> paid tr_1
        tr_1 failed
        -> error tr_1 failed new=
        new=tr_1 -> paid tr_2
        tr_2 cancelled
        new=tr_1 -> error tr_2 cancelled new=
        new=tr_2 -> paid tr_3
        -> error tr_1 failed new="tr_1"
        new=tr_1 -> error tr_2 cancelled new="tr_2"
        new=tr_2 -> repeated tr_3"""),
    "the advice of a dead payment that was replaced under any name pays nothing": (2, "both", """
        -> paid tr_1
        tr_1 expired
        new=retry -> paid tr_2
        -> error tr_1 expired new="tr_1" lookback="45 days"
        new=tr_1; lookback=45 days -> repeated tr_2
        lookback=45 days -> repeated tr_2"""),
    "a corrected order pays a dead payment again": (2, "reference", """
        -> paid tr_1
        tr_1 failed
        financial_account_id=fa_2 -> error tr_1 failed as it is now account is fa_1, not fa_2
        financial_account_id=fa_2; new=tr_1 -> paid tr_2
        financial_account_id=fa_2; new=tr_1 -> repeated tr_2"""),
    "other values under a name are an error": (1, "reference", """
        new=second -> paid tr_1
        new=second; source_amount=12.00 -> error may"""),
    "what the error of a dead payment advises pays once, also after days": (2, "reference", """
        -> paid tr_1
        tr_1 failed
        -> error new="tr_1" lookback="45 days"
        new=tr_1; lookback=45 days -> paid tr_2
        2 days
        new=tr_1; lookback=45 days -> repeated tr_2
        2 days
        new=tr_1; lookback=45 days -> repeated tr_2
        20 days
        new=tr_1; lookback=45 days -> error tr_2 days old"""),
    "a name that the list cannot tell names the newest payment": (1, "reference", """
        new=july -> paid tr_1
        3 days
        new=july; lookback=45 days -> error could not be told july tr_1 it is done"""),
}  # fmt: skip
TOLD = [
    (kind, title)
    for title, (_, told_with, _) in STORIES.items()
    for kind in ("values", "reference")
    if told_with in (kind, "both")
]


@pytest.mark.parametrize(("kind", "title"), TOLD)
def test_paying_again_on_purpose_reports_and_pays_as_its_story_says(service, connect, kind, title):
    """Each call of a story is one of a new lab."""
    paid, _, steps = STORIES[title]
    order = {"values": ORDER, "reference": INVOICE}[kind]
    for step in steps.strip().splitlines():
        options, arrow, reported = (part.strip() for part in step.partition("->"))
        if arrow:
            pairs = [option.partition("=") for option in options.split("; ") if option]
            values = {
                name: {"True": True, "False": False}.get(text, text) for name, _, text in pairs
            }
            report(connect().transfers.create, **{**order, **values}).check(reported)
        elif options.endswith("days"):
            service.clock.advance(days=int(options.split()[0]))
        else:
            payment, status = options.split()
            next(row for row in service.payments if row["id"] == payment)["status"] = status
    assert len(service.payments) == paid


@pytest.mark.parametrize("name", ["", "  "])
def test_a_blank_name_is_no_new_order(service, cell, name):
    """A blank `new` is an error, or no new order: nothing is paid again."""
    report(cell.transfers.create, **ORDER).check("paid tr_1")
    report(cell.transfers.create, **ORDER, new=name).check("kept")
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
    """A function that interrupts the main thread, as Ctrl-C does, from any thread."""

    def raise_interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, raise_interrupt)
    main_id = threading.main_thread().ident
    yield lambda: signal.pthread_kill(main_id, signal.SIGALRM)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)
def test_an_interrupt_names_a_random_key(service, cell, interrupt):
    """Ctrl-C during `new=True` shows the key, with which the call can be repeated."""
    cell.transfers.create(**ORDER)
    service.delay = 0.4
    service.on_search = interrupt  # while the call waits for its answer
    with visible_text() as texts, pytest.raises(KeyboardInterrupt) as raised:
        cell.transfers.create(**INVOICE, new=True)
    service.on_search = lambda: None
    key = service.sent_keys()[-1]
    shown = "\n".join([texts[0], str(raised.value), *getattr(raised.value, "__notes__", ())])
    assert key in shown
    report(cell.transfers.create, **INVOICE, idempotency_key=key).check("same tr_2")
    assert len(service.payments) == 2


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
