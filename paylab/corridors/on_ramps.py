"""The on-ramps: one record each of what is paid in, where to, and the words for it.

Simulator, rules, forms, cards, commands, examples, frames, redaction and probe read these records.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Literal

from ..errors.base import Problem, RuleError
from ..light_dataclass import light_dataclass
from ..spec.service.setting import SPEC
from . import clabe
from .qr_codes import Draw, check_qrph, make_qrph


@light_dataclass(frozen=True)
class OnRamp:
    """An on-ramp of a country: what is paid in, where to, and the words for it.

    `currency` is in lower case, as the service writes it, and `cap` the largest sandbox deposit.
    Deposit instructions have the type `instructions`, and their details hold what to pay to in the
    field `detail`. `make` makes one from drawn digits, `check` says what is wrong with one (empty
    if nothing is), and `pattern` matches all that look like one, whether they are right or not.

    `card` is the kind of card that shows it. `noun` is what a user pays to, `label` the label of
    its input, and `picture` the name of its picture file, if it has one. `source` is where all
    this is stated: "spec", or the id of an assumption.
    """

    country: str
    currency: str
    cap: Decimal
    instructions: str
    rail: str
    detail: str
    make: Callable[[Draw], str]
    check: Callable[[str], str]
    pattern: str
    card: Literal["clabe", "qr_code"]
    noun: str
    label: str
    picture: str = ""
    source: str = SPEC

    @property
    def example(self) -> str:
        """What to pay to, made of zeros: it belongs to nobody."""
        return self.make(lambda _, length: "0" * length)

    @property
    def example_button(self) -> str:
        """The text of the button that runs an example until there is something to pay to."""
        return f"Run the example up to the {self.noun}"


ON_RAMPS = (
    OnRamp(
        country="MX",
        currency="mxn",
        cap=Decimal(50),
        instructions="mx_virtual_account",
        rail="spei",
        detail="clabe",
        make=clabe.make_clabe,
        check=clabe.check_clabe,
        pattern=r"\d{18}",
        card="clabe",
        noun="CLABE",
        label="CLABE",
    ),
    OnRamp(
        country="PH",
        currency="php",
        cap=Decimal(100),
        instructions="ph_qr_code",
        rail="instapay",
        detail="qrph_payload",
        make=make_qrph,
        check=check_qrph,
        pattern=r"000201.{20,}",
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
    """The on-ramp of a country, or None.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.of_country("MX").currency
    'mxn'
    """
    return _by("country", country)


def of_currency(currency: object) -> OnRamp | None:
    """The on-ramp into which a currency is paid, in any letter case, or None.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.of_currency("PHP").country
    'PH'
    """
    return _by("currency", currency)


def of_instructions(kind: object) -> OnRamp | None:
    """The on-ramp whose deposit instructions have a type, or None.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.of_instructions("ph_qr_code").detail
    'qrph_payload'
    """
    return _by("instructions", kind)


def need_on_ramp(*, country: str = "", currency: str = "") -> OnRamp:
    """The on-ramp of a country or of a currency; RuleError lists those that are known.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.need_on_ramp(country="BR")
    Traceback (most recent call last):
    paylab.errors.base.RuleError: not sent: country: no on-ramp is known for BR: the country must \
be one of MX, PH
    """
    on_ramp = of_currency(currency) if currency else of_country(country)
    if on_ramp is None and currency:
        message = _unknown(currency, f"the currency must be one of {', '.join(CURRENCIES)}")
        raise RuleError([Problem("currency", message)])
    if on_ramp is None:
        raise RuleError([Problem("country", unknown_on_ramp(country))])
    return on_ramp


def unknown_on_ramp(country: str) -> str:
    """The message that no on-ramp of a country is known.

    >>> from paylab.corridors import on_ramps
    >>> on_ramps.unknown_on_ramp("BR")
    'no on-ramp is known for BR: the country must be one of MX, PH'
    """
    return _unknown(country, f"the country must be one of {', '.join(COUNTRIES)}")


def _unknown(word: str, way: str) -> str:
    quoted = word[:60] if word.isalnum() and word.isascii() else f"{word[:60]!a}"
    return f"no on-ramp is known for {quoted}: {way}"


def _by(name: str, value: object) -> OnRamp | None:
    folded = value.casefold() if isinstance(value, str) else value
    return next((ramp for ramp in ON_RAMPS if getattr(ramp, name).casefold() == folded), None)
