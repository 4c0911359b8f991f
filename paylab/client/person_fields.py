"""How the fields of an individual are written, for an error about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..corridors import countries
from ..corridors.country_names import country_code, nearest_country
from ..errors.base import Problem
from ..errors.names import find_suggestion
from ..rules import individuals
from ..spec import codes

_SHAPE_MESSAGES = ("is required", "must be a JSON object", "must be a list")
"""The problems of a field for which its form is the answer."""


def describe_fields(body: Mapping[str, object], problems: Sequence[Problem]) -> str | None:
    """How to write fields that are missing or of another type; None if there are none.

    Those whose form depends on the country are left out if the country is not known.
    """
    field_names = {
        problem.field
        for problem in problems
        if problem.message in _SHAPE_MESSAGES and problem.source == "spec"
    }
    forms = {"date_of_birth": '"1990-12-31"', "idv_consent_recorded_at": "lab.clock()"}
    product = find_suggestion(str(body.get("product_types")), codes.PRODUCTS)
    if product:
        forms["product_types"] = f'["{product}"]'
    corridor = countries.of().get(_find_likely_country(body.get("country")))
    if corridor is not None:
        forms["phone"] = f'"{individuals.phone_sample(corridor.country) or "+..."}"'
        forms["document"] = f'{{"type": "{corridor.documents[0]}", "number": "..."}}'
        forms["address"] = f'{{"country": "{corridor.country}"}}'
    arguments = [f"{name}={form}" for name, form in forms.items() if name in field_names]
    return f"write {', '.join(arguments)}" if arguments else None


def _find_likely_country(country: object) -> str:
    """The code of the country that a value means, also by a misspelt name; "" if none."""
    code = country_code(country) if isinstance(country, str) else ""
    return code if code in codes.COUNTRIES else nearest_country(code)
