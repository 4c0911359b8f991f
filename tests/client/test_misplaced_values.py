"""Values at the wrong place: the error names what is meant, and says it once."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from datetime import UTC, datetime

import pytest

import paylab
from paylab.errors import PaylabError, RuleWarning

JPEG = b"\xff\xd8\xff\xe0" + b"x" * 20_000


@pytest.fixture(scope="module")
def lab():
    """A lab on an embedded simulator."""
    return paylab.connect()


@pytest.fixture(scope="module")
def people(lab):
    """A recipient in Mexico and one in the Philippines."""
    return {
        country: lab.individuals.create(
            **paylab.examples.individual(country, consent_at=lab.clock(), product="global_payouts")
        )
        for country in ("MX", "PH")
    }


def add_account(country, kind, details, *, by_id=False):
    """Add an account to a recipient, given as an object or by its id."""

    def act(lab, people):
        person = people[country]
        lab.financial_accounts.create(person.id if by_id else person, kind, details)

    return act


WRONG = {
    "name of another country": (
        add_account("MX", "bank_account", {"account_number": "9" * 18}),
        "add details.clabe to the call: .* a bank_account in MX has clabe, and no account_number",
    ),
    "the same by id": (
        add_account("MX", "bank_account", {"account_number": "9" * 18}, by_id=True),
        "add details.clabe to the call: .* a bank_account in MX has clabe, and no account_number",
    ),
    "name of another SDK": (
        add_account("PH", "bank_account", {"bank": "BPI"}),
        "details.bank: is no field here: a bank_account in PH has issuer, account_number",
    ),
    "name of another SDK by id": (
        add_account("PH", "bank_account", {"bank": "BPI"}, by_id=True),
        "issuer to the call: it must be one of bdo, .* a bank_account in PH has .* and no bank",
    ),
    "names of one account type": (
        add_account("MX", "crypto_wallet", {"wallet": "0x1"}),
        "a crypto_wallet has address, network, and no wallet",
    ),
    "CLABE of five digits": (
        add_account("MX", "bank_account", {"clabe": "12345"}),
        "nothing was sent, 1 problem details.clabe: must be exactly 18 digits",
    ),
    "wait for a deposit": (
        lambda lab, _: lab.conversions.wait("dep_1"),
        "dep_1 looks like the id of a deposit, not of a conversion",
    ),
    "get by another id": (
        lambda lab, _: lab.transfers.get("ind_1"),
        "ind_1 looks like the id of an individual, not of a transfer",
    ),
    "owner by another id": (
        lambda lab, _: lab.financial_accounts.create(
            "tr_1", "crypto_wallet", paylab.examples.WALLET
        ),
        "tr_1 looks like the id of a transfer, not of an individual",
    ),
    "event of another id": (
        lambda lab, _: lab.trigger("conversion.completed", "tr_1"),
        "no conversion has the id tr_1 Try: tr_1 looks like the id of a transfer",
    ),
    "control of an unknown object": (
        lambda lab, _: lab.simulator.move("tr_x", "completed"),
        "object tr_x not found .* Try: this simulator has no such object",
    ),
    "absent file": (
        lambda lab, people: lab.individuals.upload_images(people["MX"], {"selfie": "absent.jpg"}),
        "images.0.content: there is no file absent.jpg in /",
    ),
    "list of files": (
        lambda lab, people: lab.individuals.upload_images(people["MX"], ["front.jpg"]),
        r'images.0: .* a dict as in \{"document-front": "front.jpg"',
    ),
    "unknown side": (
        lambda lab, people: lab.individuals.upload_images(people["MX"], {"front": JPEG}),
        "not front; is document-front meant",
    ),
    "required fields": (
        lambda lab, _: lab.individuals.create(country="PH", product_types=["on_ramp"]),
        r'idv_consent_recorded_at=lab.clock\(\), .*document=\{"type": "tin", "number": "..."\}',
    ),
}


@pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
@pytest.mark.parametrize(("act", "words"), WRONG.values(), ids=WRONG)
def test_a_value_at_the_wrong_place_is_told_from_what_is_meant(lab, people, act, words):
    """The card of the error names the field, the kind or the file that is meant."""
    began = lab.clock()
    with pytest.raises(PaylabError) as caught:
        act(lab, people)
    card = " ".join(" ".join(caught.value.card()).split())
    assert re.search(words, card), card
    assert (lab.clock() - began).total_seconds() < 5


def warned(act):
    """The texts of the warnings of an action whose errors do not matter."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.simplefilter("always")
        with suppress(PaylabError):
            act()
    return [str(warning.message) for warning in caught if warning.category is RuleWarning]


def test_a_doubtful_value_that_the_service_accepts_is_warned_of(lab):
    """The warning names the clock of the service."""
    later = datetime(2099, 1, 1, tzinfo=UTC)
    person = paylab.examples.individual("PH", consent_at=later)
    (text,) = warned(lambda: lab.individuals.create(**person))
    assert "lies in the future of the service, whose clock is at 2026-01-15" in text
    assert "pass lab.clock()" in text


def test_a_warning_that_is_an_error_keeps_the_call_from_being_sent(lab):
    """With an error filter nothing is sent."""
    person = paylab.examples.individual("PH", consent_at=datetime(2099, 1, 1, tzinfo=UTC))
    before = len(lab.calls)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuleWarning)
        with pytest.raises(RuleWarning):
            lab.individuals.create(**person)
    assert len(lab.calls) == before
