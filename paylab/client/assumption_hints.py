"""Find the assumptions behind a failed call: the key of a service.toml to set, and its value."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

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
from .field_hints import Doubt, Fields, list_key
from .request import OutgoingRequest

PATH_MISSING = (404, 405, 501)
REFUSED = (400, 409, 415, 422)
FORBIDDEN = 403
MOST_KEYS = 4
ABOUT_PATHS = re.compile(r"rout|path|url|endpoint|cannot (get|post|delete)|/v\d", re.IGNORECASE)
CHECK_ID = (
    "check the id first: the service has no object with it, or it belongs to another account or "
    "environment"
)
SIMULATOR = "SIMULATOR"
"""How the place of a simulator's calls begins."""
SIGNING = ("key_encoding", "empty_query", "hash_encoding", "signed_path")
"""What may be signed otherwise, most likely first."""
COMMON_WORDS = frozenset({"id", "at", "is", "of", "currency", "amount", "account", "source"})
"""Words that are in many names and do not identify a field."""


def name_assumptions(error: PaylabError, doubts: Sequence[Doubt], lead: str = "") -> None:
    """Add assumptions to an error; the first of them is its `key`."""
    if not doubts:
        return
    error.doubts = tuple(dict.fromkeys((*error.doubts, *doubts)))
    by_key = {doubt.key: doubt for doubt in sorted(doubts, key=lambda doubt: bool(doubt.value))}
    found = [by_key[key] for key in dict.fromkeys(doubt.key for doubt in doubts)][:MOST_KEYS]
    error.key = found[0].key
    error.assumption = keys()[found[0].key].row
    rows = ", ".join(dict.fromkeys(f"`{keys()[doubt.key].row}`" for doubt in found))
    listed = ", ".join(f'{d.key} = "{d.value}"' if d.value else d.key for d in found)
    advice = (
        f"{lead or 'this rests on an assumption'} ({rows}): set {listed} in service.toml if your "
        "provider documents it so, or run `paylab probe`"
    )
    error.hint = "; ".join(filter(None, (error.hint, advice)))


def name_dialect(error: PaylabError, found: Sequence[Doubt]) -> None:
    """Add the dialect that the service verifies, or the keys to check, to a refused signature."""
    if found:
        error.hint = None
        name_assumptions(
            error, found, "the service verifies a request that is signed in another dialect"
        )
    else:
        name_assumptions(error, [Doubt(f"signing.{name}") for name in SIGNING])


def of_refusal(
    error: APIStatusError, outgoing: OutgoingRequest, refusal: ErrorBody, service: Service
) -> None:
    """Add assumptions to the error of a refused call."""
    if not outgoing.operation:
        return
    if error.status in PATH_MISSING:
        _of_path(error, outgoing, refusal.text, service)
    elif error.status == FORBIDDEN and not OPERATIONS[outgoing.operation].is_sandbox:
        lead = "a 403 may be what the service answers to a signature that it refuses"
        name_assumptions(error, [Doubt("error_codes.signature", "403")], lead)
    elif error.status in REFUSED:
        name_assumptions(error, list(Fields(outgoing, service).doubts(refusal.complaints)))


def _of_path(error: APIStatusError, outgoing: OutgoingRequest, text: str, service: Service) -> None:
    """Say to check the id; that the path is not the one of the service, only if it may be."""
    route = next(route for route in service.routes if route.operation == outgoing.operation)
    path = getattr(error.call, "path", route.template)
    lead = f"{error.status} for {outgoing.method} {path}"
    is_sure = error.status != PATH_MISSING[0] or bool(ABOUT_PATHS.search(text))
    if not is_sure and ("{" in route.template or _has_ids(outgoing.asked)):
        error.hint = CHECK_ID
        lead = f"if it is right, the path may differ: {lead}"
        if str(getattr(error.call, "place", "")).startswith(SIMULATOR):
            return  # its paths are those of the settings, or its words are about the path
    key = key_of(OPERATIONS[route.operation].path)
    if not key:
        return
    is_shown = keys()[key].origin == "spec"
    kind = "is the one that the interface description shows" if is_shown else "is an assumption"
    name_assumptions(error, [Doubt(key)], f"{lead}. This path {kind}")


def _has_ids(body: object) -> bool:
    """Whether a body names objects of the service."""
    if not isinstance(body, Mapping):
        return False
    names = (name for name in body if name != "client_reference_id")
    return any(name == "id" or name.endswith("_id") or _has_ids(body[name]) for name in names)


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


def verified_dialect(service: Service, verifies: Callable[[str, str], bool]) -> tuple[Doubt, ...]:
    """The first of the other dialects in which the service verifies a signature."""
    for name in ("signing.empty_query", "signing.key_encoding"):
        for value in map(str, keys()[name].words):
            if value != service.value(name) and verifies(name, value):
                return (Doubt(name, value),)
    return ()
