"""People who do not exist, to fill in forms with: nothing here can be taken for real.

The CURP is the one Mexican authorities print for "a foreigner without one"; the domain
example.com and the phone numbers of zeros belong to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any

from .errors import Problem, RuleError
from .example_recipients import recipient

WALLET = {"address": "0x000000000000000000000000000000000000dEaD", "network": "base"}
"""A crypto wallet that nobody holds the key of."""

PEOPLE: Mapping[str, Mapping[str, Any]] = {
    "MX": {
        "given_name": "Ana",
        "family_name": "Ejemplo Ficticia",
        "country": "MX",
        "email": "ana.ejemplo@example.com",
        "phone": "+525500000000",
        "date_of_birth": "1990-01-31",
        "address": {
            "country": "MX",
            "line_1": "Calle Ejemplo 1",
            "city": "Ciudad de México",
            "postal_code": "00000",
        },
        "document": {"type": "curp", "number": "XEXX010101HNEXXXA4"},
    },
    "PH": {
        "given_name": "Juan",
        "family_name": "Halimbawa",
        "country": "PH",
        "email": "juan.halimbawa@example.com",
        "phone": "+630000000000",
        "date_of_birth": "1990-01-31",
        "address": {
            "country": "PH",
            "line_1": "1 Example Street",
            "city": "Manila",
            "postal_code": "0000",
        },
        "document": {"type": "tin", "number": "000-000-000-000"},
    },
}


def individual(country: str, *, consent_at: datetime, product: str = "on_ramp") -> dict[str, Any]:
    """The fields of a fictional individual, ready for `lab.individuals.create(**fields)`."""
    if country.upper() not in PEOPLE:
        raise RuleError([Problem("country", f"must be one of {', '.join(PEOPLE)}")])
    person = deepcopy(dict(PEOPLE[country.upper()]))
    return {"product_types": [product], **person, "idv_consent_recorded_at": consent_at}


__all__ = ["PEOPLE", "WALLET", "individual", "recipient"]
