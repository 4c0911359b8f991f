"""A probe finds what a service does differently, and says what it could not find."""

import pytest

from paylab.errors import RuleError
from paylab.lab.lab import connect
from paylab.probe.inquiry import UNKNOWN_ID
from paylab.probe.report import DIFFERS, HOLDS, NOT_ASKED, UNCLEAR
from paylab.probe.requests import NotAskedError, Requests

WALLET = "financial_accounts.crypto_wallet"
MX = "financial_accounts.MX.bank_account"


def test_the_default_simulator_is_as_assumed(ask_simulator):
    """For the default simulator all answers hold, with fewer than 150 requests."""
    report = ask_simulator()
    assert report.where(DIFFERS, UNCLEAR) == ()
    assert len(report.where(HOLDS)) > 100
    assert report.sent < 150
    assert report.remarks == ()
    assert report.service.diff() == {}


@pytest.mark.parametrize(
    ("deviation", "found"),
    [
        ("blank-query-line", {"signing.empty_query": "blank"}),
        ("key-hex", {"signing.key_encoding": "hex"}),
        ("key-base64", {"signing.key_encoding": "base64"}),
        ("tolerance-30s", {"signing.tolerance": 30}),
        ("signing-403", {"error_codes.signature": 403}),
        ("nonce-required", {"signing.nonce": "required"}),
        ("routing-before-signature", {}),
        ("quotes-kebab", {"paths.quotes": "/v1/transfer-quotes"}),
        ("deposit-nested", {"paths.sandbox_deposits": "/v1/conversion_accounts/{id}/deposits"}),
        ("deposit-simulations", {"paths.sandbox_deposits": "/v1/simulations/deposits"}),
        ("images-kebab", {"paths.verification_images": "/v1/individuals/{id}/verification-images"}),
        ("no-get-transfer", {"paths.transfer": "none"}),
        ("no-list-images", {"paths.verification_images": "none"}),
        ("wallet-fields", {f"{WALLET}.fields.network": "blockchain"}),
        ("wallet-fields-lenient", {f"{WALLET}.fields.network": "chain"}),
        ("clabe-account-number", {f"{MX}.fields.clabe": "account_number"}),
        ("clabe-with-holder", {f"{MX}.required": ("clabe", "account_holder_name")}),
        ("networks-few", {f"{WALLET}.allowed": ("polygon", "solana")}),
        ("networks-upper", {f"{WALLET}.allowed": ("BASE", "ETHEREUM", "POLYGON", "SOLANA")}),
        ("lists-array", {"lists.envelope": "array"}),
        ("webhooks-envelope", {"lists.webhook_subscriptions.envelope": "object"}),
        ("envelope-names", {"lists.more": "has_next", "lists.cursor": "next"}),
        ("conversions-envelope-names", {"lists.conversions.items": "results"}),
        ("largest-page-50", {"lists.max_limit": 50}),
        ("oldest-first", {"lists.transfers.order": "oldest_first"}),
        ("transfer-quote-reference", {"transfers.fields.quote_id": "quote"}),
        ("transfer-reference-required", {"transfers.required": ("client_reference_id",)}),
        ("amounts-numbers-only", {"amounts.requests": "number"}),
        ("idempotency-required", {"idempotency.key": "required"}),
        ("errors-jsonapi", {"errors.field": "source.pointer", "errors.field_form": "pointer"}),
    ],
)
def test_a_deviation_of_an_independent_service_is_found(ask_independent, deviation, found):
    """The report has the changed value, and differences in no other group of keys."""
    diff = ask_independent(deviation).service.diff()
    assert found.items() <= diff.items()
    assert {key.split(".")[0] for key in diff} == {key.split(".")[0] for key in found}


LIMITS = "rate_limits.header", "rate_limits.unit"


@pytest.mark.parametrize(
    ("deviation", "found"),
    [
        ("idempotency-key-scope", {"idempotency.scope": "account"}),
        ("idempotency-202", {"idempotency.stored": (200, 201, 202)}),
        ("idempotency-required", {"idempotency.key": "required"}),
        ("rate-limit", {}),
        ("rate-limit-date", {"rate_limits.unit": "date"}),
        ("rate-limit-reset", {"rate_limits.header": "RateLimit-Reset"}),
        (
            "rate-limit-timestamp",
            dict(zip(LIMITS, ("X-RateLimit-Reset", "unix_time"), strict=True)),
        ),
        (
            "rate-limit-milliseconds",
            dict(zip(LIMITS, ("Retry-After-Ms", "milliseconds"), strict=True)),
        ),
        ("events-signed", {"webhooks.signature_header": "X-Webhook-Signature"}),
        (
            "events-enveloped",
            {
                "webhooks.type_field": "type",
                "webhooks.payload_field": "data",
                "webhooks.id_field": "id",
            },
        ),
    ],
)
def test_a_deviation_of_what_is_made_is_found(ask_independent, deviation, found):
    """With `write`, the values of keys, limits and events are found, and no other difference."""
    report = ask_independent(deviation, write=True, local=True, budget=400)
    assert report.service.diff() == found
    assert {key: report[key].outcome for key in found} == dict.fromkeys(found, DIFFERS)
    assert report.where(UNCLEAR) == report.remarks == ()
    limits = {report[key].outcome == NOT_ASKED for key in LIMITS}
    assert limits == {not deviation.startswith("rate")}


@pytest.mark.parametrize("wording", ["zod", "joi", "pydantic", "rails", "terse"])
def test_names_are_found_in_the_words_of_any_library(ask_independent, wording):
    """Field names are found in the error messages of several validation libraries."""
    report = ask_independent(f"words-{wording}", "wallet-fields")
    assert report.service.value(f"{WALLET}.fields.address") == "wallet_address"
    assert report.service.value(f"{WALLET}.fields.network") == "blockchain"


@pytest.mark.parametrize(
    "style",
    ["jsonapi", "details", "issues", "fields", "problem", "message", "list", "text", "html"],
)
def test_names_are_found_in_error_bodies_of_any_shape(ask_independent, style):
    """Field names are found in error bodies of any shape."""
    report = ask_independent(f"errors-{style}", "clabe-account-number")
    assert report.service.value(f"{MX}.fields.clabe") == "account_number"


def test_a_server_error_is_no_refusal(ask_independent):
    """A 500 for `limit=0` does not show that the service reads the parameter."""
    assert ask_independent("largest-page-50-silent")["lists.limit_parameter"].outcome == HOLDS
    found = ask_independent("largest-page-50-silent", broken="limit=0")
    assert found["lists.limit_parameter"].outcome == NOT_ASKED


def test_several_differences_are_found_together(ask_simulator):
    """Several differences of a simulator are all found by one probe."""
    values = {
        "signing.empty_query": "blank",
        "signing.tolerance": 60,
        "paths.quotes": "none",
        "paths.transfer": "/v1/transfer/{id}",
        "lists.conversions.items": "items",
        "lists.max_limit": 50,
    }
    assert ask_simulator(values).service.diff() == values


def test_a_probe_stops_at_its_budget(ask_simulator):
    """At its budget a probe stops, and the report is incomplete and says why."""
    report = ask_simulator(budget=5)
    assert report.sent == 5
    assert not report.complete
    assert "budget of 5" in report["lists.order"].why


@pytest.mark.parametrize("budget", [0, -1, True, 1.5, "150", None])
def test_a_budget_is_a_number_of_requests(lab, budget):
    """A budget that is not a positive whole number is refused, and nothing is sent."""
    with pytest.raises(RuleError, match="budget: must be a whole number of requests"):
        lab.probe(budget=budget)
    assert not lab.calls


@pytest.mark.parametrize("id_", ["a\x1bb", "x" * 70_000, "\ud800"])
def test_an_id_that_cannot_be_sent_is_not_used(ask_independent, id_):
    """If an id cannot be sent, the next one is used, or else an id that does not exist."""
    for ids in ([id_], [id_, "known"]):
        report = ask_independent(listed=ids)
        assert report.complete
        call = report["paths.transfer"].calls[0]
        assert call.path.endswith(f"/{ids[1]}" if ids[1:] else UNKNOWN_ID)


def test_a_path_that_cannot_be_sent_is_not_asked():
    """A path with a control character is not sent."""
    with connect() as lab:
        requests = Requests(lab.client)
        with pytest.raises(NotAskedError, match="cannot be sent"):
            requests.get("/v1/transfers/a\x1bb")
        assert requests.sent == 0
        requests.close()
