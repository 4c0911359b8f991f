"""What answers have beyond the types of their models: presence, words and sources."""

from __future__ import annotations

import pytest

from paylab.spec import assumptions, codes, models
from paylab.spec.answers import ANSWERS, answer_shape
from paylab.spec.operations.field import SPEC
from paylab.spec.service import Service


@pytest.mark.parametrize("name", ANSWERS)
def test_a_form_speaks_of_the_fields_of_its_model(name):
    """Every field that it names is one of the model, and null only if it is always there."""
    form, known = answer_shape(name), getattr(models, name).model_fields.keys()
    assert {*form.absent, *form.nullable, *form.words, *form.assumed} <= known
    assert not {*form.nullable} & {*form.absent}
    assert all(
        each == SPEC or assumptions.get(each) for each in (form.source, *form.assumed.values())
    )


def test_a_model_without_a_form_always_has_all_its_fields():
    """The answer of a new operation needs no row here as long as nothing in it is optional."""
    assert (answer_shape("NewAnswer").absent, answer_shape("NewAnswer").nullable) == ((), ())
    assert answer_shape("Quote") == ANSWERS["Quote"]


def test_the_words_of_answers():
    """The words of the spec, and the settings with which a service adds its own."""
    words = {
        (name, field): each for name, form in ANSWERS.items() for field, each in form.words.items()
    }
    assert words["ConversionAccount", "status"].words == ("pending", "active")
    assert all(each.words for each in words.values())
    readers = [each.read_setting for each in words.values() if each.read_setting]
    assert all(isinstance(read(Service()), tuple) for read in readers)


def test_what_a_transfer_and_a_quote_always_have():
    """Fields without a value are null where the spec shows null, and absent nowhere."""
    forms = {name: answer_shape(name) for name in ANSWERS}
    null = {name: {*form.nullable} for name, form in forms.items() if form.nullable}
    assert null == {
        "Quote": {"source_network"},
        "Transfer": {
            *("client_reference_id", "completed_in", "failure_reason"),
            "settlement_reference_id",
        },
        "ConversionPayout": {"tx_hash", "initiated_at", "completed_at"},
    }
    assert ANSWERS["Quote"].words["payout_method"].words == codes.PAYOUT_METHODS


def test_what_an_individual_and_a_conversion_account_may_leave_out():
    """Optional fields that they repeat of their requests, and those that come later."""
    assert {*answer_shape("Individual").absent} == {
        *("email", "phone", "date_of_birth", "idv_consent_recorded_at"),
        *("document", "status_details"),
    }
    assert {*answer_shape("ConversionAccount").absent} == {
        "client_reference_id",
        "deposit_instructions",
    }
