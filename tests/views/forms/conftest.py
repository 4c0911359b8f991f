"""Forms whose functions store their arguments instead of calling a service."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from paylab.spec.models import Individual
from paylab.views.forms.onboarding import OnboardingForm

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


class Noted(list):
    """A function that stores its arguments and returns or raises a fixed answer."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def __call__(self, *given, **named):
        """Store the arguments; return the answer, or raise it."""
        self.append(named or given)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.fixture
def noted():
    """The class of functions that store their arguments."""
    return Noted


@pytest.fixture
def create():
    """A function that returns the same individual every time."""
    detail = {"code": "verification_selfie_needed", "message": "Selfie needed."}
    answer = {"id": "ind_1", "status": "action_required", "status_details": [detail]}
    return Noted(Individual.model_validate(answer))


@pytest.fixture
def onboarding(create):
    """A function that makes an onboarding form, by default with the Mexican example."""

    def make(country="MX", *, create=create, **options):
        options = {"example": True, "clock": lambda: NOW, **options}
        return OnboardingForm(create, country, **options)

    return make


@pytest.fixture
def quick(monkeypatch):
    """Do not treat a second click as part of a double click, which would take 0.6 s to wait for."""
    monkeypatch.setattr("paylab.views.forms.controls.DOUBLE_CLICK_SECONDS", 0)
