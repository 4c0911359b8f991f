"""The English names of countries, and the country that a text means."""

from __future__ import annotations

from collections.abc import Collection

from ..errors.base import OptionError, Problem
from ..errors.text import plain

_NAMES = """
AR Argentina, BR Brazil, CO Colombia, MX Mexico, IN India, PH Philippines, US United States,
SG Singapore, VN Vietnam, AE United Arab Emirates, GB United Kingdom, AT Austria, BE Belgium,
BG Bulgaria, HR Croatia, CY Cyprus, EE Estonia, FI Finland, FR France, DE Germany, GR Greece,
IE Ireland, IT Italy, LV Latvia, LT Lithuania, LU Luxembourg, MT Malta, NL Netherlands,
PT Portugal, SK Slovakia, SI Slovenia, ES Spain, CZ Czechia, DK Denmark, HU Hungary, PL Poland,
RO Romania, SE Sweden, IS Iceland, LI Liechtenstein, NO Norway, CH Switzerland
"""
NAMES = {name.strip()[:2]: name.strip()[3:] for name in _NAMES.split(",")}

_CODES_BY_NAME = {name.casefold(): code for code, name in NAMES.items()}


def country_code(country: str) -> str:
    """The code of a country that is given by its code or its English name, in any letter case.

    A text that is neither is returned without outer blanks, in upper case if it has two letters.

    >>> from paylab.corridors.country_names import country_code
    >>> country_code("Mexico")
    'MX'
    """
    country = country.strip()
    return _CODES_BY_NAME.get(country.casefold(), country.upper() if len(country) <= 2 else country)


def nearest_country(country: str) -> str:
    """The code of the country whose name is the most similar to a misspelt one; "" without one.

    >>> from paylab.corridors.country_names import nearest_country
    >>> nearest_country("Phillipines")
    'PH'
    """
    from ..errors.suggestions import find_nearest_name  # only for a wrong name

    nearest_name = find_nearest_name(country[:60], NAMES.values())
    return _CODES_BY_NAME[nearest_name.casefold()] if nearest_name else ""


def require_country(country: str, known_codes: Collection[str]) -> str:
    """Return the code of a country, given by code or name; OptionError if it is not a known one.

    >>> from paylab.corridors.country_names import require_country
    >>> require_country("Phillipines", ["MX", "PH"])
    Traceback (most recent call last):
    paylab.errors.base.OptionError: country: 'Phillipines' is no country here; is PH meant?
    """
    code = country_code(country)
    if code not in known_codes:
        raise unknown_country_error(code, known_codes)
    return code


def unknown_country_error(country: str, known_codes: Collection[str]) -> OptionError:
    """The error for a country that is not one of the known ones, with the likely one or all."""
    from ..errors.choices import describe_wrong_choice  # only for a wrong name

    likely_code = nearest_country(country)
    message = describe_wrong_choice([*known_codes], country)
    if likely_code in known_codes:
        message = f"{plain(repr(country), 40)} is no country here; is {likely_code} meant?"
    return OptionError([Problem("country", message)])
