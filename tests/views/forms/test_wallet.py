"""The wallet form: an address that looks mistyped is a warning."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from paylab.errors import RuleError
from paylab.spec.models import FinancialAccount
from paylab.views.forms.account import WalletForm

GOOD = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"  # an example of EIP-55
WALLET = FinancialAccount.model_validate({"id": "fa_1", "details": {"network": "base"}})


@pytest.fixture
def create(noted):
    """A function that returns the same wallet every time."""
    return noted(WALLET)


@pytest.mark.parametrize(
    ("network", "address", "said"),
    [
        ("base", GOOD, ""),
        ("base", GOOD.lower(), ""),
        ("polygon", GOOD.replace("aA", "Aa"), "EIP-55"),
        ("ethereum", "0x12", "40 hex digits"),
        ("solana", "So11111111111111111111111111111111111111112", ""),
        ("solana", "So1111111111111111111111111111111111111111", "32"),
        ("solana", GOOD, "does not look like a Solana address"),
    ],
)
def test_checksums(create, network, address, said):
    """The problem of an address is shown below it; it is sent with `anyway=True` only."""
    form = WalletForm(create)
    form.fields["network"].value = network
    form.fields["address"].value = address
    field = form.fields["address"]
    note = " ".join([*field.errors, *field.warnings]) or field.hint
    assert said in note if said else not note
    with pytest.raises(RuleError) if said else nullcontext():
        form.submit()
    assert bool(create) != bool(said)
    assert form.submit(anyway=True).id == "fa_1"
    assert create == [({"network": network, "address": address},)]


def test_the_example_is_sent_by_submit(create):
    """`submit` sends the example, and a button fills it in."""
    filled = WalletForm(create, example=True)
    assert filled.submit().id == "fa_1"
    assert create[0][0]["network"] == "base"
    by_button = WalletForm(create)
    by_button.filler.press()
    assert by_button.values() == create[0][0]
    assert not filled.restart()
    assert "address" not in filled.values()


def test_an_assumed_list_is_there_to_be_read(create):
    """The hint of an input names the assumed values; a free input says nothing of a list."""
    fields = WalletForm(create).fields
    assert fields["network"].hint.startswith("Assumed: base, ")
    assert "ssumed" not in fields["address"].hint


def test_without_an_address(create):
    """An empty address breaks an assumption only, so it is sent with `anyway=True`."""
    form = WalletForm(create)
    with pytest.raises(RuleError, match="is required"):
        form.submit()
    assert "Required (assumed" in form.fields["address"].errors[0]
    assert form.submit(anyway=True).id == "fa_1"


def test_code(create):
    """The code is the call with the current values."""
    form = WalletForm(create, individual_id="ind_1")
    form.fields["address"].value = GOOD
    assert GOOD in form.code()
    assert form.code().startswith("wallet = lab.financial_accounts.create(")
