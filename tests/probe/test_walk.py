"""A walk comes to the end of a service that differs, and writes only what a request proved."""

import pytest
from independent_service import DEVIATIONS

from paylab.errors import RuleError
from paylab.probe.report import ASSUMED, NOT_REACHED, PROVEN, REFUSED
from paylab.probe.walk import COUNTRIES
from paylab.spec.service import Service

WALLET = "financial_accounts.crypto_wallet"
MX = "financial_accounts.MX.bank_account"
SAMPLE = (
    "blank-query-line",
    "deposit-nested",
    "wallet-fields",
    "clabe-with-holder",
    "address-complete",
    "envelope-names",
    "amounts-numbers-only",
    "rate-limit-milliseconds",
)
UNREACHABLE = {"production"}
"""Services that allow no walk with objects."""


def stops(report):
    """The parts that did not come to the end."""
    return [line for line in report.reached if "stops" in line or "not reached" in line]


def check(walk, *deviations):
    """The walk works, works with its own file, and finds each written value again without it."""
    first = walk(*deviations)
    if deviations != ("no-create-deposit",):
        assert stops(first) == []
    calls = {call.number: call for call in first.calls}
    written = first.where(PROVEN)
    assert {each.key for each in written} >= {*first.service.diff()}
    assert [each.key for each in written if calls[each.call].failed] == []
    again = walk(*deviations, service=first.service)
    assert stops(again) == stops(first)
    assert again.sent <= first.sent
    # A wait that is too long works as well, so one setting of rate limits hides the other.
    for each in (each for each in written if not each.key.startswith("rate_limits.")):
        rest = {key: value for key, value in first.service.given.items() if key != each.key}
        assert walk(*deviations, service=Service(rest))[each.key].value == each.value


def test_the_default_service_is_as_assumed(walk_simulator, walk_independent):
    """Nothing is proven of a service that does what is assumed, in about 100 requests."""
    for report in (walk_simulator(write=True), walk_independent()):
        assert report.where(PROVEN, REFUSED) == ()
        assert report.service.diff() == {}
        assert report.reached == (
            "Lists: to the end",
            "MX on-ramp: to the end",
            "PH on-ramp: to the end",
            f"Payouts: {', '.join(COUNTRIES)} to the end",
            "Repeated order: to the end",
            "Webhooks: to the end",
            "Lists again: to the end",
        )
        assert report.sent <= 100


def test_the_largest_page_is_the_largest_number_of_the_refusal(walk_simulator):
    """A refusal that names the smallest and the largest page proves the largest."""
    assert walk_simulator({"lists.max_limit": 50}).service.diff() == {"lists.max_limit": 50}


@pytest.mark.parametrize("deviation", SAMPLE)
def test_a_walk_follows_a_service_that_differs(walk_independent, deviation):
    """A sample of deviations: every written value was proven, and is found again without it."""
    check(walk_independent, deviation)


@pytest.mark.whole_table
@pytest.mark.parametrize("deviation", sorted({*DEVIATIONS} - UNREACHABLE))
def test_a_walk_follows_every_deviation(walk_independent, deviation):
    """Every deviation that a client can follow."""
    check(walk_independent, deviation)


@pytest.mark.parametrize(
    ("deviation", "found"),
    [
        ("key-hex", {"signing.key_encoding": "hex"}),
        ("clabe-account-number", {f"{MX}.fields.clabe": "account_number"}),
        ("networks-few", {f"{WALLET}.allowed": ("polygon", "solana")}),
        ("largest-page-50", {"lists.max_limit": 50}),
        ("transfer-reference-required", {"transfers.required": ("client_reference_id",)}),
        ("no-get-transfer", {"paths.transfer": "none"}),
        ("oldest-first", {}),
        ("tolerance-30s", {}),
        ("signing-403", {}),
        ("errors-html", {}),
        ("empty-202", {}),
        ("provisioning-15s", {}),
    ],
)
def test_a_walk_finds_just_what_differs(walk_independent, deviation, found):
    """The file has the changed value and nothing else."""
    assert walk_independent(deviation).service.diff() == found


def test_several_differences_at_once(walk_independent):
    """Differences of one request, which the service names one after the other."""
    names = ("wallet-fields", "networks-upper", "quotes-nested", "individual-everything")
    check(walk_independent, *names)


def test_a_read_only_walk_creates_nothing(walk_simulator):
    """Without `write` there are only GETs, and what needs an object is not reached."""
    report = walk_simulator()
    assert {call.method for call in report.calls} == {"GET"}
    assert report.sent <= 60
    assert report["paths.quotes"].outcome == NOT_REACHED
    assert "--write" in report["paths.quotes"].why
    assert report["lists.items"].outcome == ASSUMED


def test_a_refused_operation_has_the_words_of_the_service(walk_independent):
    """What no candidate helps is reported with the question for the provider."""
    report = walk_independent("no-create-deposit")
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
    assert report["lists.transfers.envelope"].value == "array"
    with pytest.raises(RuleError):
        walk_independent(budget=0)


def test_a_file_keeps_what_was_set_by_hand(walk_independent, tmp_path):
    """Proven values are added to an existing file; its other values stay."""
    to = tmp_path / "service.toml"
    to.write_text('[webhooks]\nsignature_header = "X-Signature"\n[paths]\nquotes = "/v1/q"\n')
    report = walk_independent("quotes-nested", service=Service.load(to))
    report.write(to)
    assert Service.load(to).diff() == {
        "paths.quotes": "/v1/transfers/quotes",
        "webhooks.signature_header": "X-Signature",
    }
    assert "[probed]" not in to.read_text()
