"""The wallet form: an address that looks mistyped is a warning."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from paylab.errors import Problem, RuleError
from paylab.spec.models import FinancialAccount
from paylab.views.forms.account import AccountForm, WalletForm
from paylab.views.forms.onboarding import RecipientForm
from paylab.views.qr import QR

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
def test_the_problem_of_an_address_is_shown_below_it(create, network, address, said):
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
    by_button.example_button.press()
    assert by_button.values() == create[0][0]
    assert not filled.restart()
    assert "address" not in filled.values()


def test_an_assumed_list_is_there_to_be_read(create):
    """The hint of an input names the assumed values; a free input says nothing of a list."""
    fields = WalletForm(create).fields
    assert fields["network"].hint.startswith("Assumed: base, ")
    assert "ssumed" not in fields["address"].hint


def test_an_empty_address_breaks_an_assumption_only_so_it_is_sent_with_anyway_true(create):
    """An empty address breaks an assumption only, so it is sent with `anyway=True`."""
    form = WalletForm(create)
    with pytest.raises(RuleError, match="is required"):
        form.submit()
    assert form.fields["address"].warnings == ["Empty: the service may refuse that."]
    assert form.submit(anyway=True).id == "fa_1"


def test_the_code_is_the_call_with_the_current_values(create):
    """The code is the call with the current values."""
    form = WalletForm(create, individual_id="ind_1")
    form.fields["address"].value = GOOD
    assert GOOD in form.code()
    assert form.code().startswith("wallet = lab.financial_accounts.create(")


def test_an_address_has_a_row_of_its_own(create):
    """A person compares every character of an address, so all of it is shown."""
    recipient = RecipientForm(create, "MX", "on_ramp").fields
    fields = [*WalletForm(create).fields.values(), *recipient.values()]
    long_names = {field.name for field in fields if field.props()["long"]}
    assert long_names == {
        "address",
        "financial_accounts.0.details.address",
        "financial_accounts.0.details.qrph_payload",
    }
    assert all(field.props()["wide"] for field in fields if field.name in long_names)


def test_the_details_of_a_bank_account_are_replaced():
    """The form starts with the account, keeps its type, and sends new details to its id."""
    details = {"clabe": "002010077777777771"}
    account = {"id": "fa_1", "type": "bank_account", "details": details}
    held = FinancialAccount.model_validate(account)
    sent = []

    def update(*given):
        sent.append(given)
        return held

    form = AccountForm(None, "MX", account=held, update=update)
    assert (form.title, form.action) == ("Replace the details of fa_1", "Replace the details")
    assert (form.account_fields.type.disabled, form.wallet_note.html) == (True, "")
    assert form.code().startswith('account = lab.financial_accounts.update("fa_1", {"clabe"')
    form.submit()
    assert sent == [("fa_1", details)]
    assert ("CLABE", details["clabe"]) in form.result_rows(held)


def test_an_account_without_details_starts_empty(noted):
    """Nothing is filled in where the service gives no details."""
    held = FinancialAccount.model_validate({"id": "fa_1", "type": "bank_account"})
    form = AccountForm(None, "MX", account=held, update=noted(held))
    assert form.values() == {"type": "bank_account", "details": {}}
    assert form.result_rows(held) == [("Account", "fa_1"), ("Type", "bank_account")]


def test_a_recipient_may_get_the_account_later():
    """The account of a recipient is optional, that of an account form is not."""
    form = RecipientForm(None, "MX")
    kind = form.account.type
    assert (kind.value, kind.props()["mark"], form.values().get("financial_accounts")) == (
        "",
        "Optional",
        None,
    )
    assert form.fields["financial_accounts.0.details.clabe"].visible is False
    kind.value = "bank_account"
    assert form.fields["financial_accounts.0.details.clabe"].visible is True
    assert AccountForm(None, "MX").account_fields.type.props()["mark"] == "Required"


def test_the_hint_of_a_detail_says_what_is_checked():
    """Its form, and that check digits find most typos; a BIC has none."""
    hints = {
        name: AccountForm(None, country).account_fields.details[name].hint
        for country, name in (("MX", "clabe"), ("FR", "iban"), ("FR", "bic"))
    }
    assert hints == {
        "clabe": "18 digits. Most typos are noticed.",
        "iban": "An IBAN of 15 to 34 characters: 2 letters, 2 digits, then the rest. "
        "Most typos are noticed.",
        "bic": "8 or 11 characters. Only the format is checked.",
    }


def test_a_picture_of_a_code_fills_in_its_text(komo):
    """The button to scan is there for a QR Ph code only; its payee is shown below the text."""
    parts = AccountForm(None, "PH").account_fields
    assert not parts.upload.visible
    parts.fill("ph_qr_code", {})
    text = parts.details["qrph_payload"]
    assert (parts.upload.visible, text.hint.startswith("Paste the text")) == (True, True)
    parts.upload.on_file("code.png", b"no picture")
    assert parts.upload.props()["errors"][0].startswith("No code was read from code.png: ")
    parts.upload.on_file("code.png", QR(komo).png())
    assert (text.value, parts.upload.props()["errors"]) == (komo, [])
    assert [part.partition(":")[0] for part in text.hint.split("; ")] == ["Issuer", "Name", "City"]


def test_a_refused_detail_is_marked_at_its_field(noted):
    """The service names a field within `details`: its words are at the input of that field."""
    refusal = RuleError([Problem("details.network", "must be base, not tron")])
    form = WalletForm(noted(refusal), example=True)
    form.click()
    assert form.fields["network"].errors == ["Enter a network: base. You entered “base”."]


@pytest.mark.parametrize(
    ("clabe", "stored", "said"),
    [
        ("032 180 00011835971 9", "032180000118359719", None),
        ("ABC999000000000002", "ABC999000000000002", "15 digits and 3 other characters"),
        ("12", "12", "You entered 2 characters"),
    ],
)
def test_the_spaces_of_a_number_are_no_problem_and_letters_are_counted(clabe, stored, said):
    """A number is stored without spaces; of one with letters both kinds are counted."""
    field = AccountForm(None, "MX").account_fields.details["clabe"]
    field.value = clabe
    assert field.value == stored
    assert [said in error for error in field.errors] == ([True] if said else [])


def test_nothing_is_chosen_for_a_person_that_a_rule_does_not_state():
    """The issuer of an account in the Philippines is empty at first."""
    form = RecipientForm(print, "MX")
    form.fields["country"].value = "PH"
    assert form.title == form.heading.text == "Recipient: Philippines"
    assert form.account.details["issuer"].value == ""


def test_the_country_of_a_bank_account_has_its_name(create):
    """A list of countries has their names, as the list of the form itself."""
    form = AccountForm(create, "DE")
    options = form.fields["details.bank_account_country"].options
    assert ("Germany (DE)", "DE") in options
