"""A batch checked before it is sent: its cells, totals and problems."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd
import pytest

import paylab
from paylab.payments.payout_rows import ACCOUNT
from paylab.payments.plan import make_plan
from paylab.spec.models import FinancialAccount, Individual
from paylab.spec.service.service import Service

TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
SPEC = {**TERMS, "service": Service()}


def test_the_total_of_a_plan_is_exact():
    """The total of a plan is exact beyond the default precision of Decimal."""
    rows = [
        {"client_reference_id": amount, ACCOUNT: "fa_1", "source_amount": amount}
        for amount in ("999999999999999999999999999999.01", "0.01")
    ]
    total = {"USD source amount": Decimal("999999999999999999999999999999.02")}
    assert make_plan(rows, **SPEC).totals() == total


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
        [{"client_reference_id": "a", ACCOUNT: "fa_1", "source_amount": cell}], **SPEC
    )
    assert checked.rows[0].body().get("source_amount") == sent
    assert type(checked.rows[0].body().get("source_amount")) is type(sent)
    assert [problem.field for problem in checked.problems] == wrong


def test_a_float_is_refused_as_what_it_is():
    """The problem of a float says that it is one; a Decimal in its place is taken."""
    [problem] = make_plan(
        [{"client_reference_id": "a", ACCOUNT: "fa_1", "source_amount": 9.5}], **SPEC
    ).problems
    assert str(problem) == "row 1, source_amount: must be text or a Decimal: a float is not exact"


@pytest.mark.parametrize("column", ["financial_account", ACCOUNT])
@pytest.mark.parametrize("kind", ["object", "id", "dict"])
def test_a_row_takes_an_account_as_an_order_does(column, kind):
    """An account is the object, its id, or a dict with it."""
    account = {"object": FinancialAccount(id="fa_1"), "id": "fa_1", "dict": {"id": "fa_1"}}[kind]
    rows = [{"client_reference_id": "a", column: account, "source_amount": "1"}]
    assert make_plan(rows, **SPEC).rows[0].body()["financial_account"] == {"id": "fa_1"}


def test_an_individual_is_no_account_of_a_row():
    """The error of another kind of object names the row and what to choose."""
    person = Individual(id="ind_1", financial_accounts=[{"id": "fa_1"}])
    rows = [{"client_reference_id": "a", ACCOUNT: person, "source_amount": "1"}]
    with pytest.raises(paylab.RuleError, match=r"row 1, .*choose one of its financial_accounts"):
        make_plan(rows, **SPEC)


def test_a_plan_shows_its_first_problems():
    """The repr of a plan is its summary and the first problems, and says where the others are."""
    rows = [
        {"client_reference_id": str(row), ACCOUNT: "fa_1", "source_amount": "0"}
        for row in range(12)
    ]
    first, *problems, last, not_checked = repr(make_plan(rows, **SPEC)).splitlines()
    assert first == "12 payouts, problems in 12 rows"
    assert problems[0] == "  row 1, source_amount: must be more than 0, not 0"
    assert (len(problems), last) == (10, "  and 2 more in .problems")
    assert repr(make_plan([], **SPEC)).splitlines() == ["0 payouts, no problems", not_checked]


def test_semicolons_are_named_and_can_be_read(tmp_path):
    """A CSV with semicolons is one error that names the delimiter to pass; with it, it is read."""
    path = tmp_path / "payouts.csv"
    path.write_text("client_reference_id;financial_account_id;source_amount\na;fa_1;10\n")
    with pytest.raises(paylab.PaylabError, match="semicolons; pass delimiter=';'"):
        make_plan(path, **SPEC)
    assert make_plan(path, delimiter=";", **SPEC).problems == ()


@pytest.mark.parametrize(
    ("text", "state"),
    [("", "is empty"), ("client_reference_id,source_amount\n", "has no rows below its header")],
)
def test_a_file_without_rows_is_an_error_and_an_empty_list_is_not(lab, tmp_path, text, state):
    """A file without rows was cut or is another one; an empty list is a day without payouts."""
    path = tmp_path / "payouts.csv"
    path.write_text(text)
    for read in (lab.transfers.check_many, lab.transfers.create_many):
        with pytest.raises(paylab.ConfigError, match=rf"payouts\.csv {state}"):
            read(path)
        assert len(getattr(read([]), "rows", read([]))) == 0


def test_a_problem_of_many_rows_is_named_once():
    """A frame of 130 wrong rows is one sentence; the plan has the problem of each row."""
    rows = [
        {"client_reference_id": name, ACCOUNT: "fa_1", "source_amount": "-1"} for name in "abcd"
    ]
    plan = make_plan(rows, **SPEC)
    with pytest.raises(paylab.RuleError) as caught:
        plan.raise_if_problems()
    assert "4 rows (1, 2, 3, ...), source_amount: must be more than 0, not -1" in str(caught.value)
    assert [problem.row for problem in plan.problems if problem.field == "source_amount"] == [
        1,
        2,
        3,
        4,
    ]


MISSING = [
    ({"account": "fa_1", "source_amount": "1"}, ["(unknown: account; is financial_account_id me"]),
    ({"account": "fa_1", "amount": "1"}, ["is financial_account_id meant", "is source_amount mea"]),
    ({ACCOUNT: "fa_1", "note": "x"}, ["source_amount: is required: give exactly one of"]),
    ({ACCOUNT: "fa_1", "source_amount": float("nan")}, ["source_amount: is required: give ex"]),
]


@pytest.mark.parametrize(("row", "told"), MISSING)
def test_a_column_of_which_no_row_has_a_value_is_one_problem(row, told):
    """All of them are in one error, each once, with the column that may be meant."""
    rows = [{"client_reference_id": name, **row} for name in "abc"]
    with pytest.raises(paylab.RuleError) as caught:
        make_plan(rows, **SPEC).raise_if_problems()
    problems = [str(problem) for problem in caught.value.problems]
    assert len(problems) == len(told)
    assert all(
        words in problem and "no row has a value for it" in problem
        for words, problem in zip(told, problems, strict=True)
    )


def test_the_total_has_one_currency_however_it_is_written():
    """A currency code in lower case is the same currency, as in the service."""
    rows = [
        {**TERMS, "client_reference_id": code, ACCOUNT: "fa_1", "source_amount": "1.50"}
        | {"source_currency": code}
        for code in ("usd", "USD")
    ]
    assert str(make_plan(rows, service=Service())).endswith("total: 3.00 USD source amount")


def test_the_rows_are_checked_by_the_rules_of_the_service_of_the_lab():
    """A service whose references may be longer accepts them in a batch, too."""
    rows = [{"client_reference_id": "r" * 70, ACCOUNT: "fa_1", "source_amount": "1"}]
    longer = {"transfers.max_reference": 80}
    with paylab.connect(service=longer) as lab:
        assert lab.transfers.check_many(rows, **TERMS).problems == ()
    assert len(make_plan(rows, **SPEC).problems) == 1


TWINS = pd.DataFrame(
    [["a", "1", "1000", "USD", "USD"]],
    columns=["client_reference_id", "source_amount", "Source Amount", *["source_currency"] * 2],
)


@pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
@pytest.mark.parametrize(
    ("payouts", "words"),
    [
        (b"payouts.csv", "of type bytes"),
        (memoryview(b"payouts.csv"), "of type memoryview"),
        (7, "of type int"),
        (pd.Series(["x"]), "row 1 of the payouts is of type str"),
        (TWINS, "there twice: source_amount, source_currency"),
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
