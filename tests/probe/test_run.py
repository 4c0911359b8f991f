"""A walk comes to the end of a service that differs, and writes only what a request proved."""

import json
from functools import partial

import httpx
import pytest
from independent_service import DEVIATIONS

from paylab.client import Client
from paylab.corridors import on_ramps
from paylab.errors import RuleError
from paylab.lab.lab import connect
from paylab.probe.probe import probe_service
from paylab.probe.report import ASSUMED, NOT_REACHED, PROVEN, REFUSED
from paylab.probe.run import COUNTRIES
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service

WALLET = "financial_accounts.crypto_wallet"
MX = "financial_accounts.MX.bank_account"
EVERYTHING = ("product_types", "given_name", "family_name", "country", "address")
ENVELOPES = {
    f"lists.{name}.{what}": their
    for what, their, names in (
        ("items", "items", ("individuals", "transfers", "conversion_accounts", "conversions")),
        ("more", "has_next", ("individuals", "transfers", "conversion_accounts", "conversions")),
        ("cursor", "next", ("individuals", "transfers")),
    )
    for name in names
}
UNREACHABLE = {"production"}
"""Services that allow no walk with objects."""
SILENT = {"no-create-deposit", "errors-empty", "errors-html", "deposit-nested"}
"""Services that do not show that they are a sandbox."""


def stops(report):
    """The parts that are not complete."""
    return [line for line in report.reached if "stops" in line or "not reached" in line]


def followed(walk, *deviations):
    """The report of a walk that ends, that a call proves, and whose file needs nothing more."""
    walk = partial(walk, sandbox=bool(SILENT & {*deviations}))
    first = walk(*deviations)
    if deviations != ("no-create-deposit",):
        assert stops(first) == []
    calls = {call.number: call for call in first.calls}
    assert [*calls] == [*range(1, first.sent + 1)]
    written = first.where(PROVEN)
    assert {each.key for each in written} >= {*first.service.diff()}
    assert [each.key for each in written if calls[each.call].failed] == []
    again = walk(*deviations, service=first.service)
    assert stops(again) == stops(first)
    assert again.sent <= first.sent
    return first


def check(walk, *deviations):
    """The walk works, works with its own file, and finds each written value again without it."""
    first = followed(walk, *deviations)
    walk = partial(walk, sandbox=bool(SILENT & {*deviations}))
    # A wait that is too long works as well, so one setting of rate limits hides the other.
    found = first.where(PROVEN)
    for each in (each for each in found if not each.key.startswith("rate_limits.")):
        rest = {key: value for key, value in first.service.given.items() if key != each.key}
        assert walk(*deviations, service=Service(rest))[each.key].value == each.value


def test_the_default_service_is_as_assumed(walk_simulator, walk_independent):
    """Nothing is proven of a service that does what is assumed, in about 100 requests."""
    for report in (walk_simulator(write=True), walk_independent()):
        assert report.where(PROVEN, REFUSED) == ()
        assert report.service.diff() == {}
        assert report.reached == (
            "Lists: complete",
            *(f"{country} on-ramp: complete" for country in on_ramps.COUNTRIES),
            f"Payouts: {', '.join(COUNTRIES)} complete",
            "Repeated order: complete",
            "Webhooks: complete",
            "Lists again: complete",
        )
        assert report.sent <= 100


def test_what_a_walk_made_is_named(walk_simulator):
    """Each object that stays is named with its id; a quote expires by itself."""
    made = [each.rpartition(" ")[::2] for each in walk_simulator(write=True).made]
    assert {kind: id_.partition("_")[0] for kind, id_ in made} == {
        "individual": "ind",
        "financial account": "fa",
        "conversion account": "ca",
        "transfer": "tr",
        "webhook subscription": "wh",
    }


def test_the_largest_page_is_the_largest_number_of_the_refusal(walk_simulator):
    """A refusal that names the smallest and the largest page proves the largest."""
    assert walk_simulator({"lists.max_limit": 50}).service.diff() == {"lists.max_limit": 50}


def test_other_names_are_found_without_a_complaint_about_ours(walk_simulator):
    """Of fields of which only the new names are missed."""
    renames = {
        f"{WALLET}.fields.address": "wallet_address",
        "conversion_accounts.fields.individual_id": "customer_id",
    }
    report = walk_simulator(renames, write=True)
    assert stops(report) == []
    assert report.service.diff() == renames


@pytest.mark.whole_table
@pytest.mark.parametrize("deviation", sorted({*DEVIATIONS} - UNREACHABLE))
def test_a_walk_follows_every_deviation(walk_independent, deviation):
    """Every deviation that a client can follow."""
    check(walk_independent, deviation)


@pytest.mark.parametrize(
    ("deviations", "found"),
    [
        (
            (
                *("blank-query-line", "deposit-nested", "clabe-with-holder", "networks-few"),
                "quote-fields",
            ),
            {
                "signing.empty_query": "blank",
                "paths.sandbox_deposits": "/v1/conversion_accounts/{id}/deposits",
                f"{MX}.required": ("clabe", "account_holder_name"),
                f"{WALLET}.allowed": ("polygon", "solana"),
                "quotes.fields.financial_account_id": "destination_account.id",
                "quotes.fields.exchange_rate": "rate",
                "quotes.fields.expires_at": "valid_until",
            },
        ),
        (
            ("envelope-names", "transfer-reference-required", "tolerance-30s"),
            {**ENVELOPES, "transfers.required": ("client_reference_id",)},
        ),
        (
            ("amounts-numbers-only", "clabe-account-number", "largest-page-50", "signing-403"),
            {
                "amounts.requests": "number",
                "amounts.answers": "number",
                f"{MX}.fields.clabe": "account_number",
                "lists.max_limit": 50,
            },
        ),
        (
            ("rate-limit-milliseconds", "address-complete", "oldest-first"),
            {
                "rate_limits.header": "Retry-After-Ms",
                "rate_limits.unit": "milliseconds",
                "individuals.required": (
                    *EVERYTHING,
                    *("address.line_1", "address.city", "address.postal_code"),
                ),
            },
        ),
        (
            (
                *("key-hex", "no-get-transfer", "errors-html", "empty-202", "provisioning-15s"),
                "no-list-individuals",
            ),
            {"signing.key_encoding": "hex", "paths.transfer": "none"},
        ),
        (
            ("wallet-fields", "networks-upper", "quotes-nested", "individual-everything"),
            {
                f"{WALLET}.fields.address": "wallet_address",
                f"{WALLET}.fields.network": "blockchain",
                f"{WALLET}.allowed": ("BASE", "ETHEREUM", "POLYGON", "SOLANA"),
                "paths.quotes": "/v1/transfers/quotes",
                "individuals.required": (
                    *EVERYTHING,
                    *("email", "phone", "date_of_birth", "document"),
                ),
            },
        ),
    ],
)
def test_a_walk_finds_just_what_differs(walk_independent, deviations, found):
    """The file has the changed values and nothing else, and the service works with it."""
    assert followed(walk_independent, *deviations).service.diff() == found


def test_a_read_only_walk_creates_nothing(walk_simulator):
    """Without `write` there are only GETs, and what needs an object is not reached."""
    report = walk_simulator()
    assert [call.number for call in report.calls] == [*range(2, report.sent + 2)]
    assert {call.method for call in report.calls} == {"GET"}
    assert report.sent <= 60
    assert report["paths.quotes"].outcome == NOT_REACHED
    assert "--write" in report["paths.quotes"].why
    assert report["lists.items"].outcome == ASSUMED


def test_a_refused_operation_has_the_words_of_the_service(walk_independent):
    """What no guess helps is reported with the question for the provider."""
    report = walk_independent("no-create-deposit", sandbox=True)
    assert stops(report) == [
        "MX on-ramp: stops at the deposit (404 Not found)",
        "PH on-ramp: stops at the deposit (404 Not found)",
    ]
    finding = report["paths.sandbox_deposits"]
    assert (finding.outcome, finding.why) == (REFUSED, "404 Not found")
    assert finding.ask in report.table()
    assert "paths.sandbox_deposits" not in report.service.given


def test_a_budget_ends_the_walk_and_keeps_what_is_proven(walk_independent):
    """Parts after the budget are not reached; a budget that is no number is refused."""
    report = walk_independent("lists-array", budget=12)
    assert report.sent <= 12
    assert "not reached (the budget of requests is used up)" in report.summary
    assert report["lists.transfers.items"].value == "none"
    with pytest.raises(RuleError):
        walk_independent(budget=0)


def test_a_file_keeps_what_was_set_by_hand(walk_independent, tmp_path):
    """Proven values are added to an existing file; its other values stay."""
    to = tmp_path / "service.toml"
    by_hand = {"webhooks.signature_header": "X-Signature", "paths.transfer": "none"}
    to.write_text(Service({**by_hand, "paths.quotes": "/v1/q"}).to_toml())
    report = walk_independent("quotes-nested", "no-get-transfer", service=Service.load(to))
    report.write(to)
    assert Service.load(to).diff() == {**by_hand, "paths.quotes": "/v1/transfers/quotes"}
    assert "[probed]" not in to.read_text()


ACCEPTED = ("MX", "PH")


def refusing_countries(simulator):
    """A transport of a simulator that refuses individuals of all but two countries."""

    def answer(request):
        if request.method == "POST" and request.url.path == "/v1/individuals":
            country = json.loads(request.read())["country"]
            if country not in ACCEPTED:
                problem = {"field": "country", "message": "must be MX or PH"}
                return httpx.Response(400, json={"error": "invalid", "errors": [problem]})
        return simulator.transport().handle_request(request)

    return httpx.MockTransport(answer)


def walk_over(simulator, transport):
    """The report of a walk through what a transport makes of a simulator."""
    with connect(simulator=simulator) as lab:
        options = {"clock": lab.client.clock, "sleep": lab.client.sleep}
        with Client(lab.client.settings, transport=transport, **options) as client:
            return probe_service(client, write=True)


def test_a_refused_country_leaves_the_others_to_be_paid():
    """A service with two countries gets a payout in each, and one order twice."""
    simulator = Simulator()
    report = walk_over(simulator, refusing_countries(simulator))
    payouts = next(line for line in report.reached if line.startswith("Payouts: "))
    assert f"{', '.join(ACCEPTED)} complete" in payouts
    assert "Repeated order: complete" in report.reached
    assert report.service.diff() == {}


@pytest.mark.parametrize(("status", "amounts"), [(422, {"10.00", "5.00"}), (500, {"10.00"})])
def test_a_stated_limit_is_paid_only_after_a_refusal(status, amounts):
    """A service that fails may have paid: the payout is not sent again with another amount."""
    simulator = Simulator()
    sent = []

    def answer(request):
        if request.method != "POST" or request.url.path != "/v1/transfers":
            return simulator.transport().handle_request(request)
        sent.append(json.loads(request.read()).get("source_amount"))
        return httpx.Response(status, json={"error": "source_amount must be at most 5.00"})

    walk_over(simulator, httpx.MockTransport(answer))
    assert {*sent} - {None} == amounts


@pytest.mark.parametrize(
    ("paths", "posts"),
    [
        ({"webhook_subscriptions": "none"}, 0),
        ({"create_webhook_subscription": "none"}, 0),
        ({"webhook_subscriptions": "none", "create_webhook_subscription": "/v1/hooks"}, 1),
    ],
)
def test_a_service_without_webhooks_gets_no_subscription(paths, posts):
    """A list of subscriptions that is none, or a creation, is posted to only where it is stated."""
    service = Service({f"paths.{name}": path for name, path in paths.items()})
    with connect(service=service) as lab:
        report = probe_service(lab.client, write=True)
    sent = [call.path for call in report.calls if call.method == "POST"]
    assert len([path for path in sent if "hook" in path]) == posts
    assert not any("hook" in key for key in report.service.diff().keys() - service.diff().keys())
