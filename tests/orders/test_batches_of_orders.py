"""Batches: lists of orders that look for their references before they are sent."""

import csv
import threading
from datetime import timedelta

import pandas as pd
import pytest
from order_reports import batch_report, report
from payments_service import ORDER

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def rows(*references, **changes):
    """Return one payout for each reference, of different amounts."""
    return [
        {**ORDER, "source_amount": f"{10 + len(name)}.00", "client_reference_id": name, **changes}
        for name in references
    ]


ABC = rows("a", "bb", "ccc")
AGES_OF_BATCHES = [
    (timedelta(), {}, "already paid, already paid, already paid", 3),
    (25 * HOUR, {}, "already paid, already paid, already paid", 3),
    (6.9 * DAY, {}, "already paid, already paid, already paid", 3),
    (7.1 * DAY, {}, "error older paid pay", 3),
    (8 * DAY, {"older": "paid"}, "already paid, already paid, already paid", 3),
    (8 * DAY, {"older": "pay"}, "created, created, created", 6),
    (8 * DAY, {"lookback": "7 days"}, "created, created, created", 6),
    (50 * DAY, {}, "created, created, created", 6),
    (50 * DAY, {"lookback": "60 days"}, "error older paid pay", 3),
    (25 * HOUR, {"lookback": None}, "created, created, created", 6),
]


@pytest.mark.parametrize(("age", "options", "reported", "paid"), AGES_OF_BATCHES)
def test_a_batch_that_is_sent_again(service, connect, age, options, reported, paid):
    """A batch sent again finds its references in the list; old ones are a question."""
    batch_report(connect(), ABC).check("created, created, created")
    service.clock.advance(seconds=age.total_seconds())
    again = batch_report(connect(), ABC, **options)
    again.check(reported)
    assert len(service.payments) == paid
    if reported.startswith("already"):
        assert sorted(again.ids) == ["tr_1", "tr_2", "tr_3"]


def test_the_answer_pay_counts_once(service, connect):
    """`older="pay"` run twice pays the old rows again once."""
    batch_report(connect(), ABC)
    service.clock.advance(days=8)
    batch_report(connect(), ABC, older="pay").check("created, created, created")
    batch_report(connect(), ABC, older="pay").check("already paid, already paid, already paid")
    assert len(service.payments) == 6


TERMS = [
    ({"source_amount": "99.00"}, "conflict"),
    ({"financial_account_id": "fa_2"}, "conflict"),
    ({"destination_currency": "cop", "payout_method": "ach_co"}, "conflict"),
]


@pytest.mark.parametrize(("change", "word"), TERMS)
def test_other_terms_stop_a_batch(service, connect, change, word):
    """A reference with other terms is a conflict, and nothing of the batch is sent."""
    batch_report(connect(), rows("a"))
    again = batch_report(connect(), [*rows("a", **change), *rows("new")])
    again.check(f"error {word}")
    assert "row 1 is a conflict" in again.rows[1]["error"]
    assert len(service.payments) == 1


@pytest.mark.parametrize(
    ("status", "hours"), [("failed", 0), ("expired", 25), ("cancelled", 24 * 10)]
)
def test_a_dead_payment_in_a_batch_has_failed_before(service, connect, status, hours):
    """A dead payment is `failed before`; `retry_failed` pays it again, once."""
    batch_report(connect(), ABC)
    service.payments[0]["status"] = status
    row = [
        payout
        for payout in ABC
        if service.payments[0]["client_reference_id"] == payout["client_reference_id"]
    ]
    service.clock.advance(hours=hours)
    batch_report(connect(), row).check("failed before")
    batch_report(connect(), row, retry_failed=True).check("created")
    batch_report(connect(), row, retry_failed=True).check("already paid")
    batch_report(connect(), row).check("already paid")
    assert len(service.payments) == 4


WRONG = [
    ([*rows("a"), *rows("a")], {}, "error a 1 2"),
    ([*rows("Jos\u00e9"), *rows("Jose\u0301")], {}, "error 1 2"),
    ([*rows("a"), *rows(" a ")], {}, "error 1 2"),
    ([ORDER], {}, "error client_reference_id"),
    ([*rows("a"), ORDER], {}, "error client_reference_id 2"),
    ([ORDER, ORDER], {"references": False}, "error 1 2"),
    ([ORDER, {**ORDER, "source_amount": "10"}], {"references": False}, "error 1 2"),
    (rows("   "), {}, "error client_reference_id"),
]


@pytest.mark.parametrize(("payouts", "options", "reported"), WRONG)
def test_rows_that_cannot_be_told_apart(service, cell, payouts, options, reported):
    """Rows with one reference, equal rows and rows without a reference are errors; none is sent."""
    batch_report(cell, payouts, **options).check(reported)
    assert service.payments == []


@pytest.mark.parametrize(("hours", "paid"), [(0, 2), (23, 2), (25, 4)])
def test_a_batch_without_references_can_be_repeated_for_24_hours(service, connect, hours, paid):
    """Without references a batch is safe to repeat for 24 hours, and says so."""
    payouts = [ORDER, {**ORDER, "source_amount": "11.00"}]
    first = batch_report(connect(), payouts, references=False)
    first.check("created, created")
    assert "24" in first.visible
    service.clock.advance(hours=hours)
    again = batch_report(connect(), payouts, references=False)
    assert not again.error
    assert len(service.payments) == paid
    assert ("created" in again.outcomes) is (paid == 4)


def test_a_batch_is_not_sent_if_the_list_cannot_tell(service, connect):
    """If the list cannot tell, nothing of a batch is sent; one order tries all broken lists."""
    for number in range(5):
        service.add_payment(f"another-{number}")
    service.listing.page_size = 2
    service.listing.failing_page = 3
    batch_report(connect(max_retries=0), ABC).check("error")
    assert len(service.payments) == 5
    assert service.posts() == []


@pytest.mark.parametrize("order", ["oldest first", "by amount"])
def test_a_batch_finds_its_rows_in_lists_of_other_orders(service, connect, order):
    """After 25 hours the rows are found in a list in any order."""
    for number in range(5):
        service.add_payment(f"another-{number}", age=number * 20 * DAY)
    batch_report(connect(), ABC).check("created, created, created")
    service.clock.advance(hours=25)
    service.listing.order = order
    service.listing.page_size = 2
    batch_report(connect(), ABC).check("already paid, already paid, already paid")
    assert len(service.payments) == 8


def test_a_batch_is_recognised_while_the_list_lags(service, connect):
    """A batch whose rows are not listed yet is recognised by its keys."""
    service.listing.lag = HOUR
    batch_report(connect(), ABC).check("created, created, created")
    again = batch_report(connect(), ABC)
    assert len(service.payments) == 3
    assert "created" not in again.outcomes


@pytest.mark.parametrize(
    ("spelling", "other_program"),
    [("Jos\u00e9", True), ("Jose\u0301", False), (" Jos\u00e9\t", False)],
)
def test_a_batch_of_another_machine_is_found_25_hours_later(
    service, connect, spelling, other_program
):
    """A reference is found in the list in either form, whoever wrote it."""
    if other_program:
        service.add_payment("Jose\u0301", source_amount="14.00")
    else:
        batch_report(connect(), rows("Jos\u00e9", source_amount="14.00"))
    service.clock.advance(hours=25)
    batch_report(connect(), rows(spelling, source_amount="14")).check("already paid")
    assert len(service.payments) == 1


def test_a_row_without_id_prevents_a_payment(service, connect):
    """A listed reference without an id is not paid again."""
    service.add_payment("a", source_amount="11.00")
    service.clock.advance(hours=25)
    service.listing.hidden = {"id"}
    batch_report(connect(), rows("a"))
    assert service.posts() == []


def test_ids_that_repeat_give_one_row_each(service, cell):
    """A service that gives one id to every payment still leads to one result row per payout."""
    service.repeats_ids = True
    sent = batch_report(cell, ABC)
    assert not sent.error
    assert [row["client_reference_id"] for row in sent.rows] == ["a", "bb", "ccc"]
    assert len(service.payments) == 3
    again = batch_report(cell, ABC)
    assert len(again.rows) == 3
    assert len(service.payments) == 3


@pytest.mark.parametrize("guards", [True, False])
def test_overlapping_batches_at_once_pay_each_reference_once(service, connect, guards):
    """Two batches that share rows and run at once pay each reference once."""
    service.idempotency.guards_concurrent = guards
    service.delay = 0.05
    frames = [pd.DataFrame(rows("a", "bb", "ccc")), pd.DataFrame(rows("bb", "ccc", "dddd"))]
    labs = [connect(), connect()]
    threads = [
        threading.Thread(target=lab.transfers.create_many, args=(frame,))
        for lab, frame in zip(labs, frames, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(row["client_reference_id"] for row in service.payments) == [
        "a",
        "bb",
        "ccc",
        "dddd",
    ]


def test_a_batch_under_a_rotated_key_finds_its_references(service, connect):
    """Under another API key, too, a batch finds its references in the list."""
    batch_report(connect(), ABC).check("created, created, created")
    again = batch_report(connect(key="key-2"), ABC)
    again.check("already paid, already paid, already paid")
    assert len(service.payments) == 3


@pytest.fixture
def file(tmp_path):
    """A function that writes payouts to a CSV file and returns its path."""

    def write(payouts, name="payouts.csv"):
        path = tmp_path / name
        pd.DataFrame(payouts).to_csv(path, index=False)
        return str(path)

    return write


def results(path):
    """Read a results file."""
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_the_command_payout_shows_the_pages_that_it_reads(service, command, file):
    """While the list is read the number of pages is shown."""
    service.listing.page_size = 2
    for number in range(9):
        service.add_payment(f"another-{number}", age=(9 - number) * HOUR)
    status, shown = command("payout", file(ABC), "--yes")
    assert status == 0
    assert "page" in shown
    assert service.listing.reads == 5, "the list is read once, not for each row"


RUNS = {
    "again": (ABC, {}, [("", 0, "already paid")], 3),
    "after a failure": (
        rows("a"),
        {"status": "failed"},
        [
            ("", 1, "failed before --retry-failed"),
            ("--retry-failed", 0, ""),
            ("", 0, "already paid"),
        ],
        2,
    ),
    "after 8 days": (
        ABC,
        {"days": 8},
        [("", 1, "--older"), ("--older paid", 0, "already paid"), ("--older pay", 0, "created")],
        6,
    ),
}


@pytest.mark.parametrize(("payouts", "change", "runs", "paid"), RUNS.values(), ids=RUNS)
def test_the_command_payout_run_again_pays_as_its_options_say(
    service, command, file, tmp_path, payouts, change, runs, paid
):
    """Each run has its status and words; whatever is not chosen is not paid again."""
    path = file(payouts)
    assert command("payout", path, "--yes")[0] == 0
    service.clock.advance(days=change.get("days", 0))
    service.payments[0]["status"] = change.get("status", "awaiting_funds")
    for options, expected_status, words in runs:
        to = tmp_path / "results.csv"
        status, shown = command("payout", path, "--yes", "--to", str(to), *options.split())
        assert (status, [word for word in words.split() if word not in shown]) == (
            expected_status,
            [],
        )
        assert len(results(to)) == len(payouts)
    assert len(service.payments) == paid


def test_a_conflict_of_a_row_says_what_to_do_with_the_row(service, cell):
    """A row can be corrected or get another reference; a batch has no `new=`."""
    service.add_payment("a", source_amount="12.00")
    outcome = batch_report(cell, [{**ORDER, "client_reference_id": "a"}])
    text = outcome.rows[0]["error"]
    assert "correct the row if it is that payment; for another payment give it another" in text
    assert "new=" not in text


def test_a_failed_row_is_not_paid_again_if_the_list_cannot_tell(service, connect):
    """A row whose payment failed may have been paid under another name: the list must tell."""
    cell = connect(max_retries=0)
    row = {**ORDER, "client_reference_id": "a"}
    report(cell.transfers.create, **row).check("paid tr_1")
    service.payments[0]["status"] = "failed"
    report(cell.transfers.create, **row, new="by hand").check("paid tr_2")
    service.listing.html = True
    unsure = batch_report(cell, [row], lookback=None, retry_failed=True)
    assert unsure.outcomes == ["unknown"]
    service.listing.html = False
    sure = batch_report(cell, [row], lookback=None, retry_failed=True)
    assert (sure.outcomes, sure.ids) == (["replayed"], ["tr_2"])
    assert len(service.payments) == 2


@pytest.mark.parametrize("retry_failed", [False, True])
def test_a_row_that_fails_at_once_is_not_created_and_not_paid_again_in_its_run(
    service, cell, retry_failed
):
    """A payment that is answered as failed is `failed before`; a later run pays it again."""
    service.status_of_new = "failed"
    row = {**ORDER, "client_reference_id": "invoice-7"}
    sent = batch_report(cell, [row], retry_failed=retry_failed)
    sent.check("failed before")
    assert len(service.payments) == 1
    service.status_of_new = "awaiting_funds"
    batch_report(cell, [row], retry_failed=True).check("created")
    assert len(service.payments) == 2
