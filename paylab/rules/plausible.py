"""What looks odd in a good individual: a phone nobody has, the birthday of a child.

Warnings alone: a rule that refuses a good number is worse than one that lets a bad one by.
"""

from __future__ import annotations

from datetime import date

import phonenumbers
from phonenumbers import NumberParseException, ValidationResult

from ..errors import Problem
from .fields import Body

ADULT = 18
OLDEST = 120
_SOURCE = "check-digits"

LENGTHS = {
    ValidationResult.TOO_SHORT: "has too few digits for a phone number",
    ValidationResult.TOO_LONG: "has too many digits for a phone number",
    ValidationResult.INVALID_COUNTRY_CODE: "begins with no country's code",
}


def warn(body: Body, today: date) -> list[Problem]:
    """What to look at again before sending."""
    found = {
        "phone": phone(body.get("phone")),
        "date_of_birth": birth(body.get("date_of_birth"), today),
    }
    return [Problem(field, message, _SOURCE) for field, message in found.items() if message]


def phone(value: object) -> str:
    """What is odd about a phone number, or nothing."""
    if not isinstance(value, str) or not value:
        return ""
    try:
        reason = phonenumbers.is_possible_number_with_reason(phonenumbers.parse(value))
    except NumberParseException:
        return "begin with + and the country's code, as in +52 55 5555 5555"
    return "" if reason == ValidationResult.IS_POSSIBLE else LENGTHS.get(reason, _NO_PHONE)


def birth(value: object, today: date) -> str:
    """What is odd about a date of birth, or nothing."""
    try:
        born = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return ""
    if born is None:
        return ""
    years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    if years < 0:
        return "lies in the future"
    if years > OLDEST:
        return f"makes the person {years} years old"
    return f"makes the person {years}, not yet {ADULT}" if years < ADULT else ""


_NO_PHONE = "does not look like a phone number"
