"""Sends each request on to the service, and journals the exchange with its verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from threading import Lock
from time import perf_counter
from typing import Protocol

from ..errors.base import Problem
from ..journal.journal import TEST_HEADER, Journal
from ..logs import log
from ..redaction.hiding import Secret
from ..signing.dates import read_date
from ..signing.findings import Authorization
from ..signing.signed_parts import sign_for_host
from ..signing.unauthorized import verify
from ..simulator.credentials import UsedNonces
from ..simulator.messages import RefusedError, Reply, Request
from ..simulator.refusals import refusal_reply
from ..spec.service.service import Service
from .upstream import Upstream, UpstreamError
from .verdicts import ProxiedRequest, failure_reply

READING_METHODS = ("GET", "HEAD", "OPTIONS")

HANG_UP_SECONDS = 0.001
"""How long an answer is held, to see whether its client has closed the connection."""

FORWARDED_REASONS = ("stale-date", "nonce-reused")
"""Mistakes that the service itself finds, since the new signature keeps the date and the nonce."""

_PASS_THROUGH_TEXT = (
    "this request has the Host of the proxy: send and sign {}, or leave --pass-through out"
)


class ExchangeChecker(Protocol):
    """Compares requests and answers with the document of a service."""

    def request_problems(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> list[Problem]:
        """The problems of a request by the document."""

    def answer_problems(
        self, method: str, path: str, status: int, content_type: str, body: bytes
    ) -> list[Problem]:
        """The problems of an answer by the document."""


class Recorder:
    """Answers requests with the answers of a service, and compares both with its `contract`.

    With `keys` it verifies the signature for its own address, and signs the request again for the
    service unless it must `pass_through`. `base_path` is the path of the service's address.
    """

    def __init__(  # noqa: PLR0913 - each has a default but the service
        self,
        service: Service,
        upstream: Upstream,
        contract: ExchangeChecker,
        *,
        base_path: str = "",
        keys: tuple[Secret, Secret] | None = None,
        read_only: bool = False,
        pass_through: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Start with an empty journal and no used nonces."""
        self.service = service
        self.journal = Journal()
        self._upstream = upstream
        self._base_path = base_path
        self._keys = keys
        self._is_read_only = read_only
        self._is_passing = pass_through
        self._clock = clock
        self._contract = contract
        self._nonces = UsedNonces(service.signing.tolerance)
        self._lock = Lock()

    @property
    def secrets(self) -> list[str]:
        """The keys, which no journal shows."""
        return [key_secret.reveal() for key_secret in self._keys or ()]

    def respond(self, request: Request) -> Reply:
        """Answer a request, and journal it. It is sent to the service once or not at all."""
        path = request.path.removeprefix(self._base_path)
        now = self._clock()
        with self._lock:
            request_record = self.journal.record_arrival(replace(request, path=path), now)
        request_record.ending = request.ending  # tells later how the connection ended
        proxied_request = ProxiedRequest(self.service, self._upstream.host)
        request_record.verdicts = proxied_request.to_json
        operation_name = self._find_operation(request.method, path)
        request_record.operation = operation_name
        proxied_request.operation = operation_name
        try:
            reply = self._exchange(request, path, now, proxied_request)
        except RefusedError as refused:
            proxied_request.refused = refused
            reply = refusal_reply(refused, self.service)
        except UpstreamError as error:
            proxied_request.failure = error.text
            reply = failure_reply(error.status, error.text)
        except Exception as error:  # the client must know whether the request was sent
            log.exception("the proxy failed at a request")
            proxied_request.failure = _explain_failure(error, proxied_request)
            reply = failure_reply(502, proxied_request.failure)
        reply = replace(reply, delay_seconds=HANG_UP_SECONDS)
        with self._lock:
            self.journal.add_request(request_record, reply)
        return reply

    def _exchange(
        self, request: Request, path: str, now: datetime, proxied_request: ProxiedRequest
    ) -> Reply:
        """Check a request, send it to the service, and compare it and its answer with the document.

        RefusedError for a request that must not be sent, UpstreamError if there is no answer.
        """
        if not request.path.startswith(f"{self._base_path}/"):
            raise RefusedError(404, f"the paths of this service begin with {self._base_path}")
        if self._is_read_only and request.method not in READING_METHODS:
            raise RefusedError(403, f"the proxy is read-only: this {request.method} was not sent")
        self._check_signature(request, now, proxied_request)
        sent_request = self._make_sent_request(request, proxied_request)
        proxied_request.request_problems = self._contract.request_problems(
            request.method, path, request.query, request.headers, request.body
        )
        sent_at = perf_counter()
        try:
            reply = self._upstream.send(sent_request)
        finally:
            proxied_request.seconds = round(perf_counter() - sent_at, 6)
        proxied_request.answered_status = reply.status
        content_type = reply.headers.get("content-type", "")
        proxied_request.answer_problems = self._contract.answer_problems(
            request.method, path, reply.status, content_type, reply.body
        )
        return reply

    def _check_signature(
        self, request: Request, now: datetime, proxied_request: ProxiedRequest
    ) -> None:
        """Verify a signature, and record what is wrong with it.

        RefusedError for a wrong signature, unless the service itself will find the mistake: it gets
        the same signature, or one with the same date and nonce.
        """
        host = request.headers.get("host", "")
        if self._is_passing and host != self._upstream.host:
            raise RefusedError(421, _PASS_THROUGH_TEXT.format(self._upstream.host))
        if self._keys is None:
            return
        proxied_request.is_checked = True
        signing_settings = self.service.signing
        secret_by_key = self._secrets_by_key()
        with self._lock:
            finding = verify(
                request, secret_by_key.get, now, signing=signing_settings, nonces=self._nonces
            )
            if finding is None and "x-nonce" in request.headers:
                self._nonces.add(request.headers["x-nonce"], now)
        if finding is None:
            return
        proxied_request.finding = finding
        if self._is_passing:
            return  # the service gets the same signature
        if finding.reason in FORWARDED_REASONS and self._is_signed_right_when_sent(request):
            return  # the service gets the same date and nonce
        status = self.service.error_codes.signature
        raise RefusedError(status, finding.message, reason=finding.reason, mistake=finding.mistake)

    def _is_signed_right_when_sent(self, request: Request) -> bool:
        """Whether a signature was right when it was made: its age and a used nonce do not count."""
        signing_settings = self.service.signing
        signed_at = read_date(request.headers["x-date"], signing_settings.date_form)
        return (
            verify(request, self._secrets_by_key().get, signed_at, signing=signing_settings) is None
        )

    def _make_sent_request(self, request: Request, proxied_request: ProxiedRequest) -> Request:
        """Make the request for the service, signed again for its host unless it is passed through.

        An answer that is not compressed is asked for, since the proxy reads it.
        """
        headers = dict(request.headers)
        headers.pop(TEST_HEADER, None)  # it is for the journal only
        authorization = Authorization.parse(headers.get("authorization", ""))
        signed_names = authorization.names if authorization else ()
        if "accept-encoding" not in signed_names:
            headers["accept-encoding"] = "identity"
        if self._is_passing or self._keys is None:
            return replace(request, headers=headers)
        host = self._upstream.host
        secret = self._keys[1].reveal()
        proxied_request.signed_for = host
        new_headers = sign_for_host(request, signed_names, host, secret, self.service.signing)
        return replace(request, headers={**headers, **new_headers})

    def is_signed(self, request: Request) -> bool:
        """Whether a request is signed with the keys, as one to the journal may be."""
        finding = verify(
            request, self._secrets_by_key().get, self._clock(), signing=self.service.signing
        )
        return finding is None

    def _secrets_by_key(self) -> Mapping[str, str]:
        """The secret key by its API key; empty if the proxy has no keys."""
        if self._keys is None:
            return {}
        api_key, secret_key = self._keys
        return {api_key.reveal(): secret_key.reveal()}

    def _find_operation(self, method: str, path: str) -> str:
        """The name of the operation at a path; "" if the service has none there."""
        routes, _ = self.service.match(path)
        return routes[method].operation if method in routes else ""


def _explain_failure(error: Exception, proxied_request: ProxiedRequest) -> str:
    """Explain what an error of the proxy itself means for the request."""
    error_name = type(error).__name__
    if proxied_request.answered_status is None:
        return f"the proxy failed ({error_name}): nothing was sent"
    return (
        f"the proxy failed ({error_name}) after {proxied_request.host} had answered with "
        f"{proxied_request.answered_status}: the request was sent, do not send it as a new one"
    )
