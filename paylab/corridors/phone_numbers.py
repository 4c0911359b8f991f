"""Phone numbers that belong to nobody, for the example person and the hint of a country."""

from __future__ import annotations

import re
from functools import cache

_DIGIT = re.compile("[0-9]")
_SEPARATOR = re.compile("[^+0-9]")


@cache
def phone_sample(country: str) -> str:
    """Return a mobile number as it is written in a country, with zeros for its digits.

    It has as many digits as a real number, so that its length is right. It is empty for a country
    without known numbers.

    >>> phone_sample("PH")
    '+63 000 000 0000'
    """
    import phonenumbers  # not with the facts of countries, which a simulator needs at its start

    mobile_number = phonenumbers.example_number_for_type(
        country, phonenumbers.PhoneNumberType.MOBILE
    )
    if mobile_number is None:
        return ""
    number_text = phonenumbers.format_number(
        mobile_number, phonenumbers.PhoneNumberFormat.INTERNATIONAL
    )
    calling_code, _, national_number = number_text.partition(" ")
    return f"{calling_code} {_DIGIT.sub('0', national_number)}"


def example_phone(country: str) -> str:
    """Return the sample of a country without spaces and hyphens, as it is sent; "" without one.

    >>> example_phone("SG")
    '+6500000000'
    """
    return _SEPARATOR.sub("", phone_sample(country))
