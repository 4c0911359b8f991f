"""Reconciling the service with books and events: every kind of problem, and no false one."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import chain

import pandas as pd
import pytest

import paylab
from paylab import frames
from paylab.errors import ConfigError, ExactnessError, PaylabError, RuleError
from paylab.lab import displays
from paylab.simulator.simulator import Simulator
from paylab.webhooks.event import read_event
from paylab.webhooks.event_file import EventHistory
from paylab.webhooks.payment_problems import PROBLEM_KINDS
from paylab.webhooks.reconciliation import reconcile

LONG = "10000000000000000000.000000000000000001"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def payment(number, **changes):
    """A transfer as the service lists it, with an amount and a time of its own."""
    amount = Decimal(f"{100 + number}.{number % 100:02d}")
    at = NOON + timedelta(minutes=number, milliseconds=123)
    return {
        "id": f"tr_{number}",
        "client_reference_id": f"Inv-{number}",
        "source_amount": str(amount),
        "source_currency": "USD",
        "destination_amount": str(amount * 17),
        "destination_currency": "MXN",
        "total_fee": "1.25",
        "fee_currency": "USD",
        "net_source_amount": str(amount - Decimal("1.25")),
        "status": "completed",
        "created_at": f"{at:%Y-%m-%dT%H:%M:%S.123Z}",
    } | changes


@cache
def frame_of_payments():
    """A frame of 1,002 payments."""
    return listed(*map(payment, range(1_002)))


def listed(*rows):
    """The lists of a service with these transfers."""
    return {"transfer": frames.transfers([{"data": list(rows), "has_next_page": False}])}


def row(number, **changes):
    """A row of books that agrees with `payment`."""
    names = {"client_reference_id": "reference", "source_amount": "amount", "created_at": "date"}
    sent = payment(number)
    sent["created_at"] = sent["created_at"][:19].replace("T", " ")
    del sent["id"]
    return {names.get(name, name): value for name, value in sent.items()} | changes


def compare(rows, payments, **options):
    """The reconciliation of rows of books with payments."""
    return reconcile(listed(*payments), pd.DataFrame(rows), **options)


def facts(result, *names):
    """Some columns of the problems as tuples."""
    return list(zip(*(result.frame()[name].tolist() for name in names), strict=True))


ACCENTED = {"client_reference_id": "\u00cfnv-1"}

PLANTED = {
    "one cent": ({100: {"amount": "200.01"}}, [("amount", "Inv-100", "amount")]),
    "sign": ({200: {"amount": "-300.00"}}, [("sign", "Inv-200", "amount")]),
    "currency": ({300: {"source_currency": "EUR"}}, [("currency", "Inv-300", "currency")]),
    "status": ({400: {"status": "failed"}}, [("status", "Inv-400", "status")]),
    "missing in the service": (
        {500: {"reference": "Inv-none"}},
        [("missing_in_books", "Inv-500", "amount"), ("missing_in_service", "Inv-none", "amount")],
    ),
    "duplicated": ({600: [{}, {}]}, [("duplicate", "Inv-600", "amount")]),
    "swapped pair": (
        {700: {"amount": "801.01"}, 701: {"amount": "800.00"}},
        [("swapped", "Inv-700", "amount"), ("swapped", "Inv-701", "amount")],
    ),
    "swapped references": (
        {750: {"reference": "Inv-751"}, 751: {"reference": "Inv-750"}},
        [("swapped", "Inv-750", "amount"), ("swapped", "Inv-751", "amount")],
    ),
    "split with repeated columns": (
        {1001: [{"amount": "600.51"}, {"amount": "500.50"}]},
        [("split", "Inv-1001", "amount")],
    ),
    "a day late": ({0: {"date": "2026-05-05 12:00:00"}}, [("date", "Inv-0", "date")]),
    "time zone": ({60: {"date": "2026-05-04 07:00:00"}}, [("time_zone", "Inv-60", "date")]),
    "destination amount": (
        {800: {"destination_amount": "15300.01"}},
        [("destination_amount", "Inv-800", "destination_amount")],
    ),
    "fee": ({900: {"total_fee": "1.26"}}, [("fee", "Inv-900", "fee")]),
    "split": (
        {
            1000: [
                {"amount": "600.00", "destination_amount": "10000", "net_source_amount": "600"},
                {
                    "amount": "500.00",
                    "destination_amount": "8700",
                    "net_source_amount": "498.75",
                    "total_fee": "",
                },
            ]
        },
        [("split", "Inv-1000", "amount")],
    ),
}
"""Changes of the books by number of the payment, and the problems that must be found."""


def books(plants, count):
    """Rows that agree, but for the changes: one dict, or one for each row of the payment."""
    for number in range(count):
        changes = plants.get(number, {})
        for change in changes if isinstance(changes, list) else [changes]:
            yield row(number, **change)


@pytest.mark.parametrize(("plants", "expected"), PLANTED.values(), ids=PLANTED)
def test_each_planted_difference_is_found_alone(plants, expected):
    """Each planted difference has one problem of its kind, and nothing else has one."""
    result = reconcile(frame_of_payments(), pd.DataFrame([*books(plants, 1_002)]))
    assert facts(result, "kind", "key", "column") == expected


def test_all_planted_differences_are_found_in_ten_thousand_rows(tmp_path):
    """A CSV of 10,000 rows with every difference has exactly these problems."""
    plants = dict(chain.from_iterable(plants.items() for plants, _ in PLANTED.values()))
    expected = [problem for _, problems in PLANTED.values() for problem in problems]
    path = tmp_path / "books.csv"
    pd.DataFrame(books(plants, 10_000)).to_csv(path, index=False)
    result = reconcile(listed(*map(payment, range(10_000))), path)
    assert sorted(facts(result, "kind", "key", "column")) == sorted(expected)
    assert result.summary()["problems"].sum() == len(expected)


@pytest.mark.parametrize(
    ("changes", "kind", "service", "other", "difference"),
    [
        ({"amount": "100.01"}, "amount", "100.00", "100.01", "0.01"),
        ({"amount": "-100.00"}, "sign", "100.00", "-100.00", "-200.00"),
        ({"total_fee": "0"}, "fee", "1.25", "0.00", "-1.25"),
        ({"net_source_amount": "100"}, "net_amount", "98.75", "100.00", "1.25"),
        ({"fee_currency": "MXN"}, "currency", "USD", "MXN", None),
        ({"status": "settled"}, "status", "completed", "settled", None),
        ({"tax": "0.00"}, None, None, None, None),
        ({"tax": "0.10"}, "tax", None, "0.10", "0.10"),
        ({"amount": "100"}, None, None, None, None),
        ({"amount": "", "status": " ", "date": ""}, None, None, None, None),
        ({"source_currency": "usd", "status": "COMPLETED"}, None, None, None, None),
        ({"reference": "  INV-0 "}, None, None, None, None),
        ({"amount": LONG}, "amount", "100.00", LONG, "9999999999999999900.000000000000000001"),
    ],
)
def test_a_problem_has_both_values_and_the_exact_difference(
    changes, kind, service, other, difference
):
    """A problem has both values as text and the exact difference; what is equal has none."""
    result = compare([row(0, **changes)], [payment(0)])
    names = ("kind", "service_value", "other_value", "difference")
    number = None if difference is None else Decimal(difference)
    expected = [] if kind is None else [(kind, service, other, number)]
    found = [tuple(None if pd.isna(one) else one for one in line) for line in facts(result, *names)]
    assert (found, bool(result)) == (expected, not expected)


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [
        (["60", "40"], [("split", "0")]),
        (["60", "39.99"], [("split", "0"), ("amount", "-0.01")]),
        (["100", "100"], [("duplicate", "100")]),
        (["100.01", "100.01"], [("amount", "0.01"), ("duplicate", "100.01")]),
        (["100", "0"], [("duplicate", "0")]),
        (["33.33", "33.33", "33.34"], [("split", "0")]),
        (["100", "100", "100"], [("duplicate", "200")]),
    ],
)
def test_several_rows_of_a_payment_are_split_or_duplicates(amounts, expected):
    """Rows whose sum is nearer to the payment than any of them are split, others duplicates."""
    rows = [{"reference": "Inv-0", "amount": amount} for amount in amounts]
    result = compare(rows, [payment(0)])
    wanted = [(kind, Decimal(difference)) for kind, difference in expected]
    assert sorted(facts(result, "kind", "difference")) == sorted(wanted)


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [
        (["100.00", "101.01"], []),
        (["101.01", "100.00"], []),
        (["100.00"], [("duplicate", "service", "tr_1")]),
        (["201.01"], [("split", "service", "tr_0")]),
        (["100.00", "101.02"], [("amount", "books", "tr_1")]),
    ],
)
def test_a_reference_that_two_payments_have(amounts, expected):
    """Each row gets the payment with its amount; a payment that stays is a duplicate."""
    rows = [{"reference": "Inv-0", "amount": amount} for amount in amounts]
    payments = [payment(0), payment(1, client_reference_id="inv-0")]
    assert facts(compare(rows, payments), "kind", "side", "id") == expected


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({"id": "tr_0"}, []),
        ({"id": " TR_0 "}, []),
        ({"id": "4711", "reference": "inv-0"}, []),
        ({"reference": "tr_0"}, []),
        ({"reference": "I\u0308nv-1"}, []),
        ({"reference": "\u00efnv-1"}, []),
        ({"id": "tr_9"}, ["missing_in_books", "missing_in_service"]),
    ],
)
def test_rows_are_matched_by_id_or_else_by_reference(own, expected):
    """Ids and references are trimmed and compared without case; the id counts first."""
    payments = [payment(0)] if "1" not in own.get("reference", "") else [payment(0, **ACCENTED)]
    result = compare([own], payments)
    assert sorted(result.frame()["kind"]) == expected


def test_ids_that_differ_in_case_only_are_told_apart():
    """A row with an exact id belongs to that payment."""
    payments = [payment(0, id="tr_a"), payment(1, id="tr_A")]
    rows = [{"id": "tr_A", "amount": "101.01"}, {"id": "tr_a", "amount": "100"}]
    assert compare(rows, payments)


@pytest.mark.parametrize(
    ("tolerance", "amount", "expected"),
    [
        (None, "100.01", ["amount", "destination_amount"]),
        ("0.01", "100.01", ["destination_amount"]),
        ({"usd": "0.01"}, "100.01", ["destination_amount"]),
        ({"MXN": Decimal("0.5"), "": 0}, "100.01", ["amount"]),
        ({"": "0.5"}, "100.01", []),
        ("9999999999999999900", LONG, ["amount"]),
    ],
)
def test_a_tolerance_belongs_to_the_currency_of_an_amount(tolerance, amount, expected):
    """A tolerance belongs to the currency of an amount; without a currency it is for all."""
    rows = [row(0, amount=amount, destination_amount="1700.50")]
    result = compare(rows, [payment(0)], tolerance=tolerance)
    assert result.frame()["kind"].tolist() == expected


@pytest.mark.parametrize(
    ("date", "options", "expected"),
    [
        ("2026-05-04", {}, []),
        ("2026-05-05", {}, [("date", timedelta(days=1))]),
        ("2026-05-05", {"window": "1 day"}, []),
        ("2026-05-05", {"window": "1D"}, []),
        ("2026-05-06", {"window": "24h"}, [("date", timedelta(days=2))]),
        ("2026-05-06", {"window": "1 day"}, [("date", timedelta(days=2))]),
        ("2026-05-03", {"window": timedelta(days=1)}, []),
        ("2026-05-04", {"tz": "Pacific/Auckland"}, [("date", timedelta(days=-1))]),
        ("2026-05-05", {"tz": "Pacific/Auckland"}, []),
        ("2026-05-04 12:00:00", {}, []),
        ("2026-05-04T12:00", {}, []),
        ("2026-05-04T12:00:00.123Z", {}, []),
        ("2026-05-04T06:00:00-06:00", {"tz": "Asia/Manila"}, []),
        ("2026-05-04 06:00:00", {"tz": "America/Mexico_City"}, []),
        ("2026-05-04 06:00:00", {}, [("time_zone", timedelta(hours=-6))]),
        ("2026-05-04 12:00:01", {}, [("date", timedelta(seconds=1))]),
        ("2026-05-04 12:00:01", {"window": "1 minute"}, []),
        ("2026-05-05 12:00:00", {}, [("date", timedelta(days=1))]),
        ("04.05.2026", {}, []),
        ("04.05.2026 12:00", {}, []),
        ("05/04/2026", {"date_format": "%m/%d/%Y"}, []),
        (pd.Timestamp("2026-05-04"), {}, []),
        (pd.Timestamp("2026-05-04T20:00:00+08:00"), {}, []),
        (datetime(2026, 5, 5), {}, [("date", timedelta(days=1))]),
    ],
)
def test_dates_are_compared_in_the_zone_of_the_books(date, options, expected):
    """A date is that day in the zone of the books, a time is compared in the unit it has."""
    result = compare([row(0, date=date)], [payment(0)], **options)
    assert facts(result, "kind", "time_difference") == expected


def test_a_zone_that_was_not_given_is_named():
    """If several times differ by the same hours, a note says so and names the argument."""
    rows = [row(number) for number in range(4)]
    for manila in rows[:3]:
        manila["date"] = f"{datetime.fromisoformat(manila['date']) + timedelta(hours=8)}"
    result = compare(rows, map(payment, range(4)))
    assert result.notes == ("3 times differ by +8 hours: tz= is the zone of the books",)
    assert compare(rows[:3], map(payment, range(3)), tz="Asia/Manila").notes == ()
    assert compare(rows[2:], map(payment, range(2, 4))).notes == ()


def test_a_tolerance_of_a_currency_that_no_payment_has_is_noted():
    """A misspelt currency is said; those of destinations and fees are known too."""
    tolerance = {"usdd": "1", "MXN": "0.01", "USD": 0, "": 0}
    result = compare([row(0)], [payment(0)], tolerance=tolerance)
    assert result.notes == ("tolerance= has USDD: no payment has it",)


def test_words_of_the_books_are_translated():
    """`status_map` has your words; others are compared as they are."""
    rows = [row(0, status="Settled"), row(1, status="open")]
    result = compare(rows, map(payment, (0, 1)), status_map={"settled ": "completed"})
    assert facts(result, "kind", "key", "other_value") == [("status", "Inv-1", "open")]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"status_map": {"paid": "complete"}}, RuleError, "nearest: completed"),
        ({"tolerance": 0.01}, ExactnessError, 'write it as text, like "0.01"'),
        ({"tolerance": "-1"}, RuleError, "not an amount of zero or more"),
        ({"tolerance": {"USD": "x"}}, RuleError, "not an amount of zero or more"),
        ({"window": "soon"}, RuleError, "must be a duration"),
        ({"tz": "Mars"}, RuleError, "is not a time zone"),
        ({"decimal": ";"}, RuleError, "must be . or ,"),
        ({"columns": {"sum": "amount"}}, RuleError, "columns= has 'sum'"),
        ({"columns": {"amount": "Sum"}}, RuleError, "columns= has 'Sum': your columns are"),
    ],
)
def test_settings_that_are_none(options, error, words):
    """A setting that cannot be used is an error that says what to write."""
    with pytest.raises(error, match=words):
        compare([row(0)], [payment(0)], **options)


def test_columns_the_wrong_way_round_are_turned():
    """`columns` with your name first says how to write it."""
    with pytest.raises(RuleError, match=r"write columns=\{'reference': 'Invoice'\}"):
        compare([{"Invoice": "Inv-0"}], [payment(0)], columns={"Invoice": "reference"})


def test_a_column_without_a_name_is_named_in_the_report():
    """The first column of a CSV file of pandas has no name; the report says that it has none."""
    result = compare([{"reference": "Inv-0", "": "0"}], [payment(0)])
    assert "  not compared: a column without a name" in result.columns_lines()


def test_a_period_holds_for_all_figures_and_words():
    """The report and the totals count the payments of the period; others are still compared."""
    rows = [row(0, amount="7"), row(3)]
    result = compare(rows, map(payment, range(4)), since=NOON + timedelta(minutes=2, seconds=30))
    verdict, *_ = result.report().splitlines()
    begin = "Reconciled 1 transfer since 2026-05-04T12:02:30.000Z with books (1 row): "
    assert verdict == f"{begin}1 problem"
    assert [(problem.id, problem.other_value) for problem in result] == [("tr_0", "7.00")]
    assert "  payments outside the period that your books have: 1, compared" in result.report()
    [total] = result.totals().to_dict("records")
    assert (total["count_service"], total["count_books"]) == (1, 1)
    assert total["amount_service"] == total["amount_books"] == Decimal("103.03")


def test_a_period_holds_for_events_beside_books():
    """The events of payments that are not counted are in no total either."""
    payloads = [payment(number, updated_at="2026-05-04T13:00:00.000Z") for number in range(4)]
    bodies = [{"event_type": "transfer.x", "event_payload": payload} for payload in payloads]
    events = EventHistory([read_event(body) for body in bodies], NOON)
    lists = listed(*map(payment, range(4)))
    result = reconcile(lists, pd.DataFrame([row(3)]), events, since=NOON + timedelta(minutes=3))
    [total] = result.totals().to_dict("records")
    assert [total[f"count_{side}"] for side in ("service", "books", "events")] == [1, 1, 1]
    assert "the events of 1 payment:" in result.report()


def test_what_was_compared_is_said():
    """The columns of both sides, those that only one has, and those without a meaning."""
    rows = [{"Invoice": "Inv-0", "Sum": "100.00", "rate": "1", "note": "x"}]
    result = compare(rows, [payment(0)], columns={"reference": "Invoice", "source_amount": "Sum"})
    assert result.compared == {"books": {"amount": "Sum", "exchange_rate": "rate"}}
    assert result.not_compared["books"]["fee"] == "not in the books"
    assert result.not_compared["books"]["note"] == "not compared"
    assert "compared with books: amount (Sum), exchange_rate (rate)" in result.report()


def test_only_given_sides_are_compared():
    """Nothing is missing from events that were not given, nor from books that were not."""
    lists, found = listed(payment(0)), EventHistory([], NOON)
    agreeing = pd.DataFrame([row(0)])
    assert reconcile(lists, agreeing).sides == ("service", "books")
    assert reconcile(lists, agreeing)
    both = reconcile(lists, agreeing, found)
    assert both.sides == ("service", "books", "events")
    assert facts(both, "kind", "side") == [("missing_in_events", "events")]
    assert facts(reconcile(lists, None, found), "kind") == [("missing_in_events",)]
    with pytest.raises(RuleError, match="nothing to compare with"):
        reconcile(lists)


@pytest.mark.parametrize(
    ("since", "until", "tz", "missing"),
    [
        (None, None, "UTC", ["tr_0", "tr_1", "tr_2"]),
        ("2026-05-04T12:01:00Z", None, "UTC", ["tr_1", "tr_2"]),
        (None, "2026-05-04T12:01:00Z", "UTC", ["tr_0"]),
        ("2026-05-05", None, "UTC", []),
        ("2026-05-05", None, "Pacific/Kiritimati", ["tr_0", "tr_1", "tr_2"]),  # from 4 May 10:00Z
        (None, date(2026, 5, 5), "Pacific/Kiritimati", []),
        ("2026-05-04 20:01", "2026-05-05", "Asia/Manila", ["tr_1", "tr_2"]),
        (datetime(2026, 5, 4, 20, 2), None, "Asia/Manila", ["tr_2"]),
        ("2026-05-04T12:02:00Z", None, "Asia/Manila", ["tr_2"]),
    ],
)
def test_only_payments_in_the_period_of_the_books_are_missing(since, until, tz, missing):
    """Only payments created in the period, in the zone of the books, are missing in them."""
    result = compare([row(3)], map(payment, range(4)), since=since, until=until, tz=tz)
    problems = result.frame()
    assert problems.loc[problems["kind"] == "missing_in_books", "id"].tolist() == missing


@pytest.mark.parametrize(
    ("rows", "period", "expected"),
    [
        ({"id": []}, {}, RuleError),
        ({"id": [], "amount": [], "date": []}, {"since": "2026-05-04"}, RuleError),
        ({"id": ["", None], "reference": [" ", ""], "amount": ["1", "2"]}, {}, RuleError),
        ({"id": []}, {"since": "2026-05-05"}, "since 2026-05-05"),
        (
            {"id": []},
            {"since": "2026-06-01", "until": "2026-07-01", "tz": "Asia/Manila"},
            "since 2026-06-01 before 2026-07-01 (Asia/Manila)",
        ),
    ],
)
def test_books_without_a_row_to_compare(rows, period, expected):
    """They are an error if a payment should have a row, and agree if none should."""
    books = pd.DataFrame(rows)
    if isinstance(expected, str):
        result = reconcile(listed(payment(0)), books, **period)
        first_words = f"Reconciled 0 transfers {expected} with books (0 rows)"
        assert (bool(result), result.report().split(":")[0]) == (True, first_words)
        return
    with pytest.raises(expected, match="no row with an id or a reference, so nothing can be"):
        reconcile(listed(payment(0)), books, **period)


def test_the_key_can_be_the_index_of_a_frame():
    """A named index is a column of the books."""
    rows = pd.DataFrame({"id": ["tr_0"], "amount": ["100"]}).set_index("id")
    assert reconcile(listed(payment(0)), rows)


def lists_of_both():
    """A service with a transfer and a conversion."""
    deposit = {"amount": "50.00", "currency": "PHP"}
    conversion = {"id": "cv_1", "status": "completed", "deposit": deposit}
    return listed(payment(0)) | {"conversion": frames.conversions([{"data": [conversion]}])}


GAPS = {
    "debit and credit": ({"debit": ["100"], "credit": [None]}, "; no amount was compared"),
    "another name": ({"Betrag": ["100"]}, "; no amount was compared"),
    "a rate only": ({"exchange_rate": ["16.7"]}, "; no amount was compared"),
    "a second amount": (
        {"source_amount": ["100"], "Amount": ["101"]},
        "; not compared: Amount",
    ),
    "an amount": ({"amount": ["100"], "note": ["x"]}, None),
    "a fee": ({"fees": ["1"]}, None),
}
"""Other columns of books of one payment, and what the verdict says of them."""


@pytest.mark.parametrize("books", GAPS)
def test_a_verdict_says_if_amounts_were_not_compared(books):
    """Everything agrees only if an amount was compared, and no other amount was left out."""
    columns, gap = GAPS[books]
    service = listed(payment(0) | {"exchange_rate": "16.7", "total_fee": "1"})
    report = reconcile(service, pd.DataFrame({"id": ["tr_0"], **columns})).report()
    verdict = "everything agrees" if gap is None else f"what was compared agrees{gap}"
    assert report.splitlines()[0].endswith(f": {verdict}")


NOT_COMPARED = {
    (("tr_0", "100"),): (
        "Reconciled 1 transfer with books (1 row): everything agrees; "
        "1 conversion not compared with the books",
        "conversions are not compared with the books: these have no conversion",
        {"USD": 1},
    ),
    (("cv_1", "51"),): (
        "Reconciled 1 conversion with books (1 row): 1 problem; "
        "1 transfer not compared with the books",
        "transfers are not compared with the books: these have no transfer",
        {"PHP": 1},
    ),
    (("tr_0", "100"), ("cv_1", "50")): (
        "Reconciled 1 transfer and 1 conversion with books (2 rows): everything agrees",
        None,
        {"PHP": 1, "USD": 1},
    ),
    (("none", "1"),): (
        "Reconciled 1 transfer and 1 conversion with books (1 row): 3 problems",
        None,
        {"PHP": 1, "USD": 1},
    ),
}
"""Rows of books: the first line of the report, the note on a list, and what the totals count."""


@pytest.mark.parametrize("since", [None, "2020-01-01"])
@pytest.mark.parametrize(("rows", "expected"), NOT_COMPARED.items())
def test_a_list_that_the_books_have_no_row_of_is_not_said_to_be_reconciled(rows, expected, since):
    """The first line, a note and the totals leave it out, with and without a period."""
    first_line, note, counts = expected
    books = pd.DataFrame(rows, columns=["id", "amount"])
    result = reconcile(lists_of_both(), books, since=since)
    verdict, *_ = result.report().splitlines()
    assert verdict.replace(" since 2020-01-01", "") == first_line
    notes = [line for line in result.notes if "not compared" in line]
    assert notes == ([note] if note else [])
    totals = result.totals().set_index("currency")["count_service"]
    assert totals[totals > 0].to_dict() == counts


def test_a_list_without_rows_in_the_books_is_still_compared_with_events():
    """The first line counts it with the events, and says that the books do not have it."""
    body = {"event_type": "transfer.x", "event_payload": payment(0, status="failed")}
    events = EventHistory([read_event(body)], None)
    books = pd.DataFrame({"id": ["cv_1"], "amount": ["50"]})
    result = reconcile(lists_of_both(), books, events)
    assert facts(result, "kind", "side", "id") == [("status", "events", "tr_0")]
    assert "1 problem; 1 transfer not compared with the books" in result.report()
    assert result.totals()["count_events"].sum() == 1


def test_books_of_one_family_need_not_have_the_other():
    """Conversions are missing only in books that have conversions, or match nothing."""
    lists = lists_of_both()
    cases = {
        (("tr_0", "100"),): [],
        (("cv_1", "50"),): [],
        (("cv_1", "51"),): ["amount"],
        (("tr_0", "100"), ("cv_1", "50")): [],
        (("none", "1"),): ["missing_in_books", "missing_in_books", "missing_in_service"],
    }
    for rows, expected in cases.items():
        result = reconcile(lists, pd.DataFrame(rows, columns=["id", "amount"]))
        assert result.frame()["kind"].tolist() == expected, rows


@pytest.mark.parametrize(
    ("payloads", "since", "expected"),
    [
        ([{}], None, []),
        ([{"status": "started"}], None, [("status", "tr_0")]),
        ([{"source_currency": "usd", "source_amount": "100"}], None, []),
        ([{"source_amount": "100.01"}], None, [("amount", "tr_0")]),
        ([{"source_amount": "1e999999999"}], None, []),
        ([{"source_amount": ["x"], "status": 5}], None, []),
        ([{"id": "tr_9"}], NOON, [("missing_in_events", "tr_0"), ("missing_in_service", "tr_9")]),
        ([], NOON, [("missing_in_events", "tr_0")]),
        ([], NOON + timedelta(hours=1), []),
        ([], None, []),
        ([{"status": "started", "updated_at": "2026-05-04T12:00:01.000Z"}, {}], None, []),
    ],
)
def test_the_latest_event_of_each_payment_is_compared(payloads, since, expected):
    """The latest event of each payment is compared; one is expected from `since` on."""
    late = {"updated_at": "2026-05-04T12:00:09.000Z"}
    events = [
        read_event({"event_type": "transfer.x", "event_payload": payment(0) | late | payload})
        for payload in payloads
    ]
    result = reconcile(listed(payment(0)), None, EventHistory(events, since))
    found = [
        (kind, id_ if isinstance(id_, str) else key)
        for kind, id_, key in facts(result, "kind", "id", "key")
    ]
    assert found == expected


def test_the_summary_and_the_totals_are_exact():
    """The differences of amounts add up to the difference of the totals."""
    rows = [row(0, amount="100000000000000000.01"), row(1), row(1), row(9, amount="0.02")]
    result = compare(rows, map(payment, range(3)))
    summary = result.summary().set_index(["kind", "currency"])["difference"]
    totals = result.totals().set_index("currency").loc["USD"]
    assert summary["duplicate", "USD"] == Decimal("101.01")
    assert summary.sum() == totals["amount_books"] - totals["amount_service"]
    assert (totals["count_service"], totals["count_books"]) == (3, 4)


def test_sums_over_several_currencies_warn():
    """The differences and the totals of amounts know their currency; those of rates have none."""
    euro = {"source_currency": "EUR", "exchange_rate": "17"}
    result = compare(
        [row(0, amount="7"), row(1, source_currency="EUR", amount="8", exchange_rate="18")],
        [payment(0, exchange_rate="17"), payment(1, **euro)],
    )
    problems = result.frame()
    columns = (
        problems["difference"],
        result.summary()["difference"],
        result.totals()["amount_books"],
        result.totals()["amount_service"],
    )
    for column in columns:
        with pytest.warns(frames.CurrencyWarning, match="amounts in EUR, USD are added"):
            column.sum()
    found = {(row.kind, row.difference.currency) for row in problems.itertuples()}
    assert found == {("amount", "USD"), ("amount", "EUR"), ("exchange_rate", None)}


def test_books_without_a_currency_say_so():
    """An amount counts in the currency of its payment; a row without a payment has none."""
    rows = {"id": [payment(0)["id"], payment(1)["id"], "other"], "amount": ["1.00", "2", "4.00"]}
    payments = [payment(0), payment(1) | {"source_currency": "PHP"}]
    report = compare(pd.DataFrame(rows), payments).report()
    assert "  total of rows without a currency: books 4.00" in report
    assert re.search(r"  total PHP: service [\d.]+, books 2.00", report)
    assert re.search(r"  total USD: service [\d.]+, books 1.00", report)
    assert "no column of currencies: an amount is taken in that of its payment" in report
    assert "no column of currencies" not in compare([row(0)], [payment(0)]).report()


def test_references_beside_ids_are_said_not_to_be_compared():
    """A row is found by its id; its reference may be that of another payment."""
    both = row(0) | {"id": payment(0)["id"], "reference": "order-9"}
    note = "references of rows with an id are not compared"
    assert note in compare([both], [payment(0)]).notes
    assert note not in compare([row(0)], [payment(0)]).notes


def test_blank_cells_are_counted():
    """They are no problem, but the verdict does not say that everything agrees."""
    rows = [row(0), row(1, amount=""), row(2, amount="", status="")]
    result = compare(rows, map(payment, range(3)))
    assert result
    assert ": the cells that are not blank agree" in result.report()
    assert "blank cells of amount that are not compared: 2" in result.notes
    assert "blank cells of status that are not compared: 1" in result.notes


OF_CURRENCIES = [
    {"source_amount": "10.50", "source_currency": "PHP"},
    {"source_amount": "1.123456", "source_currency": "USDC"},
]


def test_totals_have_the_decimals_of_their_currency():
    """Also beside a currency with more decimals; a total that has more digits keeps them."""
    payments = [payment(number) | facts for number, facts in enumerate(OF_CURRENCIES)]
    report = compare(pd.DataFrame({"id": [one["id"] for one in payments]}), payments).report()
    assert "total PHP: service 10.50" in report.splitlines()[-2]
    assert "total USDC: service 1.123456" in report.splitlines()[-1]


def test_a_reconciliation_has_the_length_of_its_problems_and_yields_them():
    """`len`, a loop and a number read problems; what frames have is said to be of `frame()`."""
    result = compare([row(1), row(1)], [payment(0), payment(1)])
    assert len(result) == len(result.problems) == len(result.frame()) == 2
    assert [*result] == [result[0], result[1]]
    assert not result
    with pytest.raises(TypeError, match=r"write frame\(\)\['kind'\]"):
        result["kind"]
    with pytest.raises(AttributeError, match=r"use frame\(\)\.to_csv"):
        result.to_csv("problems.csv")


def test_the_types_of_the_frame_do_not_depend_on_the_problems():
    """With and without problems, every column has the same type."""
    few, many = (compare([row(0, amount=amount)], [payment(0)]) for amount in ("100", "5"))
    kinds = [frame.dtypes.astype(str).to_dict() for frame in (few.frame(), many.frame())]
    assert kinds[0] == kinds[1]
    assert kinds[0]["difference"] == "decimal"


def test_every_kind_is_explained():
    """Each kind that the tables above find has an explanation."""
    found = {problem[0] for _, problems in PLANTED.values() for problem in problems}
    assert found <= PROBLEM_KINDS.keys()


def test_hostile_text_of_the_books_is_escaped():
    """HTML, control and direction characters of the books are shown as escapes."""
    rows = [row(0, reference="<img src=x>"), row(1, source_currency="\x1b[31m\u202eusd")]
    result = compare(rows, [payment(1)])
    assert "<img" not in displays.show(result)
    for text in (repr(result), repr(result.frame())):
        assert not {"\x1b", "\u202e"} & set(text)


# With a lab


@pytest.fixture(scope="module")
def lab():
    """A lab without objects."""
    lab = paylab.connect()
    lab.simulator.reset()
    return lab


@pytest.fixture(scope="module", autouse=True)
def inbox(lab):
    """An inbox of the lab with the events of two transfers and a conversion."""
    with lab.inbox() as inbox:
        for kind in ("transfer.completed", "transfer.failed", "conversion.completed"):
            lab.trigger(kind)
        yield inbox


def test_list_and_events_of_a_lab_agree(lab):
    """Without books, the list is compared with the events of the latest inbox."""
    result = lab.reconcile()
    assert (bool(result), result.sides) == (True, ("service", "events"))
    assert "everything agrees" in result.report()


@pytest.mark.parametrize("form", ["frame", "csv", "parquet", "xlsx"])
def test_our_own_export_agrees(lab, tmp_path, form):
    """A frame and each file that an export writes agree with the list."""
    source = lab.transfers.frame()
    if form != "frame":
        source = tmp_path / f"t.{form}"
        lab.transfers.export(source)
    result = lab.reconcile(source)
    assert (result.frame()["kind"].tolist(), result.sides[1:]) == ([], ("books", "events"))


def test_events_in_any_order(lab, inbox, tmp_path):
    """Events can be a list or a file that an inbox saved, in any order."""
    path = inbox.save(tmp_path / "events.jsonl")
    path.write_text("\n".join(path.read_text().splitlines()[::-1]) + "\n\n")
    events = [arrival.event for arrival in inbox][::-1]
    for source in (path, str(path), events):
        assert lab.reconcile(events=source).sides == ("service", "events")
        assert lab.reconcile(events=source)


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("nowhere.jsonl", ConfigError, "nowhere.jsonl cannot be used: no such file"),
        ("bad.jsonl", PaylabError, "line 2: an event has event_type"),
        (7, TypeError, "a file with a JSON object a line"),
        (b"bad.jsonl", TypeError, "not a bytes"),
        ([7], TypeError, "event 1 is of type int"),
    ],
)
def test_events_that_are_none_are_a_clear_error(
    lab, inbox, tmp_path, monkeypatch, source, error, words
):
    """Invalid events are an error that names the file, the line or the type."""
    monkeypatch.chdir(tmp_path)
    good = inbox.save(tmp_path / "bad.jsonl").read_text().splitlines()[1]
    (tmp_path / "bad.jsonl").write_text(f"{good}\n{{}}\n")
    with pytest.raises(error, match=words):
        lab.reconcile(events=source)


def test_events_of_no_payment_agree_with_nothing():
    """The first line says so; books beside them agree, and payments that are none, too."""
    lab = paylab.connect(simulator=Simulator(transfers=3))
    result = lab.reconcile()
    sentence = "Nothing was compared with the events, which have none of the payments. Reconciled "
    assert result.report().startswith(sentence)
    assert "everything agrees" not in result.report()
    assert not result
    assert not len(result)
    assert lab.reconcile(lab.transfers.frame(), events=lab.inbox())
    both = lab.reconcile(lab.transfers.frame(), events=lab.inbox()).report().splitlines()[0]
    assert both.startswith(sentence)
    assert both.endswith(": the rest agrees")
    assert paylab.connect(simulator=Simulator()).reconcile()
