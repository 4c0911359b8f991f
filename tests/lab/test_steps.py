"""Notebook steps: one that the service lacks is skipped; later cells name a failed step."""

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
    """Answer as a service that has only the list of transfers."""
    status = ANSWERS.get(request.url.path, 200)
    return httpx.Response(status, json={"data": [], "has_next_page": False})


@pytest.fixture
def shell():
    """A function that runs a cell as a notebook does, and returns its output and its error."""
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
    """A step that the service offers runs, and its results can be used afterwards."""
    shown, error = shell(
        "with lab.step('transfers'):\n    rows = lab.transfers.list()\n    print('read')"
    )
    assert (shown, error) == ("read\n", None)
    assert shell("assert list(rows) == []") == ("", None)


def test_a_step_that_is_not_offered_says_so_and_the_notebook_goes_on(shell):
    """A step that the service lacks prints the status and the call, and raises no error."""
    shown, error = shell(DEPOSIT)
    assert error is None
    assert shown.startswith(
        "a sandbox deposit: not available in this service; the notebook continues"
    )
    assert "404" in shown
    assert "POST /v1/sandbox/deposits" in shown


def test_later_steps_say_which_step_they_wait_for(shell):
    """A later step is skipped and names the first skipped step, directly or indirectly."""
    shell(DEPOSIT)
    shown, error = shell("with lab.step('the conversion'):\n    conversion = deposit.id")
    assert error is None
    assert shown.startswith("the conversion: skipped. deposit is missing: it needs the step")
    assert "'a sandbox deposit', which this service does not offer" in shown
    shown, error = shell("with lab.step('the frame'):\n    conversion['amount']")
    assert "conversion is missing: it needs the step 'a sandbox deposit'" in shown


def test_a_cell_without_a_step_names_what_it_waits_for(shell):
    """A cell outside a step raises a StepError that names the skipped step, not a NameError."""
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
    """Any use of a result that a failed cell did not set raises an error that names the cell."""
    _, error = shell("person = lab.request('POST', '/v1/individuals', json={})")
    assert isinstance(error, paylab.BadRequestError)
    _, error = shell(use)
    assert isinstance(error, paylab.StepError)
    assert str(error).startswith("person is missing: it needs cell 1, which ended with")
    assert "BadRequestError: 400" in str(error)


def test_a_cell_that_is_run_again_gives_its_results(shell, monkeypatch):
    """When the skipped step succeeds later, its results replace the placeholders."""
    shell(DEPOSIT)
    monkeypatch.setitem(ANSWERS, "/v1/sandbox/deposits", 201)
    assert shell(DEPOSIT) == ("paid in\n", None)
    assert shell("deposit['data']")[1] is None


def test_results_of_an_earlier_run_stay(shell, monkeypatch):
    """A step that is skipped keeps the results of an earlier run."""
    monkeypatch.setitem(ANSWERS, "/v1/sandbox/deposits", 201)
    shell(DEPOSIT)
    monkeypatch.setitem(ANSWERS, "/v1/sandbox/deposits", 404)
    shell(DEPOSIT)
    assert shell("deposit['data']")[1] is None


@pytest.mark.parametrize("error", ["400", "rule", "other"])
def test_a_step_hides_no_other_error(shell, error):
    """A step does not catch other errors, such as a 400."""
    work = {
        "400": "lab.request('POST', '/v1/individuals', json={})",
        "rule": "lab.transfers.get('')",
        "other": "1 / 0",
    }[error]
    expected = {"400": paylab.BadRequestError, "rule": paylab.RuleError, "other": ZeroDivisionError}
    _, raised = shell(f"with lab.step('a step'):\n    made = {work}")
    assert isinstance(raised, expected[error])


def test_an_error_that_has_nothing_to_do_with_paylab_leaves_the_names_alone(shell):
    """After an error that is not from paylab, a missing name is still a NameError."""
    shell("mine = 1 / 0")
    assert isinstance(shell("mine")[1], NameError)


def test_a_step_in_a_function_sets_no_names(shell):
    """A skipped step inside a function sets no placeholders in the notebook."""
    shell(f"def pay():{DEPOSIT.replace(chr(10), chr(10) + '    ')}\n\npay()")
    assert isinstance(shell("deposit")[1], NameError)


def test_what_is_missing_can_be_looked_at(shell):
    """A placeholder can be displayed, and its repr names the skipped step."""
    shell(DEPOSIT)
    assert shell("deposit")[1] is None
    assert shell("print(repr(deposit))")[0].startswith("<deposit is missing: it needs the step")
