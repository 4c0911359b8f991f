"""Turn the error of a request into settings to try."""

from __future__ import annotations

import re

from ..client.exchange import Exchange
from ..client.retries import RESET, RETRY_AFTER_SECONDS_MAX, SINCE_1970, requested_wait
from ..errors.api import APIStatusError, RateLimitError
from ..errors.base import PaylabError
from ..spec.complaints import Complaint
from ..spec.envelope import find_envelope_differences
from ..spec.json_path import last_name
from ..spec.operations.records import OPERATIONS
from ..spec.service.key import Value
from ..spec.service.keys import setting_keys
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.text import read_json
from .fields import RefusedFields
from .names import Candidates, Values, find_list_key
from .paths import PATH_MISSING, suggest_paths
from .refusals import split_complaints
from .signatures import is_about_signature, suggest_dialects

NO_PROGRESS = (*range(300, 400), 401, 403, 404, 405, 429, 501)
"""Statuses that say nothing about the fields of a request."""
REFUSED = (400, 409, 415, 422)
KEY_HEADER = re.compile(r"\b[A-Za-z]+(?:-[A-Za-z]+)*-Key\b", re.IGNORECASE)
ABOUT_KEYS = re.compile(r"idempotency.?key", re.IGNORECASE)


def find_candidates(
    error: PaylabError, exchange: Exchange, service: Service, *, has_signed: bool = False
) -> Candidates:
    """Settings to try after the error of an exchange, most likely first.

    `has_signed` is whether a request with the same signing settings has succeeded.
    """
    if is_about_signature(error):
        yield from suggest_dialects(error, exchange, service, has_signed=has_signed)
    elif isinstance(error, RateLimitError):
        yield from _suggest_wait_settings(exchange, service)
    elif isinstance(error, APIStatusError):
        yield from _suggest_for_refusal(error, exchange, service)
    else:
        yield from _suggest_page_settings(exchange, service)


def _suggest_wait_settings(exchange: Exchange, service: Service) -> Candidates:
    """The header of a 429 that says when to ask again, and the unit of its value.

    Nothing if the settings in force read it already.
    """
    limits = service.rate_limits
    if requested_wait(exchange.headers, exchange.when, limits.header, limits.unit) is not None:
        return
    for header_name, header_value in exchange.headers.items():
        if RESET.fullmatch(header_name):
            header_words = header_name.split("-")
            yield {
                "rate_limits.header": "-".join(map(str.title, header_words)),
                "rate_limits.unit": _read_wait_unit(header_name, header_value),
            }


def _read_wait_unit(header_name: str, header_value: str) -> str:
    """The unit of the value of a header that says when to ask again."""
    if not re.fullmatch(r"\d{1,14}", header_value):
        return "date"
    if header_name.lower().endswith("-ms"):
        return "milliseconds"
    if int(header_value) >= SINCE_1970:
        return "unix_time"
    return "seconds" if int(header_value) <= RETRY_AFTER_SECONDS_MAX else "milliseconds"


def _suggest_for_refusal(error: APIStatusError, exchange: Exchange, service: Service) -> Candidates:
    """The settings that may be behind a refusal of a known operation."""
    operation = OPERATIONS.get(exchange.request.operation)
    if operation is None:
        return
    path_key = setting_key_of(operation.path)
    if error.status in PATH_MISSING and path_key:
        yield from ({path_key: path} for path in suggest_paths(setting_keys()[path_key], service))
    elif error.status in REFUSED:
        if ABOUT_KEYS.search(str(error)) and not operation.takes_key(service):
            yield {"idempotency.operations": "every_post"}
        if exchange.request.idempotency_key:
            yield from _suggest_key_headers(str(error), service)
        yield from RefusedFields(error, exchange, service).find_candidates()


def _suggest_key_headers(refusal_words: str, service: Service) -> Candidates:
    """Headers with a key that a refusal names, beside the one that was sent."""
    for header_name in KEY_HEADER.findall(refusal_words):
        if header_name.lower() not in (service.idempotency.header.lower(), "x-api-key"):
            yield {"idempotency.header": header_name}


def _suggest_page_settings(exchange: Exchange, service: Service) -> Candidates:
    """The names in an answer that is no page of a list: all together, then each alone.

    Nothing for another operation, or for an answer that is no JSON.
    """
    operation = OPERATIONS.get(exchange.request.operation)
    if operation is None or not operation.is_list:
        return
    try:
        body = read_json(exchange.content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return
    page_settings = read_page_settings(body, service.list(operation.resource))
    if page_settings:
        yield page_settings
    yield from ({setting_key: value} for setting_key, value in page_settings.items())


def read_page_settings(body: object, form: ListForm) -> dict[str, Value]:
    """The settings of a list that an answer contradicts, with their values in it."""
    differences = find_envelope_differences(body, form)
    return {find_list_key(form, setting_name): value for setting_name, value in differences}


MISSING = "missing"
UNKNOWN = "unknown"
FieldComplaint = tuple[str, str]
"""A field, "" for the whole request, and what is wrong with it."""


def is_progress(before: PaylabError, after: PaylabError, values: Values) -> bool:
    """Whether the refusal after a change is about something else than the one before.

    A complaint that the service misses or does not know what the change renamed is no progress.
    """
    if getattr(after, "status", None) in NO_PROGRESS:
        return False
    old_complaints = _list_complaints(before)
    new_complaints = _list_complaints(after)
    if type(before) is type(after) and not old_complaints - new_complaints:
        return False
    our_names = {last_name(setting_key) for setting_key in values if ".fields." in setting_key}
    their_names = {str(value) for value in values.values()}
    wrong_names = {
        field_name
        for field_name, complaint_kind in new_complaints - old_complaints
        if complaint_kind in (MISSING, UNKNOWN)
    }
    return wrong_names.isdisjoint(our_names | their_names)


def _list_complaints(error: PaylabError) -> set[FieldComplaint]:
    """What an error says of each field; of a status error without problems, its text."""
    problems = getattr(error, "problems", ())
    if not problems:
        return {("", str(error))} if isinstance(error, APIStatusError) else set()
    return {
        (last_name(complaint.field), _classify_complaint(complaint))
        for complaint in split_complaints(problems)
    }


def _classify_complaint(complaint: Complaint) -> str:
    """`MISSING`, `UNKNOWN`, or the words of a complaint."""
    if complaint.is_missing:
        return MISSING
    return UNKNOWN if complaint.is_unknown else complaint.words
