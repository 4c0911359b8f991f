"""One order sent again: what is paid, and what is reported."""

from decimal import Decimal

import pytest
from order_reports import report
from payments_service import ORDER
from service_answer import Answer

WITHOUT_ACCOUNT = {name: value for name, value in ORDER.items() if name != "financial_account_id"}
JOSE = "Jos\u00e9 7"
JOSE_DECOMPOSED = "Jose\u0301 7"


def order(reference=None, **changes):
    """Return the example order with another reference and values; None removes a field."""
    fields = {**ORDER, "client_reference_id": reference, **changes}
    return {name: value for name, value in fields.items() if value is not None}


SPELLINGS = {
    "an amount without decimals": order(source_amount="10"),
    "a Decimal": order(source_amount=Decimal(10)),
    "a Decimal with more zeros": order(source_amount=Decimal("10.00")),
    "an integer": order(source_amount=10),
    "an amount with spaces": order(source_amount=" 10"),
    "upper case currencies": order(source_currency="USD", destination_currency="MXN"),
    "mixed case currencies": order(source_currency="Usd", destination_currency="mXn"),
    "the account as an object with an id": {**WITHOUT_ACCOUNT, "financial_account": {"id": "fa_1"}},
    "the account as a text": {**WITHOUT_ACCOUNT, "financial_account": "fa_1"},
    "another order of fields": dict(reversed(ORDER.items())),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_another_spelling_is_the_same_order(service, connect, spelling):
    """Two spellings of one order are paid once, and the second is reported as a repetition."""
    report(connect().transfers.create, **ORDER).check("paid tr_1")
    report(connect().transfers.create, **SPELLINGS[spelling]).check("repeated tr_1")
    assert len(service.payments) == 1
    bodies = {raw for _, raw in service.posts()}
    assert len(bodies) == 1, "equal orders are not equal bytes"


def test_an_account_object_is_its_id(service, cell):
    """An account that was created or read is the same order as its id."""
    details = {"clabe": "646180110400000007"}
    account = cell.financial_accounts.create("ind_1", "bank_account", details)
    report(cell.transfers.create, **{**ORDER, "financial_account_id": account.id}).check(
        "paid tr_1"
    )
    again = report(cell.transfers.create, financial_account=account, **WITHOUT_ACCOUNT)
    again.check("repeated tr_1")
    assert len(service.payments) == 1


BY_AMOUNT = [
    ("destination_amount", "170.00", "170"),
    ("net_source_amount", "9.50", "9.5"),
    ("source_amount", "10.10", "10.1"),
]
WAYS = ["replay", "conflict", "lookback"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "first", "second"), BY_AMOUNT)
def test_an_order_is_compared_by_the_amount_that_was_given(
    service, connect, name, first, second, way
):
    """Whichever amount is given, it is compared in a replay, after a 409 and in the list."""
    terms = order("invoice-7", source_amount=None)
    report(connect().transfers.create, **{**terms, name: first}).check("paid tr_1")
    service.idempotency.always_conflicts = way == "conflict"
    service.clock.advance(hours=25 if way == "lookback" else 1)
    options = {"lookback": "2 days"} if way == "lookback" else {}
    again = report(connect().transfers.create, **{**terms, name: second}, **options)
    again.check("repeated tr_1")
    other = report(connect().transfers.create, **{**terms, name: "500.00"}, **options)
    other.check("error tr_1")
    assert len(service.payments) == 1


USDC = {**ORDER, "source_currency": "usdc", "source_network": "base"}
STABLECOINS = [
    ({"source_amount": "10"}, {"source_amount": "10.000000"}, "repeated tr_1", 1),
    ({"source_amount": "10.5"}, {"source_amount": Decimal("10.50")}, "repeated tr_1", 1),
    ({"source_amount": "10.5"}, {"source_amount": "10.500001"}, "paid tr_2", 2),
    ({}, {"source_network": "polygon"}, "paid tr_2", 2),
    ({}, {"source_currency": "USDC"}, "repeated tr_1", 1),
]


@pytest.mark.parametrize(("first", "second", "reported", "paid"), STABLECOINS)
def test_amounts_and_networks_tell_stablecoin_orders_apart(
    service, connect, first, second, reported, paid
):
    """Amounts with six decimals, and the network, tell orders in a stablecoin apart."""
    report(connect().transfers.create, **{**USDC, **first}).check("paid tr_1")
    report(connect().transfers.create, **{**USDC, **second}).check(reported)
    assert len(service.payments) == paid


EXTRA = [
    (None, {"purpose": "a"}, {"purpose": "a"}, "repeated tr_1", 1),
    (None, {"purpose": "a"}, {"purpose": "b"}, "paid tr_2", 2),
    (None, {"purpose": "a"}, {}, "paid tr_2", 2),
    (None, {"a": "1", "b": "2"}, {"b": "2", "a": "1"}, "repeated tr_1", 1),
    ("invoice-7", {"purpose": "a"}, {"purpose": "a"}, "repeated tr_1", 1),
    ("invoice-7", {"purpose": "a"}, {"purpose": "b"}, "kept tr_1", 1),
]


@pytest.mark.parametrize(("reference", "first", "second", "reported", "paid"), EXTRA)
def test_fields_of_extra_are_values_of_the_order_like_any_other(
    service, connect, reference, first, second, reported, paid
):
    """Fields of `extra` are values of the order like any other."""
    report(connect().transfers.create, **order(reference), extra=first).check("paid tr_1")
    report(connect().transfers.create, **order(reference), extra=second).check(reported)
    assert len(service.payments) == paid


REFERENCES = [
    (JOSE, JOSE_DECOMPOSED, "repeated tr_1", 1),
    ("invoice-7", "  invoice-7", "repeated tr_1", 1),
    ("invoice-7", "Invoice-7", "paid tr_2", 2),
    ("invoice-7", "invoice-8", "paid tr_2", 2),
    ("invoice-7", None, "paid tr_2", 2),
    (None, "invoice-7", "paid tr_2", 2),
    ("scenario:failed", "scenario:failed", "repeated tr_1", 1),
    ("scenario:failed", "scenario:failed:2", "paid tr_2", 2),
]


@pytest.mark.parametrize(("first", "second", "reported", "paid"), REFERENCES)
def test_a_reference_names_an_order(service, connect, first, second, reported, paid):
    """References are compared in NFC and without blanks around them, but with their case."""
    report(connect().transfers.create, **order(first)).check("paid tr_1")
    report(connect().transfers.create, **order(second)).check(reported)
    assert len(service.payments) == paid


OTHER_TERMS = {
    "another amount": {"source_amount": "11.00"},
    "another account": {"financial_account_id": "fa_2"},
    "another currency": {"destination_currency": "cop", "payout_method": "ach_co"},
    "another kind of amount": {"source_amount": None, "destination_amount": "10.00"},
    "the net amount": {"source_amount": None, "net_source_amount": "10.00"},
}


@pytest.mark.parametrize("change", OTHER_TERMS)
def test_other_values_are_an_error_or_another_order(service, connect, change):
    """Under a used reference, other values are an error with the payment; else they are paid.

    So it is at a service that compares bodies, that does not, and that marks no replay.
    """
    report(connect().transfers.create, **order("invoice-7")).check("paid tr_1")
    for switch in ("", "compares_bodies", "marks_replays"):
        if switch:
            setattr(service.idempotency, switch, False)
        second = report(connect().transfers.create, **order("invoice-7", **OTHER_TERMS[change]))
        second.check("error tr_1")
        assert len(service.payments) == 1
    report(connect().transfers.create, **ORDER).check("paid tr_2")
    report(connect().transfers.create, **order(**OTHER_TERMS[change])).check("paid tr_3")


def test_an_error_for_a_scenario_says_to_add_a_suffix(service, cell):
    """A scenario's reference counts like any other, and the error says how to get another."""
    report(cell.transfers.create, **order("scenario:failed")).check("paid tr_1")
    second = report(cell.transfers.create, **order("scenario:failed", source_amount="11.00"))
    second.check("error tr_1 scenario:failed:2")
    assert len(service.payments) == 1


STATUSES = [
    ("awaiting_funds", "repeated tr_1"),
    ("started", "repeated tr_1"),
    ("completed", "repeated tr_1"),
    ("settling_slowly", "repeated tr_1"),
    ("failed", "error tr_1 failed new="),
    ("expired", "error tr_1 expired new="),
    ("cancelled", "error tr_1 cancelled new="),
    ("FAILED", "error tr_1 failed new="),
]


@pytest.mark.parametrize(("status", "reported"), STATUSES)
def test_a_repetition_is_reported_as_it_is_now(service, connect, status, reported):
    """A live payment is returned with its present status; a dead one is an error, not a success."""
    report(connect().transfers.create, **ORDER).check("paid tr_1")
    service.payments[0]["status"] = status
    again = report(connect().transfers.create, **ORDER)
    again.check(reported)
    assert again.error or again.status == status
    assert len(service.payments) == 1


@pytest.mark.parametrize("new", ["", "second"])
@pytest.mark.parametrize("status", ["failed", "expired", "Cancelled"])
def test_a_new_payment_that_is_dead_is_no_success(service, cell, status, new):
    """A payment that the service makes and answers as failed is the error that its replay is."""
    service.status_of_new = status
    for _ in range(2):
        report(cell.transfers.create, **order("invoice-7"), new=new).check(
            f"error tr_1 {status} new="
        )
    assert len(service.payments) == 1


@pytest.mark.parametrize("mark", ["TRUE", "1"])
def test_any_mark_of_a_replay_counts(service, cell, mark):
    """A replay is read as it is now, however the service writes that it is one."""
    service.idempotency.replay_mark = mark
    report(cell.transfers.create, **ORDER).check("paid tr_1")
    service.payments[0]["status"] = "failed"
    report(cell.transfers.create, **ORDER).check("error tr_1 failed new=")


UNREADABLE = [(403, "awaiting_funds"), (500, "awaiting_funds"), (403, "failed"), (500, "failed")]


@pytest.mark.parametrize(("unreadable", "status"), UNREADABLE)
def test_a_repetition_that_cannot_be_read(service, connect, unreadable, status):
    """A payment that cannot be read pays nothing again and is never called paid when it failed."""
    report(connect().transfers.create, **order("invoice-7")).check("paid tr_1")
    service.payments[0]["status"] = status
    service.unreadable = unreadable
    again = report(connect(max_retries=0).transfers.create, **order("invoice-7"))
    again.check("kept tr_1")
    if status == "failed":
        assert again.error or "not" in again.visible
    assert len(service.payments) == 1


READ_STRANGELY = [
    ({"changed": {"source_amount": "99.00"}}, "error"),
    ({"changed": {"financial_account_id": "fa_3"}}, "error"),
    ({"changed": {"status": None}}, "kept tr_1"),
    ({"changed": {"status": "Failed"}}, "error tr_1 failed new="),
    ({"changed": {"client_reference_id": "another"}}, "error"),
    ({"changed": {"id": "tr_9"}}, "error tr_1"),
    ({"hidden": {"status"}}, "kept tr_1"),
    ({"hidden": {"created_at"}}, "kept tr_1"),
    ({"lower_case": True}, "repeated tr_1"),
]


@pytest.mark.parametrize(("switches", "reported"), READ_STRANGELY)
def test_a_repetition_that_is_read_strangely(service, connect, switches, reported):
    """What is read of the payment now is compared with the order, too."""
    report(connect().transfers.create, **order("invoice-7")).check("paid tr_1")
    for name, value in switches.items():
        setattr(service.listing, name, value)
    report(connect(max_retries=0).transfers.create, **order("invoice-7")).check(reported)
    assert len(service.payments) == 1


TERMS_AND_AGE = {"source_amount", "destination_amount", "net_source_amount", "created_at"}


def test_other_values_count_where_only_the_replay_shows_them(service, connect):
    """A reading that shows less than the replay does not hide that it is another payment."""
    service.idempotency.compares_bodies = False
    report(connect().transfers.create, **order("invoice-7")).check("paid tr_1")
    service.listing.hidden = TERMS_AND_AGE
    changed = order("invoice-7", source_amount="11.00")
    report(connect().transfers.create, **changed).check("error tr_1 source_amount")
    assert len(service.payments) == 1


def test_an_age_counts_where_only_the_replay_shows_it(service, connect):
    """A payment is too old also if the reading does not show when it was made."""
    service.idempotency.lifetime = None
    report(connect().transfers.create, **order("invoice-7")).check("paid tr_1")
    service.listing.hidden = TERMS_AND_AGE
    service.clock.advance(days=30)
    report(connect().transfers.create, **order("invoice-7")).check("error tr_1 new=")


LISTED_ONLY = [("awaiting_funds", "repeated tr_1"), ("failed", "error tr_1 failed new=")]


@pytest.mark.parametrize(("status", "reported"), LISTED_ONLY)
def test_a_service_without_single_reads_tells_in_its_list(service, connect, status, reported):
    """A repetition is read in the list where one payment cannot be read alone."""
    service.unreadable = 404
    report(connect().transfers.create, **order("invoice-7")).check("paid tr_1")
    service.payments[0]["status"] = status
    report(connect(max_retries=0).transfers.create, **order("invoice-7")).check(reported)


HOUR = 3600
DAY = 24 * HOUR
AGES = [
    ("spec", None, 23.9 * HOUR, "repeated tr_1", 1),
    ("spec", None, 24.1 * HOUR, "paid tr_2", 2),
    ("spec", "rent", 23.9 * HOUR, "repeated tr_1", 1),
    ("spec", "rent", 24.1 * HOUR, "paid tr_2", 2),
    ("spec", "rent", 30 * DAY, "paid tr_2", 2),
    ("unmarked", None, HOUR, "repeated tr_1", 1),
    ("unmarked", "rent", 23.9 * HOUR, "repeated tr_1", 1),
    ("for ever", None, 23 * HOUR, "repeated tr_1", 1),
    ("for ever", None, 25 * HOUR, "error tr_1 new=", 1),
    ("for ever", "rent", 6.9 * DAY, "repeated tr_1", 1),
    ("for ever", "rent", 7.1 * DAY, "error tr_1 new=", 1),
    ("for ever, unmarked", "rent", 30 * DAY, "error tr_1 new=", 1),
    ("for ever, unmarked", None, 25 * HOUR, "error tr_1 new=", 1),
]


@pytest.mark.parametrize(("keys", "reference", "seconds", "reported", "paid"), AGES)
def test_a_repetition_counts_for_24_hours_or_7_days(
    service, connect, keys, reference, seconds, reported, paid
):
    """A repetition counts for 24 hours, or 7 days with a reference, by the service's time."""
    service.idempotency.marks_replays = "unmarked" not in keys
    if "for ever" in keys:
        service.idempotency.lifetime = None
    report(connect().transfers.create, **order(reference)).check("paid tr_1")
    service.clock.advance(seconds=seconds)
    report(connect().transfers.create, **order(reference)).check(reported)
    assert len(service.payments) == paid


@pytest.mark.parametrize(("refusal", "reference"), [(422, None), (503, "invoice-7")])
def test_the_24_hours_begin_with_the_payment(service, connect, refusal, reference):
    """An order refused first and paid 23 hours later is recognised for 24 hours from then."""
    service.refusals.append(Answer(refusal, {"error": "not now"}))
    report(connect(max_retries=0).transfers.create, **order(reference)).check("error")
    service.clock.advance(hours=23)
    report(connect().transfers.create, **order(reference)).check("paid tr_1")
    for hours in (1.1, 22.8):
        service.clock.advance(hours=hours)
        report(connect().transfers.create, **order(reference)).check("repeated tr_1")
    service.clock.advance(hours=0.2)
    report(connect().transfers.create, **order(reference)).check("paid tr_2")
    assert len(service.payments) == 2


OFFSETS = [{"minutes": 4.5}, {"hours": -5}, {"days": -400}]


@pytest.mark.parametrize("offset", OFFSETS)
def test_the_clock_of_this_machine_does_not_count(service, connect, offset):
    """A machine whose clock is wrong reports and pays the same as one whose clock is right."""
    service.clock.advance(**offset)
    report(connect().transfers.create, **ORDER).check("paid tr_1")
    report(connect().transfers.create, **ORDER).check("repeated tr_1")
    service.clock.advance(hours=23.9)
    report(connect().transfers.create, **ORDER).check("repeated tr_1")
    assert len(service.payments) == 1


@pytest.mark.parametrize("hours", [None, -30, 3])
def test_a_date_header_that_is_wrong_or_absent(service, connect, hours):
    """A service whose Date header is wrong is asked again, and pays once."""
    wrong = None if hours is None else type(service.date_error)(hours=hours)
    service.date_error = wrong
    report(connect().transfers.create, **ORDER).check("kept tr_1")
    report(connect().transfers.create, **ORDER).check("kept tr_1")
    assert len(service.payments) == 1


def test_two_keys_of_one_account_are_told_apart_by_the_service(service, connect):
    """Under a rotated API key the service knows no key, and only `lookback` finds the payment."""
    report(connect().transfers.create, **order("invoice-7")).check("paid tr_1")
    rotated = connect(key="key-2")
    outcome = report(rotated.transfers.create, **order("invoice-7"), lookback="1 day")
    outcome.check("repeated tr_1")
    assert len(service.payments) == 1
    report(rotated.transfers.create, **order("invoice-7")).check("paid tr_2")
    assert len(service.payments) == 2


MONTHS = [
    ({}, "paid tr_2", 2),
    ({"lookback": "7 days"}, "paid tr_2", 2),
    ({"lookback": "45 days"}, "error tr_1 new=", 1),
    ({"new": "2026-12"}, "paid tr_2", 2),
    ({"client_reference_id": "rent 2026-12"}, "paid tr_2", 2),
]


@pytest.mark.parametrize(("options", "reported", "paid"), MONTHS)
def test_monthly_orders_with_one_reference_are_all_paid(service, connect, options, reported, paid):
    """The order of the next month is paid, unless the list is asked to look so far back."""
    report(connect().transfers.create, **order("rent")).check("paid tr_1")
    service.payments[0]["status"] = "completed"
    service.clock.advance(days=30)
    report(connect().transfers.create, **{**order("rent"), **options}).check(reported)
    assert len(service.payments) == paid


def test_a_notice_has_the_id_the_age_and_the_choice(service, connect):
    """The notice of a repetition is one text with the id, the age and how to pay again."""
    report(connect().transfers.create, **order("invoice-7"))
    service.clock.advance(hours=3, minutes=5)
    again = report(connect().transfers.create, **order("invoice-7"))
    again.check("repeated tr_1")
    lines = [line for line in again.visible.splitlines() if "tr_1" in line]
    assert len(lines) == 1, again.visible
    assert any(age in again.visible for age in ("3 h", "3h", "185 min", "3.1 h")), again.visible
