"""How the fields of an individual are written, for an error about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..corridors import countries
from ..corridors.country_names import country_code, nearest_country
from ..corridors.phone_numbers import phone_sample
from ..errors.base import Problem
from ..errors.suggestions import find_suggestion
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
    form_by_field = {"date_of_birth": '"1990-12-31"', "idv_consent_recorded_at": "lab.clock()"}
    product_type = find_suggestion(str(body.get("product_types")), codes.PRODUCTS)
    if product_type:
        form_by_field["product_types"] = f'["{product_type}"]'
    corridor = countries.of().get(_find_likely_country(body.get("country")))
    if corridor is not None:
        sample_phone = phone_sample(corridor.country) or "+..."
        form_by_field["phone"] = f'"{sample_phone}"'
        form_by_field["document"] = f'{{"type": "{corridor.documents[0]}", "number": "..."}}'
        form_by_field["address"] = f'{{"country": "{corridor.country}"}}'
    argument_texts = [
        f"{field_name}={form_text}"
        for field_name, form_text in form_by_field.items()
        if field_name in field_names
    ]
    return f"write {', '.join(argument_texts)}" if argument_texts else None


def _find_likely_country(country: object) -> str:
    """The code of the country that a value means, also by a misspelt name; "" if none."""
    likely_code = country_code(country) if isinstance(country, str) else ""
    return likely_code if likely_code in codes.COUNTRIES else nearest_country(likely_code)
