"""The conversion account form: one account, awaited in code, watched where a person looks on."""

from __future__ import annotations

import asyncio

import pytest

from paylab.models import ConversionAccount, FinancialAccount
from paylab.views.forms.conversion_account import ConversionAccountForm
from paylab.views.forms.watch import at_once

WALLET = FinancialAccount.model_validate(
    {"id": "fa_1", "details": {"address": "0x000000000000000000000000000000000000dEaD"}}
)


def account(status):
    """The account in a state."""
    return ConversionAccount.model_validate({"id": "ca_1", "status": status})


@pytest.fixture
def create(noted):
    """Answers 202: pending."""
    return noted(account("pending"))


@pytest.fixture
def wait(noted):
    """Waits until active."""
    return noted(account("active"))


@pytest.fixture
def form(create, wait):
    """A form whose account becomes active when it is looked at a second time."""
    states = iter(["pending", "active"])
    form = ConversionAccountForm(
        create, wait, lambda _: account(next(states)), [WALLET], "php", run=at_once
    )
    form.watch._every = 0
    return form


def test_code_waits(form, create, wait):
    """In code, a pending account is waited for."""
    assert form.submit().status == "active"
    assert create == [("fa_1", "php")]
    assert wait == [("ca_1",)]


def test_a_click_watches(form, create, wait):
    """On a click, provisioning is shown and the kernel's loop goes on."""

    async def click():
        form.click()
        assert form.sent is None
        assert "pending" in form.message.value
        await asyncio.sleep(0.05)

    asyncio.run(click())
    assert form.sent.status == "active"
    assert len(create) == 1
    assert not wait


def test_reading_while_it_is_provisioned(form, create):
    """The result is waited for; nothing is created a second time."""

    async def click():
        form.click()
        return form.result

    assert asyncio.run(click()).status == "active"
    assert len(create) == 1


def test_active_at_once(wait, noted):
    """A 201 needs no waiting."""
    form = ConversionAccountForm(noted(account("active")), wait, wait, [WALLET], "mxn")
    assert form.result.status == "active"
    assert not wait


def test_the_wallet_is_named(form):
    """By the ends of its address."""
    assert form.fields["payout_account"].widget.options[0][0].startswith("0x0000…dEaD")


def test_code(form):
    """The call and the waiting."""
    assert form.code().splitlines() == [
        'account = lab.conversion_accounts.create("", "fa_1", "php")',
        "account = lab.conversion_accounts.wait(account.id)",
    ]
