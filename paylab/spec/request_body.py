"""The body of a request as a service reads it: in our names, with the problems of its form.

A service may have other field names, name an account by its id alone, take amounts as numbers,
or refuse unknown fields. Rules see only our names; problems are told in the service's names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ..errors.base import Problem
from ..errors.names import nearest_name
from .field_names import detail_names
from .json_path import dotted
from .operations.field import AMOUNT, CURRENCY, OBJECT, Field
from .operations.operation import Operation
from .operations.records import OPERATIONS
from .renames import SAME, Names
from .service.service import Service
from .text import CASES

_WORD = re.compile(r"[a-z]+(?:_[a-z]+)+")


@dataclass
class RequestBody:
    """A body in our names; `odd` are the problems of its form, in the service's names.

    `names` are the names of nested objects, by dotted path; `instead` are the names of fields that
    the service has in another form. `unknown` are the fields that the service does not know,
    whether it refuses or ignores them, and deprecated ones, with the field that is probably meant.
    """

    service: Service
    fields: dict[str, Any] = field(default_factory=dict)
    names: dict[str, Names] = field(default_factory=dict)
    odd: list[Problem] = field(default_factory=list)
    instead: dict[str, str] = field(default_factory=dict)
    unknown: list[Problem] = field(default_factory=list)

    def read(self, value: Any, known: Collection[str], names: Names = SAME, at: str = "") -> Any:
        """An object in our names; unknown fields are refused or ignored."""
        if not isinstance(value, dict):
            return value
        self.names[at] = names
        fields, rest = names.apart(value)
        for name, each in rest.items():
            ours = names.ours.get(name, name)
            renamed = ours == name and name in names.theirs
            if renamed or ours not in known:
                self._unknown(at, name, [names.theirs.get(each, each) for each in known])
            if not renamed:
                fields[ours] = each
        return fields

    def read_nested(self, each: Field) -> None:
        """The objects in a field in our names, without the details of accounts."""
        value, known = self.fields.get(each.name), each.names()
        if each.kind == OBJECT and each.name in self.fields:
            self.fields[each.name] = self.read(value, known, at=each.name)
        elif known and isinstance(value, list):
            self.fields[each.name] = [
                self.read(item, known, at=dotted(each.name, at)) for at, item in enumerate(value)
            ]

    def read_details(self, country: object, kind: object, details: Any, at: str) -> Any:
        """The details of an account; unchanged for a type that its country does not have."""
        form = self.service.account(country, kind) if isinstance(country, str) else None
        if form is None:
            return details
        return self.read(details, (*form.fields, *form.required), detail_names(form), at)

    def read_listed_details(self) -> None:
        """The details of the accounts of a new individual, in our names."""
        country, listed = self.fields.get("country"), self.fields.get("financial_accounts")
        for at, entry in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(entry, dict) and "details" in entry:
                kind, place = entry.get("type"), f"financial_accounts.{at}.details"
                entry["details"] = self.read_details(country, kind, entry["details"], place)

    def read_reference(self, each: Field, place: str) -> None:
        """An object with an id, whose id the service has at this place."""
        if place != each.place:
            self._read_moved(each)
            return
        if each.name in self.fields:
            self.fields[each.name] = self.read(self.fields[each.name], ("id",), at=each.name)
        if each.by_id not in self.fields:
            return
        if "id" not in each.forms:
            self._unknown("", self.theirs(each.by_id))
            del self.fields[each.by_id]
        elif each.has_deprecated_id:
            message = f"is a deprecated spelling: is {self.theirs(each.name)}.id meant?"
            self.unknown.append(Problem(self.theirs(each.by_id), message, "request.unknown"))

    def _read_moved(self, each: Field) -> None:
        """A reference whose id is not in an object of our name."""
        if each.name in self.fields and "object" not in each.forms:
            self._unknown("", each.name)
            del self.fields[each.name]
        elif each.name in self.fields:
            self.fields[each.name] = self.read(self.fields[each.name], ("id",), at=each.name)
        if self.fields.get(each.by_id) is not None and each.name not in self.fields:
            self.fields[each.name] = {"id": self.fields.pop(each.by_id)}
        self.instead = dict.fromkeys((each.name, f"{each.name}.id"), self.theirs(each.by_id))

    def read_constants(
        self, value: dict[str, Any], constants: Mapping[str, Any], at: str = ""
    ) -> Any:
        """The object without its constant fields; those that are missing are problems."""
        rest = dict(value)
        for name, constant in constants.items():
            place = dotted(at, name)
            own = rest.pop(name, None)
            if own is None:
                self.odd.append(Problem(place, "is required", "request.extra"))
            elif isinstance(constant, Mapping) and isinstance(own, dict):
                inside = self.read_constants(own, constant, place)
                rest |= {name: inside} if inside else {}
        return rest

    def read_amounts(self, names: Iterable[str]) -> None:
        """Amounts as text, as the rules take them."""
        if self.service.amounts.requests != "number":
            return
        for name in names:
            value = self.fields.get(name)
            if type(value) is int or isinstance(value, float):
                # A number of a body keeps its text.
                self.fields[name] = format(Decimal(getattr(value, "text", str(value))), "f")
            elif value is not None:
                message = "must be a JSON number, like 10.50"
                self._amiss(name, message, "amount.form")

    def check_currencies(self, names: Iterable[str]) -> None:
        """Currencies in the letter case of the service."""
        case = self.service.currencies.case
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, str) and value != CASES[case](value):
                self._amiss(name, f"must be in {case} case", "currency.case")

    def theirs(self, place: str) -> str:
        """The service's name of a field, at any depth."""
        if place in self.instead:
            return self.instead[place]
        at, found = "", ""
        for part in place.split("."):
            found = dotted(found, self.names.get(at, SAME).theirs.get(part, part))
            at = dotted(at, part)
        return found

    def problems(self, others: Iterable[Problem]) -> list[Problem]:
        """The problems of its form and others, in the service's names."""
        wrong = {each.field for each in self.odd}
        named = (
            Problem(self.theirs(each.field), self._words(each.message), each.source)
            for each in others
        )
        return [*self.odd, *(each for each in named if each.field not in wrong)]

    def _words(self, message: str) -> str:
        """A message with the service's field names; other words are unchanged."""
        theirs = {
            our: their
            for names in self.names.values()
            for our, their in names.theirs.items()
            if "_" in our
        }
        return _WORD.sub(lambda word: theirs.get(word[0], word[0]), message) if theirs else message

    def _unknown(self, at: str, name: str, known: Collection[str] = ()) -> None:
        """Note a field that the service does not know; a problem if it refuses those."""
        near = nearest_name(name, known)
        message = f"is not known: is {near} meant?" if near else "is not known"
        place = dotted(at, name)
        self.unknown.append(Problem(place, message, "request.unknown"))
        if self.service.requests.unknown_fields == "refuse":
            self.odd.append(Problem(place, "is not known", "request.unknown"))

    def _amiss(self, name: str, message: str, source: str) -> None:
        self.odd.append(Problem(self.theirs(name), message, source))


def read_request(service: Service, operation: str, given: dict[str, Any]) -> RequestBody:
    """The body of an operation in our names, except details whose country it does not name."""
    record, body = OPERATIONS[operation], RequestBody(service)
    names = record.request_names(service)
    own = body.read_constants(given, _constants(record, names, service))
    body.fields = body.read(own, record.by_name, names)
    for each in record.fields:
        body.read_nested(each)
    body.read_listed_details()
    for each in record.references:
        body.read_reference(each, record.id_place(each, service))
    body.read_amounts(record.of_kind(AMOUNT))
    body.check_currencies(record.of_kind(CURRENCY))
    return body


def _constants(record: Operation, names: Names, service: Service) -> dict[str, Any]:
    """The constant fields of an operation that are no fields of its record."""
    known = {names.theirs.get(name, name) for name in record.by_name}
    constants: Mapping[str, Any] = service.extra.get(record.name, {})
    return {name: value for name, value in constants.items() if name not in known}
