"""Every field that a call is given is in the body of its request."""

from __future__ import annotations

import json

import pytest

from paylab.spec.operations.records import OPERATIONS

ANSWER = {"id": "x_1", "individual_id": "ind_1", "data": [], "has_next_page": False}
"""A resource, the images of an individual, and an empty list in one."""
ROUTE = {
    "source_currency": "usdc",
    "source_network": "base",
    "destination_currency": "mxn",
    "payout_method": "spei",
}
FIELDS_OF_CALLS = {
    "individuals.create": [OPERATIONS["individuals.create"].example | {"financial_accounts": []}],
    "individuals.submit_token": [
        OPERATIONS["individuals.submit_token"].example | {"id": "ind_1", "provider": "idv_provider"}
    ],
    "individuals.upload_images": [
        {"id": "ind_1", "images": {"selfie": b"\xff\xd8\xff" * 5_000}},
    ],
    "financial_accounts.create": [OPERATIONS["financial_accounts.create"].example],
    "financial_accounts.update": [OPERATIONS["financial_accounts.update"].example | {"id": "fa_1"}],
    "quotes.create": [
        ROUTE | {"financial_account": "fa_1", "source_amount": "1"},
        ROUTE | {"financial_account_id": "fa_1", "destination_amount": "1"},
        ROUTE | {"financial_account": "fa_1", "net_source_amount": "1"},
    ],
    "transfers.create": [
        ROUTE
        | {
            "financial_account": "fa_1",
            "source_amount": "1",
            "source_type": "deposit",
            "client_reference_id": "invoice-7",
        },
        ROUTE | {"financial_account_id": "fa_1", "destination_amount": "1"},
        ROUTE | {"financial_account": "fa_1", "net_source_amount": "1"},
        {"quote_id": "qt_1"},
    ],
    "conversion_accounts.create": [
        {
            "individual_id": "ind_1",
            "payout_account": "fa_1",
            "source_currency": "mxn",
            "destination_currency": "usdc",
            "client_reference_id": "account-7",
        }
    ],
    "sandbox.deposit": [OPERATIONS["sandbox.deposit"].example | {"sender_name": "Ana"}],
    "webhook_subscriptions.create": [OPERATIONS["webhook_subscriptions.create"].example],
}
"""Keyword arguments of calls that give every field of an operation between them."""


@pytest.mark.parametrize("name", [name for name, record in OPERATIONS.items() if record.fields])
def test_every_field_that_is_given_is_sent(scripted, name):
    """Each keyword of a call that is a field of the operation stands in the body of its request."""
    resource, _, verb = name.partition(".")
    field_names = {field.name for field in OPERATIONS[name].fields} - {"payout_account_id"}
    for arguments in FIELDS_OF_CALLS[name]:
        client, script = scripted(*[ANSWER] * 3)
        getattr(getattr(client, resource), verb)(**arguments)
        body = json.loads(script.requests[-1].content)
        assert body.keys() >= arguments.keys() & field_names, arguments
    given_names = {argument for arguments in FIELDS_OF_CALLS[name] for argument in arguments}
    assert field_names <= given_names
