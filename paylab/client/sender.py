"""Sends a request, again where that is safe, until there is an answer or an error."""

from __future__ import annotations

import logging
from itertools import count
from typing import TYPE_CHECKING

from ..errors.base import ChoiceError, MissingOperationError, PaylabError
from ..light_dataclass import light_dataclass
from ..logs import log
from ..redaction.redaction import Redaction
from .call_log import CallLog
from .deadline import ATTEMPTS_TIMEOUT_FACTOR, UPLOAD_BYTES_PER_SECOND_MIN, Deadline
from .dialects import DialectSearch
from .fresh_ids import FreshIds
from .request import OutgoingRequest
from .request_builder import RequestBuilder
from .retries import NOT_FOUND, is_lost, wait_before_retry
from .service_clock import ServiceClock, Timing
from .settings import Settings

if TYPE_CHECKING:
    from .connector import Connection, Connector
    from .exchange import Attempt, Exchange


@light_dataclass(frozen=True)
class Records:
    """The memory of a session: its calls, the ids that it just received, and the service's time."""

    calls: CallLog
    fresh_ids: FreshIds
    service_clock: ServiceClock


class Sender:
    """Sends requests over a connection, with retries where safe.

    `connector` makes the connection when it is first needed. `dialects` is None for a session that
    does not try others after a refused signature.
    """

    def __init__(  # noqa: PLR0913 - what sends, what is noted, and what is tried
        self,
        settings: Settings,
        connector: Connector,
        requests: RequestBuilder,
        records: Records,
        timing: Timing,
        redaction: Redaction,
        dialects: DialectSearch | None = None,
    ) -> None:
        """`records` keep what was sent and what answers tell."""
        self._settings = settings
        self._connector = connector
        self._requests = requests
        self._records = records
        self._timing = timing
        self._redaction = redaction
        self._dialects = dialects

    @property
    def _deadline(self) -> Deadline:
        """The deadline for all attempts of a call; the connection keeps it too."""
        return self._connector.deadline

    def deliver(self, request: OutgoingRequest) -> Attempt:
        """The successful attempt of a request; the error of the last one if all failed."""
        content = request.content
        body_size = 0 if isinstance(content, bytes | None) else content.length
        timeout_seconds = request.timeout or self._settings.timeout
        upload_seconds = body_size / UPLOAD_BYTES_PER_SECOND_MIN
        with self._deadline.within(ATTEMPTS_TIMEOUT_FACTOR * timeout_seconds + upload_seconds):
            last_attempt = self._send_with_retries(request)
        if last_attempt.exchange.went_well:
            return last_attempt
        error = self._read_failure(last_attempt)
        error.after_lost = last_attempt.after_lost
        if self._dialects is not None and self._is_refused_signature(last_attempt):
            self._dialects.explain(error, self._verifies_setting)
        raise error

    def close(self) -> None:
        """Close the connections."""
        self._connector.close()

    def attempt(self, request: OutgoingRequest, number: int = 1) -> Attempt:
        """Send a request once, and note what its answer tells of the service."""
        return self._send_attempt(self._connector.connection, request, number)

    def _send_attempt(
        self, connection: Connection, request: OutgoingRequest, number: int = 1
    ) -> Attempt:
        """Send a request once over a connection, and note what its answer tells."""
        attempt = connection.send(request, number)
        exchange = attempt.exchange
        deferred_call = attempt.deferred
        self._records.calls.keep(deferred_call)
        is_upload = not isinstance(request.content, bytes | None)
        if is_upload or log.isEnabledFor(logging.DEBUG):
            # Building the call of an upload now lets go of its images.
            log.debug("%s", deferred_call.call)
        self._records.service_clock.observe(exchange.status or None, exchange.skew)
        return attempt

    def _send_with_retries(self, request: OutgoingRequest) -> Attempt:
        """The last attempt of a request, or of the GET that reads what a lost attempt made.

        After a lost attempt, a request with `find` first looks for what that attempt made.
        """
        is_after_lost = False
        for attempt_number in count(1):
            attempt = self.attempt(request, attempt_number)._replace(after_lost=is_after_lost)
            if attempt.exchange.went_well:
                break
            is_attempt_lost = is_lost(attempt.exchange)
            wait_seconds = self._compute_wait(attempt.exchange)
            if wait_seconds is None:
                break
            is_after_lost = is_after_lost or is_attempt_lost
            log.debug("trying again in %.2f s", wait_seconds)
            self._deadline.extend(wait_seconds)
            self._timing.sleep(wait_seconds)
            if is_attempt_lost:
                reading_request = self._make_lost_object_request(attempt)
                if reading_request is not None:
                    return self._read_lost_object(reading_request, attempt)
        return attempt

    def _compute_wait(self, exchange: Exchange) -> float | None:
        """Seconds to wait before the next attempt; None when there must be no further attempt."""
        retries_max = self._settings.max_retries
        if not retries_max or self._deadline.has_passed:
            return None
        now = self._timing.clock()
        if exchange.status == NOT_FOUND:  # an id that was just made may not be readable yet
            return self._records.fresh_ids.pause_before_retry(exchange, now)
        rate_limits = self._settings.service.rate_limits
        return wait_before_retry(exchange, rate_limits, now, self._timing.random, retries_max)

    def _make_lost_object_request(self, lost_attempt: Attempt) -> OutgoingRequest | None:
        """The request that reads what a lost attempt made; None if it made nothing.

        Raises the error of the attempt if the list does not tell.
        """
        request = lost_attempt.exchange.request
        try:
            # Each order brings its own way to look for what it made.
            status = lost_attempt.exchange.status
            made_id = request.find(status) if request.find else None
        except ChoiceError:  # it says itself what to do
            raise
        except PaylabError:
            raise self._read_failure(lost_attempt) from None
        if made_id is None:
            return None
        log.warning("the answer to POST %s was lost; the list has %s", request.path, made_id)
        return self._requests.make_reading_request(request, made_id)

    def _read_lost_object(self, request: OutgoingRequest, lost_attempt: Attempt) -> Attempt:
        """Read what a lost attempt made; the error of that attempt if it cannot be read.

        The error of the reading would say that the lost attempt was refused.
        """
        try:
            return self.deliver(request)
        except PaylabError as error:
            raise self._read_failure(lost_attempt) from error

    def _read_failure(self, attempt: Attempt) -> PaylabError:
        """The error of a failed attempt.

        Secrets and document numbers of the exchange are hidden in its texts.
        """
        from .exchange import exchange_redaction
        from .failures import make_failure  # only what failed needs it

        redaction = exchange_redaction(attempt.exchange, self._redaction)
        return make_failure(attempt.exchange, attempt.call, redaction, self._settings.service)

    def _is_refused_signature(self, attempt: Attempt) -> bool:
        """Whether a signature was refused, and a GET in another dialect can tell why.

        It cannot if a mistake is known, or if the request has a query: the dialects differ without.
        """
        exchange = attempt.exchange
        is_refused = exchange.status == self._settings.service.error_codes.signature
        return is_refused and not exchange.request.url.query and attempt.call.finding is None

    def _verifies_setting(self, setting_key: str, setting_value: str) -> bool:
        """Whether the service verifies a GET that is signed with another setting."""
        try:
            request = self._requests.operation("transfers.list")
        except MissingOperationError:
            return False
        connection = self._connector.connect_with(setting_key, setting_value)
        return connection is not None and self._send_attempt(connection, request).exchange.went_well
