"""Turn a refusal into settings to try, by the client's own hints and the words of the service."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import SequenceMatcher

from ..client.retries import LONGEST_RETRY_AFTER
from ..errors.api import APIStatusError, AuthenticationError, PermissionDeniedError, RateLimitError
from ..errors.base import PaylabError
from ..spec.complaints import Complaint
from ..spec.json_path import last_name
from ..spec.operations.records import OPERATIONS
from ..spec.service.key import Key, Value
from ..spec.service.keys import keys
from ..spec.service.service import Service
from ..spec.service.setting import key_of
from ..spec.service.value_types import NONE
from .field_hints import Doubt, accepted_words, table_of

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
    "conversion_accounts": ("/v1/onramp/conversion_accounts", "/v1/conversions/accounts"),
    "individuals": ("/v1/customers", "/v1/users"),
    "transfers": ("/v1/payouts", "/v1/payments"),
    "webhook_subscriptions": ("/v1/webhooks", "/v1/webhooks/subscriptions"),
}
"""Paths that public descriptions of such services have, by resource."""

NO_PROGRESS = (*range(300, 400), 401, 403, 404, 405, 429, 501)
"""Statuses that say nothing about the fields of a request."""

PAGE_SIZES = (50, 20, 10)

_CHOICE = re.compile(
    r"(?:(?:one|array|list) of|expected|(?:should|must) be|allowed(?: values)?(?: are)?|supported)"
    r"[ :]+"
    r"\[?((?:['\"]?[\w.+-]+['\"]?(?:\s*(?:,|\||\bor\b|\band\b)\s*|$|\]))+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"['\"]?([\w.+-]+)['\"]?")
_NUMBER = re.compile(r"\d+")
_NOT_CHOICES = frozenset({"or", "and", "a", "an", "one", "of", "text", "string", "number"})


def candidates(error: PaylabError, service: Service) -> Iterator[Values]:
    """Settings to try after a refusal, most likely first; each is one key, or one envelope."""
    if isinstance(error, AuthenticationError):
        yield from dialects(service)
        return
    if isinstance(error, RateLimitError):
        yield from _waits(error)
        return
    told = _told(error)
    read: dict[str, Value] = {
        doubt.key: int(doubt.value) if keys()[doubt.key].kind == "integer" else doubt.value
        for doubt in error.doubts
        if doubt.value
    }
    if read and not isinstance(error, APIStatusError):
        yield read
    yield from ({key: value} for key, value in read.items())
    sent = _sent(error)
    for doubt in error.doubts:
        yield from _of_key(doubt, told, service, sent)
    yield from _of_request(error, told, service, sent)
    if isinstance(error, PermissionDeniedError):
        yield from dialects(service)


def dialects(service: Service) -> Iterator[Values]:
    """Every other way to sign."""
    for name, key in keys().items():
        if name.startswith("signing.") and key.kind == "word":
            for value in key.words:
                if value != service.value(name):
                    yield {name: value}


RESET = re.compile(r"retry-after(-ms)?|(x-)?rate-?limit-reset(-after)?", re.IGNORECASE)
SINCE_1970 = 1_000_000_000


def _waits(error: APIStatusError) -> Iterator[Values]:
    """The header of a 429 that says when to ask again, and the unit of its value."""
    headers = error.call.response_headers if error.call else {}
    for name, value in headers.items():
        if not RESET.fullmatch(name):
            continue
        if not re.fullmatch(r"\d{1,14}", value):
            unit = "date"
        elif name.lower().endswith("-ms"):
            unit = "milliseconds"
        elif int(value) >= SINCE_1970:
            unit = "unix_time"
        else:
            unit = "seconds" if int(value) <= LONGEST_RETRY_AFTER else "milliseconds"
        yield {
            "rate_limits.header": "-".join(map(str.title, name.split("-"))),
            "rate_limits.unit": unit,
        }


def is_progress(before: PaylabError, after: PaylabError, values: Values) -> bool:
    """Whether the refusal after a change is about something else than the one before.

    A complaint that the service misses or does not know what the change renamed is no progress.
    """
    if getattr(after, "status", None) in NO_PROGRESS:
        return False
    old, new = _complaints(before), _complaints(after)
    if type(before) is type(after) and not old - new:
        return False
    ours = {last_name(key) for key in values if ".fields." in key}
    theirs = {str(value) for value in values.values()}
    wrong_name = {field for field, kind in new - old if kind in (MISSING, UNKNOWN)}
    return not wrong_name & (ours | theirs)


MISSING, UNKNOWN = "missing", "unknown"


def _told(error: PaylabError) -> list[Complaint]:
    return [Complaint(each.field, each.message) for each in getattr(error, "problems", ())]


def _complaints(error: PaylabError) -> set[tuple[str, str]]:
    """What an error says, as fields and what is wrong with each."""
    if told := _told(error):
        return {(last_name(one.field), _kind(one)) for each in told for one in each.each()}
    return {("", str(error))} if isinstance(error, APIStatusError) else set()


def _kind(complaint: Complaint) -> str:
    return MISSING if complaint.missing else UNKNOWN if complaint.unknown else complaint.words


def _of_key(
    doubt: Doubt, told: list[Complaint], service: Service, sent: set[str]
) -> Iterator[Values]:
    key = keys()[doubt.key]
    if key.kind == "words":
        yield from _of_words(key, told, service, sent)
    elif key.kind == "path":
        yield from ({key.name: path} for path in known_paths(key, service))
    elif key.kind == "integer":
        numbers = sorted(
            (number for each in told for number in stated_numbers(each.words)), reverse=True
        )
        yield from ({key.name: number} for number in (*numbers, *PAGE_SIZES) if number > 0)
    elif key.kind == "word":
        yield from ({key.name: value} for value in key.words or key.others)
    else:
        names = [last_name(each.field) for each in told if each.missing]
        if key.name.endswith("cursor_parameter"):  # often as the answer names it
            told_as = service.value(key.name.removesuffix("_parameter"))
            names.append(last_name(str(told_as or service.value("lists.cursor"))))
        yield from ({key.name: name} for name in (*names, *key.others) if name != NONE)


def _of_words(
    key: Key, told: list[Complaint], service: Service, sent: set[str]
) -> Iterator[Values]:
    """More required fields, another name of a field that was sent, or other words."""
    now = service.value(key.name)
    words = now if isinstance(now, tuple) else ()
    if key.name.endswith("required"):
        missing = [each for each in told if each.missing]
        yield from _renames(f"{key.name.rpartition('.')[0]}.fields.", missing, service, sent)
        asked = [name for each in missing if (name := _known(key, each.field)) not in words]
        if asked:
            yield {key.name: tuple(dict.fromkeys((*map(str, words), *asked)))}
        return
    choices = [word for each in told for word in stated_words(each.words)]
    for found in (choices, key.default, *key.others):
        if isinstance(found, list | tuple) and found:
            yield {key.name: tuple(map(str, found))}
    yield {key.name: tuple(str(word).upper() for word in words)}
    for word in words:
        yield {key.name: (str(word),)}


def _known(key: Key, field: str) -> str:
    """A field as the key can name it: dotted where its words are."""
    parts = field.split(".")
    for at in range(len(parts)):
        if ".".join(parts[at:]) in accepted_words(key.name):
            return ".".join(parts[at:])
    return parts[-1]


def _renames(
    start: str, missing: Iterable[Complaint], service: Service, sent: set[str]
) -> Iterator[Values]:
    """Each field that was sent under the name that is missed, the most similar first."""
    fields = [name for name in keys() if name.startswith(start)]
    ours = {name: their for name in fields if (their := str(service.value(name))) in sent}
    for complaint in missing:
        their = last_name(complaint.field)
        if not re.fullmatch(r"[A-Za-z_][\w-]{0,63}", their) or their in sent:
            continue
        for name in sorted(ours, key=lambda name: -_likeness(ours[name], their))[:4]:
            yield {name: their}


def _of_request(
    error: PaylabError, told: list[Complaint], service: Service, sent: set[str]
) -> Iterator[Values]:
    """Each field of the refused request under a name that is missed."""
    call = error.call
    if call is None or (route := service.match(call.path)[0].get(call.method)) is None:
        return
    missing = [each for each in told if each.missing and "." not in each.field]
    table = table_of(OPERATIONS[route.operation])
    yield from _renames(f"{table}.fields.", missing, service, sent)


def _sent(error: PaylabError) -> set[str]:
    """The names of the fields in the refused request, at any depth."""
    body = error.call.request_body.text if error.call else ""
    return set(re.findall(r'"([^"\\]+)"\s*:', body))


def _likeness(our: str, their: str) -> float:
    same = {*our.split("_")} & {*re.split(r"_|-|(?=[A-Z])", their.lower())}
    return len(same) + SequenceMatcher(None, our, their).ratio()


def known_paths(key: Key, service: Service) -> Iterator[str]:
    """Other paths: those of the resource, those of public descriptions, other spellings."""
    name = key.name.partition(".")[2]
    resource = next(each.resource for each in OPERATIONS.values() if key_of(each.path) == key.name)
    near = (f"{resource}.{verb}" for verb in ("create", "list", "get"))
    known = [OPERATIONS[each].path(service) for each in near if each in OPERATIONS]
    if "id" in key.holds:
        known = [path if "{id}" in str(path) else f"{path}/{{id}}" for path in known]
    known = [str(service.value(key.name)), *known, *key.others, *PATHS.get(resource, ())]
    plain = [path for path in map(str, known) if path.startswith("/")]
    styled = [styled for path in plain for styled in (path, *_spellings(path))]
    for path in dict.fromkeys(styled):
        with suppress(ValueError):
            yield str(key.limit.check(path) if key.limit else path)
    if NONE in key.others and name.endswith(("individual", "transfer", "account", "conversion")):
        yield NONE  # the list is read instead, which the same step proves


def _spellings(path: str) -> Iterator[str]:
    """A path in kebab and in snake, and in the singular."""
    parts = re.split(r"(\{[a-z_]+\}|^/v1)", path)
    for old, new in (("_", "-"), ("-", "_"), (r"s(?=/|$)", "")):
        yield "".join(
            part if part.startswith(("{", "/v1")) else re.sub(old, new, part) for part in parts
        )


def stated_words(words: str) -> tuple[str, ...]:
    """The words that a message says are accepted."""
    found = [match[1] for match in _CHOICE.finditer(words)]
    listed = _WORD.findall(max(found, key=len)) if found else []
    return tuple(word for word in listed if word.lower() not in {*_NOT_CHOICES, "object"})


def stated_numbers(words: str) -> tuple[int, ...]:
    """The integers in a message."""
    return tuple(int(text) for text in _NUMBER.findall(words) if len(text) < 10)
