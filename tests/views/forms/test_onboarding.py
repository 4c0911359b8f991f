"""The onboarding form: its fields, its problems, what it sends, and what stays on the page."""

from __future__ import annotations

import ast

import pytest

from paylab import corridors
from paylab.corridors import examples
from paylab.errors import (
    ArgumentError,
    BadRequestError,
    OptionError,
    Problem,
    RuleError,
    RuleWarning,
    UnknownNameError,
)
from paylab.spec import codes
from paylab.views.forms.onboarding import OnboardingForm, RecipientForm

CURP = "XEXX010101HNEXXXA4"


def fill(form, **values):
    """Set fields; a dot in a name is written as two underscores."""
    for name, value in values.items():
        form.fields[name.replace("__", ".")].value = value


def note(form, name):
    """The text below a field."""
    field = form.fields[name]
    return "\n".join([*field.errors, *field.warnings]) or field.hint


def test_an_example_is_complete_but_for_consent(onboarding, create):
    """The example fills in everything except consent; without consent nothing is sent."""
    with pytest.raises(RuleError) as caught:
        onboarding().submit()
    assert [problem.field for problem in caught.value.problems] == ["idv_consent_recorded_at"]
    assert not create


def test_consent_is_an_act_with_a_time(onboarding, create):
    """Ticking the box records the current time in UTC."""
    form = onboarding()
    form.consent.value = True
    assert form.submit().id == "ind_1"
    assert create[0]["idv_consent_recorded_at"] == "2026-01-15T12:00:00.000Z"


def test_consent_can_be_taken_back(onboarding):
    """Clearing the box removes the recorded time."""
    form = onboarding()
    form.consent.value = True
    form.consent.value = False
    assert "idv_consent_recorded_at" not in form.values()


def test_the_author_speaks_only_when_nobody_clicks(onboarding, create):
    """`consent=True` records consent when `submit` is called, not before."""
    form = onboarding(consent=True)
    assert not form.consent.recorded_at
    assert form.submit().id == "ind_1"
    assert create[0]["idv_consent_recorded_at"]


def test_a_click_needs_a_tick_and_submit_has_the_consent_of_its_author(onboarding, create, quick):
    """A click sends nothing without a tick, whatever `consent`; after it `submit` sends."""
    form = onboarding(consent=True)
    form.click()
    assert note(form, "idv_consent_recorded_at").startswith("Required. Tick this box")
    assert not create
    assert form.submit().id == "ind_1"


def test_a_refused_submit_leaves_the_box_of_the_consent_as_it_was(onboarding, create, quick):
    """Nothing was sent: a click still needs a tick, and the next `submit` has the consent again."""
    form = onboarding(consent=True).fill(date_of_birth="1/1/90")
    with pytest.raises(RuleError, match="date_of_birth"):
        form.submit()
    assert (form.consent.raw_value, form.consent.recorded_at) == (False, "")
    form.fill(date_of_birth="1990-01-01").click()
    assert note(form, "idv_consent_recorded_at").startswith("Required. Tick this box")
    assert not create
    assert form.submit().id == "ind_1"


def test_two_clicks_and_a_submit_send_one_request(onboarding, create, quick):
    """Two clicks and a `submit` send one request."""
    form = onboarding()
    form.consent.value = True
    form.click()
    form.click()
    assert form.submit() is form.result
    assert len(create) == 1


def test_a_double_click_on_a_failing_form_is_one_attempt(onboarding, noted):
    """The second click of a double click does not send again."""
    failing = noted(BadRequestError(400, "no"))
    form = onboarding(create=failing)
    form.consent.value = True
    form.click()
    form.click()
    assert len(failing) == 1


def test_a_click_right_after_a_correction_sends(onboarding, create):
    """A click right after a correction is a new attempt, not part of a double click."""
    form = onboarding()
    form.click()
    form.consent.value = True
    form.click()
    assert len(create) == 1


def test_start_over_sends_again(onboarding, create):
    """`restart` begins an empty form and sends nothing; the form can then be sent again."""
    form = onboarding(consent=True)
    form.submit()
    form.controls.again_button.press()
    assert (form.result, len(create), form.consent.recorded_at) == (None, 1, "")
    assert not {"given_name", "phone"} & form.values().keys()
    assert note(form, "phone").startswith("With the country code")
    assert form.example_button.visible
    form.fill()
    fill(form, given_name="Bea", document__number=CURP)
    assert form.submit() is form.result
    assert [sent["given_name"] for sent in create] == ["Ana", "Bea"]
    assert [sent["document"]["number"] for sent in create] == [CURP, CURP]


@pytest.mark.parametrize("form_class", [OnboardingForm, RecipientForm])
def test_an_example_follows_the_country(create, form_class):
    """Values of the example that nobody changed are those of the new country; others stay."""
    form = form_class(create, "PH", "off_ramp", example=True)
    fill(form, given_name="Bea", address__line_2="Floor 2")
    fill(form, country="MX")
    values = form.values()
    if form_class is OnboardingForm:
        assert values["phone"].startswith("+52")
        assert values["document"] == {"type": "curp", "number": CURP}
    assert (values["given_name"], values["address"]["line_2"]) == ("Bea", "Floor 2")
    assert "Manila" not in str(values)
    if form_class is RecipientForm:
        assert [account["details"].keys() for account in values["financial_accounts"]] == [
            {"clabe"}
        ]
    assert not form.check(everything=True).doubts
    form.restart()
    assert "phone" not in form.values()


def test_an_example_brings_the_account_of_its_country(create):
    """Also where the type of the account is one that the country before does not have."""
    form = RecipientForm(create, "MX", "global_payouts", example=True)
    for country in ("BR", "DE", "IN", "US", "MX", "GB", "PH", "AR"):
        fill(form, country=country)
        accounts = form.values().get("financial_accounts")
        assert accounts == (
            None if country == "US" else examples.recipient(country)["financial_accounts"]
        )


PIX_KEY = "financial_accounts.0.details.pix_key"


def test_a_key_of_another_type_names_the_input_of_the_type(create):
    """The message has the label of the other input, as the page shows it."""
    form = RecipientForm(create, "BR", "global_payouts", example=True)
    form.fill({PIX_KEY: "12345"})
    assert "as “Kind of PIX key” (pix_key_type) says" in note(form, PIX_KEY)


def test_an_example_brings_the_document_of_its_country(onboarding):
    """Also where the only document of the first country is one of many in the next."""
    form = onboarding("MX")
    for country, document in (("US", "passport"), ("BR", "cpf"), ("MX", "curp")):
        fill(form, country=country)
        assert form.values()["document"]["type"] == document
        assert not form.check(everything=True).spec_problems[1:]  # the consent is missing


def test_an_emptied_field_of_an_example_stays_empty(onboarding):
    """Another country, and one more, fill in what nobody changed, and leave empty what was emptied.

    What was typed in a browser still counts as typed, so that no notebook saves it.
    """
    form = onboarding("MX")
    fill(form, given_name="")
    form.fields["email"].receive({"kind": "input", "view": "v", "n": 1, "value": "b@ex.ph"}, [])
    for country, code in (("PH", "+63"), ("MX", "+52"), ("PH", "+63")):
        fill(form, country=country)
        values = form.values()
        assert "given_name" not in values
        assert (values["phone"][:3], values["email"]) == (code, "b@ex.ph")
    assert note(form, "given_name").startswith("Empty")
    assert "b@ex.ph" not in form.saved_html()
    assert form.fill().values()["given_name"] == "Juan"


def test_what_was_typed_stays_in_another_country(onboarding):
    """Without an example, another country changes nothing that was typed."""
    form = onboarding("PH", example=False)
    fill(form, phone="+639170000000", given_name="Bea")
    fill(form, country="MX")
    assert (form.values()["phone"], form.values()["given_name"]) == ("+639170000000", "Bea")


def test_a_refused_fill_changes_nothing(onboarding):
    """A value that is no choice is refused, and all fields and the title stay as they were."""
    form = onboarding()
    before = form.values()
    with pytest.raises(OptionError):
        form.fill(country="Narnia", given_name="Lucy")
    assert (form.values(), form.title) == (before, "Onboarding: Mexico")
    with pytest.raises(OptionError):
        form.fill({"country": "PH", "document.type": "curp"})
    assert form.values() == before


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        *(("first_name", "given_name"), ("firstname", "given_name"), ("dob", "date_of_birth")),
        *(("given_nam", "given_name"), ("addres.city", "address.city")),
    ],
)
def test_an_unknown_field_names_the_one_that_is_meant(onboarding, name, nearest):
    """The names of other services mean the same field as in a call."""
    with pytest.raises(UnknownNameError) as caught:
        onboarding().fill({name: "x"})
    assert caught.value.nearest == (nearest,)


def test_fill_returns_the_form(create):
    """Filling in and sending is one line."""
    form = OnboardingForm(create, "MX", consent=True)
    assert form.fill().fill(given_name="Bea").submit().id == "ind_1"
    assert create[0]["given_name"] == "Bea"


def test_a_refused_field_keeps_its_mark_until_it_is_right(onboarding, quick):
    """A missing consent stays marked while other fields are edited."""
    form = onboarding()
    form.click()
    fill(form, given_name="Bea")
    assert form.consent.errors
    form.consent.value = True
    assert not form.consent.errors


def test_what_can_be_sent_anyway_is_a_warning(onboarding):
    """Only what the specification refuses is in red, and the message counts that."""
    form = onboarding()
    fill(form, given_name="", phone="", email="ana at example")
    form.click()
    marked = [name for name, field in form.fields.items() if field.errors]
    assert marked == ["phone", "idv_consent_recorded_at"]
    assert form.fields["given_name"].warnings
    assert "Correct the 2 fields in red. A field with only a" in form.controls.message.html


@pytest.mark.parametrize(
    ("fields", "then"), [({"given_name": ""}, ": “Send anyway” sends it then."), ({}, ".")]
)
def test_the_message_on_warnings_says_what_the_next_click_needs(
    onboarding, create, quick, fields, then
):
    """A warning that must be confirmed is announced, and then “Send anyway” sends it.

    That the on-ramp of Brazil is not known is a warning that needs no confirmation.
    """
    form = onboarding("BR")
    fill(form, phone="", **fields)
    form.click()
    assert f"A field with only a warning can stay as it is{then}<" in form.controls.message.html
    fill(form, phone="+5511900000000")
    form.consent.value = True
    form.click()
    assert form.controls.anyway_button.visible == bool(fields)
    assert ("paylab-doubt" in form.controls.message.html) == bool(fields)
    if fields:
        form.controls.anyway_button.press()
    assert (form.result.id, len(create)) == ("ind_1", 1)


def test_only_a_person_who_is_verified_has_a_name_that_decides(onboarding, create):
    """The hint on family names that decide a verification follows the product."""
    form = onboarding()
    assert "decides how verification ends" in note(form, "family_name")
    fill(form, product_types="global_payouts")
    assert note(form, "family_name") == RecipientForm(create).fields["family_name"].hint == ""


def test_a_message_names_the_label_of_a_field(onboarding, noted, quick):
    """The words of the service about a field have its label, and its name once in brackets."""
    problems = [Problem("address.postal_code", "is required")]
    error = BadRequestError(400, "address.postal_code: is required", problems=problems)
    error.hint = "add address.postal_code to the call, as address.postal_code=..."
    form = onboarding(create=noted(error))
    form.consent.value = True
    form.click()
    assert (
        "400 “Postal code” (address.postal_code): is required. Add “Postal code” to the call, as "
        "address.postal_code=..." in form.controls.message.html
    )


def test_the_result_says_that_its_status_is_the_one_at_creation(onboarding):
    """The card is not read again, so it does not say what is still needed."""
    form = onboarding(consent=True)
    form.submit()
    rows = [("Person", "ind_1"), ("Status at creation", "action_required")]
    assert form.rows() == [*rows, ("Needed then", "verification_selfie_needed")]


def test_the_result_can_be_observed(onboarding):
    """An observer of `result` is called once."""
    heard = []
    form = onboarding(consent=True)
    form.observe(lambda change: heard.append(change["new"].id), "result")
    assert form.submit().id == "ind_1"
    assert heard == ["ind_1"]


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("document.number", "XEXX", "Enter a CURP: 4 capitals"),
        ("document.number", "XEXX010101XNEXXXA4", "Enter a CURP: 4 capitals"),
        ("document.number", "XEXX010101HNEXXXA9", "looks mistyped"),
        ("date_of_birth", "1990-02-30", "Enter a date that exists, like 1990-12-31"),
        ("date_of_birth", "2010-01-31", "makes the person 15, not yet 18"),
        ("date_of_birth", "2027-01-31", "lies in the future"),
        ("phone", "5555", "begin with +"),
        ("phone", "+52555", "too few digits"),
        ("phone", "", "Required"),
        ("email", "foo@", "Enter an e-mail address like name@example.com. You entered “foo@”."),
        ("given_name", "", "Empty: the service may refuse that."),
    ],
)
def test_the_problem_of_a_new_value_is_shown_below_its_field_at_once(
    onboarding, field, typed, said
):
    """The problem of a new value is shown below its field at once."""
    form = onboarding()
    form.fields[field].value = typed
    assert said in note(form, field)


@pytest.mark.parametrize("name", ["document.number", "date_of_birth", "phone"])
def test_nothing_is_said_of_what_nobody_touched(onboarding, name):
    """An empty form does not show that fields are required."""
    assert "Required" not in note(onboarding(example=False), name)


def test_a_likely_typo_is_sent_when_it_is_confirmed(onboarding, create):
    """A CURP whose check digit is wrong needs `anyway=True`."""
    form = onboarding(consent=True)
    fill(form, document__number="XEXX010101HNEXXXA9")
    with pytest.raises(RuleError, match="looks mistyped"):
        form.submit()
    assert not create
    form.submit(anyway=True)
    assert create[0]["document"]["number"] == "XEXX010101HNEXXXA9"


def test_problems_are_raised_in_code_and_shown_on_a_click(onboarding):
    """A click shows the problems and raises nothing; `submit` raises them."""
    form = onboarding(example=False)
    form.click()
    assert note(form, "phone") == "Required"
    with pytest.raises(RuleError):
        form.submit()


@pytest.mark.parametrize(
    ("country", "chosen"), [("US", ""), ("CO", ""), ("MX", "curp"), ("PH", "tin")]
)
def test_a_document_is_chosen_only_where_no_other_is_accepted(onboarding, country, chosen):
    """A country that accepts several documents has none preselected, and one is required."""
    form = onboarding(country, example=False)
    assert form.fields["document.type"].value == chosen
    assert form.fields["document.number"].visible is bool(chosen)
    form.click()
    assert form.fields["document.type"].errors == ([] if chosen else ["Required"])


@pytest.mark.parametrize("country", codes.COUNTRIES)
def test_documents_follow_the_country(onboarding, country):
    """Every country offers the documents that it accepts, and the form gives the reason."""
    form = onboarding(example=False, product="global_payouts")
    form.fields["country"].value = country
    offered = [kind for _, kind in form.fields["document.type"].options if kind]
    assert tuple(offered) == corridors.get(country).documents
    assert "document" in form.requirements.html


def test_choosing_the_philippines_asks_for_a_tin(onboarding):
    """The country changes the label of the number, the reason and the address."""
    form = onboarding()
    form.fields["country"].value = "PH"
    assert form.fields["document.number"].label == "TIN"
    assert "only TIN" in form.requirements.html
    assert form.values()["address"]["country"] == "PH"


@pytest.mark.parametrize(
    ("product", "asked", "mark"),
    [("on_ramp", True, "Required"), ("global_payouts", False, "Optional")],
)
def test_payouts_ask_for_less(onboarding, product, asked, mark):
    """The on-ramp requires consent and a phone; payouts have no consent, the phone is optional."""
    form = onboarding(product=product)
    assert form.consent.visible is asked
    assert form.fields["phone"].props()["mark"] == mark


def test_a_recipient_of_payouts_is_sent_without_phone_and_consent(onboarding, create):
    """For payouts, a person without phone and consent is sent."""
    form = onboarding(product="global_payouts")
    fill(form, phone="")
    form.submit()
    assert not {"phone", "idv_consent_recorded_at"} & create[0].keys()


def test_the_number_leaves_the_page(onboarding, create):
    """The code never has the document number; after sending, the page shows it masked only."""
    form = onboarding(consent=True)
    assert CURP not in form.code()
    form.submit()
    assert CURP not in form.code()
    assert CURP not in repr(form.values())
    assert CURP not in repr(described(form.nodes()))
    assert "•" * 16 + "A4" in form.sent_html
    assert CURP not in repr(form._repr_mimebundle_())
    assert create[0]["document"]["number"] == CURP


def test_the_code_is_what_is_sent(onboarding, create):
    """The code has the fields that the form sends, and asks for the document number."""
    form = onboarding(consent=True)
    form.submit()
    tree = ast.parse(form.code()).body[0].value
    written = {word.arg: ast.unparse(word.value) for word in tree.keywords}
    assert written.keys() == create[0].keys()
    assert ast.literal_eval(written["phone"]) == create[0]["phone"]
    assert "input(" in written["document"]


def test_a_refusal_stands_beside_its_field(onboarding, noted):
    """Problems from the service are shown at their fields, others below the button."""
    problems = [Problem("email", "is taken", "service"), Problem("shoe", "too big", "service")]
    form = onboarding(create=noted(BadRequestError(400, "invalid", problems=problems)))
    form.consent.value = True
    form.click()
    assert "is taken" in note(form, "email")
    assert "too big" in form.controls.message.html
    assert not form.controls.send_button.disabled


def test_hostile_words_are_text(onboarding, noted):
    """Names that are typed and messages of the service are escaped."""
    hostile = "<img src=x onerror=alert(1)>"
    refusal = BadRequestError(400, hostile, problems=[Problem("email", hostile)])
    form = onboarding(create=noted(refusal))
    fill(form, given_name=hostile)
    form.consent.value = True
    form.click()
    shown = [node["html"] for node in described(form.nodes()) if "html" in node]
    assert hostile not in "".join(shown)
    assert "&lt;img" in form.controls.message.html


def test_a_saved_form_can_be_read(onboarding):
    """The saved HTML shows the form as code filled it in, and the result."""
    form = onboarding(consent=True)
    form.fields["given_name"].receive({"kind": "input", "value": "Typed"}, [])
    form.submit()
    bundle = form._repr_mimebundle_()
    shown = [word in bundle["text/html"] for word in ("Ficticia", "••A4", "Sent by", "Typed", CURP)]
    assert shown == [True, True, True, False, False]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "ind_1" in bundle["text/plain"]
    assert "ind_1" in bundle["text/html"]


def described(nodes):
    """The properties of every node and its parts, as sent to a browser."""
    return [one for node in nodes for one in (node.props(), *described(node.children))]


def test_a_new_form_is_empty(create):
    """Without options nothing is filled in, and the box says when to tick it."""
    form = OnboardingForm(create)
    assert not {"given_name", "phone", "idv_consent_recorded_at"} & form.values().keys()
    assert form.consent.hint == "Tick this box when the person agrees; the time is recorded."
    number = form.fields["document.number"]
    assert (number.props()["mark"], number.private) == ("Recommended", True)
    assert number.hint.endswith(
        "Fill it in if you have it: the specification requires only the document."
    )
    assert [form.fields[name].props()["mark"] for name in ("product_types", "country")] == ["", ""]


@pytest.mark.parametrize(
    ("country", "product", "said"),
    [
        ("MX", "on_ramp", "Deposits in MXN are converted to a stablecoin."),
        ("AR", "on_ramp", "No on-ramp is known for this country"),
        ("BR", "global_payouts", "Payouts are in BRL by pix"),
        ("IN", "on_ramp", "This product is not available in this country; available: Global"),
        ("US", "global_payouts", "No payouts are documented for this country"),
        ("MX", "global_payouts", "Accepted documents: only CURP."),
        ("AR", "global_payouts", "Accepted documents: CUIT, CUIL."),
        ("US", "global_payouts", "Any type of document is accepted."),
        ("CO", "global_payouts", "Also required: e-mail, document."),
    ],
)
def test_the_form_says_what_a_country_asks_for(create, country, product, said):
    """The line below the country names currency, rails, documents and what is required."""
    assert said in OnboardingForm(create, country, product).requirements.html


@pytest.mark.parametrize(("country", "sample"), [("MX", "+52"), ("PH", "+63"), ("DE", "+49")])
def test_the_phone_is_asked_for_as_in_its_country(country, sample):
    """The example, the hint and the warning of a phone begin with the code of the country."""
    form = OnboardingForm(print, country)
    phone = form.fields["phone"]
    assert phone.placeholder.startswith(f"{sample} ")
    assert f"as in {sample} " in phone.hint
    phone.value = "12345"
    assert f"as in {sample} " in phone.warnings[0]


def test_a_missing_consent_says_how_to_give_it():
    """The error of `submit()` names the box and the argument."""
    with pytest.raises(RuleError) as caught:
        OnboardingForm(print, "MX").submit()
    assert "consent=True" in caught.value.hint


def test_an_on_ramp_offers_only_the_countries_that_have_one(create):
    """The countries of a stepper are those whose on-ramp is known."""
    form = OnboardingForm(create, "PH", on_ramp_only=True)
    assert [code for _, code in form.fields["country"].options] == ["MX", "PH"]


@pytest.mark.parametrize(
    ("product", "mark"), [("on_ramp", "Recommended"), ("global_payouts", "Optional")]
)
def test_an_advised_e_mail_is_not_called_optional(create, product, mark):
    """The e-mail of a ramp may be needed, which its hint says."""
    field = OnboardingForm(create, "MX", product).fields["email"]
    assert (field.props()["mark"], bool(field.hint)) == (mark, mark == "Recommended")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"country": "XX"}, "country: must be one of AR, .*, not XX"),
        ({"country": "PH", "document.type": "curp"}, "document.type: must be tin, not curp"),
        ({"product_types": "onramp"}, "product_types: .*, not onramp; is on_ramp meant"),
    ],
)
def test_a_value_that_is_no_choice_is_refused_by_name(create, values, message):
    """`fill` refuses a value that the list of a field does not have, after all are set."""
    form = OnboardingForm(create, "MX")
    with pytest.raises(OptionError, match=message):
        form.fill(values)


def test_a_form_that_was_sent_is_not_filled(create):
    """`fill` gives a warning, so that a cell can run again, and changes nothing."""
    form = OnboardingForm(create, "MX", consent=True, example=True)
    form.submit()
    with pytest.warns(RuleWarning, match="was sent and is not changed"):
        form.fill(given_name="Bea")
    assert form.fields["given_name"].value == "Ana"


def test_a_consent_that_is_set_on_a_form_is_refused_with_how_to_give_it(create):
    """Consent is no field: the errors of both guesses say what sets it, or what to use."""
    form = OnboardingForm(create, "MX")
    with pytest.raises(ArgumentError, match="pass consent=True where the form is made"):
        form.fill(consent=True)
    with pytest.raises(AttributeError, match="consent is an input and cannot be set"):
        form.consent = True
