"""The on-ramps: one record each with the currency, the deposit instructions and their names.

Simulator, rules, forms, cards, commands, examples, frames, redaction and probe read these records.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Literal

from ..errors.base import OptionError, Problem
from ..light_dataclass import light_dataclass
from ..spec.service.setting import SPEC
from . import clabe
from .qr_codes import Draw, check_qrph, make_qrph


@light_dataclass(frozen=True)
class OnRamp:
    """An on-ramp of a country: its currency, its deposit instructions and their names.

    `currency` is in lower case, as the service writes it, and `cap` is the largest sandbox deposit.
    Deposit instructions have the type `instructions_type`. The field `detail_name` of their details
    holds the payee: the number or code to pay to. `make_payee` makes one from drawn digits, and
    `check` returns what is wrong with one ("" if it is valid).

    `card` is the type of card that shows it. `noun` is its name in a sentence, `label` the label of
    its input, and `picture` the name of its picture file, if it has one. `source` is where all
    this is stated: "spec", or the id of an assumption.
    """

    country: str
    currency: str
    cap: Decimal
    instructions_type: str
    rail: str
    detail_name: str
    make_payee: Callable[[Draw], str]
    check: Callable[[str], str]
    card: Literal["clabe", "qr_code"]
    noun: str
    label: str
    picture: str = ""
    source: str = SPEC

    @property
    def example(self) -> str:
        """A number or code to pay to, made of zeros: it belongs to nobody."""
        return self.make_payee(lambda _, length: "0" * length)

    @property
    def example_button(self) -> str:
        """The text of the button that runs an example until there is something to pay to."""
        return f"Run the example up to the {self.noun}"


ON_RAMPS = (
    OnRamp(
        country="MX",
        currency="mxn",
        cap=Decimal(50),
        instructions_type="mx_virtual_account",
        rail="spei",
        detail_name="clabe",
        make_payee=clabe.make_clabe,
        check=clabe.check_clabe,
        card="clabe",
        noun="CLABE",
        label="CLABE",
    ),
    OnRamp(
        country="PH",
        currency="php",
        cap=Decimal(100),
        instructions_type="ph_qr_code",
        rail="instapay",
        detail_name="qrph_payload",
        make_payee=make_qrph,
        check=check_qrph,
        card="qr_code",
        noun="QR code",
        label="Text of the code",
        picture="qrph",
    ),
)
"""All on-ramps that are known."""

COUNTRIES = tuple(on_ramp.country for on_ramp in ON_RAMPS)
CURRENCIES = tuple(on_ramp.currency for on_ramp in ON_RAMPS)


def of_country(country: object) -> OnRamp | None:
    """Return the on-ramp of a country; None if none is known.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.of_country("MX").currency
    'mxn'
    """
    return _find_on_ramp("country", country)


def of_currency(currency: object) -> OnRamp | None:
    """Return the on-ramp of a currency, in any letter case; None if none is known.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.of_currency("PHP").country
    'PH'
    """
    return _find_on_ramp("currency", currency)


def of_instructions(instructions_type: object) -> OnRamp | None:
    """Return the on-ramp whose deposit instructions have a type; None if none is known.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.of_instructions("ph_qr_code").detail_name
    'qrph_payload'
    """
    return _find_on_ramp("instructions_type", instructions_type)


def need_on_ramp(*, country: str | None = None, currency: str | None = None) -> OnRamp:
    """Return the on-ramp of a country or of a currency, of which exactly one is given.

    OptionError lists those that are known.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.need_on_ramp(country="BR")
    Traceback (most recent call last):
    paylab.errors.base.OptionError: country: no on-ramp is known for BR: the country must be one \
of MX, PH
    """
    if (country is None) == (currency is None):
        raise TypeError("need_on_ramp() takes a country or a currency, exactly one of them")
    on_ramp = of_currency(currency) if country is None else of_country(country)
    if on_ramp is not None:
        return on_ramp
    if country is None:
        raise OptionError([Problem("currency", unknown_on_ramp_currency(str(currency)))])
    raise OptionError([Problem("country", unknown_on_ramp(country))])


def unknown_on_ramp(country: str) -> str:
    """Return the message that no on-ramp of a country is known.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.unknown_on_ramp("BR")
    'no on-ramp is known for BR: the country must be one of MX, PH'
    """
    from .country_names import nearest_country  # only for an unknown country

    choices_text = f"the country must be one of {', '.join(COUNTRIES)}"
    likely_code = nearest_country(country)
    question_text = f"; is {likely_code} meant?" if likely_code in COUNTRIES else ""
    return _describe_unknown_on_ramp(country, f"{choices_text}{question_text}")


def unknown_on_ramp_currency(currency: str) -> str:
    """Return the message that no on-ramp of a currency is known."""
    hint = f"the currency must be one of {', '.join(CURRENCIES)}"
    return _describe_unknown_on_ramp(currency, hint)


def _describe_unknown_on_ramp(country_or_currency: str, hint: str) -> str:
    """Return the message that no on-ramp is known; odd text is quoted and shortened."""
    short_text = country_or_currency[:60]
    is_plain = country_or_currency.isalnum() and country_or_currency.isascii()
    quoted_text = short_text if is_plain else f"{short_text!a}"
    return f"no on-ramp is known for {quoted_text}: {hint}"


def _find_on_ramp(attribute: str, attribute_value: object) -> OnRamp | None:
    """Return the on-ramp with a value of an attribute, in any letter case; None if none has it."""
    if not isinstance(attribute_value, str):
        return None
    for on_ramp in ON_RAMPS:
        if getattr(on_ramp, attribute).casefold() == attribute_value.casefold():
            return on_ramp
    return None
