"""Reconciling list, events and the user's books: missing rows, differences, exact totals."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

import pandas as pd
import pytest

import paylab
from paylab import frames
from paylab.errors import ConfigError, ExactnessError, PaylabError, RuleError
from paylab.lab import displays
from paylab.lab.trigger import trigger
from paylab.webhooks.arrivals import events_of
from paylab.webhooks.books import of_books
from paylab.webhooks.event import read_event
from paylab.webhooks.reconciliation import merge, of_events, of_lists
from paylab.webhooks.report import reconcile

HEAD = "client_reference_id,amount,currency,status\n"


@contextmanager
def paid():
    """A lab with an inbox, two transfers and a conversion, and nothing older."""
    lab = paylab.connect()
    lab.simulator.reset()
    with lab.inbox():
        for kind in ("transfer.completed", "transfer.failed", "conversion.completed"):
            trigger(lab, kind)
        yield lab


@pytest.fixture(scope="module")
def lab():
    """A lab with payments that the tests only read."""
    with paid() as lab:
        yield lab


@pytest.fixture(scope="module")
def settled(lab):
    """The reconciliation of its list and events."""
    return lab.reconcile()


@pytest.fixture(scope="module")
def compare(lab):
    """The function that compares its list and events with books, as `lab.reconcile` does."""
    lists = {"transfer": lab.transfers.frame(), "conversion": lab.conversions.frame()}
    return partial(reconcile, lists, events_of(lab._webhooks.inboxes[-1]))


@pytest.fixture
def changing():
    """Such a lab for one test that makes more payments."""
    with paid() as lab:
        yield lab


def problems(result):
    """The problems of a result, sorted."""
    return sorted(
        each for row in result.frame(problems=True)["problem"] for each in row.split("; ")
    )


def write(tmp_path, *rows, head=HEAD):
    """Write a CSV file as a user might export it."""
    path = tmp_path / "books.csv"
    path.write_text(head + "".join(f"{row}\n" for row in rows), encoding="utf-8-sig")
    return path


def test_list_and_events_agree(settled):
    """If list and events agree, the result is true and the report says so."""
    assert (bool(settled), len(settled.frame()), settled.sides) == (True, 3, ("list", "events"))
    assert "everything agrees" in settled.report()


def test_what_has_no_event_is_missed_or_differs(changing):
    """A payment whose events did not arrive is missing; a status without an event differs.

    Transfers that are older than the inbox are not missed. The report has the number of rows, then
    each kind of problem and its number.
    """
    changing.simulator.seed(transfers=5)
    for event, *_ in [trigger(changing, "transfer.created") for _ in range(2)]:
        changing.simulator.move(event.id, "cancelled")
    changing._webhooks.inboxes[-1].answer(503, 1_000)
    trigger(changing, "transfer.completed")
    result = changing.reconcile()
    differs = "status differs in events: cancelled in list, awaiting_funds in events"
    assert problems(result) == ["missing in events", differs, differs]
    assert result.report().splitlines()[:3] == [
        "Reconciled 10 transfers and 1 conversion by list, events: 3 with a problem",
        "  1 x missing in events",
        "  2 x status differs in events",
    ]
    everything, wrong = result.frame(), result.frame(problems=True)
    assert (list(wrong), list(wrong.index)) == (list(everything), [0, 1, 2])


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["trigger,100,usd,completed", "scenario:failed,100.00,USD,failed"], []),
        (["trigger,100,usd,", "scenario:failed,,,"], []),
        (["trigger,100,usd,completed"], ["missing in references"]),
        (["trigger,100,usd,", "scenario:failed,100,usd,", "order-9,5,usd,"], ["missing in list"]),
        (
            ["trigger,100.01,usd,", "scenario:failed,100,eur,"],
            [
                "amount differs in references: 100.00 in list, 100.01 in references",
                "currency differs in references: USD in list, EUR in references",
            ],
        ),
        (
            ["trigger,100,usd,started", "scenario:failed,100,usd,"],
            ["status differs in references: completed in list, started in references"],
        ),
        (
            ["trigger,100,usd,", "trigger,100,usd,", "scenario:failed,100,usd,"],
            ["duplicate in references: 2 rows"],
        ),
    ],
)
def test_books(compare, tmp_path, rows, expected):
    """Books are compared by reference; blank cells, number format and case do not matter."""
    assert problems(compare(write(tmp_path, *rows))) == expected


def test_books_by_id(lab, compare, tmp_path):
    """Books of conversions, which have no reference, are compared by id."""
    rows = [f"{row.id},{row.deposit.amount}" for row in lab.conversions.list()]
    result = compare(write(tmp_path, *rows, head="id,deposit_amount\n"))
    assert problems(result) == []
    assert "references 50.00" in result.report()


@pytest.mark.parametrize("books", [HEAD, pd.DataFrame({"id": []})])
def test_empty_books_miss_everything(compare, tmp_path, books):
    """With an empty file or frame, all three payments are missing in the books."""
    source = write(tmp_path, head=books) if isinstance(books, str) else books
    assert problems(compare(source)) == ["missing in references"] * 3


def test_books_that_match_nothing_miss_everything(compare, tmp_path):
    """If no row matches, the payments are missing in the books and the row in the list."""
    expected = ["missing in list", *["missing in references"] * 3]
    assert problems(compare(write(tmp_path, "order-9,5,usd,"))) == expected


def test_books_as_a_frame(compare):
    """Amounts of a frame can be text, Decimal, int, or float if the float is exact."""
    frame = pd.DataFrame({"reference": ["trigger", "scenario:failed"], "amount": [100, 100]})
    assert problems(compare(frame)) == []
    for amount in ("100.00", Decimal("100.00"), 100, 100.0):
        books = of_books(frame.assign(amount=[amount] * 2))
        assert [*map(type, books["amount"])] == [Decimal] * 2
        assert books["amount"].tolist() == [Decimal(100)] * 2


@pytest.mark.parametrize("as_file", [True, False])
def test_our_own_export_is_a_list_of_references(lab, tmp_path, as_file):
    """An exported CSV and a frame of transfers agree with the list they come from."""
    if as_file:
        lab.transfers.export(tmp_path / "t.csv")
    books = tmp_path / "t.csv" if as_file else lab.transfers.frame()
    assert problems(lab.reconcile(books)) == []


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("name,amount\nx,1\n", RuleError, "id or client_reference_id"),
        ("id,amount\nx,ten\n", ExactnessError, "amount, row 1: 'ten' is not a number"),
        ("id,amount\nx,1\ny,NaN\n", ExactnessError, "row 2"),
        ("", ConfigError, "cannot be read as CSV"),
        ("name,amount\n", RuleError, "id or client_reference_id"),
        ("id,amount\nx,1\ny,10,50\n", ConfigError, "Expected 2 columns, got 3"),
    ],
)
def test_books_that_cannot_be_read(tmp_path, text, error, words):
    """The error for unreadable books names the row or the missing column."""
    with pytest.raises(error, match=words):
        of_books(write(tmp_path, head=text))


@pytest.mark.parametrize("as_file", [True, False])
def test_columns_of_books(compare, tmp_path, as_file):
    """`columns` names the columns that mean something; the usual names are found without it."""
    path = write(
        tmp_path,
        "x1,100.00,trigger,completed,MXN",
        "x2,100.01,scenario:failed,failed,USD",
        head="id,Betrag,Zahlung,status,currency\n",
    )
    books = path if as_file else pd.read_csv(path, dtype=str)
    given = {"id": "Zahlung", "amount": "Betrag"}
    found = problems(compare(books, columns=given))
    assert found == [
        "amount differs in references: 100.00 in list, 100.01 in references",
        "currency differs in references: USD in list, MXN in references",
    ]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"sum": "Betrag"}, "columns= has 'sum': the meanings are id, reference, amount"),
        ({"amount": "Sum"}, "columns= has 'Sum': .*your columns id, Betrag"),
        ({"id": None}, "columns= has 'None'"),
    ],
)
def test_columns_that_are_none(columns, words):
    """A meaning or a column that does not exist is an error that lists the ones that do."""
    with pytest.raises(RuleError, match=words):
        of_books(pd.DataFrame({"id": ["x"], "Betrag": ["1"]}), columns)


def test_a_float_that_lost_digits_is_refused():
    """A float with too many digits is refused, because the written value is not known."""
    with pytest.raises(ExactnessError, match="too many digits"):
        of_books(pd.DataFrame({"id": ["x"], "amount": [12345678901234.75]}))
    books = of_books(pd.DataFrame({"id": ["x"], "amount": [1234567890123.75]}))
    assert books["amount"].tolist() == [Decimal("1234567890123.75")]


def test_the_frame_is_exact(lab, settled):
    """The frame has a row per payment, with amounts as Decimal and aware times in UTC."""
    frame = settled.frame()
    payments = [*lab.transfers.list(), *lab.conversions.list()]
    assert frame["created_at"].tolist() == sorted(one.created_at for one in payments)
    assert str(frame["created_at"].dt.tz) == "UTC"
    assert frame["amount_list"].tolist() == [Decimal("100.00")] * 2 + [Decimal("50.00")]
    assert str(frame["amount_events"].dtype) == "decimal"
    assert frame["problem"].tolist() == ["", "", ""]


def test_totals_are_exact(compare, tmp_path):
    """Totals per kind and currency are exact beyond the precision of a float."""
    rows = ["trigger,100000000000000000.01,usd,", "scenario:failed,0.02,usd,"]
    totals = compare(write(tmp_path, *rows)).totals().set_index("kind")
    assert totals.loc["transfer", "amount_references"] == Decimal("100000000000000000.03")
    assert totals.loc["transfer", "amount_list"] == Decimal("200.00")
    assert totals.loc["conversion", "count_list"] == 1


def test_the_report_is_shown_escaped(compare, tmp_path):
    """Text of the user's file is escaped in the HTML report."""
    shown = displays.show(compare(write(tmp_path, "<img src=x>,1,usd,")))
    assert "<img" not in shown


def test_the_report_holds_nothing_that_a_terminal_obeys(compare, tmp_path):
    """Control and direction characters of the user's file are printed as escapes."""
    result = compare(write(tmp_path, "x,1,\x1b[31m\u202eusd,"))
    assert "\\x1b[31M\\u202eUSD" in result.report()
    assert not {"\x1b", "\u202e"} & set(repr(result))


@pytest.mark.parametrize("text", ["1e999999999", "9" * 21, "0." + "1" * 19, "x", "", 5, None, [1]])
def test_an_amount_of_an_event_that_is_none(text):
    """An event with a strange amount, which anybody can send, has none and stops nothing."""
    payload = {"id": "tr_1", "source_amount": text, "source_currency": "usd", "status": ["x"]}
    good = payload | {"id": "tr_2", "source_amount": "9" * 20 + "." + "1" * 18, "status": "failed"}
    events = [{"event_type": "transfer.created", "event_payload": each} for each in (payload, good)]
    side = of_events(map(read_event, events))
    assert side["amount"].tolist() == [pd.NA, Decimal(good["source_amount"])]
    assert side["status"].tolist() == [None, "failed"]


def test_events_in_any_order(lab, tmp_path):
    """Events can be a list or a file that an inbox saved, in any order."""
    path = lab._webhooks.inboxes[-1].save(tmp_path / "events.jsonl")
    path.write_text("\n".join(path.read_text().splitlines()[::-1]) + "\n\n")
    events = [arrival.event for arrival in lab._webhooks.inboxes[-1]][::-1]
    for given in (path, str(path), events):
        result = lab.reconcile(events=given)
        assert (bool(result), result.sides) == (True, ("list", "events"))


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ("nowhere.jsonl", FileNotFoundError, "nowhere.jsonl"),
        ("bad.jsonl", PaylabError, "line 2: an event has event_type"),
        (7, TypeError, "a file with a JSON object a line"),
        (b"bad.jsonl", TypeError, "not a bytes"),
        ([7], TypeError, "event 1 is of type int"),
    ],
)
def test_events_that_are_none_are_a_clear_error(lab, tmp_path, monkeypatch, given, error, words):
    """Invalid events are an error that names the file, the line or the type."""
    monkeypatch.chdir(tmp_path)
    good = lab._webhooks.inboxes[-1].save(tmp_path / "bad.jsonl").read_text().splitlines()[1]
    (tmp_path / "bad.jsonl").write_text(f"{good}\n{{}}\n")
    with pytest.raises(error, match=words):
        lab.reconcile(events=given)


def test_a_payment_made_exactly_at_since_is_expected():
    """A payment from before `since` need not be in the events; one made at that time must be."""
    since = datetime(2026, 1, 15, 12, tzinfo=UTC)
    times = [since, since - timedelta(microseconds=1), None]
    rows = [{"id": f"tr_{n}", "created_at": at and at.isoformat()} for n, at in enumerate(times)]
    listed = of_lists({"transfer": frames.transfers([{"data": rows}])})
    found = merge(listed, of_events([]), None, since).set_index("id")["problem"].to_dict()
    assert found == {"tr_0": "missing in events", "tr_1": "", "tr_2": "missing in events"}
