"""Proof that a service is a sandbox, before a walk creates its first object.

The only requests are sandbox deposits into an account that does not exist.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import Any
from unicodedata import combining, normalize

from ..client.base_url import is_sandbox_host
from ..client.call import Call
from ..client.client import Client
from ..corridors import on_ramps
from ..errors.api import APIStatusError, RateLimitError
from ..errors.base import PaylabError
from ..spec.envelope import find_object_path, walk_values
from ..spec.error_body import is_error
from ..spec.error_words import ERROR_DEPTH
from ..spec.json_path import last_name, value_at
from ..spec.models import Conversion, Deposit
from ..spec.service.keys import setting_keys
from ..spec.service.service import Service
from ..spec.translation import Translation
from . import steps
from .names import Values
from .paths import ABOUT_PATHS, PATH_MISSING, suggest_paths
from .refusals import (
    HopelessError,
    describe_error,
    is_web_page,
    read_requested_wait,
    split_complaints,
)
from .trial import BudgetError, Trials

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
HOPELESS_REQUESTS = 5
"""After so many requests, another web page ends the search for the path of a deposit."""
INVALID = (400, 422)
NOT_FOUND = 404
ELSEWHERE = re.compile(
    r"\bprod(?:ucti?on|uccion|ucao)?\b|\bprd\b|\blive\b|\benv(?:ironments?)?\b|\bentornos?\b"
    r"|\bambientes?\b|\bmod[eo]s?\b|\b(?:api|test|sandbox|secret|your|this) keys?\b"
    r"|\b(?:tu|su|sua|clave|llave|chave) (?:api|clave|llave|chave|de)\b"
    r"|\bonly\b.*\bsandbox|\bsandbox (?:\w+ ){0,3}only\b"
    r"|\b(?:solo|solamente|so|somente|apenas)\b.*\b(?:sandbox|pruebas?|testes?)\b"
    r"|\b(?:dis|des|in)(?:abled|abilitad[oa]s?|habilitad[oa]s?|ativad[oa]s?|activad[oa]s?)\b"
    r"|\b(?:not?|nao) (?:\w+ ){0,2}(?:available|enabled|dispon\w+|habilitad\w+)|\bunavailable\b"
    r"|\bindispon\w+|\bpermi(?:ss?i|t|so)\w*|\bpermissao\b|\bforbid\w*|\bproh?ibi\w+|\bdenied\b"
    r"|\bdenegad\w+|\bnegad\w+|\b(?:un)?authori[sz]\w+|\bautori[sz]\w+|\bnot (?:\w+ )?allowed\b"
    r"|\b(?:operation|operacion|operacao|handler|feature)\b",
    re.DOTALL,
)
"""Words that say that deposits cannot be simulated here, whatever field stands beside them.

In English, Spanish and Portuguese, in lower case and without accents.
"""
MISSING_PART = re.compile(r"\b(?:service|resource|servicio|servico|recurso|module|page)s?\b")
"""What is missing if a 404 is about the path, not about an account."""
SAYS_SANDBOX = re.compile(r"sandbox|simulat|(?<![a-z])test", re.IGNORECASE)
"""The path of an operation that a production does not have."""
ANSWERED = {*Deposit.model_fields, *Conversion.model_fields}
"""The fields of what a deposit is answered with."""
ENVELOPE = 3
"""How deeply a deposit is nested in an answer."""
FAILURE_NAMES = frozenset({
    *("message", "messages", "detail", "fault", "exception", "reason", "title"),
    *("errorcode", "errorcodes", "errormessage", "errormessages", "errormsg", "errmsg", "errno"),
})  # fmt: skip
"""Keys without case, hyphens and underscores, by which a 2xx describes a failure."""
FAILED = frozenset({
    *("error", "errors", "fail", "failed", "failure", "rejected", "refused", "declined", "denied"),
    *("forbidden", "unauthorized", "unauthorised", "false", "invalid"),
})  # fmt: skip
SUCCESS_NAMES = ("ok", "success", "issuccess", "succeeded")
STATE_NAMES = ("status", "state", "result", "code")
CODE_NAMES = ("status", "statuscode", "code")
FALSE = frozenset({"0", "false", "no"})


def require_sandbox(trials: Trials, list_name: str, *, is_named: bool) -> None:
    """HopelessError with one sentence unless the service is proven to be a sandbox.

    Proof is an answer of a sandbox operation about the fields of the deposit or the missing
    account, a host that says sandbox, or the word of the user (`is_named`). A 403 overrules all.
    `list_name` is a list that the service answers.
    """
    with _limit_waits(trials):
        answers = _collect_refusals(trials, list_name)
    address = trials.client.settings.base_url
    if answers and not (is_named or is_sandbox_host(address)):
        raise HopelessError(
            f"nothing shows that {address} is a sandbox: a sandbox deposit into an account that "
            f"does not exist got {answers[0]}; if you know that it is one, add --sandbox (in "
            "Python: sandbox=True), else leave out --write"
        )


def _collect_refusals(trials: Trials, list_name: str) -> list[str]:
    """The words of the answers that prove nothing; none if one of them is a proof.

    A service that answers with web pages is not asked at all paths that it may have.
    """
    _read_without_query(trials, list_name, "signing.", "rate_limits.")
    answer_texts = []
    for path in suggest_paths(setting_keys()[PATH], trials.service):
        answer = _propose_deposit(trials, list_name, path)
        call = trials.client.calls[-1]
        if _is_sandbox_path(path, trials.service) and is_proof(answer, call, trials.service):
            return []
        answer_texts.append(_describe_answer(answer, call))
        is_path_missing = getattr(answer, "status", None) in PATH_MISSING
        if not is_path_missing or (is_web_page(call) and trials.sent >= HOPELESS_REQUESTS):
            break
    return answer_texts


def _describe_answer(answer: object, call: Call) -> str:
    """What an answer that proves nothing is, in words."""
    if is_web_page(call):
        return f"{call.status} with a web page, which proves nothing"
    if isinstance(answer, PaylabError):
        return describe_error(answer)
    return f"{call.status}, without a deposit"


@contextmanager
def _limit_waits(trials: Trials) -> Iterator[None]:
    """Raise HopelessError instead of a wait that makes all waits longer than `LONGEST_WAITS`."""
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


def _is_sandbox_path(path: str, service: Service) -> bool:
    """Whether a path says that it is for a sandbox only, or is the one of the service's file."""
    return bool(SAYS_SANDBOX.search(path)) or path == service.value(PATH)


def is_proof(answer: object, call: Call, service: Service) -> bool:
    """Whether the answer to a deposit into no account is one that only a sandbox gives."""
    if call.method == "POST" and 200 <= (call.status or 0) < 300:
        return _is_accepted(call)
    if not isinstance(answer, APIStatusError) or is_web_page(call):
        return False  # not sent, not answered, or a page
    refusal_words = _fold_words(" ".join([str(answer), *_find_texts(answer.body)]))
    if ELSEWHERE.search(refusal_words):
        return False
    field_names = _find_named_fields(answer, service)
    if answer.status == NOT_FOUND:
        # A production looks for the account of any path below it, too.
        is_path_missing = NO_ACCOUNT in call.path or MISSING_PART.search(refusal_words)
        return not is_path_missing and (FIELDS[0] in field_names or _names_account(str(answer)))
    names_account = any(map(_names_account, [str(answer), *_find_codes(answer)]))
    return answer.status in INVALID and (names_account or not field_names.isdisjoint(FIELDS))


def _fold_words(words: str) -> str:
    """Words in lower case, without accents and signs: "conta não-existe" is "conta nao existe".

    A name such as `accountNotFound` is split into its words.
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words)
    letters = "".join(sign for sign in normalize("NFKD", spaced) if not combining(sign))
    return " ".join(re.findall(r"[a-z0-9]+", letters.lower()))


def _find_texts(body: object, depth: int = ERROR_DEPTH) -> Iterator[str]:
    """The texts of a body."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, dict | list) and depth:
        for member in body.values() if isinstance(body, dict) else body:
            yield from _find_texts(member, depth - 1)


def _find_codes(error: APIStatusError) -> Iterator[str]:
    """The texts of a refusal that are one word, such as `conversion_account_not_found`."""
    return (code for code in _find_texts(error.body) if re.fullmatch(r"\w+", code))


def _names_account(refusal_words: str) -> bool:
    """Whether words are about the account.

    Words that repeat the path or the body are not: "POST /v1/conversion_accounts/... not found".
    """
    is_repeated = (
        "/" in refusal_words
        or ABOUT_PATHS.search(refusal_words)
        or str(steps.DEPOSIT) in refusal_words
    )
    return not is_repeated and bool(ACCOUNT.search(refusal_words) or AMOUNT.search(refusal_words))


def _find_named_fields(error: APIStatusError, service: Service) -> set[str]:
    """Our names of the fields that a refusal is about."""
    ours = partial(Translation(service).translate_field, OPERATION, {})
    return {last_name(ours(complaint.field)) for complaint in split_complaints(error.problems)}


def _is_accepted(call: Call) -> bool:
    """Whether a 2xx has no body, or is JSON with a deposit that describes no failure."""
    if not call.response_body:
        return True
    try:
        body = json.loads(call.response_body.text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return False
    if not _has_deposit(body) or ELSEWHERE.search(_fold_words(" ".join(_find_texts(body)))):
        return False
    return not any(map(_is_failure, [body, *(member for _, member in walk_values(body, ENVELOPE))]))


def _has_deposit(body: object) -> bool:
    """Whether an object, or the single one inside it, is a deposit.

    It has an id, or repeats the account and the amount that were sent.
    """
    deposit_path = find_object_path(body, ANSWERED)
    deposit = value_at(body, deposit_path) if deposit_path else body
    if not isinstance(deposit, dict):
        return False
    if isinstance(deposit.get("id"), str | int) and deposit["id"]:
        return True
    deposit_texts = {str(deposit_value) for deposit_value in deposit.values()}
    amounts = {str(steps.DEPOSIT), f"{steps.DEPOSIT:.0f}", f"{steps.DEPOSIT:.1f}"}
    return NO_ACCOUNT in deposit_texts and not amounts.isdisjoint(deposit_texts)


def _is_failure(member: object) -> bool:
    """Whether an object of a 2xx describes an error, in whatever shape."""
    if not isinstance(member, dict):
        return False
    value_by_name = {
        re.sub("[_-]", "", field_name).lower(): field_value
        for field_name, field_value in member.items()
    }
    if is_error(value_by_name) or any(value_by_name.get(name) for name in FAILURE_NAMES):
        return True
    flags = [value_by_name[name] for name in SUCCESS_NAMES if name in value_by_name]
    states = [str(value_by_name.get(name)).lower() for name in STATE_NAMES]
    codes = [str(value_by_name.get(name)) for name in CODE_NAMES]
    return (
        any(not flag or str(flag).lower() in FALSE for flag in flags)
        or not FAILED.isdisjoint(states)
        or any(code.isdecimal() and int(code) >= 300 for code in codes)
    )


def _propose_deposit(trials: Trials, list_name: str, path: str) -> Any:
    """The answer to a deposit into no account at a path, or its error.

    HopelessError if the service asks to wait for too long.
    """
    try:
        answer = _deposit_with_settings(trials, list_name, path)
    except (BudgetError, HopelessError):
        raise
    except PaylabError as error:  # such as a request that a recording does not have
        return error
    if isinstance(answer, RateLimitError):
        seconds = read_requested_wait(answer, trials.service) or 0.0
        if seconds > LONGEST_WAITS:
            raise HopelessError(
                f"the service answers 429 and asks to wait {seconds:.0f} s: nothing was created; "
                "try again later"
            )
    return answer


def _deposit_with_settings(trials: Trials, list_name: str, path: str) -> Any:
    """The answer to a deposit at a path, also with the wait or the key that the service asks for.

    A 429, or a refusal of a missing key, says nothing about the path: it is asked once more.
    """
    settings: Values = {PATH: path}
    answer = trials.attempt(_deposit_into_none, settings)
    if not isinstance(answer, PaylabError):
        return answer
    if isinstance(answer, RateLimitError):
        if not answer.doubts:
            return answer
        _read_without_query(trials, list_name, "rate_limits.")  # finds how long to wait
        return trials.attempt(_deposit_into_none, settings)
    for candidate in answer.doubts:
        if KEYED in candidate:
            return trials.attempt(_deposit_into_none, {**settings, **candidate})
    return answer


def _deposit_into_none(client: Client) -> Any:
    return steps.create_deposit(client, NO_ACCOUNT, on_ramps.ON_RAMPS[0])


def _read_without_query(trials: Trials, list_name: str, *setting_names: str) -> None:
    """Read a list without a query, and change these settings until that succeeds.

    The deposit that follows has no query either: its signature is then known to be right, and it
    is not sent again in other dialects. If the list cannot be read, the settings stay as they are.
    """
    try:
        trials.run(partial(_read_list, list_name=list_name), setting_names)
    except (BudgetError, HopelessError):
        raise
    except PaylabError:
        return


def _read_list(client: Client, list_name: str) -> Any:
    return client.request("GET", client.service.path(f"{list_name}.list"))
