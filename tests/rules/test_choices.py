"""What a refusal says of a value that is not one of a closed set of words."""

from __future__ import annotations

import pytest

from paylab.rules import accounts, deposits, individuals, transfers, webhooks

PERSON = {"given_name": "A", "family_name": "B", "address": {}}


def person(country, **fields):
    """The problems of an individual of a country."""
    return individuals.check({**PERSON, "country": country, **fields})


def payout(**fields):
    """The problems of a transfer."""
    return transfers.check(fields)


CASES = {
    "nearest word": (
        person("MX", product_types=["onramp"]),
        "must be one of global_payouts, off_ramp, on_ramp, not onramp; is on_ramp meant?",
    ),
    "only word of a country": (
        person("PH", document={"type": "passport"}),
        "must be tin in PH, not passport",
    ),
    "country of an address": (
        person("PH", address={"country": "MX"}),
        "must equal country: PH, not MX",
    ),
    "longer words": (
        accounts.check({"individual_id": "ind_1", "type": "wallet", "details": {}}),
        "not wallet; is digital_wallet or crypto_wallet meant?",
    ),
    "letter case": (
        accounts.check_details("PH", "bank_account", {"issuer": "BPI"}),
        "not BPI; is bpi meant?",
    ),
    "typo": (
        accounts.check_details("MX", "crypto_wallet", {"network": "bse"}),
        "not bse; is base meant?",
    ),
    "currency of an on-ramp": (
        deposits.check_account({"source_currency": "MXN"}, "PH"),
        "must be php in PH, not MXN",
    ),
    "currency of an account": (
        deposits.check({"amount": "50.5", "currency": "MXN"}, "php"),
        "must be php for this account, not MXN",
    ),
    "short word": (payout(payout_method="spay"), "not spay; is spei meant?"),
    "short currency": (payout(destination_currency="mxm"), "not mxm; is MXN meant?"),
    "space": (payout(payout_method="spei "), "'spei ' (with a space at its end); is spei meant?"),
    "two short words": (payout(source_currency="usx"), "not usx"),
    "word of another service": (
        webhooks.check({"url": "https://a.test", "event_types": ["transfer.paid"]}),
        "not transfer.paid; is transfer.completed meant?",
    ),
    "misspelt country": (person("Phillipines"), "must be the code of a country: is PH meant?"),
    "number": (payout(payout_method=5), ", not 5"),
    "nothing near": (payout(source_currency="zzz"), "must be one of USD, USDC, PHP, not zzz"),
}


@pytest.mark.parametrize(("problems", "words"), CASES.values(), ids=CASES)
def test_a_refusal_names_the_value_its_reason_and_the_nearest_word(problems, words):
    """The words of the rule are followed by the value, and by the word that is meant."""
    assert [problem for problem in problems if problem.message.endswith(words)]


def test_a_refusal_does_not_repeat_a_number_of_many_digits():
    """A document number at a wrong place does not reach the message."""
    problems = person("MX", document={"type": "HEGG560427MVZRRL04"})
    assert "HEGG" not in str(problems)
    assert "must be curp in MX" in str(problems)
