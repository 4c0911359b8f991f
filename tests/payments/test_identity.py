"""Which requests are the same order, and the keys of orders."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from paylab.errors import RuleError
from paylab.payments import identity as module
from paylab.payments.identity import key, reference_of, values
from paylab.spec.operations.field import AMOUNT, CURRENCY, ENUM
from paylab.spec.operations.records import IDEMPOTENT_OPERATIONS, OPERATIONS

GOLDEN = json.loads((Path(__file__).parent / "golden" / "keys.json").read_text())

ORDER = {
    "financial_account": {"id": "fa_1"},
    "payout_method": "spei",
    "source_currency": "USD",
    "destination_currency": "MXN",
    "source_amount": "50",
    "client_reference_id": "café",
}


def changed(**fields):
    """The order with some fields changed; None leaves one out."""
    return {name: value for name, value in {**ORDER, **fields}.items() if value is not None}


def key_by_values(order, terms=None):
    """The key of an order without its reference, which is computed from its values."""
    fields = {name: value for name, value in order.items() if name != "client_reference_id"}
    return key(values(fields, terms))


SAME = {
    "amount with leading zeros": changed(source_amount="0050"),
    "method in upper case": changed(payout_method="SPEI"),
    "account both ways": changed(financial_account_id="fa_1"),
    "null": {**ORDER, "source_network": None},
}
OTHER = {
    "amount": changed(source_amount="50.01"),
    "side of the amount": changed(source_amount=None, destination_amount="50"),
    "account": changed(financial_account={"id": "fa_2"}),
    "account in another case": changed(financial_account={"id": "FA_1"}),
    "contradicting accounts": changed(financial_account_id="fa_2"),
    "account with more": changed(financial_account={"id": "fa_1", "bank": "x"}),
    "currency": changed(source_currency="USDC"),
    "default written out": changed(source_type="prefunded"),
    "unknown field": changed(memo="x"),
    "quote": changed(quote_id="q_1"),
}


@pytest.mark.parametrize("other", SAME.values(), ids=SAME)
def test_equal_values_are_the_same_order(other):
    """Values that mean the same make the same order; tests/orders pays other spellings once."""
    assert key_by_values(other) == key_by_values(ORDER)


@pytest.mark.parametrize("other", OTHER.values(), ids=OTHER)
def test_another_value_is_another_order(other):
    """Any field that differs makes another order."""
    assert key_by_values(other) != key_by_values(ORDER)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"n": 1}, {"n": True}, False),
        ({"n": 1}, {"n": "1"}, False),
        ({"n": [1, 2]}, {"n": [2, 1]}, False),
        ({"n": {"a": 1, "b": None}}, {"n": {"a": 1}}, True),
        ({"n": {"a": 1, "b": 2}}, {"n": {"b": 2, "a": 1}}, True),
        ({"n": "\ud800"}, {"n": "\ud800"}, True),
        ({"n": "caf\u00e9"}, {"n": "cafe\u0301"}, True),
        ({"n": {}}, {}, False),
        ({"source_amount": "9" * 90}, {"source_amount": "9" * 89 + "8"}, False),
        ({"source_amount": "1e2"}, {"source_amount": "100"}, False),
    ],
)
def test_unknown_fields_are_json_values(one, other, same):
    """Fields that paylab does not know, and amounts that are none, are compared as JSON values."""
    assert (key_by_values({**ORDER, **one}) == key_by_values({**ORDER, **other})) is same


TERMS = changed(client_reference_id=None, source_amount="50.0")


@pytest.mark.parametrize(
    ("order", "terms", "same"),
    [
        ({"quote_id": "q_1"}, TERMS, True),
        ({"quote_id": "q_2", "source_currency": "usd"}, TERMS, True),
        ({"quote_id": "q_1"}, None, False),
        ({"quote_id": "q_1"}, {**TERMS, "source_amount": "51"}, False),
        ({"quote_id": "q_1", "source_amount": "51"}, TERMS, False),
    ],
)
def test_a_quote_counts_as_its_terms(order, terms, same):
    """A transfer by quote equals the transfer with the quote's terms; an unknown quote does not."""
    assert (key(values(order, terms)) == key_by_values(ORDER)) is same


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["key"][:8])
def test_a_key_is_that_of_another_program(row):
    """A key is the one that golden/keys.mjs computes; it never changes."""
    given = key(values(row["fields"]), row["new"], operation=row["operation"])
    assert given == row["key"]
    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", given
    )


def test_the_frozen_kinds_are_those_of_the_records():
    """The tables of kinds cover the records of every operation that takes a key."""
    orders = [OPERATIONS[name] for name in IDEMPOTENT_OPERATIONS]
    assert {
        name for order in orders for name in order.field_names_of_kind(AMOUNT)
    } == module.AMOUNTS
    assert {
        name for order in orders for name in order.field_names_of_kind(CURRENCY, ENUM)
    } == module.CASELESS_FIELDS
    assert {field.name for order in orders for field in order.references} == {*module.ACCOUNTS}


def test_a_name_is_compared_in_nfc_without_spaces_around_it():
    """A reference and the name of `new=` have one spelling."""
    assert reference_of({"client_reference_id": " cafe\u0301\t"}) == "café"
    assert key(values(ORDER), " cafe\u0301") == key(values(ORDER), "café")


@pytest.mark.parametrize("reference", ["", " ", "\u00a0", 7, ["a"]])
def test_a_reference_that_names_nothing_is_an_error(reference):
    """A reference is text that is not blank."""
    with pytest.raises(RuleError, match="client_reference_id"):
        key(values({"client_reference_id": reference}))


def test_a_key_depends_on_nothing_but_the_order():
    """The module of the keys reads no setting, address, clock or table of the service."""
    text = Path(module.__file__).read_text()
    imported = re.findall(r"^(?:from|import) (\S+)", text, re.MULTILINE)
    standard = {"__future__", "json", "re", "collections.abc", "decimal", "hashlib", "typing"}
    assert {*imported} == standard | {"unicodedata", "uuid", "..errors.base"}
