"""Steps: what a service does not offer is left out, and a failed cell is named by later ones."""

from __future__ import annotations

import httpx
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import paylab
from paylab.lab.lab import Lab
from paylab.lab.steps import watch_cells

ANSWERS = {"/v1/sandbox/deposits": 404, "/v1/quotes": 403, "/v1/individuals": 400}


def answer(request):
    """A service that has nothing but the list of transfers."""
    status = ANSWERS.get(request.url.path, 200)
    return httpx.Response(status, json={"data": [], "has_next_page": False})


@pytest.fixture
def shell():
    """Run cells as a notebook does; each gives what it showed and the error that ended it."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(colors="nocolor")
    watch_cells()
    shell.user_ns["paylab"] = paylab
    shell.user_ns["lab"] = Lab(
        paylab.client.Settings("https://pay.test", "key", "secret"),
        transport=httpx.MockTransport(answer),
        ledger="none",
        max_retries=0,
    )

    def run(cell):
        with capture_output() as shown:
            result = shell.run_cell(cell, store_history=True)
        return shown.stdout, result.error_in_exec

    yield run
    InteractiveShell.clear_instance()


DEPOSIT = """
with lab.step("a sandbox deposit"):
    deposit = lab.request("POST", "/v1/sandbox/deposits", json={})
    print("paid in")
"""


def test_a_step_that_is_offered_runs_as_it_stands(shell):
    """Its results are there afterwards."""
    shown, error = shell(
        "with lab.step('transfers'):\n    rows = lab.transfers.list()\n    print('read')"
    )
    assert (shown, error) == ("read\n", None)
    assert shell("assert list(rows) == []") == ("", None)


def test_a_step_that_is_not_offered_says_so_and_the_notebook_goes_on(shell):
    """With the words of the service; no error ends the cell."""
    shown, error = shell(DEPOSIT)
    assert error is None
    assert shown.startswith(
        "a sandbox deposit: not available in this service; the notebook continues"
    )
    assert "404" in shown
    assert "POST /v1/sandbox/deposits" in shown


def test_later_steps_say_which_step_they_wait_for(shell):
    """However far away the first one is."""
    shell(DEPOSIT)
    shown, error = shell("with lab.step('the conversion'):\n    conversion = deposit.id")
    assert error is None
    assert shown.startswith("the conversion: skipped. deposit is missing: it needs the step")
    assert "'a sandbox deposit', which this service does not offer" in shown
    shown, error = shell("with lab.step('the frame'):\n    conversion['amount']")
    assert "conversion is missing: it needs the step 'a sandbox deposit'" in shown


def test_a_cell_without_a_step_names_what_it_waits_for(shell):
    """As an error of one line, and no NameError."""
    shell(DEPOSIT)
    _, error = shell("amount = deposit.amount")
    assert isinstance(error, paylab.StepError)
    assert "'a sandbox deposit'" in str(error)
    assert isinstance(shell("amount + 1")[1], paylab.StepError)


@pytest.mark.parametrize(
    "use",
    [
        "person.id",
        "person['id']",
        "person()",
        "list(person)",
        "f'{person}'",
        "lab.status(person)",
        "lab.transfers.get(person)",
        "lab.financial_accounts.create(person, 'crypto_wallet', {})",
        "if person: pass",
        "person + 1",
        "float(person)",
        "wallet = person.wallet",
        "with person: pass",
    ],
)
def test_any_use_of_what_a_failed_cell_should_give_names_that_cell(shell, use):
    """Whatever is done with it, but for looking at it."""
    _, error = shell("person = lab.request('POST', '/v1/individuals', json={})")
    assert isinstance(error, paylab.BadRequestError)
    _, error = shell(use)
    assert isinstance(error, paylab.StepError)
    assert str(error).startswith("person is missing: it needs cell 1, which ended with")
    assert "BadRequestError: 400" in str(error)


def test_a_cell_that_is_run_again_gives_its_results(shell, monkeypatch):
    """What stood for them goes."""
    shell(DEPOSIT)
    monkeypatch.setitem(ANSWERS, "/v1/sandbox/deposits", 201)
    assert shell(DEPOSIT) == ("paid in\n", None)
    assert shell("deposit['data']")[1] is None


def test_results_of_an_earlier_run_stay(shell, monkeypatch):
    """As in any notebook: only what has no value stands for something missing."""
    monkeypatch.setitem(ANSWERS, "/v1/sandbox/deposits", 201)
    shell(DEPOSIT)
    monkeypatch.setitem(ANSWERS, "/v1/sandbox/deposits", 404)
    shell(DEPOSIT)
    assert shell("deposit['data']")[1] is None


@pytest.mark.parametrize("error", ["400", "rule", "other"])
def test_a_step_hides_no_other_error(shell, error):
    """What is refused for another reason ends the cell."""
    work = {
        "400": "lab.request('POST', '/v1/individuals', json={})",
        "rule": "lab.transfers.get('')",
        "other": "1 / 0",
    }[error]
    expected = {"400": paylab.BadRequestError, "rule": paylab.RuleError, "other": ZeroDivisionError}
    _, raised = shell(f"with lab.step('a step'):\n    made = {work}")
    assert isinstance(raised, expected[error])


def test_an_error_that_has_nothing_to_do_with_paylab_leaves_the_names_alone(shell):
    """A NameError stays one in a cell of the user's own."""
    shell("mine = 1 / 0")
    assert isinstance(shell("mine")[1], NameError)


def test_a_step_in_a_function_sets_no_names(shell):
    """Its names are its own."""
    shell(f"def pay():{DEPOSIT.replace(chr(10), chr(10) + '    ')}\n\npay()")
    assert isinstance(shell("deposit")[1], NameError)


def test_what_is_missing_can_be_looked_at(shell):
    """In an inspector, or as the last line of a cell."""
    shell(DEPOSIT)
    assert shell("deposit")[1] is None
    assert shell("print(repr(deposit))")[0].startswith("<deposit is missing: it needs the step")
