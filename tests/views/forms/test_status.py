"""The status of a quote and of a conversion, at exact times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from paylab.spec.models import Conversion, Quote
from paylab.views.forms.status import ConversionView
from paylab.views.forms.terms import expiry_sentence, is_expired


def test_a_quote_is_expired_from_its_expiry_on():
    """One second before its expiry, a quote is still valid."""
    now = datetime(2026, 1, 15, 12, tzinfo=UTC)
    quote = Quote.model_validate({"expires_at": "2026-01-15T12:00:00Z"})
    assert expiry_sentence(quote, now) == "Expired at 12:00:00 UTC: get a fresh quote."
    assert is_expired(quote, now)
    assert not is_expired(quote, now - timedelta(seconds=1))


def test_the_time_of_a_failed_conversion_is_that_of_its_last_change():
    """A status without a time of its own has the time of the last change."""
    found = Conversion.model_validate(
        {
            "id": "c",
            "status": "failed",
            "created_at": "2026-01-15T12:00:00Z",
            "updated_at": "2026-01-15T12:00:09Z",
        }
    )
    moment = datetime(2026, 1, 15, 12, 0, 9, tzinfo=UTC)
    assert ConversionView._read_times(None, found)["failed"] == moment
