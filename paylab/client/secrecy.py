"""Hides the keys and personal fields of a client in its texts and in the logs of libraries."""

from __future__ import annotations

import logging
from weakref import WeakSet

from ..logs import escaping_logger
from ..redaction.redaction import Redaction
from ..spec.service.service import Service
from .settings import Settings

LOGGER_NAMES = (
    "httpx",
    *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy")),
)


class LogRedaction(logging.Filter):
    """A log filter that redacts every record and drops none."""

    def __init__(self) -> None:
        """Start without redactions: nothing is hidden."""
        super().__init__()
        self.redactions: WeakSet[Redaction] = WeakSet()

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the record's text when something was redacted."""
        original_message = clean_message = record.getMessage()
        for redaction in tuple(self.redactions):
            clean_message = redaction.text(clean_message)
        if clean_message != original_message:
            record.msg = clean_message
            record.args = ()
        return True


_LOG_REDACTION = LogRedaction()
"""Loggers belong to the whole process, as do their filters."""


def make_redaction(settings: Settings) -> Redaction:
    """The redaction of a client; while it exists, it cleans the logs of libraries too."""
    secrets = (settings.api_key, settings.secret_key, settings.control_token)
    present_secrets = tuple(secret for secret in secrets if secret is not None)
    redaction = Redaction(present_secrets, _find_personal_names(settings.service))
    _LOG_REDACTION.redactions.add(redaction)
    for logger_name in LOGGER_NAMES:
        escaping_logger(logger_name).addFilter(_LOG_REDACTION)
    return redaction


def _find_personal_names(service: Service) -> frozenset[str]:
    """The names of personal fields that only this service has."""
    changed_settings = service.diff()
    if not changed_settings:
        return frozenset()
    from ..redaction.personal import find_personal_names  # loads slowly, and with a first call

    return find_personal_names(changed_settings)
