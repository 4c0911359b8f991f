"""The form for a token of the identity-verification provider, which replaces images."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ...corridors import examples
from ...errors.base import Problem
from ...rules import individuals as rules
from ...spec import timestamps
from ...spec.models import Individual
from ...spec.service.service import Service
from ...spec.text import JsonObject
from ..html import Row
from .code import Expression, write_call
from .field import FormField
from .field_access import set_known_fields
from .form import Form
from .nodes import Button, side_by_side

LABELS = {
    "token": "Share token",
    "applicant_id": "Applicant id at the provider",
    "partner_terms_accepted_at": "Partner's terms accepted at",
}


class TokenForm(Form):
    """Submit a verification token with `submit(token=..., ...)`; `example` fills in an example."""

    title = "Verification token"
    action = "Submit the token"
    sent_title = "The token is submitted"

    def __init__(
        self,
        submit: Callable[..., Individual],
        clock: Callable[[], datetime],
        *,
        example: bool = False,
        service: Service | None = None,
    ) -> None:
        """Make an input for each field of a token, and fill them in for an example."""
        self._submit_token = submit
        self._clock = clock
        self._service = service or Service()
        self.example_button = Button("Fill with an example", self._fill_example)
        self.helper_nodes = [self.example_button]
        fields = [FormField(field_name, label) for field_name, label in LABELS.items()]
        fields[0].private = True
        fields[-1].hint = "ISO 8601, such as 2026-01-15T11:00:00Z"
        super().__init__(fields, [self.example_button, side_by_side(fields)])
        if example:
            self._fill_example()

    def _fill_example(self) -> None:
        """Fill in a token that no provider has issued, its terms accepted now."""
        accepted_at = self._clock()
        token_values = examples.verification_token(accepted_at=accepted_at)
        set_known_fields(
            self, {**token_values, "partner_terms_accepted_at": timestamps.to_text(accepted_at)}
        )

    def values(self) -> JsonObject:
        """The fields of the token to submit."""
        return {field_name: field.value for field_name, field in self.fields.items() if field.value}

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems of the token, for the provider in the service's settings."""
        provider = self._service.verification.provider
        return rules.check_token({"provider": provider, **values}, service=self._service)

    def _send(self, values: JsonObject) -> Individual:
        """Submit the token and return its individual."""
        return self._submit_token(**values)

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call, with a variable in place of the token, which is a secret."""
        other_values = dict(values)
        other_values.pop("token", None)
        keyword_arguments = {"token": Expression("token"), **other_values}
        return write_call(
            "lab.individuals.submit_token", Expression("person.id"), keywords=keyword_arguments
        )

    def result_rows(self, result: Individual) -> list[Row]:
        """The individual whose token was taken."""
        return [("Individual", result.id), ("Status", str(result.status or "submitted"))]
