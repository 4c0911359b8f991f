"""What the list decides: after a 409, with `lookback`, and in `find`."""

from datetime import timedelta

import pytest
from order_reports import batch_report, report
from payments_service import ORDER
from service_answer import Answer

INVOICE = {**ORDER, "client_reference_id": "invoice-7"}
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def set_switches(service, switches):
    """Set switches of the list, or of the service."""
    for name, value in switches.items():
        setattr(service.listing, name, value)


CONFLICTS = [
    ({}, None, "repeated tr_1"),
    ({}, "invoice-7", "repeated tr_1"),
    ({"order": "oldest first"}, None, "repeated tr_1"),
    ({"lower_case": True}, "invoice-7", "repeated tr_1"),
    ({"hidden": {"payout_method"}}, "invoice-7", "repeated tr_1"),
    ({"hidden": {"recipient_id", "total_fee", "exchange_rate"}}, None, "repeated tr_1"),
    ({"lag": HOUR}, None, "error"),
    ({"masked": True}, "invoice-7", "error"),
    ({"hidden": {"client_reference_id"}}, "invoice-7", "error"),
    ({"hidden": {"client_reference_id"}}, None, "error"),
    ({"hidden": {"source_amount"}}, "invoice-7", "error"),
    ({"hidden": {"financial_account_id"}}, None, "error"),
    ({"hidden": {"destination_currency"}}, None, "error"),
    ({"hidden": {"id"}}, "invoice-7", "error"),
    ({"changed": {"source_amount": "12.00"}}, "invoice-7", "error"),
    ({"changed": {"financial_account_id": "fa_2"}}, "invoice-7", "error"),
    ({"changed": {"status": "failed"}}, "invoice-7", "error failed"),
    ({"changed": {"status": "expired"}}, None, "error"),
    ({"html": True}, "invoice-7", "error"),
    ({"failing_page": 1}, "invoice-7", "error"),
]


@pytest.mark.parametrize(("switches", "reference", "reported"), CONFLICTS)
def test_a_conflict_for_ever_is_settled_by_the_list(
    service, connect, switches, reference, reported
):
    """After a 409 the one live payment with these terms is returned; otherwise it is an error."""
    order = {**ORDER, "client_reference_id": reference} if reference else ORDER
    cell = connect(max_retries=0)
    report(cell.transfers.create, **order).check("paid tr_1")
    service.add_payment("another", financial_account_id="fa_3")
    service.idempotency.always_conflicts = True
    set_switches(service, switches)
    again = report(cell.transfers.create, **order)
    again.check(reported)
    if "payout_method" in switches.get("hidden", ()):
        assert "not shown: payout_method" in again.visible
    assert len(service.payments) == 2


OTHERS = [
    ("invoice-7", [{"reference": "invoice-7"}], "error tr_1 tr_2"),
    ("invoice-7", [{"reference": "invoice-7", "source_amount": "12.00"}], "error tr_1 tr_2"),
    ("invoice-7", [{"reference": "invoice-8"}], "repeated tr_1"),
    ("invoice-7", [{"reference": None}], "repeated tr_1"),
    (None, [{"reference": None}], "error tr_1 tr_2"),
    (None, [{"reference": "invoice-8"}], "repeated tr_1"),
    (None, [{"reference": None, "source_amount": "12.00"}], "repeated tr_1"),
    (None, [{"reference": None, "financial_account_id": "fa_2"}], "repeated tr_1"),
    (None, [{"reference": None, "age": 40 * HOUR}], "repeated tr_1"),
]


@pytest.mark.parametrize(("reference", "others", "reported"), OTHERS)
def test_only_one_listed_payment_settles_a_conflict(service, cell, reference, others, reported):
    """Only one payment with the reference, or one with the values and none, settles a 409."""
    order = {**ORDER, "client_reference_id": reference} if reference else ORDER
    report(cell.transfers.create, **order).check("paid tr_1")
    for payment in others:
        service.add_payment(**payment)
    service.idempotency.always_conflicts = True
    report(cell.transfers.create, **order).check(reported)
    assert len(service.payments) == 1 + len(others)


OTHER_REFUSALS = [
    "There's an insufficient balance in the account.",
    "Recipient has pending verification",
    "The action you specified can't be performed on the object in its current state.",
]


@pytest.mark.parametrize("text", OTHER_REFUSALS)
def test_a_conflict_about_something_else_is_told_as_that(service, connect, text):
    """A 409 about the balance or a state keeps its words and advice, and no list is read."""
    cell = connect(max_retries=0)
    service.refusals.append(Answer(409, {"error": text}))
    refused = report(cell.transfers.create, **INVOICE)
    refused.check(f"error 409 {text}")
    assert "under way" not in refused.error
    assert "paying twice" not in refused.error
    service.refusals.append(Answer(409, {"error": text}))
    refused_rows = batch_report(cell, [{**ORDER, "client_reference_id": "b"}], lookback=None)
    assert refused_rows.outcomes == ["refused"]
    assert (service.payments, service.listing.reads) == ([], 0)


ORDER_CONFLICTS = [
    {},
    {"error": "conflict"},
    {"error": "this Idempotency-Key was used with another request"},
    {"message": "A transfer with this reference already exists"},
    {"message": "a request with the same parameters is being processed"},
    {"code": "duplicate_reference", "message": "Reference was used before"},
]


@pytest.mark.parametrize("body", ORDER_CONFLICTS)
def test_a_conflict_of_orders_is_settled_by_the_list(service, connect, body):
    """A 409 about a key, a duplicate or nothing is settled by the list."""
    cell = connect(max_retries=0)
    service.refusals.append(Answer(409, body))
    report(cell.transfers.create, **INVOICE).check("error may be paid or under way")
    service.add_payment("invoice-7")
    service.refusals.append(Answer(409, body))
    report(cell.transfers.create, **INVOICE).check("repeated tr_1")
    assert len(service.payments) == 1


def test_a_conflict_with_other_values_names_the_payment_first(cell):
    """The payment and what differs come first."""
    report(cell.transfers.create, **INVOICE).check("paid tr_1")
    refused = report(cell.transfers.create, **{**INVOICE, "source_amount": "12.00"})
    refused.check("error tr_1 source_amount is 10, not 12")
    assert refused.error.startswith("tr_1 ")
    assert "may be paid" not in refused.error


LOOKBACK = [
    ([], {}, "paid tr_1"),
    ([{"age": 3 * DAY}], {}, "repeated tr_1"),
    ([{"age": 9 * DAY}], {}, "error tr_1 new="),
    ([{"age": 60 * DAY}], {}, "paid tr_2"),
    ([{"age": 25 * HOUR, "status": "strange"}], {}, "repeated tr_1"),
    ([{"age": 25 * HOUR, "status": "failed"}], {}, "error tr_1 failed new="),
    ([{"age": 25 * HOUR, "source_amount": "12.00"}], {}, "error tr_1"),
    ([{"age": 25 * HOUR, "financial_account_id": "fa_2"}], {}, "error tr_1"),
    ([{"age": 50 * HOUR, "status": "failed"}, {"age": 25 * HOUR}], {}, "repeated tr_2"),
    ([{"age": 50 * HOUR}, {"age": 25 * HOUR, "status": "failed"}], {}, "repeated tr_1"),
    ([{"age": 25 * HOUR}], {"page_size": 2}, "repeated tr_1"),
    ([{"age": 25 * HOUR}], {"order": "oldest first", "page_size": 2}, "repeated tr_1"),
    ([{"age": 25 * HOUR}], {"repeats": True, "page_size": 2}, "repeated tr_1"),
    ([{"age": 25 * HOUR}], {"lower_case": True}, "repeated tr_1"),
    ([{"age": 25 * HOUR}], {"hidden": {"payout_method"}}, "repeated tr_1"),
    ([{"age": 25 * HOUR}], {"hidden": {"client_reference_id"}}, "unsent"),
    ([{"age": 25 * HOUR}], {"masked": True}, "unsent"),
    ([{"age": 25 * HOUR}], {"hidden": {"id"}}, "unsent"),
    ([{"age": 25 * HOUR}], {"hidden": {"status"}}, "kept tr_1"),
    ([{"age": 25 * HOUR}], {"hidden": {"created_at"}}, "kept tr_1"),
    ([{"age": 25 * HOUR}], {"hidden": {"source_amount"}}, "kept tr_1"),
    ([], {"hidden": {"client_reference_id"}}, "unsent"),
    ([], {"masked": True}, "unsent"),
    ([], {"loops": True, "page_size": 2}, "unsent"),
    ([], {"failing_page": 3, "page_size": 2}, "unsent"),
    ([], {"html": True}, "unsent"),
    ([], {"endless": True}, "unsent"),
]


@pytest.mark.parametrize(("payments", "switches", "reported"), LOOKBACK)
def test_an_order_looks_back_before_it_is_sent(service, connect, payments, switches, reported):
    """`lookback` finds the reference in the list; what the list cannot tell is not sent."""
    for fields in payments:
        service.add_payment("invoice-7", **fields)
    for number in range(6):
        other = {"id": f"old_{number}", "financial_account_id": "fa_3"}
        service.add_payment(f"another-{number}", age=number * HOUR, **other)
    set_switches(service, switches)
    before = len(service.payments)
    cell = connect(max_retries=0)
    outcome = report(cell.transfers.create, **INVOICE, lookback="30 days")
    outcome.check("error" if reported == "unsent" else reported)
    assert len(service.payments) - before == (1 if reported.startswith("paid") else 0)
    if not reported.startswith("paid"):
        assert service.posts() == []


def test_at_a_service_that_ignores_keys_the_list_tells(service, connect):
    """Without keys only `lookback` and a batch find what was paid; a plain call pays again."""
    service.idempotency.ignored = True
    report(connect().transfers.create, **INVOICE).check("paid tr_1")
    report(connect().transfers.create, **INVOICE, lookback="1 day").check("repeated tr_1")
    batch_report(connect(), [INVOICE]).check("already paid")
    assert len(service.payments) == 1
    report(connect().transfers.create, **INVOICE).check("paid tr_2")


STARRED = ["inv*7", "inv\u20267", "\u2022 rent", "***"]


@pytest.mark.parametrize("reference", STARRED)
def test_a_reference_with_the_characters_of_a_mask_is_found(service, cell, reference):
    """A reference that the list shows as it was sent is no masked one, in every search.

    Nor is one of another order that cannot be it.
    """
    order = {**ORDER, "client_reference_id": reference}
    service.add_payment("an\u2022\u2022ther")
    service.failures_after_commit.append(500)
    report(cell.transfers.create, **order).check("same tr_2")
    service.clock.advance(hours=25)
    report(cell.transfers.create, **order, lookback="3 days").check("repeated tr_2")
    batch_report(cell, [order]).check("already paid")
    assert cell.transfers.find(client_reference_id=reference).id == "tr_2"
    assert len(service.payments) == 2


MASKED = [
    ("****ce-7", "error"),
    ("in***", "error"),
    ("\u2026", "error"),
    ("a*b", "paid tr_3"),
    ("****ce-8", "paid tr_3"),
    ("\u2022 rent", "paid tr_3"),
]


@pytest.mark.parametrize(("shown", "reported"), MASKED)
def test_a_masked_reference_cannot_tell(service, cell, shown, reported):
    """A masked reference could be that of the order, if the parts that it shows are equal."""
    service.add_payment("another")
    service.add_payment("invoice-7", age=25 * HOUR, client_reference_id=shown)
    outcome = report(cell.transfers.create, **INVOICE, lookback="3 days")
    outcome.check(f"{reported} could not be told" if reported == "error" else reported)


@pytest.mark.parametrize("lookback", ["soon", "-3 days", "3 parsecs"])
def test_a_lookback_that_is_no_length_of_time(service, cell, lookback):
    """A lookback that cannot be read is an error, and nothing is sent."""
    with pytest.raises(Exception, match="lookback"):
        cell.transfers.create(**INVOICE, lookback=lookback)
    assert service.payments == []


VALUES = [
    ([{"age": 3 * HOUR}], "repeated tr_1"),
    ([{"age": 25 * HOUR}], "error tr_1 new="),
    ([{"age": 3 * HOUR, "reference": "invoice-8"}], "paid tr_2"),
    ([{"age": 3 * HOUR, "source_amount": "12.00"}], "paid tr_2"),
    ([{"age": 3 * HOUR, "status": "failed"}], "error tr_1 failed new="),
]


@pytest.mark.parametrize(("payments", "reported"), VALUES)
def test_an_order_without_reference_looks_for_its_values(service, cell, payments, reported):
    """Without a reference `lookback` looks for a payment with these values and no reference."""
    for fields in payments:
        service.add_payment(**fields)
    report(cell.transfers.create, **ORDER, lookback="3 days").check(reported)
    assert len(service.payments) == (2 if reported.startswith("paid") else 1)


OFFSETS = [{"days": -5}, {"minutes": -4.5}, {"days": 60}]


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(("age", "reported"), [(25 * HOUR, "repeated tr_1"), (5 * DAY, "paid")])
def test_lookback_is_counted_at_the_service(service, connect, offset, age, reported):
    """A machine whose clock is wrong looks back as far as one whose clock is right."""
    service.clock.advance(**offset)
    service.listing.page_size = 2
    service.add_payment("invoice-7", age=age)
    for number in range(4):
        service.add_payment(f"another-{number}", age=(4 - number) * HOUR, id=f"old_{number}")
    report(connect().transfers.create, **INVOICE, lookback="3 days").check(reported)
    assert len(service.payments) == (6 if reported == "paid" else 5)


FIND = [
    ([], {}, None),
    ([{}], {}, "tr_1"),
    ([{"status": "failed"}, {}], {}, "tr_2"),
    ([{}, {"status": "failed"}], {}, "tr_1"),
    ([{"status": "failed"}], {}, "tr_1"),
    ([{"age": 300 * DAY}], {}, "tr_1"),
    ([{}], {"masked": True}, "could not be told"),
    ([{}], {"hidden": {"client_reference_id"}}, "could not be told"),
    ([], {"failing_page": 1}, "error"),
    ([], {"loops": True}, "error"),
]


@pytest.mark.parametrize(("payments", "switches", "expected"), FIND)
def test_find_gives_the_live_payment_of_a_reference_first(
    service, connect, payments, switches, expected
):
    """`find` gives the payment, a live one first, None, or an error if it could not be told."""
    for fields in payments:
        service.add_payment("invoice-7", **fields)
    service.add_payment("another")
    set_switches(service, switches)
    outcome = report(connect(max_retries=0).transfers.find, client_reference_id="invoice-7")
    if expected in ("error", "could not be told"):
        outcome.check(f"error {expected if ' ' in expected else ''}")
    else:
        assert (outcome.id, outcome.error) == (expected, "")


FIND_VALUES = [
    ({}, timedelta(hours=1), "tr_1"),
    ({"source_amount": "10"}, timedelta(hours=1), "tr_1"),
    ({"source_amount": "11.00"}, timedelta(hours=1), None),
    ({"financial_account_id": "fa_2"}, timedelta(hours=1), None),
    ({}, timedelta(days=3), None),
]


@pytest.mark.parametrize(("changes", "age", "expected"), FIND_VALUES)
def test_find_with_values_and_since_gives_the_payment_with_these_values_or_none(
    service, cell, changes, age, expected
):
    """`find` with values and `since` gives the payment with these values, or None."""
    service.add_payment(None, age=age)
    since = service.clock() - timedelta(days=1)
    outcome = report(cell.transfers.find, **{**ORDER, **changes}, since=since)
    assert (outcome.id, outcome.error) == (expected, "")


def test_list_frame_and_export_take_a_reference(service, cell, tmp_path):
    """`list`, `frame` and `export` keep the rows with one reference."""
    for reference in ("a", "invoice-7", "b", "invoice-7"):
        service.add_payment(reference)
    listed = [payment.id for payment in cell.transfers.list(client_reference_id="invoice-7")]
    assert listed == ["tr_4", "tr_2"]
    assert list(cell.transfers.frame(client_reference_id="invoice-7")["id"]) == listed
    exported = cell.transfers.export(tmp_path / "x.csv", client_reference_id="invoice-7")
    assert exported.rows == 2
