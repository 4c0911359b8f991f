"""Walks through a third service, whose deviations come with an answer key of its own."""

import pytest
from third_service.deviations import DEVIATIONS
from third_service.hooks import FILL, FOLLOW, HOPELESS
from third_service.server import serve
from third_truth import false_values
from third_walks import follow, walk

from paylab.cli.main import main
from paylab.errors import ServiceError
from paylab.probe.report import PROVEN
from paylab.spec.service import Service

NO_SETTING = {
    "a clock that is wrong": ("signing-clock",),
    "names": ("renamed-details", "renamed-images", "renamed-status", "version-header"),
    "forms of values": (
        *("amounts-minor", "ids-number", "images-base64", "words-status", "words-status-upper"),
    ),
    "values of another request": (
        *("quotes-recipient", "transfers-recipient", "transfers-terms", "transfers-quote"),
        "email-elsewhere",
    ),
}
"""What a client could follow and no setting states."""
WITHOUT = {name for names in NO_SETTING.values() for name in names}
RENAMED_AMOUNTS = {
    f"{table}.fields.{ours}": theirs
    for table in ("quotes", "transfers")
    for ours, theirs in (
        ("source_amount", "source.amount"),
        ("source_currency", "source.currency"),
    )
}
SAMPLE = {
    ("individuals-email", "unique-email", "late-individuals", "signing-base-path-unsigned"): {
        "individuals.required": [
            *("product_types", "given_name", "family_name", "country", "address", "email"),
        ],
        "signing.base_path": "/api/pay",
    },
    ("individuals-gender", "transfers-source-type", "onramp-reference", "images-one"): {
        "extra": {
            "individuals.create": {"gender": "MALE"},
            "transfers.create": {"source_type": "prefunded"},
        },
        "conversion_accounts.required": ["client_reference_id"],
    },
    ("individuals-birth-city",): {"extra": {"individuals.create": {"birth": {"city": "Puebla"}}}},
    ("renamed-individual-nested", "renamed-deposit-money", "signing-signature-hex"): {
        "financial_accounts.fields.individual_id": "individual.id",
        "conversion_accounts.fields.individual_id": "individual.id",
        "sandbox_deposits.fields.amount": "money.value",
        "sandbox_deposits.fields.currency": "money.currency",
        "signing.signature": "hex",
    },
    ("renamed-amount-nested", "renamed-names", "signing-date-unix"): {
        **RENAMED_AMOUNTS,
        "individuals.fields.given_name": "first_name",
        "individuals.fields.family_name": "last_name",
        "signing.date_form": "unix",
    },
    ("renamed-payout-method", "renamed-country", "late-accounts", "signing-nonce-uuid"): {
        "quotes.fields.payout_method": "rail",
        "transfers.fields.payout_method": "rail",
        "individuals.fields.country": "country_code",
        "signing.nonce_form": "uuid",
    },
    ("envelope-nested", "individuals-terms", "images-least", "signing-nonce-absent"): {
        **{
            f"objects.{name}.item": "response.data"
            for name in (
                *("individuals", "financial_accounts", "quotes", "transfers"),
                *("conversion_accounts", "sandbox_deposits", "webhook_subscriptions"),
            )
        },
        "extra": {"individuals.create": {"terms_accepted": True}},
        "signing.nonce": "refused",
    },
    ("page-nested", "amounts-minimum", "signing-header-order"): None,
    ("key-every-post", "replay-200", "amounts-answered-as-numbers", "signing-port"): {
        "idempotency.operations": "every_post",
        "amounts.answers": "number",
        "signing.signed_host": "portless",
    },
    ("path-onramps", "amounts-maximum", "signing-query-sorted"): {
        "paths.create_conversion_account": "/v1/virtual_accounts",
        "paths.conversion_accounts": "/v1/virtual_accounts",
        "paths.conversion_account": "/v1/virtual_accounts/{id}",
        "signing.query_order": "sorted",
    },
    ("page-no-limit", "key-other-name", "images-jpeg"): {
        **{
            f"lists.{name}.limit_parameter": "none"
            for name in ("individuals", "transfers", "conversion_accounts", "conversions")
        },
        "idempotency.header": "X-Request-Key",
    },
}
"""Deviations of one service, and the file that is found; None where only its use is checked."""
PRODUCTION = "production-403-at-last"
"""It looks for the account before it refuses the deposit, so it is known only then."""
LOOKED_FOR = {"production-404", "production-405"}
"""Their deposits may be at another path, each of which is tried once."""
STOPS = {
    "closed-address": (1, "does not permit this key or this machine"),
    "closed-suspended": (1, "Your account is suspended"),
    "closed-key": (1, "API key is inactive or was revoked"),
    "closed-bearer": (1, "Bearer"),
    "closed-rate": (1, "API rate limit exceeded"),
    "closed-limited": (1, "try again when the service permits it"),
    "closed-plan": (3, "Upgrade your plan"),
    "closed-quota": (5, "Daily quota of write requests used up"),
    "closed-ed25519": (3, "Ed25519"),
    "closed-scope": (3, "lacks the scope individuals:write"),
    "closed-gone": (1, "a version of the API that is in service"),
    "production-403": (3, "sandbox only"),
}


@pytest.mark.parametrize("names", SAMPLE, ids=" ".join)
def test_a_walk_finds_what_the_service_wants(names):
    """The service is usable with the file, in which each value has a call that succeeded."""
    report, usable = follow(*names)
    assert usable
    if SAMPLE[names] is not None:
        assert report.service.declared == SAMPLE[names]
    calls = {call.number: call for call in report.calls}
    assert [each.key for each in report.where(PROVEN) if calls[each.call].failed] == []


@pytest.mark.whole_table
@pytest.mark.parametrize("name", DEVIATIONS)
def test_no_value_of_a_file_is_false(name):
    """Each setting that a walk writes is what the deviation changes."""
    report, _ = walk(name)
    assert false_values(name, report.service.declared) == {}


@pytest.mark.parametrize("name", ["names-full", "names-camel", "images-base64", "email-elsewhere"])
def test_no_value_is_written_for_what_cannot_be_followed(name):
    """A name that several of ours resemble is not taken for one of them."""
    report, _ = walk(name)
    assert false_values(name, report.service.declared) == {}


def test_a_clock_that_is_wrong_is_warned_of_once(tmp_path, monkeypatch, caplog, capsys):
    """Over HTTP, the look for a simulator and the walk share what they know of the clock."""
    with serve("signing-clock") as service:
        monkeypatch.setenv("PAYLAB_BASE_URL", service.base_url)
        monkeypatch.setenv("PAYLAB_API_KEY", service.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", service.secret_key)
        assert main(["probe", "--write", "--yes", "--to", str(tmp_path / "service.toml")]) == 1
    assert "the clock of this machine is" in capsys.readouterr().err
    assert sum("s ahead of this machine" in record.message for record in caplog.records) == 1


@pytest.mark.parametrize("name", STOPS)
def test_a_hopeless_service_stops_with_its_cause(name):
    """One sentence with the words of the service, and few requests."""
    most, words = STOPS[name]
    report, running = walk(name)
    assert words in report.hopeless or words in str(report.calls[-1].response_headers)
    assert "\n" not in report.hopeless
    assert report.sent <= most
    assert running.service.created == {}
    assert not report.complete


@pytest.mark.parametrize(
    "name",
    ["names-full", "individuals-nationality", "envelope-attributes", "contradiction-id"],
)
def test_a_walk_in_which_only_lists_worked_says_so(name, tmp_path):
    """The first line says it, the report does not work, and refused parts have their problems."""
    report, _ = walk(name)
    assert report.complete
    assert not report.works
    assert report.summary.startswith("Nothing beyond the lists worked")
    report.write(tmp_path / "service.toml")
    if report.blanks:
        (_, place), words = next(iter(report.blanks.items()))
        assert f'extra."individuals.create".{place}  fill in a value: {words}' in report.table()
        with pytest.raises(ServiceError, match=rf"has no value for {place}"):
            Service.load(tmp_path / "service.toml")
    else:
        assert Service.load(tmp_path / "service.toml").diff() == {}


def test_the_command_ends_with_1_when_only_lists_worked(tmp_path, monkeypatch, capsys):
    """Over HTTP: the first line says it, the file asks for the value, status 1."""
    to = tmp_path / "service.toml"
    with serve("individuals-nationality") as service:
        monkeypatch.setenv("PAYLAB_BASE_URL", service.base_url)
        monkeypatch.setenv("PAYLAB_API_KEY", service.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", service.secret_key)
        assert main(["probe", "--write", "--yes", "--to", str(to)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("Nothing beyond the lists worked")
    assert shown.strip().endswith("fill in the marked values, and probe again")
    assert '"nationality" = "<fill in>"' in to.read_text()


def test_a_cursor_that_leads_nowhere_is_not_written():
    """A link where a cursor was expected: the next page fails, and its name is withdrawn."""
    report, _ = walk("page-url")
    assert [key for key in report.service.diff() if key.endswith(".cursor")] == []


def test_a_person_has_an_address_and_a_number_of_its_own():
    """No two people of one walk are alike in what a service may want to be unique."""
    _, running = walk("individuals-phone")
    rows = running.service.rows["individual"].values()
    for name in ("email", "phone"):
        shown = [row[name] for row in rows if row.get(name)]
        assert len(shown) == len({*shown}) > 1


@pytest.mark.whole_table
@pytest.mark.parametrize("name", [n for n, each in DEVIATIONS.items() if each.client == FOLLOW])
def test_every_followable_deviation_is_followed(name):
    """All but those for which there is no setting."""
    assert follow(name)[1] is (name not in WITHOUT)


@pytest.mark.whole_table
@pytest.mark.parametrize("name", [n for n, each in DEVIATIONS.items() if each.client == FILL])
def test_every_deviation_is_followed_when_its_values_are_filled_in(name):
    """All but those for which there is no setting."""
    assert follow(name)[1] is (name not in WITHOUT)


@pytest.mark.whole_table
@pytest.mark.parametrize("name", [n for n, each in DEVIATIONS.items() if each.client == HOPELESS])
def test_every_hopeless_service_stops(name):
    """At most five requests, or twenty after a 401, unless a walk has to find it out."""
    report, _ = walk(name)
    assert not (report.complete and report.works)
    if report.hopeless and name not in (*LOOKED_FOR, PRODUCTION):
        assert report.sent <= (20 if "401" in report.hopeless else 5)
