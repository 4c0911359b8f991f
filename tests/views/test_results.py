"""The HTML of results, lists, the simulator and a lab: short, escaped, without a request."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

import paylab
from paylab.lab import displays
from paylab.simulator.simulator import Simulator
from paylab.spec import models
from paylab.views import html, ids
from paylab.views.results import items_table


@pytest.fixture(scope="module")
def lab():
    """A lab on a simulator with some transfers."""
    return paylab.connect(simulator=Simulator(transfers=60))


def wrong_books(lab):
    """Books in which an amount differs and a payment is unknown."""
    books = lab.transfers.frame()[["id", "source_amount", "status"]]
    books.loc[len(books)] = ["tr_unknown", Decimal(5), "completed"]
    books.loc[0, "source_amount"] = Decimal("12345.67")
    return books


SHOWN = {
    "a lab": lambda lab: lab,
    "a list": lambda lab: lab.transfers.list(),
    "a page": lambda lab: next(lab.transfers.list().pages()),
    "some items": lambda lab: lab.transfers.list()[:3],
    "a result": lambda lab: lab.transfers.list()[0],
    "an individual": lambda lab: lab.individuals.list()[0],
    "the calls": lambda lab: lab.calls,
    "a call": lambda lab: lab.calls[-1],
    "a simulator": lambda lab: Simulator(),
    "its controls": lambda lab: lab.simulator,
    "faults": lambda lab: lab.simulator.faults,
    "scenarios": lambda lab: lab.simulator.scenarios,
    "a reconciliation": lambda lab: lab.reconcile(),
    "a reconciliation with problems": lambda lab: lab.reconcile(wrong_books(lab)),
}


@pytest.mark.parametrize("get", SHOWN.values(), ids=SHOWN)
def test_showing_a_value_as_text_or_html_sends_no_request(lab, get):
    """Showing a value as text or HTML sends no request."""
    value = get(lab)
    before = len(lab.calls)
    assert repr(value)
    assert "<" in displays.show(value)
    assert len(lab.calls) == before


@pytest.mark.parametrize("get", SHOWN.values(), ids=SHOWN)
def test_long_lines_are_wrapped(lab, get):
    """Preformatted text wraps its long lines; text that stays on one line is short."""
    shown = displays.show(get(lab))
    blocks = re.findall("<pre[^>]*>", shown)
    assert all("white-space:pre-wrap;overflow-wrap:anywhere" in block for block in blocks)
    assert set(re.findall(r"white-space:\s*([\w-]+)", shown)) <= {"pre-wrap", "nowrap", "normal"}
    kept = re.findall(r"white-space:\s*nowrap[^>]*>([^<]*)", shown)
    assert max(map(len, kept), default=0) <= ids.LONG_WORD_LENGTH


def test_a_list_says_how_to_fetch_until_it_was_walked(lab):
    """A list that was not fetched says so; a fetched one shows 20 rows and counts the others."""
    listed = lab.transfers.list()
    assert "Nothing is fetched yet" in displays.show(listed)
    listed.to_list(limit=45)
    assert f"{60 - html.TABLE_ROWS_MAX:,} more" in displays.show(listed)
    assert displays.show(listed).count("<tr ") == 1 + html.TABLE_ROWS_MAX


def test_a_result_is_a_card_of_the_fields_that_have_a_value(lab):
    """The card leaves out fields without a value; the tooltip of an id has the full id."""
    transfer = lab.transfers.list()[0]
    shown = displays.show(transfer)
    assert f'title="{transfer.id}&#10;lab.open(&quot;{transfer.id}&quot;)"' in shown
    assert "source_amount" in shown
    assert "failure_reason" not in shown
    large = transfer.model_copy(update={"source_amount": Decimal("5681.790")})
    assert ">5,681.790<" in displays.show(large)


def test_a_result_has_a_repr_of_one_short_line(lab):
    """The repr of a result is one line of fewer than 250 characters."""
    for found in (lab.individuals.list()[0], lab.transfers.list()[0]):
        assert "\n" not in repr(found)
        assert len(repr(found)) < 250


def test_document_numbers_are_not_shown():
    """Neither the HTML nor the repr of an individual contains the document number."""
    person = models.Individual.model_validate(
        {"id": "ind_1", "document": {"type": "curp", "number": "GOHM900512MDFNRR07"}}
    )
    assert "GOHM900512" not in displays.show(person) + repr(person)


def test_text_from_the_service_is_escaped():
    """Ids, names, unknown fields and nested values are escaped."""
    evil = "<img src=x onerror=alert(1)>"
    sent = {"id": evil, "given_name": evil, "new": {evil: [evil]}, "address": {"city": evil}}
    shown = displays.show(models.Individual.model_validate(sent))
    assert "<img" not in shown


def test_a_value_without_a_view_has_none():
    """An object of a type without a registered display has no HTML."""
    assert displays.show(object()) is None


def test_a_type_without_columns_of_its_own_shows_its_first_fields():
    """A table has at most six columns; one item is not written as several."""
    fields = {"id": "dep_1", "a": 1, "b": None, "c": ["x", "y"], "d": [], "e": {"f": 2}, "g": 3}
    shown = items_table([models.Deposit.model_validate(fields)])
    heads = re.findall(r'scope="col"[^>]*>([^<]*)<', shown)
    assert len(heads) == 6
    assert heads[0] == "id"
    assert "1 Deposit<" in shown
    assert "2 Deposits<" in items_table([models.Deposit.model_validate(fields)] * 2)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"tags": ["x", "y"]}, "x, y"),
        ({"tags": []}, "none"),
        ({"tags": {"f": "é"}}, "&quot;f&quot;: &quot;é&quot;"),
        ({"tags": [1]}, "[\n  1\n]"),
    ],
)
def test_a_list_of_words_is_a_row_and_nested_values_are_folded(fields, text):
    """Lists of words are joined; objects and other lists are JSON that opens on click."""
    assert text in displays.show(models.Deposit.model_validate({"id": "dep_1", **fields}))


def test_an_amount_that_is_unknown_is_an_empty_cell():
    """A conversion that is not paid out has no amount in its column."""
    fields = {"id": "con_1", "status": "pending", "deposit": {"amount": "5", "currency": "MXN"}}
    shown = items_table([models.Conversion.model_validate(fields)])
    assert "5 MXN" in shown
    assert "None" not in shown


def test_the_card_of_a_reconciliation_has_every_problem(lab):
    """It has the verdict, kinds, both values and differences, and what was compared."""
    result = lab.reconcile(wrong_books(lab))
    shown = re.sub("<[^>]*>", " ", displays.show(result).replace("<wbr>", ""))
    problem = result.problems[0]
    words = ["2 problems", "missing_in_service", "tr_unknown", "12345.67", "Totals"]
    words += [problem.service_value, f"{problem.difference:,f}"]
    words += ["amount (source_amount)", "not in the books"]
    assert [word for word in words if word not in shown] == []


def test_rows_that_are_not_shown_have_a_place(lab):
    """Below a table is what has all rows, and how to compare a shorter time."""
    problems = displays.show(lab.reconcile(wrong_books(lab).head(5)))
    assert "more: frame() has all problems" in problems
    assert "compare that time only: lab.reconcile(books, since=..., until=...)" in problems
    transfers = lab.transfers.list()
    assert len(transfers.to_list()) == 60
    assert "40 more: to_list() has all" in displays.show(transfers)
