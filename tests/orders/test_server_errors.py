"""A service that pays and then answers a 5xx has not stored the key: the list is asked."""

from datetime import timedelta

import pytest
from order_reports import batch_report, report
from payments_service import ORDER
from service_answer import Answer

INVOICE = {**ORDER, "client_reference_id": "invoice-7"}
OWN_KEY = {"idempotency_key": "0b54eae0-6b8a-4f0c-9d3b-3a3f8a1f2c11"}
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
BUSY = Answer(503, {"error": "busy"}, {"Retry-After": "0"})
MAY_BE_PAID = "error may be paid tr_1 does not prove"

CALLS = {
    "values": ORDER,
    "reference": INVOICE,
    "values and a name": {**ORDER, "new": "second"},
    "reference and new=True": {**INVOICE, "new": True},
}
BY_TIME = {name: call for name, call in CALLS.items() if name != "reference"}
"""Calls of which no list can prove that a payment is theirs."""


def set_switches(service, switches):
    """Set switches of the list."""
    for name, value in switches.items():
        setattr(service.listing, name, value)


PAID_FIRST = [(name, [503], {}) for name in CALLS]
PAID_FIRST += [("values", [status], {}) for status in (500, 502, 504)]
PAID_FIRST += [(name, [503, 500, 503, 500], {}) for name in ("values", "reference")]
PAID_FIRST += [
    (name, [503], offset)
    for name in ("values", "reference")
    for offset in ({"minutes": -4.5}, {"hours": -5}, {"hours": 5}, {"days": 60}, None)
]


@pytest.mark.parametrize(("name", "statuses", "offset"), PAID_FIRST)
def test_a_payment_made_before_a_5xx_is_not_made_again(service, connect, name, statuses, offset):
    """The newest page is read before the next attempt; only a reference is a proof.

    So it is whatever the clock of this machine says, and at a service without a Date.
    """
    call = CALLS[name]
    if offset is None:
        service.date_error = None
    else:
        service.clock.advance(**offset)
    for number in range(3):
        service.add_payment(f"another-{number}", age=number * HOUR, id=f"old_{number}")
    service.add_payment(call.get("client_reference_id"), age=40 * DAY, id="old_4")
    service.failures_after_commit.extend(statuses)
    outcome = report(connect(max_retries=3).transfers.create, **call)
    outcome.check("same tr_1" if name == "reference" else MAY_BE_PAID)
    assert (len(service.payments), len(service.posts())) == (5, 1)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_5xx_that_paid_nothing_is_repeated_with_the_same_key(service, connect, call):
    """Equal payments of other days do not keep an order from being sent again after a 5xx."""
    for days in (40, 3):
        service.add_payment(call.get("client_reference_id"), age=days * DAY)
    service.refusals.extend([BUSY, BUSY])
    outcome = report(connect(max_retries=2).transfers.create, **call)
    outcome.check("paid tr_3")
    assert len(service.payments) == 3
    assert (len(service.sent_keys()), len({*service.sent_keys()})) == (3, 1)


OTHERS = [
    (True, [{}], "error may be paid tr_1 tr_2"),
    (True, [{"source_amount": "12.00"}, {"reference": "another"}], MAY_BE_PAID),
    (False, [{}], MAY_BE_PAID),
    (False, [{"status": "failed"}], "error tr_1 failed"),
    (False, [{"source_amount": "12.00"}], "paid tr_2"),
    (False, [{"financial_account_id": "fa_2"}], "paid tr_2"),
    (False, [{"reference": "another"}], "paid tr_2"),
]


@pytest.mark.parametrize(("is_paid", "others", "reported"), OTHERS)
def test_another_program_that_pays_the_same_at_that_moment(
    service, connect, is_paid, others, reported
):
    """An equal payment is never reported as that of the call, and nothing is sent again."""
    service.meanwhile = others
    if is_paid:
        service.failures_after_commit.append(503)
    else:
        service.refusals.append(BUSY)
    report(connect(max_retries=2).transfers.create, **ORDER).check(reported)
    assert len(service.posts()) == (2 if reported.startswith("paid") else 1)


@pytest.mark.parametrize("call", BY_TIME.values(), ids=BY_TIME)
def test_an_equal_payment_of_a_second_before_the_call_cannot_tell(service, connect, call):
    """Clocks are known to a second or two, so this payment is neither taken nor made again."""
    service.add_payment(call.get("client_reference_id"), age=timedelta(seconds=1))
    service.refusals.append(BUSY)
    report(connect(max_retries=1).transfers.create, **call).check(MAY_BE_PAID)
    assert (len(service.payments), len(service.posts())) == (1, 1)


@pytest.mark.parametrize("call", BY_TIME.values(), ids=BY_TIME)
def test_the_payment_of_another_call_of_this_lab_is_not_taken(service, connect, call):
    """A payment that an answer has just given is not that of a call whose answer was a 5xx."""
    cell = connect(max_retries=1)
    report(cell.transfers.create, **INVOICE).check("paid tr_1")
    report(cell.transfers.create, **ORDER).check("paid tr_2")
    service.refusals.append(BUSY)
    expected = "same tr_2" if call == ORDER else "paid tr_3"
    report(cell.transfers.create, **call).check(expected)
    assert len(service.posts()) == 4


@pytest.mark.parametrize("call", [INVOICE, ORDER], ids=["reference", "values"])
def test_a_payment_made_before_a_5xx_that_failed_is_no_success(service, connect, call):
    """A payment that the service made, failed and answered with a 5xx is an error with its id."""
    service.status_of_new = "failed"
    service.failures_after_commit.append(503)
    report(connect(max_retries=1).transfers.create, **call).check("error tr_1 failed new=")
    assert len(service.payments) == 1


CANNOT_TELL = [
    {"failing_page": 1},
    {"html": True},
    {"masked": True},
    {"order": "oldest first", "page_size": 1},
    {"order": "oldest first", "page_size": 2},
    {"order": "by amount", "page_size": 2},
    {"page_size": 2, "following": 3},
    {"hidden": {"created_at"}},
    {"hidden": {"created_at"}, "page_size": 2},
    {"hidden": {"client_reference_id"}},
    {"hidden": {"source_amount"}},
    {"hidden": {"financial_account_id"}},
    {"hidden": {"id"}},
]


@pytest.mark.parametrize(
    ("call", "age"), [(INVOICE, HOUR), (ORDER, timedelta())], ids=["reference", "values at once"]
)
@pytest.mark.parametrize("switches", CANNOT_TELL, ids=str)
def test_a_page_that_cannot_tell_ends_the_call(service, connect, switches, call, age):
    """The page must be readable, the newest one, and reach back to the call; else nothing is sent.

    Whatever it shows, the call is an error or has the payment that was made.
    """
    for number in range(3):
        service.add_payment(f"another-{number}", financial_account_id="fa_3", age=age)
    service.failures_after_commit.append(500)
    set_switches(service, switches)
    report(connect(max_retries=1).transfers.create, **call).check("kept tr_4")
    assert (len(service.payments), len(service.posts())) == (4, 1)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_list_that_lags_does_not_show_the_payment(service, connect, call):
    """A page without the payment is no proof: a service that departs twice is paid twice.

    It pays before its 5xx, and its list lags. The call has the payment of its last attempt.
    """
    service.listing.lag = HOUR
    service.failures_after_commit.append(503)
    report(connect(max_retries=1).transfers.create, **call).check("paid tr_2")
    assert len(service.payments) == 2


@pytest.mark.parametrize("order", [ORDER, INVOICE], ids=["values", "reference"])
def test_an_own_key_alone_decides_after_a_5xx(service, connect, order):
    """It is sent again without a look at the list, whose payments may have another key."""
    service.failures_after_commit.append(503)
    report(connect(max_retries=1).transfers.create, **order, **OWN_KEY).check("paid tr_2")
    assert service.listing.reads == 0
    assert len({*service.sent_keys()}) == 1


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_service_without_a_list_gets_the_order_again(service, connect, status):
    """Only its key can tell then; an order that is its reference is not sent again unseen."""
    service.listing.failing_page = 1
    service.listing.failure = status
    service.refusals.append(BUSY)
    report(connect(max_retries=1).transfers.create, **ORDER).check("paid tr_1")
    service.refusals.append(BUSY)
    report(connect(max_retries=1).transfers.create, **INVOICE).check("error not known")
    assert len(service.payments) == 1


def test_a_list_without_a_payment_of_these_values_needs_no_time(service, connect):
    """Without a Date header the order is sent again, if the list has nothing like it."""
    service.date_error = None
    service.refusals.append(BUSY)
    report(connect(max_retries=1).transfers.create, **ORDER).check("paid tr_1")


@pytest.mark.parametrize("reference", [{}, {"client_reference_id": "invoice-7"}])
def test_a_raw_post_looks_at_the_newest_page_too(service, connect, reference):
    """A POST of a path to an operation that takes a key is an order, also after a 5xx."""
    fields = {**ORDER, **reference, "financial_account": {"id": "fa_1"}}
    del fields["financial_account_id"]
    service.failures_after_commit.append(503)
    expected = "same tr_1" if reference else MAY_BE_PAID
    report(connect(max_retries=1).post, path="/v1/transfers", json=fields).check(expected)
    assert (len(service.payments), len(service.posts())) == (1, 1)


@pytest.mark.parametrize("references", [True, False])
def test_each_row_of_a_batch_is_paid_once(service, connect, references):
    """Rows whose payment was made before a 5xx are not paid again, with and without references."""
    rows = [{**ORDER, "source_amount": f"{number}.00"} for number in range(11, 15)]
    if references:
        rows = [{**row, "client_reference_id": row["source_amount"]} for row in rows]
    service.failures_after_commit.extend([503, 500])
    sent = batch_report(connect(max_retries=1), rows, references=references, concurrency=1)
    repeated = "replayed" if references else "unknown"
    sent.check(f"{repeated}, {repeated}, created, created")
    assert sent.ids[2:] == ["tr_3", "tr_4"]
    assert len(service.payments) == 4


@pytest.mark.parametrize("unreadable", [403, 404, 500])
def test_a_payment_that_the_list_shows_and_that_cannot_be_read(service, connect, unreadable):
    """The error is that of the payment: a refused reading does not say that nothing was paid."""
    service.unreadable = unreadable
    service.failures_after_commit.extend([503, 503])
    lab = connect(max_retries=1)
    report(lab.transfers.create, **INVOICE).check("error 503 lookback=")
    batch_report(lab, [{**INVOICE, "client_reference_id": "invoice-8"}]).check("unknown")
    assert (len(service.payments), len(service.posts())) == (2, 2)


ADVICE = [
    (ORDER, 'lookback="45 days" find('),
    (INVOICE, 'lookback="45 days" find('),
    ({**ORDER, "new": True}, "idempotency_key= may pay twice find("),
    ({**ORDER, **OWN_KEY}, "idempotency_key= may pay twice find("),
]


@pytest.mark.parametrize(("call", "advised"), ADVICE)
def test_the_error_of_a_5xx_advises_to_look_first(service, connect, call, advised):
    """A 5xx may hide a payment whose key is not stored: the advised `lookback` finds it."""
    service.failures_after_commit.append(500)
    failed = report(connect(max_retries=0).transfers.create, **call)
    failed.check(f"error {advised}")
    assert "cannot pay twice" not in failed.error
    if call in (ORDER, INVOICE):
        report(connect().transfers.create, **call, lookback="45 days").check("repeated tr_1")
    assert len(service.payments) == 1
