"""The deposit form: an amount with a cap, and three choices of the sender's name."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier

import pytest

from paylab.errors import APIConnectionError, BadRequestError, ChoiceError, RuleError, ServerError
from paylab.spec.models import Deposit
from paylab.views.forms.conversion_account import DepositForm
from paylab.views.forms.problem_sentences import ASSUMPTION


@pytest.fixture
def send(noted):
    """A function that returns the same deposit every time."""
    return noted(Deposit.model_validate({"id": "dep_1", "amount": "50.00", "currency": "mxn"}))


@pytest.fixture
def form(send):
    """A deposit form for Mexico."""
    return DepositForm(send, "mxn", Decimal(50), account_id="ca_1")


@pytest.mark.parametrize(
    ("sender", "name", "sent"),
    [
        ("own", "", {}),
        ("another", "Somebody Else", {"sender_name": "Somebody Else"}),
        ("missing", "", {"sender_name": ""}),
    ],
)
def test_the_sender_name_is_left_out_for_the_own_name(form, send, sender, name, sent):
    """`sender_name` is left out for the person's own name, and empty for no name."""
    form.fields["sender"].value = sender
    form.fields["sender_name"].value = name
    assert form.submit().id == "dep_1"
    assert send == [{"amount": "50", "currency": "mxn", **sent}]


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("50.01", "Enter an amount in MXN: at most 50 MXN in the sandbox. You entered “50.01”."),
        ("", "Required"),
        ("0", "more than 0"),
        ("-5", f"an amount in MXN: more than 0{ASSUMPTION}. You entered “-5”."),
        ("1" * 32, f"Amount in MXN must have at most 30 digits before the point{ASSUMPTION}."),
        ("1.234", f"Amount must have at most 2 decimals in MXN{ASSUMPTION}."),
        ("1,5", f"a point before decimals, like 10.50{ASSUMPTION}. You entered “1,5”."),
    ],
)
def test_the_problem_of_a_wrong_amount_is_below_it(form, amount, said):
    """The text below the amount is the cap, or the problem of a wrong amount."""
    assert "At most 50 MXN" in form.fields["amount"].hint
    form.fields["amount"].value = amount
    field = form.fields["amount"]
    is_assumed = ASSUMPTION in said or said == "more than 0"
    assert said in (field.warnings if is_assumed else field.errors)[0]


@pytest.mark.parametrize("amount", ["50.01", ""])
def test_an_amount_that_breaks_the_spec_is_not_sent(form, send, amount):
    """An amount that breaks the spec is not sent."""
    form.fields["amount"].value = amount
    with pytest.raises(RuleError):
        form.submit()
    assert not send


@pytest.mark.parametrize("amount", ["abc", "-5", "0"])
def test_an_amount_that_is_none_is_confirmed(form, send, quick, amount):
    """A click shows the problem and the button "Send anyway"; only this button sends."""
    form.fields["amount"].value = amount
    form.click()
    assert "Send anyway" in form.controls.message.html
    assert (form.controls.anyway_button.visible, form.result, send) == (True, None, [])
    form.controls.anyway_button.press()
    assert (form.result.id, send[0]["amount"]) == ("dep_1", amount)


def test_a_correction_withdraws_the_second_button(form, send, quick):
    """A new value hides "Send anyway", and has to be confirmed again if it is doubtful."""
    amount = form.fields["amount"]
    amount.value = "abc"
    form.click()
    amount.value = "-5"
    assert not form.controls.anyway_button.visible
    form.click()
    assert not send
    amount.value = "5"
    form.click()
    assert [one["amount"] for one in send] == ["5"]


def test_other_values_after_sending_are_not_sent(form, send):
    """The same values give the same result; other values need a restart."""
    assert form.submit() is form.submit() is form.result
    form.fields["amount"].value = "5"
    with pytest.raises(ChoiceError, match="already sent with other values"):
        form.submit()
    form.restart()
    form.fields["amount"].value = "5"
    form.submit()
    assert [one["amount"] for one in send] == ["50", "5"]


LOST = [APIConnectionError("cut off"), ServerError(502, "bad gateway"), KeyboardInterrupt()]


@pytest.mark.parametrize("error", LOST, ids=lambda error: type(error).__name__)
def test_other_values_after_a_lost_answer_are_confirmed(form, send, error):
    """After a lost answer, other values must be confirmed; the same values are sent again."""
    good, send.answer = send.answer, error
    with pytest.raises(type(error)):
        form.submit()
    send.answer = good
    form.fields["amount"].value = "5"
    with pytest.raises(RuleError, match="may have been carried out"):
        form.submit()
    form.fields["amount"].value = "50"
    form.submit()
    assert [one["amount"] for one in send] == ["50", "50"]


def test_other_values_after_a_refusal_are_sent(form, send):
    """After a 400, which means that no deposit was made, other values are sent."""
    good, send.answer = send.answer, BadRequestError(400, "no")
    with pytest.raises(BadRequestError):
        form.submit()
    send.answer = good
    form.fields["amount"].value = "5"
    assert form.submit() is good


def test_two_threads_send_once(send):
    """The second thread waits for the first and gets its result."""
    wait = Barrier(2)

    def slow(**fields):
        time.sleep(0.05)
        return send(**fields)

    def submit(_):
        wait.wait()
        return form.submit()

    form = DepositForm(slow, "mxn", Decimal(50), account_id="ca_1")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(submit, range(2))
    assert first is second
    assert len(send) == 1


def test_another_sender_has_a_name(form, send):
    """An empty name of another sender is a problem; it is not sent as a missing name."""
    form.fields["sender"].value = "another"
    form.click()
    assert form.fields["sender_name"].errors == ["Required"]
    assert not send


def test_the_code_is_the_call_with_the_current_values(form):
    """The code is the call with the current values."""
    assert form.code() == 'deposit = lab.sandbox.deposit("ca_1", "50", "mxn")'
    form.fields["sender"].value = "missing"
    assert form.code().endswith('"mxn", sender_name="")')


def test_a_currency_without_a_cap_suggests_ten(send):
    """Without a known cap there is no hint; the choice of the sender has no mark."""
    fields = DepositForm(send, "brl").fields
    assert (fields["amount"].value, fields["amount"].hint) == ("10", "")
    marks = [fields[name].props()["mark"] for name in ("amount", "sender", "sender_name")]
    assert marks == ["Required", "", "Required"]
    assert not fields["sender_name"].visible
