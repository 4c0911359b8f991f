"""Guess the settings behind the error of a request."""

from __future__ import annotations

import re

from ..client.exchange import Exchange
from ..client.retries import RESET, RETRY_AFTER_SECONDS_MAX, SINCE_1970, requested_wait
from ..errors.api import APIStatusError, RateLimitError
from ..errors.base import PaylabError
from ..spec.envelope import find_envelope_differences
from ..spec.operations.records import OPERATIONS
from ..spec.service.key import Value
from ..spec.service.keys import setting_keys
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.text import read_json
from .field_guesses import find_list_key, guess_field_settings
from .paths import PATH_MISSING, suggest_paths
from .refused_request import Guesses, RefusedRequest
from .signatures import is_about_signature, suggest_signatures

REFUSED = (400, 409, 415, 422)
KEY_HEADER = re.compile(r"\b[A-Za-z]+(?:-[A-Za-z]+)*-Key\b", re.IGNORECASE)
ABOUT_KEYS = re.compile(r"idempotency.?key", re.IGNORECASE)


def guess_settings(
    error: PaylabError, exchange: Exchange, service: Service, *, has_signed: bool = False
) -> Guesses:
    """Settings to try after the error of an exchange, most likely first.

    `has_signed` is whether a request with the same signing settings has succeeded.
    """
    operation = OPERATIONS.get(exchange.request.operation)
    if is_about_signature(error):
        yield from suggest_signatures(exchange, service, has_signed=has_signed)
    elif isinstance(error, RateLimitError):
        yield from _guess_wait(exchange, service)
    elif operation is None:
        return
    elif not isinstance(error, APIStatusError):  # a 2xx with a body that cannot be read
        yield from _guess_page_names(exchange, service)
    elif error.status in PATH_MISSING and (path_key := setting_key_of(operation.path)):
        yield from ({path_key: path} for path in suggest_paths(setting_keys()[path_key], service))
    elif error.status in REFUSED:
        yield from _guess_idempotency(str(error), exchange, service)
        yield from guess_field_settings(RefusedRequest(error, exchange, service))


def _guess_wait(exchange: Exchange, service: Service) -> Guesses:
    """Yield the header of a 429 that says when to ask again, and the unit of its value.

    Nothing if the settings in force read it already.
    """
    rate_limits = service.rate_limits
    known_wait_seconds = requested_wait(
        exchange.headers, now=exchange.when, header=rate_limits.header, unit=rate_limits.unit
    )
    if known_wait_seconds is not None:
        return
    for header_name, header_value in exchange.headers.items():
        if RESET.fullmatch(header_name):
            yield {
                "rate_limits.header": "-".join(map(str.title, header_name.split("-"))),
                "rate_limits.unit": _read_wait_unit(header_name, header_value),
            }


def _read_wait_unit(header_name: str, header_value: str) -> str:
    """Guess the unit of a header that says when to ask again, by its name and value."""
    if not re.fullmatch(r"\d{1,14}", header_value):
        return "date"
    if header_name.lower().endswith("-ms"):
        return "milliseconds"
    if int(header_value) >= SINCE_1970:
        return "unix_time"
    return "seconds" if int(header_value) <= RETRY_AFTER_SECONDS_MAX else "milliseconds"


def _guess_idempotency(refusal_text: str, exchange: Exchange, service: Service) -> Guesses:
    """Yield a key on every POST, if a refusal misses one, and another header for it, if named."""
    request = exchange.request
    if ABOUT_KEYS.search(refusal_text) and not OPERATIONS[request.operation].takes_key(service):
        yield {"idempotency.operations": "every_post"}
    if request.idempotency_key:
        for header_name in KEY_HEADER.findall(refusal_text):
            if header_name.lower() not in (service.idempotency.header.lower(), "x-api-key"):
                yield {"idempotency.header": header_name}


def _guess_page_names(exchange: Exchange, service: Service) -> Guesses:
    """Yield the names in an answer that should be a page of a list and is not, as one guess.

    Nothing for another operation, or for an answer that is no JSON.
    """
    operation = OPERATIONS[exchange.request.operation]
    if not operation.is_list:
        return
    try:
        body = read_json(exchange.content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return
    page_settings = read_page_settings(body, service.list(operation.resource))
    if page_settings:
        yield page_settings


def read_page_settings(body: object, form: ListForm) -> dict[str, Value]:
    """Read the settings of a list that an answer contradicts, with their values in it.

    For example `{"lists.transfers.items": "rows"}` if the answer has `rows` instead of `data`.
    """
    differing_settings = find_envelope_differences(body, form)
    return {
        find_list_key(form, setting_name): setting_value
        for setting_name, setting_value in differing_settings
    }
