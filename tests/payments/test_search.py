"""The list is read back to a time, and fails closed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import repeat

import pytest

import paylab
from paylab.errors import ChoiceError, RuleError
from paylab.payments.search import PAGES_MAX, REPEATED_PAGES_MAX, find_by_references
from paylab.spec.models import Transfer
from paylab.spec.page import Page

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def row(number, days=0, **more):
    """A payment with a reference of its own, made so many days ago; None leaves a field out."""
    fields = {
        "id": f"tr_{number}",
        "client_reference_id": f"r{number}",
        "created_at": (NOW - days * DAY).isoformat(),
        **more,
    }
    return {name: value for name, value in fields.items() if value is not None}


def make_pages(*pages):
    """The pages of a list, each of these rows."""
    for number, rows in enumerate(pages, 1):
        yield Page([Transfer.model_validate(row) for row in rows], number < len(pages))


PAGES = [[row(1, 1), row(2, 2)], [row(3, 3), row(4, 4)], [row(5, 5), row(6, 6)]]


@pytest.mark.parametrize(
    ("pages", "days", "reads", "found"),
    [
        (PAGES, 2.5, 2, ["r1"]),
        (PAGES, 10, 3, ["r1", "r5"]),
        (PAGES, None, 3, ["r1", "r5"]),
        (PAGES, 0.5, 1, []),
        ([[row(5, 5)], [row(3, 3)], [row(1, 1)]], 2.5, 3, ["r1"]),
        ([[row(1, 1)], [row(3, 3)], [row(5, 5)]], 2.5, 2, ["r1"]),
        ([[row(5, 5), row(1, 1)], PAGES[2], [row(3, 3)]], 2.5, 3, ["r1"]),
        ([[row(2, 2), row(3, 3, created_at=None)], PAGES[2], [row(1, 1)]], 2.5, 3, ["r1"]),
        ([PAGES[0], [], PAGES[2]], None, 3, ["r1", "r5"]),
    ],
)
def test_reading_ends_early_only_in_a_list_that_descends(pages, days, reads, found):
    """It ends after a whole page older than the bound, with rows descending so far."""
    since = None if days is None else NOW - days * DAY
    unread = make_pages(*pages)
    payments = find_by_references(unread, {"r1", "r5"}, since)
    assert (len(pages) - len([*unread]), sorted(payments)) == (reads, found)


@pytest.mark.parametrize(("rows", "reads"), [([row(1)], PAGES_MAX), ([], REPEATED_PAGES_MAX)])
def test_a_list_of_too_many_pages_is_an_error(rows, reads):
    """A list that does not end cannot tell, which is clear sooner if it shows nothing new."""
    page = Page([Transfer.model_validate(row) for row in rows], has_next_page=True, cursor="next")
    unread = repeat(page, PAGES_MAX + 1)
    with pytest.raises(ChoiceError, match="could not be told") as error:
        find_by_references(unread, {"r9"}, None)
    assert (error.value.reason, error.value.payment) == ("untold", None)
    assert len([*unread]) == PAGES_MAX + 1 - reads


def test_a_long_list_is_reported_as_it_is_read():
    """The pages so far are told after 2, 4, 8, ... pages, with how far they reach back."""
    texts = []
    pages = make_pages(*([row(n, n)] for n in range(9)))
    find_by_references(pages, {"a"}, NOW - 99 * DAY, texts.append)
    assert [text.split(": ")[1] for text in texts] == [
        f"{pages} pages so far, back to 2026-02-{day} of 2025-11-22"
        for pages, day in ((2, 28), (4, 26), (8, 22))
    ]


@pytest.mark.parametrize(
    ("fields", "since"),
    [
        ({}, NOW),
        ({"financial_account": {"id": "fa_1"}, "source_amount": "10"}, None),
        ({"source_amount": "1"}, NOW),
    ],
)
def test_too_little_to_look_for_is_an_error(lab, fields, since):
    """A reference, or values and a time, are needed."""
    with pytest.raises(RuleError, match="client_reference_id"):
        lab.transfers.find(**fields, since=since)


def test_other_values_beside_a_reference_are_a_conflict(lab):
    """A reference whose payment has another amount is an error, and not the answer None."""
    account = lab.individuals.create(**paylab.examples.recipient("MX")).financial_accounts[0]
    terms = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
    lab.transfers.create(account, source_amount="10", client_reference_id="a", **terms)
    with pytest.raises(ChoiceError, match="source_amount is 10, not 11"):
        lab.transfers.find(client_reference_id="a", source_amount="11")
