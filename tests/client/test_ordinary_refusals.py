"""Refusals of well-known APIs at our operations: what the error says, and what it never says."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import httpx
import pytest

import paylab
from paylab import errors
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.spec.service.keys import setting_keys

TABLE = json.loads(Path(__file__).with_name("ordinary_refusals.json").read_text())
ROWS = {row["id"]: row for row in TABLE["refusals"]}
pytestmark = pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")

WALLET = {"address": "0x000000000000000000000000000000000000dEaD", "network": "base"}
CALLS = {
    "individuals.create": lambda client: client.individuals.create(
        **paylab.examples.recipient("MX")
    ),
    "financial_accounts.create": lambda client: client.financial_accounts.create(
        "ind_1", "crypto_wallet", WALLET
    ),
    "financial_accounts.update": lambda client: client.financial_accounts.update(
        "fa_1", {"clabe": "012180001234567897"}
    ),
    "financial_accounts.pix": lambda client: client.financial_accounts.create(
        "ind_1", "pix", {"pix_key": "a@b.co", "pix_key_type": "email"}
    ),
    "submit_token": lambda client: client.individuals.submit_token(
        "ind_1", "sumsub", "tok_1", "2026-01-31T09:30:00Z"
    ),
    "quotes.create": lambda client: client.quotes.create(
        "fa_1", payout_method="spei", source_amount="1", destination_currency="mxn"
    ),
    "transfers.create": lambda client: client.transfers.create(
        "fa_1",
        payout_method="spei",
        source_amount="1",
        source_currency="USD",
        destination_currency="mxn",
        client_reference_id="invoice-1",
    ),
    "transfers.get": lambda client: client.transfers.get("tr_1"),
    "transfers.list": lambda client: client.transfers.list().first(),
    "conversion_accounts.create": lambda client: client.conversion_accounts.create(
        "ind_1", "fa_1", "mxn"
    ),
    "sandbox.deposit": lambda client: client.sandbox.deposit("ca_1", "10.00", "mxn"),
    "webhook_subscriptions.get": lambda client: client.webhook_subscriptions.get("wh_1"),
    "webhook_subscriptions.create": lambda client: client.webhook_subscriptions.create(
        "https://hooks.example.com/in", ["transfer.completed"]
    ),
}
KINDS = {
    401: errors.AuthenticationError,
    403: errors.PermissionDeniedError,
    404: errors.NotFoundError,
    409: errors.ConflictError,
    422: errors.UnprocessableError,
    429: errors.RateLimitError,
    500: errors.ServerError,
}
ADVICE = {
    "permission": "ask your provider",
    "address": "ask your provider",
    "suspension": "provider",
    "rate": "too many requests",
    "authentication": "API key and secret|clock",
    "insufficient funds": "fund the account",
    "limit": "a limit is reached",
    "server error": "may have been carried out|try again later",
    "unknown id": "another account or environment",
    "duplicate": "look",
}
"""What the advice of a kind says at least."""
WORDS = (*TABLE["never_say"], "probe", "assum", *(key for key in setting_keys() if "." in key))
NEVER = re.compile(rf"\b(?:{'|'.join(re.escape(word.lower()) for word in WORDS)})")


@cache
def refused(row_id):
    """The error of a row at its operation."""
    row = ROWS[row_id]
    body, headers = row["body"], row.get("headers", {})
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()

    def answer(request):
        if request.method == "GET" and not row["operation"].endswith((".get", ".list")):
            return httpx.Response(200, json={"data": [], "has_next_page": False, "cursor": None})
        return httpx.Response(row["status"], content=content, headers=headers)

    settings = Settings("https://pay.test", "key_live_1234", "c0ffee00" * 4)
    transport = httpx.MockTransport(answer)
    with (
        Client(settings, transport=transport, max_retries=0) as client,
        pytest.raises(errors.APIStatusError) as caught,
    ):
        CALLS[row["operation"]](client)
    return caught.value


@pytest.fixture(name="rows", params=sorted({row["kind"] for row in ROWS.values()}))
def rows_of_a_kind(request):
    """The rows of a kind by id, each with its error."""
    return {
        row_id: (refused(row_id), row)
        for row_id, row in ROWS.items()
        if row["kind"] == request.param
    }


def test_an_ordinary_refusal_names_no_setting(rows):
    """No advice has a key, a file, the probe or what its row and kind must not say."""
    said = {}
    for row_id, (error, row) in rows.items():
        hint = str(error.hint or "").lower()
        more = (*TABLE["kinds"][row["kind"]]["must_not_say"], *row.get("must_not_say", ()))
        said[row_id] = [word for word in more if re.search(rf"\b{re.escape(word.lower())}", hint)]
        said[row_id] += NEVER.findall(hint)
    assert {row_id: words for row_id, words in said.items() if words} == {}


def test_an_ordinary_refusal_is_told_as_what_it_is(rows):
    """The class is that of the status, and the advice that of the row or its kind."""
    for row_id, (error, row) in rows.items():
        status = 500 if row["status"] >= 500 else row["status"]
        assert error.status == row["status"], row_id
        assert type(error) is KINDS.get(status, type(error)), row_id
        advice = row.get("hint", ADVICE.get(row["kind"], ""))
        is_told = error.hint is None if advice is None else re.search(advice, str(error.hint or ""))
        assert is_told, (row_id, error.hint)
        assert str(error) == row.get("text", str(error)), row_id


def test_the_words_and_the_fields_of_the_service_are_in_the_error(rows):
    """`str(error)` has the sentence of the body, and the names of its fields."""
    for row_id, (error, row) in rows.items():
        text = folded(str(error))
        assert text.startswith(str(row["status"])), row_id
        sentences = [folded(one) for one in leaves(row["body"]) if " " in one and "http" not in one]
        assert not sentences or any(sentence in text for sentence in sentences), (row_id, text)
        for field in filter(None, (row["field"] or "").split(", ")):
            assert folded(re.split(r"[./\[]", field.strip("/"))[-1]) in text, (row_id, field)


def leaves(body):
    """The texts of a body without markup."""
    if isinstance(body, str):
        yield "" if "<" in body else body
    for inner in (
        body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    ):
        yield from leaves(inner)


def folded(text):
    """The letters and digits of a text."""
    return re.sub("[^a-z0-9]", "", text.lower())
