"""Find the assumptions behind a failed call: the key of a service.toml to set, and its value."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from ..errors import APIStatusError, PaylabError, Problem
from ..signing.canonical import key_bytes
from ..spec import assumptions
from ..spec.operations import ANSWER_NAMES, OPERATIONS
from ..spec.paging import ListForm
from ..spec.resource import Resource
from ..spec.service import AccountDetails, Service
from ..spec.translation import Translation
from .request import OutgoingRequest
from .settings import Settings

PATH_MISSING = (404, 405, 501)
REFUSED = (400, 409, 415, 422)
FORBIDDEN = 403
MOST_KEYS = 4
ABOUT_PATHS = re.compile(r"rout|path|url|endpoint|cannot (get|post|delete)|/v\d", re.IGNORECASE)
UNKNOWN = re.compile(
    r"unknown|unrecogni[sz]ed|unexpected|not allowed|not permitted|not a permitted|extra|no such",
    re.IGNORECASE,
)
MISSING = re.compile(r"require|missing|blank|must be (given|present)|empty|needed", re.IGNORECASE)
NUMBER = re.compile(r"number|numeric|decimal|float", re.IGNORECASE)
TOO_LONG = re.compile(r"at most|too long|longer|maximum|characters|length", re.IGNORECASE)
SENTENCE = re.compile(r"[\"'`]?([A-Za-z_][\w.]*)[\"'`]?\s*(?::|(?=\bis\b|\bmust\b|\bare\b))\s*(.+)")
QUOTED = re.compile(r"(?::\s*|[\"'`])([A-Za-z_]\w*)[\"'`]?\s*(?:,|;|$)")


COMMON_WORDS = frozenset({"id", "at", "is", "of", "currency", "amount", "account", "source"})
"""Words that are in many names and do not identify a field."""


class Doubt(NamedTuple):
    """A key that may have to be set, and the value that the service seems to use."""

    key: str
    value: str = ""


def name_assumptions(error: PaylabError, doubts: Sequence[Doubt], lead: str = "") -> None:
    """Add assumptions to an error; the first of them is its `key`."""
    if not doubts:
        return
    by_key = {doubt.key: doubt for doubt in sorted(doubts, key=lambda doubt: bool(doubt.value))}
    found = [by_key[key] for key in dict.fromkeys(doubt.key for doubt in doubts)][:MOST_KEYS]
    error.key = found[0].key
    error.assumption = assumptions.KEYS[found[0].key].row
    rows = ", ".join(dict.fromkeys(f"`{assumptions.KEYS[doubt.key].row}`" for doubt in found))
    keys = ", ".join(f'{d.key} = "{d.value}"' if d.value else d.key for d in found)
    advice = (
        f"{lead or 'this rests on an assumption'} ({rows}): set {keys} in service.toml if your "
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
        name_assumptions(error, [Doubt("signing.key_encoding"), Doubt("signing.empty_query")])


def of_refusal(
    error: APIStatusError, outgoing: OutgoingRequest, text: str, service: Service
) -> None:
    """Add assumptions to the error of a refused call."""
    if not outgoing.operation:
        return
    if error.status in PATH_MISSING:
        _of_path(error, outgoing, error.status, text, service)
    elif error.status == FORBIDDEN and outgoing.operation != "sandbox.deposit":
        lead = "a 403 may be what the service answers to a signature that it refuses"
        name_assumptions(error, [Doubt("error_codes.signature", "403")], lead)
    elif error.status in REFUSED:
        translated = [
            each
            for problem in error.problems or [Problem("", text)]
            for each in ([problem] if problem.field else sentences(problem.message))
        ]
        name_assumptions(error, list(Fields(outgoing, service).doubts(translated)))


def _of_path(
    error: PaylabError, outgoing: OutgoingRequest, status: int, text: str, service: Service
) -> None:
    route = next(route for route in service.routes if route.operation == outgoing.operation)
    is_shown = assumptions.KEYS[route.key].origin == "spec"
    kind = "is the one that the interface description shows" if is_shown else "is an assumption"
    words = f"{status} for {outgoing.method} {outgoing.path}"
    is_sure = status != PATH_MISSING[0] or not text or ABOUT_PATHS.search(text)
    ids = "" if is_sure or text == "Not Found" else "If the ids are right, the path differs. "
    name_assumptions(error, [Doubt(route.key)], f"{words}. {ids}This path {kind}")


def sentences(text: str) -> Iterator[Problem]:
    """The field problems in a text such as "details.address: Required; amount is too small"."""
    for part in re.split(r";\s*|\n", text):
        found = SENTENCE.match(part.strip())
        yield Problem(found[1], found[2], "service") if found else Problem("", part, "service")


class Fields:
    """Finds the keys behind the fields of a refused request."""

    def __init__(self, outgoing: OutgoingRequest, service: Service) -> None:
        self._operation, self._service = outgoing.operation, service
        self._params = outgoing.url.params
        self._body: Mapping[str, Any] = outgoing.asked if isinstance(outgoing.asked, dict) else {}
        self._translation = Translation(service)

    def doubts(self, problems: Sequence[Problem]) -> Iterator[Doubt]:
        """The keys to check, most likely first."""
        if self._operation.endswith(".list"):
            yield from self._of_list(problems)
            return
        ours = partial(self._translation.field, self._operation, self._body)
        refused = [(ours(problem.field), problem.message) for problem in problems]
        self._is_renamed = any(MISSING.search(words) for _, words in refused)
        unknown = [name for at, words in refused for name in _names_in(at, words)]
        self._unknown = {*unknown}
        for at, words in refused:
            yield from self._of_field(at, words, unknown)

    def _of_list(self, problems: Sequence[Problem]) -> Iterator[Doubt]:
        form = self._service.list(self._operation.partition(".")[0])
        text = " ".join(map(str, problems)).lower()
        for setting, name in (("max_limit", "limit"), ("cursor_parameter", "cursor")):
            if name in text:
                yield Doubt(f"lists.{setting}" if setting == "max_limit" else _key(form, setting))

    def _of_field(self, at: str, words: str, unknown: Sequence[str]) -> Iterator[Doubt]:
        """The keys behind one problem; `unknown` are names unknown to the service."""
        parents, _, name = at.rpartition(".")
        form = self._form(parents if "details" in parents else at)
        if form is not None and name not in ("details", "type", "individual_id"):
            yield from self._of_detail(form, name, words, unknown)
            return
        table = OPERATIONS[self._operation].names
        terms = table == "transfers" and f"transfers.fields.{name}" not in assumptions.KEYS
        if terms and "quote_id" in self._body and MISSING.search(words):
            yield Doubt("transfers.fields.quote_id")
        yield from self._of_reference(name)
        named = _names_in(at, words) or [name]
        for each in named:
            if UNKNOWN.search(words):
                yield from self._known(f"{table}.fields.{each}")
        if MISSING.search(words) and name not in self._body:
            yield from self._missing(table, at, name, unknown)
        yield from self._of_value(at, name, words)

    def _of_detail(
        self, form: AccountDetails, name: str, words: str, unknown: Sequence[str]
    ) -> Iterator[Doubt]:
        renamed = self._is_renamed and UNKNOWN.search(words)
        if name == form.field and not MISSING.search(words) and not renamed:
            yield Doubt(f"{form.key}.allowed")
        ours = [each for each in _names_in(name, words) if each in form.fields]
        if UNKNOWN.search(words) and ours:
            yield from (Doubt(f"{form.key}.fields.{each}") for each in ours)
        elif MISSING.search(words):
            mine = [each for each in unknown if each in form.fields] or list(form.fields)
            yield from self._renamed_or_required(form.key, name, mine)

    def _missing(self, table: str, at: str, name: str, unknown: Sequence[str]) -> Iterator[Doubt]:
        fields = [
            key.rpartition(".")[2]
            for key in assumptions.KEYS
            if table and key.startswith(f"{table}.fields.")
        ]
        sent = [each for each in fields if each in self._body]
        mine = [each for each in unknown if each in sent] or sent
        default = {
            "quotes.source_currency": "quotes.default_source_currency",
            "transfers.source_network": "transfers.default_network",
            "conversion_accounts.destination_currency": (
                "conversion_accounts.default_destination_currency"
            ),
        }.get(f"{table}.{name}")
        if default:
            yield Doubt(default)
        if self._operation == "individuals.create":
            yield Doubt("individuals.required")
        elif fields:
            yield from self._renamed_or_required(table, name, [] if name in fields else mine)

    def _renamed_or_required(self, table: str, name: str, ours: Sequence[str]) -> Iterator[Doubt]:
        """The key of our field that probably has this name, else of the required fields."""
        keys = {our: assumptions.KEYS[f"{table}.fields.{our}"] for our in ours}
        plausible = [our for our, key in keys.items() if name in key.others]
        refused = [our for our in ours if our in self._unknown]
        near = refused or filter(partial(_alike, name), ours)
        similar = sorted(near, key=partial(_likeness, name))[::-1]
        for our in (plausible or similar)[:1] if name not in keys else []:
            yield Doubt(keys[our].name, name)
            return
        yield from self._known(f"{table}.required")

    def _of_reference(self, name: str) -> Iterator[Doubt]:
        for field in OPERATIONS[self._operation].references:
            if name in (field.name, field.by_id) and name not in self._body:
                yield Doubt(field.form_key)

    def _of_value(self, at: str, name: str, words: str) -> Iterator[Doubt]:
        """The key behind a value that was sent and refused."""
        value = self._body.get(name)
        if name.endswith("amount") and NUMBER.search(words):
            yield Doubt("amounts.requests")
        if name.endswith("currency") and isinstance(value, str):
            is_case = value.lower() in words.lower() or "case" in words.lower()
            yield from [Doubt("currencies.case")] if is_case else []
        if name == "payout_method":
            rails = self._service.rails
            yield from (Doubt(f"rails.{place}") for place in rails if value in rails[place])
        if name == "client_reference_id" and TOO_LONG.search(words):
            yield from self._known(f"{OPERATIONS[self._operation].names}.max_reference")
        field = OPERATIONS[self._operation].by_name.get(name)
        yield from self._known(field.key if field else "")

    def _form(self, at: str) -> AccountDetails | None:
        """The account type of a field in details."""
        body: Any = self._body
        if self._operation == "individuals.create":
            found = re.match(r"financial_accounts\.(\d+)", at)
            accounts = body.get("financial_accounts") or []
            number = int(found[1]) if found else len(accounts)
            body = (
                {**accounts[number], "country": body.get("country")}
                if found and number < len(accounts)
                else {}
            )
        if not isinstance(body.get("details"), Mapping):
            return None
        return self._translation.account(body.get("country"), body.get("type"), body["details"])

    def _known(self, key: str) -> Iterator[Doubt]:
        if key in assumptions.KEYS:
            yield Doubt(key)


def of_page(body: object, form: ListForm) -> list[Doubt]:
    """The keys behind a response that is not a valid page."""
    if isinstance(body, list):
        return [Doubt(_key(form, "envelope"), "array")]
    if not isinstance(body, dict):
        return []
    rows = next((name for name, value in body.items() if isinstance(value, list)), "")
    more = next((name for name, value in body.items() if isinstance(value, bool)), "none")
    others = (name for name, value in body.items() if isinstance(value, str | None))
    cursor = next((name for name in others if name), "")
    found = {"items": rows, "more": more, "cursor": cursor}
    return [
        Doubt(_key(form, setting), value)
        for setting, value in found.items()
        if value and value != getattr(form, setting) and getattr(form, setting) not in body
    ]


def of_answer(kind: type[Resource], body: Mapping[str, Any], service: Service) -> Iterator[Doubt]:
    """The keys of missing fields that probably have another name in the response."""
    table = ANSWER_NAMES.get(kind.__name__, "")
    if table:
        yield from _renamed(table, body, service, kind.model_fields)
    given = body.get("deposit_instructions")
    if isinstance(given, Mapping) and isinstance(given.get("details"), Mapping):
        yield from _renamed(f"deposit_instructions.{given.get('type')}", given["details"], service)


def _renamed(
    table: str, body: Mapping[str, Any], service: Service, known: Container[str] | None = None
) -> Iterator[Doubt]:
    """The missing fields of an object, and their probable names in it."""
    start = f"{table}.fields."
    keys = {name[len(start) :]: key for name, key in assumptions.KEYS.items() if start in name}
    theirs = {our: str(service.value(key.name)) for our, key in keys.items()}
    free = [name for name in body if name not in theirs.values() and name not in (known or ())]
    for our in theirs if free else ():
        is_there = theirs[our] in body or (known is not None and our not in known)
        found = (name for name in free if name in keys[our].others or _shares_a_word(our, name))
        name = None if is_there else next(found, None)
        if name is not None:
            yield Doubt(keys[our].name, name)


def other_dialects(settings: Settings) -> Iterator[Doubt]:
    """The other dialects in which the secret can sign."""
    signing, secret = settings.service.signing, settings.secret_key.reveal()
    for value in assumptions.KEYS["signing.empty_query"].values:
        if value != signing.empty_query:
            yield Doubt("signing.empty_query", str(value))
    for value in assumptions.KEYS["signing.key_encoding"].values:
        with suppress(ValueError):
            if value != signing.key_encoding and key_bytes(secret, str(value)):
                yield Doubt("signing.key_encoding", str(value))


def verified_dialect(settings: Settings, verifies: Callable[[str, str], bool]) -> tuple[Doubt, ...]:
    """The first of the other dialects in which the service verifies a signature."""
    found = (each for each in other_dialects(settings) if verifies(each.key, each.value))
    return tuple(islice(found, 1))


def _key(form: ListForm, setting: str) -> str:
    """The key of a list's setting: its own key if it has one, else that of all lists."""
    own = f"lists.{form.name}.{setting}"
    return own if own in assumptions.KEYS else f"lists.{setting}"


def _names_in(at: str, words: str) -> list[str]:
    """The names of fields that a problem says are unknown, or the field it is at."""
    if not UNKNOWN.search(words):
        return []
    return QUOTED.findall(words) or [at.rpartition(".")[2]]


def _alike(their: str, our: str) -> bool:
    """Whether two names have a word in common."""
    return bool({*our.split("_")} & {*their.split("_")})


def _shares_a_word(our: str, their: str) -> bool:
    """Whether two names have a significant word in common."""
    return bool({*our.split("_")} & {*their.lower().split("_")} - COMMON_WORDS)


def _likeness(their: str, our: str) -> tuple[bool, float]:
    """The similarity of two names; the last word counts most."""
    same = our.rsplit("_", maxsplit=1)[-1] == their.rsplit("_", maxsplit=1)[-1]
    return same, SequenceMatcher(None, our, their).ratio()
