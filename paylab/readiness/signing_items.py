"""Items: how requests are signed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from ..spec import timestamps
from .facts import RequestFacts, client_seconds, gap_seconds
from .history import History
from .item import Item, Observation, Situation, note_right, note_wrong

IMPATIENCE_SECONDS = 5
"""A request that is sent again later than this after a 401 is a new try, not a retry."""

ATTEMPT_REASONS = ("nonce-reused", "stale-date")
"""Reasons for a refusal that concern the attempt, and not how it is signed."""

CLOCK_SECONDS = 1.0
"""Seconds after which two requests must have different dates."""


def _make_signature_check(
    is_kind: Callable[[RequestFacts], bool],
) -> Callable[[History], Iterator[Observation]]:
    """Make the function of an item: requests of a kind are signed as the service wants it."""

    def observe(history: History) -> Iterator[Observation]:
        """Observe the signature of each request for which `is_kind` is true."""
        for request in history.requests:
            if not is_kind(request):
                continue
            request_name = f"{request.method} {request.row['path']}"
            if request.is_signed_well:
                yield note_right(request, f"{request_name}: the signature fits")
                continue
            signature_verdict = request.row["verdicts"].get("signature") or {}
            is_refused = request.status == 401 or signature_verdict.get("result") == "refused"
            # A nonce or date that was refused says nothing about how the text was signed.
            if is_refused and signature_verdict.get("reason") not in ATTEMPT_REASONS:
                message_text = signature_verdict.get("message") or "answered 401"
                yield note_wrong(request, f"{request_name}: {message_text}")

    return observe


def observe_attempts(history: History) -> Iterator[Observation]:
    """Observe whether each attempt has a nonce of its own, and a new date once time has passed."""
    yield from _find_reused_nonces_and_dates(history)
    for attempts in history.repeats():
        for earlier_attempt, later_attempt in pairwise(attempts):
            has_failed = not earlier_attempt.is_received or earlier_attempt.status >= 429
            earlier_nonce = earlier_attempt.row["headers"].get("x-nonce")
            later_nonce = later_attempt.row["headers"].get("x-nonce")
            have_nonces = earlier_nonce is not None and later_nonce is not None
            if has_failed and have_nonces and earlier_nonce != later_nonce:
                calls_text = (
                    f"calls {earlier_attempt.number} and {later_attempt.number} are one request"
                )
                yield note_right(later_attempt, f"{calls_text} with a nonce each")


def _find_reused_nonces_and_dates(history: History) -> Iterator[Observation]:
    """Observe nonces that were used before, and dates that are stale or were used before."""
    first_request_by_date: dict[str, RequestFacts] = {}
    for request in history.requests:
        first_use_number = request.row.get("nonce_first_used")
        if first_use_number is not None:
            yield note_wrong(request, f"its nonce was used by call {first_use_number}")
        signature_verdict = request.row["verdicts"].get("signature") or {}
        if signature_verdict.get("reason") == "stale-date" and request.fault != "skew":
            yield note_wrong(request, str(signature_verdict.get("message")))
        date_text = request.row["headers"].get("x-date")
        if date_text is not None:
            first_request = first_request_by_date.setdefault(date_text, request)
            is_readable = timestamps.read_or_none(date_text) is not None
            if is_readable and client_seconds(first_request, request) >= CLOCK_SECONDS:
                yield note_wrong(request, f"its date is that of call {first_request.number}")


def observe_refused_signature(history: History) -> Iterator[Observation]:
    """Observe whether the same request is not sent again unchanged after a 401."""
    for request in history.requests:
        if request.status != 401:
            continue
        repetition = history.next_same(request)
        # After other work or a pause, sending it again is a new try and no retry. GETs do not
        # count as other work: another thread may have sent them.
        has_worked_between = any(
            request_between.method != "GET"
            for request_between in history.between(request, repetition)
        )
        has_paused = (
            repetition is not None and gap_seconds(request, repetition) > IMPATIENCE_SECONDS
        )
        if repetition is None or has_worked_between or has_paused:
            yield note_right(request, "it was not sent again")
        elif repetition.status == 401 or request.is_answered_by_fault:
            yield note_wrong(
                repetition, f"the same request as call {request.number}, which got a 401"
            )


ITEMS = (
    Item(
        "signing.get",
        "GETs without a query are signed",
        "Every request carries an HMAC-SHA256 signature. The query line is left out entirely when "
        "there is no query string.",
        "spec: Authentication",
        "Read one object, such as GET /v1/transfers/{id}.",
        observe=_make_signature_check(
            lambda request: request.method == "GET" and not request.query
        ),
        situation=Situation("read one object"),
    ),
    Item(
        "signing.query",
        "GETs with a query are signed",
        "The query string is the third line of the canonical request.",
        "spec: Canonical request",
        "Read a list with a limit.",
        observe=_make_signature_check(
            lambda request: request.method == "GET" and bool(request.query)
        ),
        situation=Situation("read a list with a limit"),
    ),
    Item(
        "signing.body",
        "Bodies are signed",
        "X-Content-SHA256 is the SHA-256 hash of the request body.",
        "spec: Headers",
        "Create an object.",
        needs="body",
        observe=_make_signature_check(lambda request: bool(request.row.get("body_bytes"))),
        situation=Situation("create an object"),
    ),
    Item(
        "signing.non-ascii",
        "Bodies with letters that are not ASCII are signed",
        "The hash is that of the bytes that are sent, so the text must be encoded once.",
        "signing.body-hash",
        "Create an individual whose name has an accent, such as José.",
        needs="body",
        observe=_make_signature_check(lambda request: bool(request.row.get("non_ascii"))),
        situation=Situation("create an individual whose name has an accent"),
    ),
    Item(
        "signing.attempts",
        "Every attempt has a nonce and a date of its own",
        "X-Nonce is a unix timestamp in milliseconds followed by a 6-digit random value; a service "
        "can refuse a nonce that it has seen.",
        "signing.nonce-use",
        'Answer one request with 503 and let it be sent again: faults.on("transfers.list", '
        "status=503, times=1).",
        observe=observe_attempts,
        holds_under_faults=True,
        situation=Situation(
            "read the transfers", {"kind": "status", "operation": "transfers.list"}
        ),
    ),
    Item(
        "signing.refused",
        "A 401 ends the request",
        "A wrong signature stays wrong: the same request gets the same answer.",
        "signing.errors",
        'Answer one request with 401: faults.on("transfers.list", status=401, times=1).',
        observe=observe_refused_signature,
        holds_under_faults=True,
        situation=Situation(
            "read the transfers", {"kind": "status", "operation": "transfers.list", "status": 401}
        ),
    ),
)
