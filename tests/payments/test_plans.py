"""A batch checked before it is sent: its cells, totals and problems."""

from __future__ import annotations

import re
from decimal import Decimal

import pandas as pd
import pytest

import paylab
from paylab.payments.payout_rows import ACCOUNT
from paylab.payments.plan import make_plan

TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}


def test_the_total_of_a_plan_is_exact():
    """The total of a plan is exact beyond the default precision of Decimal."""
    rows = [
        {"client_reference_id": amount, ACCOUNT: "fa_1", "source_amount": amount}
        for amount in ("999999999999999999999999999999.01", "0.01")
    ]
    total = {"USD source amount": Decimal("999999999999999999999999999999.02")}
    assert make_plan(rows, **TERMS).totals() == total


@pytest.mark.parametrize(
    ("cell", "sent", "wrong"),
    [
        (10, "10", []),
        ("10.50", "10.50", []),
        (Decimal("10.50"), "10.5", []),
        (" 10 ", "10", []),
        (True, True, ["source_amount"]),
        (10.5, 10.5, ["source_amount"]),
        (Decimal("NaN"), None, ["source_amount"]),
        (" ", None, ["source_amount"]),
    ],
)
def test_a_cell_is_an_exact_amount_or_a_problem(cell, sent, wrong):
    """Whole and decimal numbers become text; true, a float and an empty cell are problems."""
    checked = make_plan(
        [{"client_reference_id": "a", ACCOUNT: "fa_1", "source_amount": cell}], **TERMS
    )
    assert checked.rows[0].body().get("source_amount") == sent
    assert type(checked.rows[0].body().get("source_amount")) is type(sent)
    assert [problem.field for problem in checked.problems] == wrong


def test_semicolons_are_named_and_can_be_read(tmp_path):
    """A CSV with semicolons is one error that names the delimiter to pass; with it, it is read."""
    path = tmp_path / "payouts.csv"
    path.write_text("client_reference_id;financial_account_id;source_amount\na;fa_1;10\n")
    with pytest.raises(paylab.PaylabError, match="semicolons; pass delimiter=';'"):
        make_plan(path, **TERMS)
    assert make_plan(path, delimiter=";", **TERMS).problems == ()


@pytest.mark.parametrize("text", ["", "client_reference_id,source_amount\n"])
def test_a_file_without_rows_is_an_error_and_an_empty_list_is_not(lab, tmp_path, text):
    """A file without rows was cut or is another one; an empty list is a day without payouts."""
    path = tmp_path / "payouts.csv"
    path.write_text(text)
    for read in (lab.transfers.check_many, lab.transfers.create_many):
        with pytest.raises(paylab.ConfigError, match=r"payouts\.csv has no rows below its header"):
            read(path)
        assert len(getattr(read([]), "rows", read([]))) == 0


@pytest.mark.parametrize(
    ("row", "hint"),
    [
        ({"account": "fa_1"}, r"no row has .*financial_account_id.*account \(is financial_acc"),
        ({ACCOUNT: "fa_1", "note": "x"}, "no row has source_amount; unknown columns: note"),
        ({ACCOUNT: "fa_1"}, None),
        ({ACCOUNT: "fa_1", "source_amount": "0", "note": "x"}, None),
    ],
)
def test_unknown_columns_are_a_hint_when_a_needed_one_is_missing(row, hint):
    """The hint of the error names them once, not for every row."""
    with pytest.raises(paylab.RuleError) as caught:
        make_plan([{"client_reference_id": "a", **row}], **TERMS).raise_if_problems()
    assert caught.value.hint is None if hint is None else re.match(hint, caught.value.hint)


TWINS = pd.DataFrame(
    [["a", "1", "1000"]], columns=["client_reference_id", "source_amount", "Source Amount"]
)


@pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
@pytest.mark.parametrize(
    ("payouts", "words"),
    [
        (b"payouts.csv", "of type bytes"),
        (memoryview(b"payouts.csv"), "of type memoryview"),
        (7, "of type int"),
        (pd.Series(["x"]), "row 1 of the payouts is of type str"),
        (TWINS, "the column 'source_amount' is duplicated"),
        ([memoryview(b"x")], "row 1 of the payouts is of type memoryview"),
        ([{"client_reference_id": memoryview(b"x")}], "client_reference_id: must be text"),
        ([{"client_reference_id": 7, ACCOUNT: 8}], "payout_method: is required"),
    ],
)
def test_what_is_no_payout_is_one_clear_error(lab, payouts, words):
    """Input of the wrong type is a PaylabError that says what is wrong."""
    terms = {name: TERMS[name] for name in ("source_currency", "destination_currency")}
    with pytest.raises(paylab.PaylabError, match=words):
        lab.transfers.create_many(payouts, source_amount="1", **terms)
