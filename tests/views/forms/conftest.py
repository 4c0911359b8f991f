"""Forms handed functions: lambdas that note what they were given."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from paylab.spec.models import Individual
from paylab.views.forms.onboarding import OnboardingForm

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
HOSTILE = "<img src=x onerror=alert(1)>"


class Noted(list):
    """A function that notes its arguments and gives an answer."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def __call__(self, *given, **named):
        """Note the arguments; give the answer, or raise it."""
        self.append(named or given)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.fixture
def noted():
    """Makes functions that note what they were given."""
    return Noted


@pytest.fixture
def create():
    """Creates the same person every time."""
    detail = {"code": "verification_selfie_needed", "message": "Selfie needed."}
    answer = {"id": "ind_1", "status": "action_required", "status_details": [detail]}
    return Noted(Individual.model_validate(answer))


@pytest.fixture
def onboarding(create):
    """Makes onboarding forms, by default of a Mexican example."""

    def make(country="MX", **options):
        options = {"example": True, "clock": lambda: NOW, **options}
        return OnboardingForm(create, country, **options)

    return make


@pytest.fixture
def quick(monkeypatch):
    """No click counts as the second half of a double click."""
    monkeypatch.setattr("paylab.views.forms.form.QUIET", 0)
