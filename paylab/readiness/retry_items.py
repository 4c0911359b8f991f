"""Items: when a request is sent again after a refusal, a limit or a failure of the service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..spec import timestamps
from .facts import RequestFacts, gap_seconds
from .history import History
from .item import Item, Observation, Situation, note_right, note_wrong

ATTEMPTS_MAX = 10
"""Maximum attempts of one request in a minute; more are no longer bounded."""

MINUTE_SECONDS = 60

EVEN_SECONDS = 5
"""Equal gaps that are longer are those of a program that polls."""

RUN_SECONDS = 600
"""A repetition after a longer pause is a new try, such as the next run of a program."""

HURRY_SECONDS = 0.02
"""A gap below this is no pause."""

EARLY_SECONDS = 0.05
"""How much earlier than Retry-After a request may come: clocks differ."""

EVEN_RATIO = 1.1
"""Gaps that differ by less than this are equal; those of a random backoff do not."""

STATE_STATUSES = (400, 403, 404, 415, 422)
"""Refusals that stay the same while nothing changes."""


def observe_rate_limit(history: History) -> Iterator[Observation]:
    """Observe whether a request waits after a 429 as long as Retry-After says."""
    for request in history.requests:
        if request.status != 429:
            continue
        wait_seconds = _read_wait_seconds(request)
        repetition = history.next_same(request)
        if repetition is None:
            yield note_right(request, "was not sent again")
            continue
        gap = gap_seconds(request, repetition)
        if gap + EARLY_SECONDS >= wait_seconds:
            yield note_right(repetition, f"sent again after {gap:.1f} s of {wait_seconds:g} s")
        else:
            observation_text = f"sent again after {gap:.1f} s; Retry-After was {wait_seconds:g} s"
            yield note_wrong(repetition, observation_text)


def _read_wait_seconds(request: RequestFacts) -> float:
    """The seconds of Retry-After, given as a number or a date. 0 if there is none."""
    retry_after_text = str((request.row.get("answer_headers") or {}).get("retry-after", ""))
    try:
        return float(retry_after_text)
    except ValueError:
        retry_time = timestamps.from_http(retry_after_text)
    return (retry_time - request.at).total_seconds() if retry_time else 0.0


def observe_failures(history: History) -> Iterator[Observation]:
    """Observe whether there are few attempts after a 5xx, with pauses that are not all equal."""
    for attempts in _find_retries(history):
        last_attempt = attempts[-1]
        if len(attempts) == 2 and last_attempt.status < 500:
            continue  # one repetition shows neither a limit nor growing gaps
        gaps = [
            gap_seconds(earlier_attempt, later_attempt)
            for earlier_attempt, later_attempt in pairwise(attempts)
        ]
        mistake_text = _describe_bad_retries(attempts, gaps)
        if mistake_text:
            yield note_wrong(last_attempt, mistake_text)
        elif gaps:
            gaps_text = ", ".join(f"{gap:.1f}" for gap in gaps)
            yield note_right(last_attempt, f"{len(attempts)} attempts, after {gaps_text} s")
        else:
            yield note_right(last_attempt, "was not sent again")


def _describe_bad_retries(attempts: Sequence[RequestFacts], gaps: Sequence[float]) -> str:
    """Say what is wrong with attempts, by the gaps between them in seconds; "" if nothing is."""
    attempt_count = len(attempts)
    has_too_many = attempt_count > ATTEMPTS_MAX
    if has_too_many and gap_seconds(attempts[0], attempts[ATTEMPTS_MAX]) < MINUTE_SECONDS:
        return f"{attempt_count} attempts of one request"
    if len(gaps) > 1 and max(gaps) < HURRY_SECONDS:
        return f"{attempt_count} attempts without a pause"
    # A service that says how long to wait may itself make the gaps equal.
    has_retry_after = any(
        "retry-after" in (attempt.row.get("answer_headers") or {}) for attempt in attempts
    )
    if not has_retry_after and _are_even(gaps):
        return f"{attempt_count} attempts, each {gaps[0]:.1f} s after the one before"
    return ""


def _are_even(gaps: Sequence[float]) -> bool:
    """Whether three gaps or more, in seconds, are short and equal."""
    return len(gaps) > 2 and max(gaps) < min(EVEN_RATIO * min(gaps), EVEN_SECONDS)


def _find_retries(history: History) -> Iterator[Sequence[RequestFacts]]:
    """Yield the attempts of each request from its first 5xx to the attempt that ended it.

    An attempt after a pause of more than RUN_SECONDS begins anew, for example after a 503, 503,
    an hour, 503, 200: the first two are one run of attempts, and the last two another.
    """
    for attempts_of_request in history.repeats():
        attempts: list[RequestFacts] = []
        for attempt in attempts_of_request:
            if attempts and not _is_retry(attempts[-1], attempt):
                yield attempts
                attempts = []
            # After "refuse" and "timeout" the client has seen no status.
            is_failure = attempt.status >= 500 and attempt.fault not in ("refuse", "timeout")
            if is_failure or attempts:
                attempts.append(attempt)
        if attempts:
            yield attempts


def _is_retry(last_attempt: RequestFacts, attempt: RequestFacts) -> bool:
    """Whether an attempt is a retry of the last one: that one failed, and soon before."""
    return last_attempt.status >= 500 and gap_seconds(last_attempt, attempt) <= RUN_SECONDS


def observe_refusals(history: History) -> Iterator[Observation]:
    """Observe whether what was refused is not sent again unless something has changed."""
    for request in history.requests:
        if request.method == "GET" or request.status not in STATE_STATUSES:
            continue
        repetition = history.next_same(request)
        if repetition is None or gap_seconds(request, repetition) > RUN_SECONDS:
            yield note_right(request, f"the {request.status} ended it")
        elif not _has_changed(history, request, repetition):
            yield note_wrong(
                repetition, f"call {request.number} unchanged, which got {request.status}"
            )


def _has_changed(history: History, request: RequestFacts, repeat: RequestFacts) -> bool:
    """Whether something was read, sent, delivered or moved between two requests."""
    if history.between(request, repeat):
        return True
    return any(
        request.sequence < control_note.sequence < repeat.sequence
        for control_note in history.notes
        if control_note["control"] != "fault_fired"
    )


ITEMS = (
    Item(
        "retries.429",
        "A 429 is obeyed",
        "Rate limits are not described by the spec; 429 with Retry-After is what services send.",
        "errors.server",
        'Answer with 429: faults.on("transfers.list", status=429, retry_after=2, times=1).',
        observe=observe_rate_limit,
        holds_under_faults=True,
        situation=Situation(
            "read the transfers",
            {"kind": "status", "operation": "transfers.list", "status": 429, "retry_after": 2},
        ),
    ),
    Item(
        "retries.5xx",
        "5xx are repeated a few times, after growing gaps",
        "A service that fails does not recover faster when every client calls it at once.",
        "errors.server",
        'Answer with 503 three times: faults.on("transfers.list", status=503, times=3).',
        observe=observe_failures,
        holds_under_faults=True,
        situation=Situation(
            "read the transfers",
            {"kind": "status", "operation": "transfers.list", "status": 503, "times": 3},
        ),
    ),
    Item(
        "retries.refusals",
        "A refused request is not sent again unchanged",
        "Validation failures give 400, wrong states 422, unknown objects 404: only a change helps.",
        "spec: Errors",
        'Send an amount that is not valid, such as "0", in a test with '
        '@pytest.mark.paylab(expects="400").',
        observe=observe_refusals,
        holds_under_faults=True,
        situation=Situation("create what is not valid, such as a transfer of 0"),
    ),
)
