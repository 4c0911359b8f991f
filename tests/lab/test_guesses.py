"""Calls that users of other SDKs would try: they work, or an error names the right or all names."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
from pathlib import Path

import pytest

import paylab
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator
from paylab.views.specimens import specimen

TABLE = Path(__file__).parent / "guesses.tsv"
"""Calls by the SDK that they are taken from, and what paylab answers.

`works`, `listed` (the error lists what there is), `no hint` (the same, and it must not name
something else), or what the error names instead.
"""
GUESSES = [line.split("\t")[1:] for line in TABLE.read_text().splitlines()[1:]]


TO_MEXICO = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The names that the calls use: a lab on a simulator, and one of each object."""
    simulator = Simulator(transfers=130)
    lab = paylab.connect(simulator=simulator)
    lab.simulator.seed(conversions=2)
    folder = tmp_path_factory.mktemp("files")
    (folder / "front.jpg").write_bytes(specimen("document-front"))
    conversion = lab.conversions.list().first()
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    person = lab.individuals.get(account.individual_id)
    payee = lab.individuals.list().filter(product_types=["global_payouts"], country="MX")[0]
    recipient, payee = payee, payee.financial_accounts[0]
    body = examples.individual("MX", consent_at=lab.clock())
    with pytest.raises(paylab.APIError) as caught:
        lab.transfers.get("tr_unknown")
    terms = {"financial_account_id": payee.id, "source_amount": "20", **TO_MEXICO}
    return {
        "error": caught.value,
        "terms": terms,
        "paylab": paylab,
        "json": json,
        "simulator": simulator,
        "lab": lab,
        "transfer": lab.transfers.list().first(),
        "frame": lab.transfers.frame(),
        "conversion": conversion,
        "account": account,
        "payee": payee,
        "recipient": recipient,
        "quote": lab.quotes.create(payee, source_amount="20", **TO_MEXICO),
        "key": "3f1f1b1e-0000-4000-8000-000000000001",
        "person": person,
        "wallet": account.payout_account,
        "draft": lab.individuals.create(**body),
        "folder": folder,
        "picture": folder / "front.jpg",
    }


def outcome(guess, place):
    """The result of an expression or a statement, also one with `await`, or its error."""
    mode = "eval" if is_expression(guess) else "exec"
    try:
        code = compile(guess, "<guess>", mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, place)
        return asyncio.run(result) if code.co_flags & inspect.CO_COROUTINE else result
    except Exception as error:
        return error


def is_expression(guess):
    """Whether a guess is no statement, such as an assignment or a loop."""
    try:
        compile(guess, "<guess>", "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError:
        return False
    return True


@pytest.mark.filterwarnings("ignore")
def test_the_calls_work_as_written(place):
    """The calls work as written."""
    outcomes = {guess: outcome(guess, place) for guess, answer in GUESSES if answer == "works"}
    assert {guess: it for guess, it in outcomes.items() if isinstance(it, Exception)} == {}


@pytest.mark.filterwarnings("ignore")
def test_a_wrong_guess_names_the_right_one(place):
    """The error names what to use instead, in fewer than 300 characters."""
    named = [row for row in GUESSES if row[1] not in ("works", "listed", "no hint")]
    told = [(guess, answer, outcome(guess, place)) for guess, answer in named]
    assert [row for row in told if not names(row[2], row[1])] == []


def names(error, answer):
    """Whether a short error names the answer, alone or with two other names."""
    suggestions = re.findall(r": use ([^;:]*)|\(?is '?([^?']*)'? meant", str(error))
    suggested = [(use or meant).strip("'\"") for use, meant in suggestions]
    alternatives = [name for text in suggested for name in re.split(", | or ", text)]
    is_known = isinstance(error, AttributeError | TypeError | KeyError | paylab.PaylabError)
    return is_known and (answer in (*suggested, *alternatives) or f": {answer}" in str(error))


def describe(error):
    """The words of an error and its hint."""
    return f"{error} {getattr(error, 'hint', None) or ''}"


@pytest.mark.filterwarnings("ignore")
def test_no_guess_is_answered_without_help(place):
    """The error of a guess that nothing resembles lists what there is."""
    guesses = [guess for guess, answer in GUESSES if answer in ("listed", "no hint")]
    listed = {guess: describe(outcome(guess, place)) for guess in guesses}
    lists = "it has |it takes |known are |must be |one of |nearest: |columns: |must end in |needs "
    lists += "|countries with one are |makes a changed copy|makes another|is a field: "
    lists += "|it is a Decimal|pass |no status "
    lists += "|there is no file |have indexes|has indexes|name the fields|numbered"
    lists += "|check |add .* to the call|choose one of|has the people there|write |is for example"
    bare = [guess for guess, text in listed.items() if not re.search(lists, text)]
    assert listed
    assert bare == []


@pytest.mark.filterwarnings("ignore")
def test_a_guess_without_a_counterpart_gets_no_hint(place):
    """The error of a name that has no counterpart suggests nothing."""
    told = [(guess, outcome(guess, place)) for guess, answer in GUESSES if answer == "no hint"]
    assert [
        row for row in told if not isinstance(row[1], AttributeError | TypeError | KeyError)
    ] == []
    assert [row for row in told if re.search(": use |meant\\?", str(row[1]))] == []


@pytest.mark.parametrize(
    "part",
    ["forms", "transfers", "sandbox", "individuals", "quotes", "conversions", "calls"],
)
def test_a_part_of_a_lab_shows_what_it_offers(place, part):
    """The repr of a part names what it has, not its address in memory."""
    assert " at 0x" not in repr(getattr(place["lab"], part))


@pytest.mark.parametrize(
    "page",
    ["lab.forms.onboarding('MX')", "lab.onramp('PH')", "lab.status(transfer)"],
)
def test_completion_of_a_page_offers_what_a_user_calls(place, page):
    """The names of a form, a stepper and a status line are few and those of no library."""
    shown = eval(page, place)
    assert "rows" in dir(shown)
    assert len(dir(shown)) <= 15
    assert not [name for name in dir(shown) if name.startswith("_") or "trait" in name]
