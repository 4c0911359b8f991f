"""Answers that are lost or spoiled after the payment was made, alone and in a batch."""

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import pytest
from order_reports import batch_report, report
from payments_service import ORDER
from spoiled_answers import FIELDS, SILENT, SPOILED

from paylab import PaylabError

INVOICE = {**ORDER, "client_reference_id": "invoice-7"}
KINDS = list(SPOILED)
ROWS = [{**ORDER, "source_amount": f"{20 + number}.00"} for number in range(len(KINDS))]


@pytest.mark.parametrize(
    ("kind", "order"), zip(KINDS, cycle([ORDER, INVOICE]), strict=False), ids=KINDS
)
def test_a_spoiled_answer_is_never_paid_twice_or_reported_falsely(service, connect, kind, order):
    """After a spoiled answer there is an error or the true payment, and the next call gives it."""
    cell = connect(max_retries=0, timeout=0.3 if kind in SILENT else 5)
    service.spoiled.append(kind)
    first = report(cell.transfers.create, **order)
    assert first.error or first.id == "tr_1"
    assert len(service.payments) == 1
    again = report(connect().transfers.create, **order)
    again.check("same tr_1")
    assert len(service.payments) == 1


REPLAYED = [*FIELDS, "no body", "null", "an empty object", "an error with status 201", "HTML"]


@pytest.mark.parametrize("kind", REPLAYED)
def test_a_spoiled_replay_is_never_reported_falsely(service, connect, kind):
    """A replay that is spoiled is an error or the true payment, and the next one is whole."""
    cell = connect(max_retries=0)
    report(cell.transfers.create, **INVOICE).check("paid tr_1")
    service.spoiled.append(kind)
    report(cell.transfers.create, **INVOICE).check("kept tr_1")
    report(cell.transfers.create, **INVOICE).check("repeated tr_1")
    assert len(service.payments) == 1


@pytest.mark.parametrize(
    ("kind", "order"),
    [("closed before the first byte", ORDER), ("silence", INVOICE), ("HTML", ORDER)],
)
def test_the_error_of_a_lost_answer_says_what_to_do(service, connect, kind, order):
    """The error says that it is not known, until when to ask again, and how to look later."""
    cell = connect(max_retries=0, timeout=0.3)
    service.clock.advance(days=40)
    assert list(cell.transfers.list()) == []  # the time of the service is known from any answer
    service.spoiled_always = kind
    lost = report(cell.transfers.create, **order)
    lost.check('error not known "45 days"')
    assert lost.error.index("same call again") < lost.error.index("45 days")
    assert lost.error.index("45 days") < lost.error.index("earlier call")
    assert "lookback" in lost.error or "find" in lost.error
    tomorrow = service.clock().date().toordinal() + 1
    days = re.findall(r"\d{4}-\d\d-\d\d", lost.error)
    assert days, f"no date in: {lost.error}"
    ordinals = [type(service.clock().date()).fromisoformat(day).toordinal() for day in days]
    assert tomorrow in ordinals, f"{days} is not the next day of the service"


@pytest.mark.parametrize(("references", "kinds"), [(True, KINDS), (False, KINDS[::2])])
def test_a_batch_with_spoiled_answers_pays_each_row_once(service, connect, references, kinds):
    """A batch whose answers are spoiled once each is sent until no row is left.

    It stops when the service seems not to answer at all, so that it takes some turns. Each row is
    paid once and reported truly.
    """
    amount_by_kind = {kind: row["source_amount"] for row, kind in zip(ROWS, kinds, strict=False)}
    rows = [{**ORDER, "source_amount": amount} for amount in amount_by_kind.values()]
    if references:
        rows = [{**row, "client_reference_id": row["source_amount"]} for row in rows]
    service.spoiled_by_amount = {amount: kind for kind, amount in amount_by_kind.items()}
    cell = connect(timeout=0.5, max_retries=0)
    for _ in range(len(rows)):
        sent = batch_report(cell, rows, references=references)
        true_ids = {row["source_amount"]: row["id"] for row in service.payments}
        assert not sent.error
        for (kind, amount), identity in zip(amount_by_kind.items(), sent.ids, strict=True):
            assert identity in (None, true_ids.get(amount)), kind
        if None not in sent.ids:
            break
    assert None not in sent.ids
    assert service.spoiled_by_amount == {}, "a kind was not tried"
    assert len(service.payments) == len(rows)


def test_orders_with_spoiled_answers_are_paid_once_with_retries(service, connect):
    """With the usual retries each order is paid once, and a success has the true payment."""
    service.spoiled_by_amount = {
        row["source_amount"]: kind for row, kind in zip(ROWS, KINDS, strict=True)
    }
    cell = connect(timeout=0.5, max_retries=1)
    with ThreadPoolExecutor(30) as pool:
        ends = list(pool.map(lambda row: create_or_error(cell, row), ROWS))
    true_ids = {row["source_amount"]: row["id"] for row in service.payments}
    assert len(service.payments) == len(ROWS)
    for row, kind, identity in zip(ROWS, KINDS, ends, strict=True):
        assert identity in (None, true_ids[row["source_amount"]]), kind


def create_or_error(cell, order):
    """Return the id of a payment, or None after an error."""
    try:
        return cell.transfers.create(**order).id
    except PaylabError:
        return None


def test_answers_that_are_always_lost(service, connect):
    """However often the answer is lost, there is one payment and never a success."""
    cell = connect(max_retries=0)
    service.spoiled_always = "closed before the first byte"
    for _ in range(3):
        report(cell.transfers.create, **INVOICE).check("error")
    service.spoiled_always = ""
    report(cell.transfers.create, **INVOICE).check("same tr_1")
    assert len(service.payments) == 1


@pytest.mark.parametrize("status", ["failed", "expired", "cancelled"])
def test_a_lost_payment_that_failed_meanwhile_is_an_error(service, connect, status):
    """The repetition of a lost order whose payment failed is an error, not a success."""
    cell = connect(max_retries=0)
    service.spoiled.append("reset before the first byte")
    report(cell.transfers.create, **INVOICE).check("error")
    service.payments[0]["status"] = status
    report(cell.transfers.create, **INVOICE).check(f"error tr_1 {status} new=")
    assert len(service.payments) == 1


@pytest.mark.parametrize("kind", ["another payment", "the amount of another payment"])
def test_an_answer_about_another_payment_is_an_error_that_names_it(service, connect, kind):
    """An answer with other terms is never a success, whether replayed or not."""
    service.spoiled_always = kind
    report(connect(max_retries=0).transfers.create, **INVOICE).check("error tr_999")
    report(connect(max_retries=0).transfers.create, **INVOICE).check("error tr_999")
    assert len(service.payments) == 1
