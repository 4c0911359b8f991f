"""Find the settings that may be behind a failed request: their keys, and values that may fit."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from ..client.exchange import Exchange
from ..client.retries import TOO_MANY_REQUESTS, asked_wait
from ..errors.api import APIStatusError
from ..errors.base import PaylabError
from ..spec.envelope import envelope_differences
from ..spec.error_body import ErrorBody
from ..spec.operations.records import ANSWER_NAMES, OPERATIONS
from ..spec.resource import Resource
from ..spec.service.keys import keys
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.setting import key_of
from ..spec.text import read_json
from .field_hints import Doubt, Fields, list_key

PATH_MISSING = (404, 405, 501)
REFUSED = (400, 409, 415, 422)
FORBIDDEN = 403
ABOUT_PATHS = re.compile(r"rout|path|url|endpoint|cannot (get|post|delete)|/v\d", re.IGNORECASE)
SIGNING = ("key_encoding", "empty_query", "hash_encoding", "signed_path")
"""What may be signed otherwise, most likely first."""
COMMON_WORDS = frozenset({"id", "at", "is", "of", "currency", "amount", "account", "source"})
"""Words that are in many names and do not identify a field."""


def doubts_of(error: PaylabError, exchange: Exchange, service: Service) -> tuple[Doubt, ...]:
    """The settings that may have to change after the error of an exchange, most likely first."""
    operation = OPERATIONS.get(exchange.request.operation)
    if isinstance(error, APIStatusError):
        return tuple(dict.fromkeys(_of_refusal(error, exchange, service)))
    if operation is None or not operation.is_list:
        return ()
    try:
        body = read_json(exchange.content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return ()
    return tuple(of_page(body, service.list(operation.resource)))


def _of_refusal(error: APIStatusError, exchange: Exchange, service: Service) -> Iterator[Doubt]:
    """The settings that may be behind a refusal."""
    outgoing, status, limits = exchange.request, exchange.status, service.rate_limits
    if outgoing.operation:
        operation = OPERATIONS[outgoing.operation]
        if status in PATH_MISSING:
            key = key_of(operation.path)
            yield from [Doubt(key)] if key else ()
        elif status == FORBIDDEN and not operation.is_sandbox:
            yield Doubt("error_codes.signature", "403")
        elif status in REFUSED:
            complaints = ErrorBody(error.text, error.problems).complaints
            yield from Fields(outgoing, service).doubts(complaints)
    if status == TOO_MANY_REQUESTS:
        asked = asked_wait(exchange.headers, exchange.when, limits.header, limits.unit)
        yield from [Doubt("rate_limits.header")] if asked is None else ()
    is_signature = status == service.error_codes.signature and not outgoing.url.query
    if is_signature and error.call.finding is None:
        yield from (Doubt(f"signing.{name}") for name in SIGNING)


def of_page(body: object, form: ListForm) -> list[Doubt]:
    """The keys behind a response that is not a valid page."""
    differences = envelope_differences(body, form)
    return [Doubt(list_key(form, setting), value) for setting, value in differences]


def of_answer(kind: type[Resource], body: Mapping[str, Any], service: Service) -> Iterator[Doubt]:
    """The keys of missing fields that probably have another name in the response."""
    record = ANSWER_NAMES.get(kind.__name__)
    if record:
        table = key_of(record.answer_names).removesuffix(".fields")
        yield from _renamed(table, body, service, kind.model_fields)
    given = body.get("deposit_instructions")
    if isinstance(given, Mapping) and isinstance(given.get("details"), Mapping):
        yield from _renamed(f"deposit_instructions.{given.get('type')}", given["details"], service)


def _renamed(
    table: str, body: Mapping[str, Any], service: Service, known: Container[str] | None = None
) -> Iterator[Doubt]:
    """The missing fields of an object, and their probable names in it."""
    start = f"{table}.fields."
    table_keys = {name[len(start) :]: key for name, key in keys().items() if start in name}
    theirs = {our: str(service.value(key.name)) for our, key in table_keys.items()}
    heads = {place.partition(".")[0] for place in theirs.values()}
    free = [name for name in body if name not in heads and name not in (known or ())]
    for our in theirs if free else ():
        is_there = theirs[our].partition(".")[0] in body or (known is not None and our not in known)
        words = {*our.split("_")} - COMMON_WORDS
        found = (
            name
            for name in free
            if name in table_keys[our].others or words & {*name.lower().split("_")}
        )
        name = None if is_there else next(found, None)
        if name is not None:
            yield Doubt(table_keys[our].name, name)
