"""Turn the error of a request into settings to try."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from ..client.dialects import is_explained
from ..client.exchange import Exchange
from ..client.retries import RETRY_AFTER_SECONDS_MAX, requested_wait
from ..errors.api import APIStatusError, AuthenticationError, PermissionDeniedError, RateLimitError
from ..errors.base import PaylabError
from ..spec.complaints import Complaint
from ..spec.envelope import find_envelope_differences
from ..spec.json_path import last_name
from ..spec.operations.records import OPERATIONS
from ..spec.service.key import Key, Value
from ..spec.service.keys import keys
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.setting import key_of
from ..spec.service.value_types import NONE
from ..spec.text import read_json
from .fields import RefusedFields
from .names import list_key

Values = Mapping[str, Value]

PATHS: Mapping[str, tuple[str, ...]] = {
    "quotes": ("/v1/transfer_quotes", "/v1/transfers/quote", "/v1/quotes/create", "/v1/fx/quotes"),
    "sandbox": (
        "/v1/simulations/deposits",
        "/v1/sandbox_deposits",
        "/v1/conversion_accounts/{id}/deposit",
        "/v1/simulate/deposits",
    ),
    "conversions": ("/v1/onramp/conversions", "/v1/on_ramp/conversions"),
    "conversion_accounts": (
        "/v1/virtual_accounts",
        "/v1/onramp/conversion_accounts",
        "/v1/conversions/accounts",
    ),
    "individuals": ("/v1/customers", "/v1/users"),
    "transfers": ("/v1/payouts", "/v1/payments"),
    "webhook_subscriptions": ("/v1/webhooks", "/v1/webhooks/subscriptions"),
    "upload_verification_images": ("/v1/individuals/{id}/documents", "/v1/individuals/{id}/images"),
    "verification_images": ("/v1/individuals/{id}/documents", "/v1/individuals/{id}/images"),
}
"""Paths that public descriptions of such services have, by resource or by key."""

NO_PROGRESS = (*range(300, 400), 401, 403, 404, 405, 429, 501)
"""Statuses that say nothing about the fields of a request."""
PATH_MISSING = (404, 405, 501)
REFUSED = (400, 409, 415, 422)
ABOUT_PATHS = re.compile(r"rout|path|url|endpoint|cannot (get|post|delete)|/v\d", re.IGNORECASE)
ABOUT_SIGNATURES = re.compile(
    r"signature|signed|hmac|credential|unauthori[sz]ed|x-(date|nonce|content-sha256)",
    re.IGNORECASE,
)
OTHER_SCHEME = re.compile(r"bearer|oauth|(?<!x-)\bapi.?key|ed25519|rsa|certificate", re.IGNORECASE)
"""Words of a refusal that no other signature of this kind answers."""
KEY_HEADER = re.compile(r"\b[A-Za-z]+(?:-[A-Za-z]+)*-Key\b", re.IGNORECASE)
ABOUT_KEYS = re.compile(r"idempotency.?key", re.IGNORECASE)


def candidates(
    error: PaylabError, exchange: Exchange, service: Service, *, has_signed: bool = False
) -> Iterator[Values]:
    """Settings to try after the error of an exchange, most likely first.

    `has_signed` is whether a request with the same signing settings has succeeded.
    """
    if is_about_signature(error):
        yield from dialects(error, exchange, service, has_signed=has_signed)
    elif isinstance(error, RateLimitError):
        yield from _suggest_wait_settings(exchange, service)
    elif isinstance(error, APIStatusError):
        yield from _of_refusal(error, exchange, service)
    else:
        yield from _of_page(exchange, service)


def is_about_signature(error: PaylabError) -> bool:
    """Whether another signature may help: a 401, or a 403 that says so, without another reason."""
    headers = getattr(error, "call", None) and error.call.response_headers
    refusal_words = f"{error} {(headers or {}).get('www-authenticate', '')}"
    if isinstance(error, PermissionDeniedError):
        return bool(ABOUT_SIGNATURES.search(refusal_words))
    if not isinstance(error, AuthenticationError) or OTHER_SCHEME.search(refusal_words):
        return False
    return not is_explained(error) or bool(ABOUT_SIGNATURES.search(refusal_words))


PARTIAL = ("signing.empty_query", "signing.query_order", "signing.hash_encoding")
"""How a query or a body is signed, which a request without one does not show."""
CLOCK_SECONDS = 300
"""A clock that is off by more explains why a signature is refused."""


def dialects(
    error: PaylabError, exchange: Exchange, service: Service, *, has_signed: bool
) -> Iterator[Values]:
    """Every other way to sign; first what the words of the service name.

    After a request that succeeded, only those of a query or a body.
    """
    if abs(exchange.skew or 0) > CLOCK_SECONDS:
        return
    request = exchange.request
    base = request.url.path.removesuffix(request.path)
    if base and service.signing.base_path == NONE and not has_signed:
        yield {"signing.base_path": base}
    refusal_words = str(error).lower()
    setting_names = [
        setting_name
        for setting_name, setting in keys().items()
        if setting_name.startswith(PARTIAL if has_signed else "signing.") and setting.kind == "word"
    ]
    for setting_name in sorted(
        setting_names, key=lambda setting_name: not _is_named(setting_name, refusal_words)
    ):
        for setting_word in keys()[setting_name].words:
            if setting_word not in (
                service.value(setting_name),
                "required",
            ):  # a nonce is sent anyway
                yield {setting_name: setting_word}


def _is_named(setting_name: str, refusal_words: str) -> bool:
    """Whether words name what a signing setting is about, such as the date or the nonce."""
    setting_words = setting_name.partition(".")[2].split("_")
    return any(
        word in refusal_words for word in setting_words if word not in ("form", "order", "encoding")
    )


RESET = re.compile(r"retry-after(-ms)?|(x-)?rate-?limit-reset(-after)?", re.IGNORECASE)
SINCE_1970 = 1_000_000_000


def _suggest_wait_settings(exchange: Exchange, service: Service) -> Iterator[Values]:
    """The header of a 429 that says when to ask again, and the unit of its value."""
    limits = service.rate_limits
    if requested_wait(exchange.headers, exchange.when, limits.header, limits.unit) is not None:
        return
    for header_name, header_value in exchange.headers.items():
        if not RESET.fullmatch(header_name):
            continue
        if not re.fullmatch(r"\d{1,14}", header_value):
            unit = "date"
        elif header_name.lower().endswith("-ms"):
            unit = "milliseconds"
        elif int(header_value) >= SINCE_1970:
            unit = "unix_time"
        else:
            unit = "seconds" if int(header_value) <= RETRY_AFTER_SECONDS_MAX else "milliseconds"
        yield {
            "rate_limits.header": "-".join(map(str.title, header_name.split("-"))),
            "rate_limits.unit": unit,
        }


def _of_refusal(error: APIStatusError, exchange: Exchange, service: Service) -> Iterator[Values]:
    """The settings that may be behind a refusal of a known operation."""
    operation = OPERATIONS.get(exchange.request.operation)
    if operation is None:
        return
    path_key = key_of(operation.path)
    if error.status in PATH_MISSING and path_key:
        yield from ({path_key: path} for path in known_paths(keys()[path_key], service))
    elif error.status in REFUSED:
        if ABOUT_KEYS.search(str(error)) and not operation.takes_key(service):
            yield {"idempotency.operations": "every_post"}
        if exchange.request.idempotency_key:
            yield from _key_headers(str(error), service)
        yield from RefusedFields(error, exchange, service).candidates()


def _key_headers(refusal_words: str, service: Service) -> Iterator[Values]:
    """Headers with a key that a refusal names, beside the one that was sent."""
    for header_name in KEY_HEADER.findall(refusal_words):
        if header_name.lower() not in (service.idempotency.header.lower(), "x-api-key"):
            yield {"idempotency.header": header_name}


def _of_page(exchange: Exchange, service: Service) -> Iterator[Values]:
    """The names in an answer that is no page of a list: all together, then each alone."""
    operation = OPERATIONS.get(exchange.request.operation)
    if operation is None or not operation.is_list:
        return
    try:
        body = read_json(exchange.content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return
    page_settings = page_values(body, service.list(operation.resource))
    if page_settings:
        yield page_settings
    yield from (
        {setting_key: setting_value} for setting_key, setting_value in page_settings.items()
    )


def page_values(body: object, form: ListForm) -> dict[str, Value]:
    """The settings of a list that an answer contradicts, with their values in it."""
    differences = find_envelope_differences(body, form)
    return {list_key(form, setting): setting_value for setting, setting_value in differences}


def is_progress(before: PaylabError, after: PaylabError, values: Values) -> bool:
    """Whether the refusal after a change is about something else than the one before.

    A complaint that the service misses or does not know what the change renamed is no progress.
    """
    if getattr(after, "status", None) in NO_PROGRESS:
        return False
    old = _complaints_of(before)
    new = _complaints_of(after)
    if type(before) is type(after) and not old - new:
        return False
    ours = {last_name(setting_key) for setting_key in values if ".fields." in setting_key}
    theirs = {str(setting_value) for setting_value in values.values()}
    wrong_name = {
        field for field, complaint_kind in new - old if complaint_kind in (MISSING, UNKNOWN)
    }
    return not wrong_name & (ours | theirs)


MISSING = "missing"
UNKNOWN = "unknown"


def _complaints_of(error: PaylabError) -> set[tuple[str, str]]:
    """What an error says, as fields and what is wrong with each."""
    problems = getattr(error, "problems", ())
    if problems:
        complaints = [Complaint(problem.field, problem.message) for problem in problems]
        field_complaints = [
            field_complaint
            for complaint in complaints
            for field_complaint in complaint.split_by_field()
        ]
        return {
            (last_name(field_complaint.field), _kind_of_complaint(field_complaint))
            for field_complaint in field_complaints
        }
    return {("", str(error))} if isinstance(error, APIStatusError) else set()


def _kind_of_complaint(complaint: Complaint) -> str:
    return MISSING if complaint.is_missing else UNKNOWN if complaint.is_unknown else complaint.words


def known_paths(key: Key, service: Service) -> Iterator[str]:
    """Other paths: those of the resource, those of public descriptions, other spellings."""
    path_name = key.name.partition(".")[2]
    resource = next(
        operation.resource
        for operation in OPERATIONS.values()
        if key_of(operation.path) == key.name
    )
    all_paths = [
        service.value(key.name),
        *_paths_of_resource(key, resource, service),
        *key.others,
        *_public_paths(key, resource),
        *_public_paths(key, path_name),
    ]
    # Other values of the key are words, such as that for no path.
    paths = [str(path) for path in all_paths if str(path).startswith("/")]
    spellings = [spelling for path in paths for spelling in (path, *_path_spellings(path))]
    for spelling in dict.fromkeys(spellings):
        with suppress(ValueError):
            yield str(key.limit.check(spelling) if key.limit else spelling)
    reads_one_object = path_name.endswith(("individual", "transfer", "account", "conversion"))
    if NONE in key.others and reads_one_object:
        yield NONE  # the list is read instead, which the same step proves


def _paths_of_resource(key: Key, resource: str, service: Service) -> list[str]:
    """The paths of the other operations of a resource, with the id that the key needs."""
    operations = [f"{resource}.{verb}" for verb in ("create", "list", "get")]
    paths = [OPERATIONS[name].path(service) for name in operations if name in OPERATIONS]
    if "id" not in key.holds:
        return paths
    return [path if "{id}" in path else f"{path}/{{id}}" for path in paths]


def _public_paths(key: Key, resource: str) -> list[str]:
    """The paths of public descriptions, with the id that the key needs."""
    id_suffix = "/{id}" if "id" in key.holds else ""
    return [path if "{id}" in path else path + id_suffix for path in PATHS.get(resource, ())]


def _path_spellings(path: str) -> Iterator[str]:
    """A path in kebab and in snake, and in the singular."""
    segments = re.split(r"(\{[a-z_]+\}|^/v1)", path)
    for old, new in (("_", "-"), ("-", "_"), (r"s(?=/|$)", "")):
        yield "".join(
            segment if segment.startswith(("{", "/v1")) else re.sub(old, new, segment)
            for segment in segments
        )
