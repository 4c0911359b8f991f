"""The error card that a user reads after a refused request: the cause and what to try."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import paylab
from paylab import errors
from paylab.client.settings import Secret
from paylab.corridors import examples
from paylab.lab.lab import Lab
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport
from paylab.spec.service import Service

IMAGE = b"\xff\xd8\xff\xe0" + b"x" * 20_000
BLANK = Service({"signing.empty_query": "blank"})
SIDES = ("document-front", "document-back", "selfie")


@pytest.fixture
def simulator():
    """A small simulator."""
    return Simulator(transfers=25)


@pytest.fixture
def lab(simulator):
    """A lab on the embedded simulator."""
    return paylab.connect(simulator=simulator)


@pytest.fixture
def other(simulator, lab):
    """A function that makes a lab on the same simulator with other settings."""

    def make(**change):
        settings = replace(lab.settings, **change)
        return Lab(settings, transport=SimulatorTransport(simulator.respond), clock=lab.clock)

    return make


def refused(action):
    """The error that an action raises, and its card as one text."""
    with pytest.raises(errors.PaylabError) as caught:
        action()
    return caught.value, " ".join(" ".join(caught.value.card()).split())


def person(lab, **fields):
    """Create an individual whose verification has ended; return the id."""
    given = examples.individual("MX", consent_at=lab.simulator.clock.now)
    made = lab.individuals.create(**{**given, **fields})
    lab.individuals.upload_images(made.id, dict.fromkeys(SIDES, IMAGE))
    return lab.individuals.wait(made.id, until=lambda each: each.status != "pending").id


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Ejemplo", ["its status is active", "nothing needs to be sent"]),
        ("Verification Age Mismatch", ["its status is rejected", "verification_age_mismatch"]),
        ("Under Review", ["its status is under_review", "wait(id)"]),
    ],
)
def test_a_422_shows_the_status_and_why(lab, name, words):
    """The card of a 422 shows the individual's status and the number of the refused call."""
    made = person(lab, family_name=name)
    error, card = refused(lambda: lab.individuals.upload_images(made, {"selfie": IMAGE}))
    assert isinstance(error, errors.UnprocessableError)
    assert all(word in card for word in words)
    assert f"(number {error.call.number} in lab.calls)" in card
    assert lab.calls.get(error.call.number) is error.call


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"secret_key": Secret("another")}, "belong together"),
        ({"service": BLANK}, "signed without a line for the absent query"),
    ],
)
def test_a_401_tells_what_the_doctor_finds(other, change, words):
    """The card of a 401 shows the cause that the doctor finds in the request that was sent."""
    error, card = refused(lambda: other(**change).transfers.get("tr_1"))
    assert isinstance(error, errors.AuthenticationError)
    assert words in card


@pytest.mark.parametrize(
    ("seconds", "said", "refuses"),
    [
        *[(0, False, False), (20, False, False), (100, True, False), (-290, True, False)],
        *[(301, True, True), (-4000, True, True)],
    ],
)
def test_clock_skew_is_said_before_it_is_an_error(lab, caplog, seconds, said, refuses):
    """A clock skew is read from the Date header and logged once, also before requests fail."""
    lab.simulator.faults.skew(seconds=seconds, times=2)
    for _ in range(2):
        if refuses:
            _, card = refused(lambda: lab.transfers.get("tr"))
            assert "found stale-date: set this machine's clock" in card
        else:
            lab.transfers.list(limit=1).first()
    warnings = [each.message for each in caplog.records if "clock is" in each.message]
    assert len(warnings) == said
    assert [call.skew for call in lab.calls] == [seconds, seconds]


def test_a_cursor_that_went_bad_says_to_start_again(lab):
    """If a cursor becomes invalid within a list, the card says to list again from the start."""
    lab.simulator.faults.bad_cursor()
    error, card = refused(lambda: list(lab.transfers.list()))
    assert error.text == "Invalid pagination token"
    assert "list again from the start" in card


def test_a_deposit_outside_the_sandbox_says_so():
    """A deposit outside the sandbox is a 403 whose card says so."""
    lab = paylab.connect(simulator=Simulator(production_like=True))
    error, card = refused(lambda: lab.sandbox.deposit("ca_1", "10", "mxn"))
    assert (type(error), error.status) == (errors.PermissionDeniedError, 403)
    assert "in the sandbox only" in card


def test_one_key_for_two_bodies_is_a_409_that_says_so(lab):
    """An idempotency key sent with two bodies is a 409 whose card says so."""
    account = lab.financial_accounts
    made = lab.individuals.create(**paylab.examples.recipient("MX"))
    lab.individuals.wait(made.id)
    bank = account.create(made.id, **paylab.examples.account("MX")).id
    way = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
    key = "00000000-0000-4000-8000-000000000001"
    lab.transfers.create(bank, source_amount="10", idempotency_key=key, **way)
    error, card = refused(
        lambda: lab.transfers.create(bank, source_amount="11", idempotency_key=key, **way)
    )
    assert isinstance(error, errors.ConflictError)
    assert "used with another body" in card


def test_all_frames_are_shown_on_request(lab):
    """The card has no traceback; `traceback()` returns it with all frames."""
    error, card = refused(lambda: lab.transfers.get("tr_1"))
    assert "Traceback" not in card
    assert "Traceback (most recent call last)" in error.traceback()
    assert "paylab/client/sender.py" in error.traceback()


def test_the_only_problem_is_said_once(lab):
    """A problem that is also the service's message is shown once."""
    made = person(lab)
    wallet = {"network": "base"}
    _, card = refused(lambda: lab.financial_accounts.create(made, "crypto_wallet", wallet))
    assert card.count("details.address: is required") == 1


@pytest.mark.parametrize(
    "action",
    [
        lambda lab: lab.forms.onboarding("XX"),
        lambda lab: lab.forms.recipient("XX"),
        lambda lab: lab.onramp("AR"),
        lambda lab: examples.individual("AR", consent_at=lab.clock()),
        lambda lab: examples.recipient("XX"),
    ],
)
def test_a_country_that_will_not_do_is_told_which_will(lab, action):
    """An unsupported country is an error that lists the supported ones, and no POST is sent."""
    _, card = refused(lambda: action(lab))
    assert re.search("country: .*must be one of .*MX", card)
    assert not lab.calls.where(method="POST")


def test_countries_and_accounts_are_taken_as_people_have_them(lab):
    """Country codes in small letters are accepted, and the id of an account in place of one."""
    assert lab.onramp("mx") is lab.onramp("MX")
    assert lab.forms.recipient("br") is lab.forms.recipient("BR")
    for make in (lab.forms.deposit, lab.deposit_card):
        error, _ = refused(lambda make=make: make("ca_nobody"))
        assert isinstance(error, errors.NotFoundError)


def test_a_field_nobody_knows_goes_to_the_service(lab):
    """A field that paylab does not know is sent with `extra`."""
    given = examples.individual("MX", consent_at=lab.clock())
    assert lab.individuals.create(**given, extra={"favourite_colour": "blue"}).id


IN_MEXICO = 'phone="+52 000 000 0000", document={"type": "curp", "number": "..."}'
DATES = 'date_of_birth="1990-12-31", idv_consent_recorded_at=lab.clock()'


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"country": "MX"}, f"write {DATES}, {IN_MEXICO}"),
        ({"country": "Mexico"}, f"write {DATES}, {IN_MEXICO}"),
        ({"country": "Mexiko"}, f"write {DATES}, {IN_MEXICO}"),
        ({"country": "XX"}, f"write {DATES}"),
        ({}, f"write {DATES}"),
        ({"product_types": "onramp"}, 'write product_types=["on_ramp"]'),
        ({"product_types": "x"}, None),
    ],
)
def test_the_form_of_a_field_is_shown_with_the_values_of_the_country(lab, fields, hint):
    """The hint has the form of each field, as far as the country that is meant decides it."""
    error, _ = refused(lambda: lab.individuals.create(**{"product_types": ["on_ramp"]} | fields))
    assert error.hint == hint


@pytest.mark.parametrize(
    ("control", "hint"),
    [
        (lambda lab: lab.post("/_simulator/faults", {"status": 503}), None),
        (
            lambda lab: lab.simulator.move("tr_nobody", "failed"),
            "this simulator has no such object",
        ),
    ],
)
def test_a_refused_control_gets_no_advice_about_the_service(lab, control, hint):
    """The words of a control, such as event_duplicate, are not those of a service."""
    error, _ = refused(lambda: control(lab))
    assert (error.hint or "").partition(":")[0] == (hint or "")


def payee(lab):
    """An account of a Philippine recipient."""
    recipient = lab.individuals.create(**examples.recipient("PH", lab.service))
    return recipient.financial_accounts[0]


PAYOUT = {"source_currency": "USD", "destination_currency": "PHP", "payout_method": "instapay"}


def test_advice_on_a_missing_amount_quotes_no_value_that_nobody_wrote(lab):
    _, card = refused(lambda: lab.transfers.create(payee(lab), **PAYOUT))
    assert card.count("like 10.50") == 1
    assert "not x" not in card


def test_advice_on_a_missing_payout_method_names_those_of_the_currency(lab):
    fields = {"source_currency": "USD", "destination_currency": "PHP", "source_amount": "1"}
    _, card = refused(lambda: lab.quotes.create(payee(lab), **fields))
    assert "it must be one of instapay, pesonet" in card
    assert "spei" not in card


@pytest.mark.parametrize(
    ("country", "currency", "methods"),
    [
        ("MX", "MXN", "spei"),
        ("PH", "PHP", "one of instapay, pesonet"),
        ("DE", "EUR", "sepa_instant"),
    ],
)
@pytest.mark.parametrize("kind", ["quotes", "transfers"])
def test_advice_names_the_choices_of_the_account(lab, kind, country, currency, methods):
    """The warning before and the advice after know the country by the details of the account."""
    recipient = lab.individuals.create(**examples.recipient(country, lab.service))
    create = getattr(lab, kind).create
    with pytest.warns(errors.RuleWarning) as warned:
        _, card = refused(
            lambda: create(
                recipient.financial_accounts[0], source_currency="USD", source_amount="1"
            )
        )
    assert f"payout_method: is required: it must be {methods}" in map(
        str, [w.message for w in warned]
    )
    assert (
        f"it must be {methods}; add destination_currency to the call: it must be {currency}" in card
    )


def test_advice_on_an_id_alone_names_every_choice(lab):
    """Nothing is known of an account whose id alone is given."""
    with pytest.warns(errors.RuleWarning, match="^payout_method, destination_currency: are"):
        _, card = refused(
            lambda: lab.quotes.create(payee(lab).id, source_currency="USD", source_amount="1")
        )
    assert "one of ach," in card


def test_an_order_without_an_amount_says_that_it_names_none(lab):
    order = {"client_reference_id": "inv-1", **PAYOUT}
    account = payee(lab)
    lab.transfers.create(account, source_amount="20", **order)
    error, _ = refused(lambda: lab.transfers.create(account, **order))
    assert str(error).endswith("may be its payment, but the order names no amount")


def test_a_payout_of_a_product_that_the_recipient_lacks_names_the_product(lab):
    made = lab.individuals.create(**examples.recipient("MX"))
    form = lab.forms.transfer(made, amount="100", source_currency="USDC")
    _, card = refused(form.submit)
    assert 'product_types=["off_ramp"]' in card


def test_an_expired_quote_names_the_call_that_asks_again(lab):
    account = payee(lab)
    quote = lab.quotes.create(
        account,
        payout_method="instapay",
        destination_currency="PHP",
        source_currency="USD",
        source_amount="10",
    )
    lab.simulator.clock.advance(600)
    _, card = refused(lambda: lab.transfers.create(quote_id=quote.id))
    assert "lab.quotes.again(quote)" in card
    assert lab.transfers.create(quote_id=lab.quotes.again(quote).id).id


def test_an_account_before_the_images_says_to_upload_them(lab):
    given = examples.individual("MX", consent_at=lab.simulator.clock.now)
    made = lab.individuals.create(**given)
    wallet = lab.financial_accounts.create(
        made.id, "crypto_wallet", {"network": "base", "address": "0x" + "ab" * 20}
    )
    _, card = refused(lambda: lab.conversion_accounts.create(made.id, wallet.id, "mxn"))
    assert "upload the images that status_details lists" in card


def test_a_wallet_that_was_forgotten_is_not_a_missing_currency(lab):
    error, _ = refused(lambda: lab.conversion_accounts.create("ind_1", "php"))
    assert error.problems[0].field == "payout_account"


def test_a_conversion_that_was_not_found_says_what_makes_one(lab):
    error, _ = refused(lambda: lab.conversions.wait(conversion_account_id="ca_1", timeout=0))
    assert str(error).endswith("check the id; a deposit makes a conversion")


def test_a_pending_account_has_no_deposit_card_yet(lab):
    given = examples.individual("PH", consent_at=lab.simulator.clock.now)
    made = lab.individuals.create(**given).id
    lab.individuals.upload_images(made, dict.fromkeys(SIDES, IMAGE))
    lab.individuals.wait(made)
    wallet = lab.financial_accounts.create(
        made, "crypto_wallet", {"network": "base", "address": "0x" + "ab" * 20}
    )
    account = lab.conversion_accounts.create(made, wallet.id, "php")
    error, _ = refused(lambda: lab.deposit_card(account))
    assert error.args[0].endswith(f'call lab.conversion_accounts.wait("{account.id}")')


def test_a_missing_argument_is_named_with_those_that_were_given(lab):
    with pytest.raises(TypeError, match="it was given individual_id, type"):
        lab.financial_accounts.create("bank_account", {"clabe": "1"})


def test_consent_that_is_set_says_where_it_is_given(lab):
    form = lab.forms.onboarding("MX")
    with pytest.raises(AttributeError, match="pass consent=True where the form is made"):
        form.consent = True


def test_a_specimen_of_a_shortened_side_names_the_whole_one():
    with pytest.raises(errors.PaylabError, match="is document-front meant"):
        paylab.specimen("front")


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda lab, person: lab.forms.quote(person, amount=250.5), "amount: must be text or a D"),
        (
            lambda lab, person: lab.forms.quote(person).submit(),
            r"no account of this person can be paid: lab\.forms\.financial_account\(person\)",
        ),
    ],
)
def test_a_quote_form_refuses_what_cannot_be_corrected_in_it(lab, action, words):
    """A float is refused as in other calls, and a person needs an account first."""
    given = examples.individual("MX", consent_at=lab.simulator.clock.now)
    newcomer = lab.individuals.create(**given)
    error, _ = refused(lambda: action(lab, newcomer))
    assert re.search(words, str(error))


def test_an_id_of_another_kind_is_sent_once(lab):
    """Only an id that may be found later is asked for again, although it is fresh."""
    account = lab.individuals.create(**examples.recipient("MX")).financial_accounts[0].id
    _, card = refused(lambda: lab.conversion_accounts.create(account, account, "mxn"))
    assert "looks like the id of a financial account" in card
    assert lab.calls[-1].attempt == 1


def test_a_quote_for_a_person_without_an_account_says_how_to_add_one(lab):
    made = person(lab)
    with pytest.warns(errors.RuleWarning, match=r"lab\.forms\.financial_account"):
        lab.forms.quote(made)
