"""Bodies between our names and those of a service: sent, read, and sent by a simulator."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paylab.errors import RuleError
from paylab.spec.service import Service
from paylab.spec.translation import Translation, write_amounts_as_numbers

MX, PH = "financial_accounts.MX.bank_account", "financial_accounts.PH.bank_account"
SETTINGS = {
    f"{MX}.fields.clabe": "account_number",
    f"{PH}.fields.issuer": "bank",
    "quotes.fields.payout_method": "rail",
    "quotes.fields.source_amount": "amount",
    "quotes.fields.exchange_rate": "rate",
    "conversion_accounts.fields.individual_id": "customer",
    "deposit_instructions.mx_virtual_account.fields.clabe": "number",
}
PERSON = "individuals.create"
ACCOUNT = "financial_accounts.create"
CLABE, THEIRS = {"clabe": "1"}, {"account_number": "1"}
BANK = {"type": "bank_account"}


def translation(**more):
    """The translation of a service with other names."""
    return Translation(Service(SETTINGS | {key.replace("__", "."): more[key] for key in more}))


@pytest.mark.parametrize(
    ("operation", "ours", "theirs"),
    [
        (ACCOUNT, BANK | {"details": CLABE}, BANK | {"details": THEIRS}),
        (ACCOUNT, BANK | {"details": {"sort_code": "1"}}, BANK | {"details": {"sort_code": "1"}}),
        (ACCOUNT, BANK | {"details": "1"}, BANK | {"details": "1"}),
        (
            PERSON,
            {"country": "MX", "financial_accounts": [BANK | {"details": CLABE}, "x"]},
            {"country": "MX", "financial_accounts": [BANK | {"details": THEIRS}, "x"]},
        ),
        (
            PERSON,
            {"country": "PH", "financial_accounts": [BANK | {"details": {"issuer": "bdo"}}]},
            {"country": "PH", "financial_accounts": [BANK | {"details": {"bank": "bdo"}}]},
        ),
        (
            PERSON,
            {"country": "PH", "financial_accounts": [BANK | {"details": CLABE}]},
            {"country": "PH", "financial_accounts": [BANK | {"details": CLABE}]},
        ),
        (
            "quotes.create",
            {"payout_method": "spei", "source_amount": "1.50", "other": 1},
            {"rail": "spei", "amount": "1.50", "other": 1},
        ),
        ("conversion_accounts.create", {"individual_id": "i"}, {"customer": "i"}),
    ],
)
def test_a_request_has_the_names_of_the_service(operation, ours, theirs):
    """Fields of bodies and of account details are renamed, and the given body stays as it is."""
    names = translation()
    before = repr(ours)
    assert names.translate_request(operation, ours) == theirs
    assert repr(ours) == before
    assert Translation(Service()).translate_request(operation, ours) is ours


@pytest.mark.parametrize(
    ("operation", "body", "field", "ours"),
    [
        (ACCOUNT, BANK | {"details": CLABE}, "details.account_number", "details.clabe"),
        ("quotes.create", {"payout_method": "x"}, "rail", "payout_method"),
        ("quotes.create", {}, "other.rail", "other.rail"),
        (
            PERSON,
            {"country": "MX", "financial_accounts": [BANK | {"details": CLABE}]},
            "financial_accounts.0.details.account_number",
            "financial_accounts.0.details.clabe",
        ),
        (
            PERSON,
            {"country": "GB", "financial_accounts": [BANK | {"details": CLABE}]},
            "financial_accounts.0.details.account_number",
            "financial_accounts.0.details.account_number",
        ),
    ],
)
def test_a_problem_names_our_field(operation, body, field, ours):
    """The dotted name of a refused field is ours, also within the details of an account."""
    assert translation().translate_field(operation, body, field) == ours
    assert Translation(Service()).translate_field(operation, body, field) == field


@pytest.mark.parametrize(
    ("kind", "theirs", "ours"),
    [
        ("Quote", {"rail": "spei", "rate": "17"}, {"payout_method": "spei", "exchange_rate": "17"}),
        (
            "FinancialAccount",
            BANK | {"country": "MX", "details": THEIRS},
            BANK | {"country": "MX", "details": CLABE},
        ),
        (
            "ConversionAccount",
            {
                "customer": "i",
                "payout_account": BANK | {"country": "MX", "details": THEIRS},
                "deposit_instructions": {"type": "mx_virtual_account", "details": {"number": "1"}},
            },
            {
                "individual_id": "i",
                "payout_account": BANK | {"country": "MX", "details": CLABE},
                "deposit_instructions": {"type": "mx_virtual_account", "details": CLABE},
            },
        ),
        (
            "Transfer",
            {"deposit_instructions": {"type": "new", "details": {"number": "1"}}},
            {"deposit_instructions": {"type": "new", "details": {"number": "1"}}},
        ),
    ],
)
def test_an_answer_has_our_names(kind, theirs, ours):
    """What the service sends is read with our names, and a simulator sends it with theirs."""
    names = translation()
    assert names.translate_answer(kind, theirs) == ours
    assert names.write_answer(kind, ours) == theirs
    assert Translation(Service()).translate_answer(kind, theirs) is theirs
    assert Translation(Service()).write_answer(kind, ours) is ours


def test_an_account_of_an_unknown_country_is_told_by_its_fields():
    """Without a country, the account type with the most of these fields counts."""
    names = translation()
    assert names.find_account_settings(None, "bank_account", CLABE).key == MX
    assert (
        names.find_account_settings(None, "bank_account", THEIRS, in_service_names=True).key == MX
    )
    assert names.find_account_settings(None, "bank_account", {"issuer": "bdo"}).key == PH
    assert (
        names.find_account_settings(None, "bank_account", {"bank_account_country": "GB"}).key.count(
            "GB"
        )
        == 1
    )
    assert names.find_account_settings("PH", "bank_account", CLABE).key == PH
    assert names.find_account_settings(None, "pix", {}).key == "financial_accounts.BR.pix"
    both = {"sort_code": "1", "iban": "2"}
    assert names.find_account_settings(None, "bank_account", both) is None
    sent = {"type": "bank_account", "details": both}
    renamed = translation(financial_accounts__GB__bank_account__fields__sort_code="sc")
    assert renamed.translate_request(ACCOUNT, sent) == sent


@pytest.mark.parametrize(
    ("form", "sent"),
    [("object", {"financial_account": {"id": "f"}}), ("id", {"financial_account_id": "f"})],
)
def test_an_account_is_sent_as_the_service_wants_it(form, sent):
    """An account is an object with an id, or its id alone."""
    asked = {"financial_account": {"id": "f"}}
    assert translation(quotes__account_form=form).translate_request("quotes.create", asked) == sent


def test_currencies_and_amounts_are_written_as_the_service_wants_them():
    """Currencies in its case, amounts as numbers with the digits of their text."""
    names = translation(currencies__case="lower", amounts__requests="number")
    asked = {"source_currency": "USD", "source_amount": "1.50", "net_source_amount": "3"}
    sent = names.translate_request(
        "quotes.create", asked | {"new_amount": "0.10", "destination_amount": "x"}
    )
    assert sent.pop("destination_amount") == "x"
    assert sent == {
        "source_currency": "usd",
        "net_source_amount": 3,
        "new_amount": Decimal("0.10"),
        "amount": Decimal("1.50"),
    }
    assert isinstance(sent["net_source_amount"], int)


def test_a_field_by_both_names_is_an_error():
    """Two values of one field, one by each name, are refused; two equal ones are one."""
    names = translation()
    equal = {"payout_method": "spei", "rail": "spei"}
    assert names.translate_request("quotes.create", equal) == {"rail": "spei"}
    with pytest.raises(RuleError, match="rail: is the service's name of payout_method, which has"):
        names.translate_request("quotes.create", equal | {"rail": "pix"})


@pytest.mark.parametrize(
    ("form", "sent"),
    [
        ("text", b'{"amount":"1.50","rate":"17","rail":"2","id":"3"}'),
        ("number", b'{"amount":1.50,"rate":17,"rail":"2","id":"3"}'),
    ],
)
def test_a_simulator_answers_with_numbers(form, sent):
    """Amounts of answers, under any name, are numbers with every digit if the service does that."""
    service = Service(SETTINGS | {"amounts.answers": form})
    assert (
        write_amounts_as_numbers(service, b'{"amount":"1.50","rate":"17","rail":"2","id":"3"}')
        == sent
    )
