"""The conversion account form: one account, and waiting for it in code and after a click."""

from __future__ import annotations

import asyncio

import pytest

from paylab.errors import RuleError
from paylab.spec.models import ConversionAccount, FinancialAccount
from paylab.views.forms.conversion_account import ConversionAccountForm

WALLET = FinancialAccount.model_validate(
    {"id": "fa_1", "details": {"address": "0x000000000000000000000000000000000000dEaD"}}
)


def account(status):
    """A conversion account with a status."""
    return ConversionAccount.model_validate({"id": "ca_1", "status": status})


@pytest.fixture
def create(noted):
    """A function that returns a pending account, as a 202 does."""
    return noted(account("pending"))


@pytest.fixture
def wait(noted):
    """A function that returns the active account."""
    return noted(account("active"))


@pytest.fixture
def form(create, wait):
    """A form whose account is active at the second poll."""
    states = iter(["pending", "active"])
    form = ConversionAccountForm(
        create, wait, lambda _: account(next(states)), [WALLET], "php", in_process=True
    )
    form.refresher._interval_seconds = 0
    return form


def test_submit_in_code_waits_for_a_pending_account(form, create, wait):
    """`submit` in code waits for a pending account."""
    assert form.submit().status == "active"
    assert create == [("fa_1", "php")]
    assert wait == [("ca_1",)]
    assert "Path: pending → active." in form.controls.message.html


def test_after_a_click_the_form_shows_the_status_and_polls_on_the_event_loop(form, create, wait):
    """After a click, the form shows the status and polls on the event loop."""

    async def click():
        form.click()
        assert form.result is None
        assert "pending" in form.controls.message.html
        await asyncio.sleep(0.05)

    asyncio.run(click())
    assert form.result.status == "active"
    assert len(create) == 1
    assert not wait


def test_submitting_while_it_is_provisioned(form, create):
    """`submit` after a click waits for the same account and creates no second one."""

    async def click():
        form.click()
        return form.submit()

    assert asyncio.run(click()).status == "active"
    assert len(create) == 1


def test_an_account_that_is_active_at_once_is_not_waited_for(wait, noted):
    """An account that is active at once is not waited for."""
    form = ConversionAccountForm(noted(account("active")), wait, wait, [WALLET], "mxn")
    assert form.submit().status == "active"
    assert not wait


def test_another_account_is_announced_before_it_is_opened(noted, wait):
    """After a restart the form says that the next click opens one more account."""
    form = ConversionAccountForm(noted(account("active")), wait, wait, [WALLET], "mxn")
    form.submit()
    assert form.controls.again_button.text == "Open another account"
    form.controls.again_button.press()
    assert "opens one more account in addition to ca_1" in form.controls.message.html
    form.submit()
    assert "in addition" not in form.controls.message.html


@pytest.mark.parametrize("status", ["active", "pending"])
def test_an_account_that_was_found_is_said_to_be_found(noted, wait, status):
    """An account that the service had already is not said to be new, even if it was pending."""
    found = account(status)
    found._replayed = True
    form = ConversionAccountForm(noted(found), wait, wait, [WALLET], "mxn")
    form.submit()
    assert "it existed already" in form.controls.message.html


def test_the_wallet_is_named(form):
    """A wallet is shown by the ends of its address."""
    assert form.fields["payout_account"].options[0][0].startswith("0x0000…dEaD")


def test_the_code_has_the_call_and_the_wait(form):
    """The code has the call and the wait."""
    assert form.code().splitlines() == [
        'account = lab.conversion_accounts.create("", "fa_1", "php")',
        "account = lab.conversion_accounts.wait(account.id)",
    ]


def wallets(*created, address="0x000000000000000000000000000000000000dEaD"):
    """Wallets with these creation times, in this order."""
    details = {"address": address, "network": "base"}
    return [
        FinancialAccount.model_validate({"id": f"fa_{at}", "details": details, "created_at": when})
        for at, when in enumerate(created)
    ]


@pytest.mark.parametrize(
    ("created", "chosen"),
    [
        (["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"], "fa_1"),
        (["2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"], "fa_0"),
        (["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"], "fa_1"),
        ([None, None], "fa_1"),
        (["2026-01-01T00:00:00Z", None, "no time"], "fa_0"),
    ],
)
def test_the_newest_wallet_is_preselected(create, wait, created, chosen):
    """The newest wallet is chosen; for equal or unknown times, the last in the list."""
    form = ConversionAccountForm(create, wait, wait, wallets(*created), "mxn")
    form.submit()
    assert create == [(chosen, "mxn")]


def test_another_wallet_can_be_named(create, wait):
    """`wallet` is an id; the error of an unknown id lists the person's wallets."""
    held = wallets(None, None)
    ConversionAccountForm(create, wait, wait, held, "mxn", wallet="fa_0").submit()
    assert create == [("fa_0", "mxn")]
    with pytest.raises(
        RuleError, match="fa_9 is not a wallet of this person: choose one of fa_1, fa_0"
    ):
        ConversionAccountForm(create, wait, wait, held, "mxn", wallet="fa_9")


def test_a_wallet_with_a_malformed_address_is_confirmed(create, wait):
    """An account for a malformed address is opened with `anyway=True` only."""
    form = ConversionAccountForm(create, wait, wait, wallets(None, address="0x123"), "mxn")
    with pytest.raises(RuleError, match="40 hex digits"):
        form.submit()
    assert not create
    assert form.submit(anyway=True).status == "active"


def test_a_pending_account_keeps_its_form(form, create):
    """The form of a pending account is `begun`, so a cell that runs again keeps it."""

    async def click():
        form.click()
        return form.result, form.is_started

    assert asyncio.run(click()) == (None, True)


@pytest.mark.parametrize(
    ("address", "text"),
    [("0x1234567890", "0x1234567890 on base"), ("0x12345678901", "0x1234…8901 on base")],
)
def test_a_short_address_is_whole(create, wait, address, text):
    """An address of 12 characters is shown whole; only the reference is optional."""
    form = ConversionAccountForm(create, wait, wait, wallets(None, address=address), "mxn")
    assert form.fields["payout_account"].options == [(text, "fa_0")]
    marks = [field.props()["mark"] for field in form.fields.values()]
    assert marks == ["Required", "Required", "Optional"]
