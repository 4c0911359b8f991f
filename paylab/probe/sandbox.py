"""Proof that a service is a sandbox, before a walk creates its first object.

The only requests are sandbox deposits into an account that does not exist.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..client.base_url import is_sandbox_host
from ..client.call import Call
from ..client.client import Client
from ..client.retries import requested_wait
from ..corridors import on_ramps
from ..errors.api import APIStatusError, RateLimitError
from ..errors.base import PaylabError
from ..spec.complaints import Complaint
from ..spec.error_body import is_error
from ..spec.json_path import last_name
from ..spec.service.keys import keys
from ..spec.service.service import Service
from ..spec.translation import Translation
from . import steps
from .candidates import ABOUT_PATHS, PATH_MISSING, known_paths
from .steps import LISTS, HopelessError
from .trial import BudgetError, Trials, words_of

OPERATION = "sandbox.deposit"
KEYED = "idempotency.operations"
PATH = "paths.sandbox_deposits"
FIELDS = ("conversion_account_id", "amount", "currency", "sender_name")
NO_ACCOUNT = "00000000-0000-4000-8000-000000000000"
"""The id of an account that does not exist."""
ACCOUNT = re.compile(rf"{NO_ACCOUNT}|conversion[\s_-]?account(?!s)", re.IGNORECASE)
"""The account, as a service may name it."""
AMOUNT = re.compile(r"\bamount (?:must|exceeds|is (?:too|less|more|below|above))", re.IGNORECASE)
"""What a service says of the amount of a deposit without the name of a field."""
LONGEST_WAITS = 60.0
"""Maximum seconds of all waits before the service is proven to be a sandbox."""
INVALID = (400, 422)
NOT_FOUND = 404
ELSEWHERE = re.compile(
    r"\bproduction\b|\blive\b|\bonly\b.*\bsandbox|\bsandbox[\s_-]?(?:\w+\s){0,3}only\b|\bdisabled\b"
    r"|\bnot (?:available|enabled)\b|\bdeposits? (?:\w+ ){0,4}not (?:allowed|permitted|supported)\b"
    r"|\b(?:operation|handler|feature)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Words that say that deposits cannot be simulated here, whatever field stands beside them."""
FAILURES = frozenset({"message", "detail", "fault", "exception", "errorcode", "errormessage"})
"""Keys without case, hyphens and underscores, by which a 2xx describes a failure."""
FAILED = frozenset({"error", "errors", "fail", "failed", "failure", "rejected", "forbidden"})


def require_sandbox(trials: Trials, *, is_named: bool) -> None:
    """HopelessError with one sentence unless the service is proven to be a sandbox.

    Proof is an answer to the deposit about its fields or the missing account, a host that says
    sandbox, or the word of the user (`is_named`). A 403 overrules all of them.
    """
    with _bounded_waits(trials):
        answers = _refusals(trials)
    address = trials.client.settings.base_url
    if answers and not (is_named or is_sandbox_host(address)):
        raise HopelessError(
            f"nothing shows that {address} is a sandbox: a sandbox deposit into an account that "
            f"does not exist got {answers[0]}; if you know that it is one, add --sandbox (in "
            "Python: sandbox=True), else leave out --write"
        )


def _refusals(trials: Trials) -> list[str]:
    """The words of the answers that prove nothing; none if one of them is a proof."""
    _read_without_query(trials, "signing.", "rate_limits.")
    answers = []
    for path in known_paths(keys()[PATH], trials.service):
        answer = _propose(trials, path)
        call = trials.client.calls[-1]
        if is_proof(answer, call, trials.service):
            return []
        is_error = isinstance(answer, PaylabError)
        answers.append(words_of(answer) if is_error else f"{call.status}, without a deposit")
        if getattr(answer, "status", None) not in PATH_MISSING:
            break
    return answers


@contextmanager
def _bounded_waits(trials: Trials) -> Iterator[None]:
    """HopelessError instead of a wait that makes all waits longer than `LONGEST_WAITS`."""
    sleep = trials.client.sleep
    waited = 0.0

    def wait(seconds: float) -> None:
        nonlocal waited
        waited += seconds
        if waited > LONGEST_WAITS:
            raise HopelessError(
                "the service answers 429 and asks to wait again and again: nothing was created "
                f"within {LONGEST_WAITS:g} s of waiting; try again later"
            )
        sleep(seconds)

    trials.client = trials.client.with_service(trials.client.service, sleep=wait)
    try:
        yield
    finally:  # of the client with the settings that were found
        trials.client = trials.client.with_service(trials.client.service, sleep=sleep)


def is_proof(answer: object, call: Call, service: Service) -> bool:
    """Whether the answer to a deposit into no account is one that only a sandbox gives."""
    if not isinstance(answer, PaylabError):
        return _is_accepted(call)
    if not isinstance(answer, APIStatusError):  # not sent, not answered, or no deposit
        return False
    fields = _named_fields(answer, service)
    if ELSEWHERE.search(" ".join([str(answer), *(each.message for each in answer.problems)])):
        return False
    if answer.status == NOT_FOUND:
        if NO_ACCOUNT in call.path:  # a production looks for the account of any path below it
            return False
        return FIELDS[0] in fields or _names_account(str(answer))
    return answer.status in INVALID and (bool(fields & {*FIELDS}) or _names_account(str(answer)))


def _names_account(words: str) -> bool:
    """Whether words are about the account, and do not repeat the path or the body that was sent."""
    is_repeated = "/" in words or ABOUT_PATHS.search(words) or str(steps.DEPOSIT) in words
    return not is_repeated and bool(ACCOUNT.search(words) or AMOUNT.search(words))


def _named_fields(error: APIStatusError, service: Service) -> set[str]:
    """Our names of the fields that a refusal is about."""
    ours = partial(Translation(service).field, OPERATION, {})
    complaints = [Complaint(each.field, each.message) for each in error.problems]
    return {last_name(ours(part.field)) for each in complaints for part in each.each()}


def _is_accepted(call: Call) -> bool:
    """Whether a 2xx has no body, or a JSON object that describes no error."""
    if not call.response_body:
        return True
    try:
        body = json.loads(call.response_body.text)
    except (ValueError, RecursionError):
        return False
    return isinstance(body, dict) and not any(map(_is_failure, (body, *body.values())))


def _is_failure(value: object) -> bool:
    """Whether an object of a 2xx describes an error, in whatever shape."""
    if not isinstance(value, dict):
        return False
    known = {re.sub("[_-]", "", name).lower(): inner for name, inner in value.items()}
    states = [str(known.get(name)).lower() for name in ("status", "result")]
    codes = [known.get(name) for name in ("status", "statuscode", "code")]
    return (
        is_error(known)
        or known.get("ok") is False
        or any(known.get(name) for name in FAILURES)
        or not FAILED.isdisjoint(states)
        or any(isinstance(code, int) and code >= 300 for code in codes)
    )


def _propose(trials: Trials, path: str) -> Any:
    """The answer to a deposit into no account at a path, or its error."""
    try:
        answer = trials.attempt(_deposit_into_none, {PATH: path})
        if isinstance(answer, RateLimitError) and answer.doubts:
            _read_without_query(trials, "rate_limits.")  # finds how long to wait
            answer = trials.attempt(_deposit_into_none, {PATH: path})
        elif isinstance(answer, PaylabError):  # a key says nothing of the place
            keyed = next((values for values in answer.doubts if KEYED in values), None)
            if keyed:
                answer = trials.attempt(_deposit_into_none, {PATH: path, **keyed})
    except (BudgetError, HopelessError):
        raise
    except PaylabError as error:  # such as a request that a recording does not have
        return error
    if isinstance(answer, RateLimitError) and _asked(answer, trials.service) > LONGEST_WAITS:
        raise HopelessError(
            f"the service answers 429 and asks to wait {_asked(answer, trials.service):.0f} s: "
            "nothing was created; try again later"
        )
    return answer


def _asked(error: RateLimitError, service: Service) -> float:
    """The seconds that a 429 asks to wait."""
    call = error.call
    limits = service.rate_limits
    return requested_wait(call.response_headers, call.when, limits.header, limits.unit) or 0.0


def _deposit_into_none(client: Client) -> Any:
    return steps.create_deposit(client, NO_ACCOUNT, on_ramps.ON_RAMPS[0])


def _read_without_query(trials: Trials, *keys: str) -> None:
    """Read a list without a query, and change these keys until that succeeds.

    The deposit has no query either, so that it is sent in one dialect only.
    """
    for name in LISTS:
        try:
            trials.run(partial(_read_list, name=name), keys)
        except BudgetError:
            raise
        except PaylabError:
            continue
        return


def _read_list(client: Client, name: str) -> Any:
    return client.request("GET", client.service.path(f"{name}.list"))
