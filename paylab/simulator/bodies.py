"""Translate request bodies to paylab's names, and problems and resources to the service's.

A service may have other field names, name an account by its id alone, take amounts as numbers,
or refuse unknown fields. Operations and rules see only paylab's names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Any

from ..errors import Problem
from ..rules.fields import dotted
from ..spec import paging, timestamps
from ..spec.names import Names
from ..spec.operations import ANSWERED_AMOUNTS, OPERATIONS
from ..spec.operations.bodies import ENTRY
from ..spec.operations.field import AMOUNT, CURRENCY, OBJECT, Field
from ..spec.paging import ListForm, put_inside
from ..spec.service import Service
from ..spec.service_keys import NONE
from .messages import BadCursor, ExactNumber, Refused, Reply, Request
from .table import Place, Row, row_place
from .world import World

SAME = Names({})


@dataclass
class RequestBody:
    """A body in paylab's names; `odd` are the problems of its form, in the service's names.

    `names` are the names of nested objects, by dotted path.
    """

    service: Service
    fields: Row = field(default_factory=dict)
    names: dict[str, Names] = field(default_factory=dict)
    odd: list[Problem] = field(default_factory=list)
    instead: dict[str, str] = field(default_factory=dict)

    def read(self, value: Any, known: Collection[str], names: Names = SAME, at: str = "") -> Any:
        """An object in paylab's names; unknown fields are refused or ignored."""
        if not isinstance(value, dict):
            return value
        self.names[at] = names
        found = {}
        for name, each in value.items():
            ours = names.ours.get(name, name)
            renamed = ours == name and name in names.theirs
            if renamed or ours not in known:
                self._unknown(at, name)
            if not renamed:
                found[ours] = each
        return found

    def read_details(self, country: object, kind: object, details: Any, at: str) -> Any:
        """The details of an account; unchanged for a type that its country does not have."""
        form = self.service.account(country, kind) if isinstance(country, str) else None
        if form is None:
            return details
        return self.read(details, (*form.fields, *form.required), form.names, at)

    def _unknown(self, at: str, name: str) -> None:
        """Note a field that the service does not know, if it refuses those."""
        if self.service.requests.unknown_fields == "refuse":
            key, place = "requests.unknown_fields", dotted(at, name)
            self.odd.append(Problem(place, "is not known", "request.unknown", key=key))

    def theirs(self, place: str) -> str:
        """The service's name of a field, at any depth."""
        if place in self.instead:
            return self.instead[place]
        at, found = "", list[str]()
        for part in place.split("."):
            found.append(self.names.get(at, SAME).theirs.get(part, part))
            at = dotted(at, part)
        return ".".join(found)

    def require(self, problems: Iterable[Problem], status: int = 400) -> None:
        """Refuse with all problems, in the service's names."""
        wrong = {each.field for each in self.odd}
        named = (
            Problem(self.theirs(each.field), self._words(each.message), each.source, key=each.key)
            for each in problems
        )
        found = (*self.odd, *(each for each in named if each.field not in wrong))
        if found:
            raise Refused(status, "; ".join(map(str, found)), found)

    def _words(self, message: str) -> str:
        """A message with the service's field names; other words are unchanged."""
        theirs = {
            k: v for names in self.names.values() for k, v in names.theirs.items() if "_" in k
        }
        return _WORD.sub(lambda word: theirs.get(word[0], word[0]), message) if theirs else message

    def read_reference(self, field: Field) -> None:
        """An account as an object with an id, whatever form the service uses."""
        name, by_id = field.name, field.by_id
        accepted = {self.service.value(field.form_key), *field.forms}
        if "object" not in accepted:
            if name in self.fields:
                self._unknown("", self.theirs(name))
                del self.fields[name]
            if self.fields.get(by_id) is not None:
                self.fields[name] = {"id": self.fields.pop(by_id)}
            self.instead = dict.fromkeys((name, f"{name}.id"), self.theirs(by_id))
        elif "id" not in accepted and by_id in self.fields:
            self._unknown("", self.theirs(by_id))
            del self.fields[by_id]

    def read_amounts(self, names: Iterable[str]) -> None:
        """Amounts as text, as the rules take them."""
        if self.service.amounts.requests != "number":
            return
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, ExactNumber) or type(value) is int:
                text = value.text if isinstance(value, ExactNumber) else str(value)
                self.fields[name] = format(Decimal(text), "f")
            elif value is not None:
                message = "must be a JSON number, like 10.50"
                self._amiss(name, message, "amount.form", "amounts.requests")

    def check_currencies(self, names: Iterable[str]) -> None:
        """Currencies in the letter case of the service."""
        case = self.service.currencies.case
        spelled = str.upper if case == "upper" else str.lower
        for name in names if case != "any" else ():
            value = self.fields.get(name)
            if isinstance(value, str) and value != spelled(value):
                self._amiss(name, f"must be in {case} case", "currency.case", "currencies.case")

    def _amiss(self, name: str, message: str, source: str, key: str) -> None:
        self.odd.append(Problem(self.theirs(name), message, source, key=key))


_WORD = re.compile(r"[a-z]+(?:_[a-z]+)+")


def read_body(world: World, request: Request, name: str) -> RequestBody:
    """The body of an operation in paylab's names."""
    service, body, operation = world.service, RequestBody(world.service), OPERATIONS[name]
    given = request.json(exact=service.amounts.requests == "number")
    names = service.names(operation.names) if operation.names else SAME
    body.fields = body.read(given, operation.by_name, names)
    for reference in operation.references:
        body.read_reference(reference)
    body.read_amounts(operation.of_kind(AMOUNT))
    body.check_currencies(operation.of_kind(CURRENCY))
    return body


def read_new_individual(world: World, request: Request) -> RequestBody:
    """The body of a new individual, with its address, document and accounts."""
    body = read_body(world, request, "individuals.create")
    for each in OPERATIONS["individuals.create"].fields:
        if each.kind == OBJECT and each.name in body.fields:
            name = each.name
            body.fields[name] = body.read(body.fields[name], each.names(), at=name)
    listed = body.fields.get("financial_accounts")
    if isinstance(listed, list):
        own = (_entry(body, each, at) for at, each in enumerate(listed))
        body.fields["financial_accounts"] = list(own)
    return body


_ENTRY = tuple(field.name for field in ENTRY)


def _entry(body: RequestBody, value: Any, index: int) -> Any:
    place = f"financial_accounts.{index}"
    entry = body.read(value, _ENTRY, at=place)
    if isinstance(entry, dict) and "details" in entry:
        country, kind = body.fields.get("country"), entry.get("type")
        entry["details"] = body.read_details(country, kind, entry["details"], f"{place}.details")
    return entry


def as_shown(row: Row) -> Row:
    """A row without the simulator's internal fields."""
    return {key: value for key, value in row.items() if key != "_"}


def individual_json(world: World, row: Row) -> Row:
    """An individual with its accounts, without fields that have no value."""
    accounts = world.tables["financial_accounts"].rows
    own = [account_json(world, accounts[account_id]) for account_id in row["_"]["accounts"]]
    return dict(without_null({**as_shown(row), "financial_accounts": own}))


def account_json(world: World, row: Row) -> Row:
    """A financial account, its details in the names of the service."""
    country = world.tables["individuals"].rows[row["_"]["owner"]]["country"]
    names = world.service.detail_names(country, row["type"])
    return {**as_shown(row), "details": names.send(row["details"])}


def with_instructions(service: Service, row: Row) -> Row:
    """An object with its deposit instructions in the service's names."""
    found = row.get("deposit_instructions")
    if found is None:
        return row
    names = service.names(f"deposit_instructions.{found['type']}")
    return {**row, "deposit_instructions": {**found, "details": names.send(found["details"])}}


def transfer_json(world: World, row: Row) -> Row:
    """A transfer as the service shows it."""
    return with_instructions(world.service, as_shown(row))


def with_numbers(service: Service, body: bytes) -> bytes:
    """JSON with amounts as numbers, if the service does that. Assumption `amount.form`."""
    if service.amounts.answers != "number":
        return body
    return _amounts(service).sub(rb'"\1":\2', body)


@lru_cache(maxsize=8)
def _amounts(service: Service) -> re.Pattern[bytes]:
    """Amounts as numbers, under any name of the service."""
    tables = (service.names("quotes").theirs, service.names("sandbox_deposits").theirs)
    theirs = {table[name] for table in tables for name in table if name in ANSWERED_AMOUNTS}
    words = "|".join(map(re.escape, sorted({*ANSWERED_AMOUNTS, *theirs})))
    return re.compile(rf'"({words})":"(-?[0-9]+(?:\.[0-9]+)?)"'.encode())


def without_null(value: Any) -> Any:
    """The value without null fields and list items, at any depth."""
    if isinstance(value, list):
        return [without_null(each) for each in value if each is not None]
    if not isinstance(value, dict):
        return value
    return {key: without_null(each) for key, each in value.items() if each is not None}


def conversion_account(world: World, row: Row) -> Row:
    """A conversion account with the whole payout account inside."""
    account = world.tables["financial_accounts"].rows[row["_"]["payout_account_id"]]
    whole = {**as_shown(row), "payout_account": account_json(world, account)}
    names = world.service.names("conversion_accounts")
    return names.send(with_instructions(world.service, whole))


SHOWN: Mapping[str, Callable[[World, Row], Row]] = {
    "individuals": individual_json,
    "transfers": transfer_json,
    "conversion_accounts": conversion_account,
}
"""The JSON of the kinds whose rows are not shown as they are."""


def shown(world: World, kind: str, row: Row) -> Row:
    """A row as the operations of its kind return it."""
    return SHOWN[kind](world, row) if kind in SHOWN else as_shown(row)


def existing(world: World, kind: str, row_id: object, words: str = "", status: int = 404) -> Row:
    """A row by its id, or a 404; `words` name it in the message."""
    row = world.find(kind, row_id)
    if row is None:
        raise Refused(status, f"{words or kind.removesuffix('s').replace('_', ' ')} not found")
    return row


def named_row(
    world: World, kind: str, row_id: object, words: str = "", status: int = 404
) -> Row | None:
    """The row that a body names; None if it names none, which the rules report."""
    if not isinstance(row_id, str) or not row_id.strip():
        return None
    return existing(world, kind, row_id, words, status)


def read_row(world: World, request: Request, kind: str) -> Reply:
    """Read the row that the path names."""
    return Reply.json(200, shown(world, kind, existing(world, kind, request.id)))


def image_list(row: Row) -> Row:
    """An individual's stored images, one per side."""
    return {"individual_id": row["id"], "images": list(row["_"]["images"].values())}


_WHOLE = re.compile(r"[0-9]{1,9}")


def page(world: World, request: Request, kind: str, lane: str | None = None) -> Reply:
    """One page in the envelope of its list. Assumptions `list.envelope`, `list.order`."""
    form, table = world.service.list(kind), world.tables[kind]
    if form.envelope == "array":
        return Reply.json(200, [shown(world, kind, row) for row in table.listed(lane)])
    items = request.query_items()
    after = _place(items.get(form.cursor_parameter))
    limit = _limit(items.get(form.limit_parameter), form)
    rows = list(islice(table.listed(lane, after=after), limit + 1))
    more = len(rows) > limit
    answer: Row = {}
    put_inside(answer, form.items, [shown(world, kind, row) for row in rows[:limit]])
    if form.more != NONE:
        put_inside(answer, form.more, more)
    put_inside(answer, form.cursor, _cursor(rows[limit - 1]) if more else None)
    return Reply.json(200, answer)


def _limit(text: str | None, form: ListForm) -> int:
    """From 1 to the largest page; assumption `page.limit`."""
    if text is None:
        return form.default_limit
    size = int(text) if _WHOLE.fullmatch(text) else 0
    if size > form.max_limit and form.over_limit == "cap":
        return form.max_limit
    if 1 <= size <= form.max_limit:
        return size
    message = f"must be a whole number from 1 to {form.max_limit}"
    key = f"lists.{form.name}.max_limit"
    problem = Problem(form.limit_parameter, message, "page.limit", key=key)
    raise Refused(400, str(problem), [problem])


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    try:
        position = paging.decode_cursor(cursor)
        timestamps.from_text(position["created_at"])
    except ValueError:
        raise BadCursor from None
    return position["created_at"], position["id"]


def _cursor(row: Row) -> str:
    created_at, row_id = row_place(row)
    return paging.encode_cursor({"created_at": created_at, "id": row_id, "direction": "next"})
