"""Proof that a service is a sandbox, before a run creates its first object.

The only requests are sandbox deposits into an account that does not exist.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from unicodedata import combining, normalize

from ..client.base_url import is_sandbox_host
from ..client.call import Call
from ..client.client import Client
from ..client.retries import requested_wait
from ..corridors import on_ramps
from ..errors.api import APIResponseError, APIStatusError, RateLimitError
from ..errors.base import PaylabError
from ..spec.error_words import find_texts
from ..spec.json_path import last_name
from ..spec.service.service import Service
from ..spec.translation import Translation
from . import actions
from .hopeless import HopelessError, raise_if_forbidden
from .paths import ABOUT_PATHS, PATH_MISSING
from .refused_request import describe_error, is_web_page, read_complaints
from .search import BudgetError, SettingsSearch, Success

PATH = "paths.sandbox_deposits"
ACCOUNT_FIELD = "conversion_account_id"
FIELDS = frozenset({ACCOUNT_FIELD, "amount", "currency", "sender_name"})
NO_ACCOUNT = "00000000-0000-4000-8000-000000000000"
"""The id of an account that does not exist."""
ACCOUNT = re.compile(rf"{NO_ACCOUNT}|conversion[\s_-]?account(?!s)", re.IGNORECASE)
"""The account, as a service may name it."""
AMOUNT = re.compile(r"\bamount (?:must|exceeds|is (?:too|less|more|below|above))", re.IGNORECASE)
"""What a service says of the amount of a deposit without the name of a field."""
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


class NoProofError(PaylabError):
    """An answer that proves nothing, and after which no other path is tried."""


def require_sandbox(search: SettingsSearch, list_name: str, *, is_confirmed: bool) -> None:
    """Raise HopelessError, with one sentence, unless the service is proven to be a sandbox.

    Proof is a refusal of a sandbox deposit that is about its fields or its missing account, a host
    that says sandbox, or that the user knows it (`is_confirmed`). A 403 overrules all. `list_name`
    is a list that the service answers.
    """
    # The copy keeps to itself which settings failed: those that do not help a deposit into no
    # account may help a deposit into an account.
    search_copy = replace(search)
    refusal_text = _seek_proof(search_copy, list_name)
    search.client = search_copy.client
    address = search.client.settings.base_url
    if refusal_text and not (is_confirmed or is_sandbox_host(address)):
        raise HopelessError(
            f"nothing shows that {address} is a sandbox: a sandbox deposit into an account that "
            f"does not exist got {refusal_text}; if you know that it is one, add --sandbox (in "
            "Python: sandbox=True), else leave out --write"
        )


def _seek_proof(search: SettingsSearch, list_name: str) -> str:
    """Propose deposits, and return "" after a proof, else the words of an answer without one.

    A list is read without a query before. The deposit has none either: its signature is then
    known to be right, and it is not sent again with other signatures.
    """
    try:
        with suppress(PaylabError):
            search.run(partial(_read_list, list_name=list_name), ("signing.", "rate_limits."))
        propose = partial(propose_deposit, stated_path=search.service.paths.sandbox_deposits)
        outcome = search.find(propose, (PATH, "idempotency.operations", "rate_limits."))
    except (BudgetError, HopelessError):
        raise
    except PaylabError as error:  # also of a request that a recording does not have
        return describe_error(error)
    if isinstance(outcome, Success):
        return ""
    refusal_text = describe_error(outcome.error)
    if isinstance(outcome.error, RateLimitError) and _asks_to_wait(outcome.error, search.service):
        message = f"the service asks to wait ({refusal_text}): nothing was created; try again later"
        raise HopelessError(message) from outcome.error
    return refusal_text


def _read_list(client: Client, list_name: str) -> Any:
    """Send a GET of a list without a query, and return the answer."""
    return client.request("GET", client.service.path(f"{list_name}.list"))


def _asks_to_wait(error: RateLimitError, service: Service) -> bool:
    """Whether a 429 says how long to wait, in the header of the settings."""
    call = error.call
    rate_limits = service.rate_limits
    wait_seconds = requested_wait(
        call.response_headers, now=call.when, header=rate_limits.header, unit=rate_limits.unit
    )
    return wait_seconds is not None


def propose_deposit(client: Client, stated_path: str) -> None:
    """Make a sandbox deposit into no account; its refusal is raised, unless that is a proof.

    The path of a proof says that it is for a sandbox, or is `stated_path`, that of the settings.
    NoProofError for an answer after which no other path is tried: a success, or a web page.
    """
    try:
        actions.create_deposit(
            client, account_id=NO_ACCOUNT, on_ramp=on_ramps.ON_RAMPS[0], amount=actions.DEPOSIT
        )
    except (APIStatusError, APIResponseError) as error:
        raise_if_forbidden(error)
        if is_web_page(error.call) and not _is_page_of_router(error.call):
            message = f"{error.call.status} with a web page, which proves nothing"
            raise NoProofError(message) from error
        path = client.service.paths.sandbox_deposits
        is_sandbox_path = path == stated_path or SAYS_SANDBOX.search(path) is not None
        if is_sandbox_path and _is_proof(error, client.service):
            return
        raise
    raise NoProofError(f"{client.calls[-1].status}, which proves nothing")


def _is_page_of_router(call: Call) -> bool:
    """Whether a web page is that of a router which has nothing at the path: the page repeats it."""
    return call.status in PATH_MISSING and call.path in call.response_body.text


def _is_proof(error: PaylabError, service: Service) -> bool:
    """Whether the refusal of a deposit into no account is one that only a sandbox gives.

    It names the account, or another field of the deposit, and says nothing of production.
    """
    if not isinstance(error, APIStatusError) or is_web_page(error.call):
        return False
    refusal_words = _fold_words(" ".join([str(error), *find_texts(error.body)]))
    if ELSEWHERE.search(refusal_words):
        return False
    field_names = _list_refused_fields(error, service)
    if error.status == NOT_FOUND:
        if _may_be_about_path(error, refusal_words):
            return False
        return ACCOUNT_FIELD in field_names or _names_account(str(error))
    if error.status not in INVALID:
        return False
    return bool(field_names & FIELDS) or _names_account_anywhere(error)


def _list_refused_fields(error: APIStatusError, service: Service) -> set[str]:
    """Our names of the fields of a deposit that a refusal is about."""
    translate = partial(Translation(service).translate_field, "sandbox.deposit", {})
    return {last_name(translate(complaint.field)) for complaint in read_complaints(error)}


def _may_be_about_path(error: APIStatusError, refusal_words: str) -> bool:
    """Whether a 404 may say that there is nothing at the path, as in a production.

    A production also looks for the account of any path below it.
    """
    return NO_ACCOUNT in error.call.path or MISSING_PART.search(refusal_words) is not None


def _names_account_anywhere(error: APIStatusError) -> bool:
    """Whether the message of a refusal, or a code beside it, is about the account or the amount."""
    body_texts = [body_text.rpartition(": ")[2] for body_text in find_texts(error.body)]
    code_texts = [body_text for body_text in body_texts if re.fullmatch(r"\w+", body_text)]
    return any(map(_names_account, [str(error), *code_texts]))


def _fold_words(words: str) -> str:
    """Write words in lower case without accents and signs: "conta não-existe", "conta nao existe".

    A name such as `accountNotFound` is split into its words.
    """
    spaced_text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words)
    decomposed_text = normalize("NFKD", spaced_text)
    unaccented_text = "".join(
        character for character in decomposed_text if not combining(character)
    )
    return " ".join(re.findall(r"[a-z0-9]+", unaccented_text.lower()))


def _names_account(refusal_words: str) -> bool:
    """Whether words are about the account, or the amount that was to be paid into it.

    False for words that repeat the path or body: "POST /v1/conversion_accounts/... not found".
    """
    repeats_path = "/" in refusal_words or ABOUT_PATHS.search(refusal_words) is not None
    repeats_body = actions.DEPOSIT in refusal_words
    if repeats_path or repeats_body:
        return False
    return bool(ACCOUNT.search(refusal_words) or AMOUNT.search(refusal_words))
