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
    form_problems: list[Problem] = field(default_factory=list)
    instead: dict[str, str] = field(default_factory=dict)
    unknown: list[Problem] = field(default_factory=list)

    def read(self, value: Any, known: Collection[str], names: Names = SAME, at: str = "") -> Any:
        """An object in our names; unknown fields are refused or ignored."""
        if not isinstance(value, dict):
            return value
        self.names[at] = names
        fields, other_fields = names.apart(value)
        for name, item in other_fields.items():
            our_name = names.ours.get(name, name)
            renamed = our_name == name and name in names.theirs
            if renamed or our_name not in known:
                self._unknown(at, name, [names.theirs.get(item, item) for item in known])
            if not renamed:
                fields[our_name] = item
        return fields

    def read_nested(self, each: Field) -> None:
        """The objects in a field in our names, without the details of accounts."""
        value = self.fields.get(each.name)
        known_names = each.names()
        if each.kind == OBJECT and each.name in self.fields:
            self.fields[each.name] = self.read(value, known_names, at=each.name)
        elif known_names and isinstance(value, list):
            self.fields[each.name] = [
                self.read(item, known_names, at=dotted(each.name, at))
                for at, item in enumerate(value)
            ]

    def read_details(self, country: object, kind: object, details: Any, at: str) -> Any:
        """The details of an account; unchanged for a type that its country does not have."""
        form = self.service.account(country, kind) if isinstance(country, str) else None
        if form is None:
            return details
        return self.read(details, (*form.fields, *form.required), detail_names(form), at)

    def read_listed_details(self) -> None:
        """The details of the accounts of a new individual, in our names."""
        country = self.fields.get("country")
        entries = self.fields.get("financial_accounts")
        for at, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and "details" in entry:
                kind = entry.get("type")
                place = f"financial_accounts.{at}.details"
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
        remaining = dict(value)
        for name, constant in constants.items():
            place = dotted(at, name)
            sent_value = remaining.pop(name, None)
            if sent_value is None:
                self.form_problems.append(Problem(place, "is required", "request.extra"))
            elif isinstance(constant, Mapping) and isinstance(sent_value, dict):
                inside = self.read_constants(sent_value, constant, place)
                remaining |= {name: inside} if inside else {}
        return remaining

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
                self._add_problem(name, message, "amount.form")

    def check_currencies(self, names: Iterable[str]) -> None:
        """Currencies in the letter case of the service."""
        case = self.service.currencies.case
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, str) and value != CASES[case](value):
                self._add_problem(name, f"must be in {case} case", "currency.case")

    def theirs(self, place: str) -> str:
        """The service's name of a field, at any depth."""
        if place in self.instead:
            return self.instead[place]
        at = ""
        their_place = ""
        for part in place.split("."):
            their_place = dotted(their_place, self.names.get(at, SAME).theirs.get(part, part))
            at = dotted(at, part)
        return their_place

    def problems(self, others: Iterable[Problem]) -> list[Problem]:
        """The problems of its form and others, in the service's names."""
        wrong = {problem.field for problem in self.form_problems}
        renamed_problems = (
            Problem(self.theirs(problem.field), self._words(problem.message), problem.source)
            for problem in others
        )
        return [
            *self.form_problems,
            *(problem for problem in renamed_problems if problem.field not in wrong),
        ]

    def _words(self, message: str) -> str:
        """A message with the service's field names; other words are unchanged."""
        their_names = {
            our: their
            for names in self.names.values()
            for our, their in names.theirs.items()
            if "_" in our
        }
        return (
            _WORD.sub(lambda word: their_names.get(word[0], word[0]), message)
            if their_names
            else message
        )

    def _unknown(self, at: str, name: str, known: Collection[str] = ()) -> None:
        """Note a field that the service does not know; a problem if it refuses those."""
        similar = nearest_name(name, known)
        message = f"is not known: is {similar} meant?" if similar else "is not known"
        place = dotted(at, name)
        self.unknown.append(Problem(place, message, "request.unknown"))
        if self.service.requests.unknown_fields == "refuse":
            self.form_problems.append(Problem(place, "is not known", "request.unknown"))

    def _add_problem(self, name: str, message: str, source: str) -> None:
        self.form_problems.append(Problem(self.theirs(name), message, source))


def read_request(service: Service, operation: str, given: dict[str, Any]) -> RequestBody:
    """The body of an operation in our names, except details whose country it does not name."""
    record = OPERATIONS[operation]
    body = RequestBody(service)
    names = record.request_names(service)
    own_fields = body.read_constants(given, _constants(record, names, service))
    body.fields = body.read(own_fields, record.by_name, names)
    for entry in record.fields:
        body.read_nested(entry)
    body.read_listed_details()
    for entry in record.references:
        body.read_reference(entry, record.id_place(entry, service))
    body.read_amounts(record.of_kind(AMOUNT))
    body.check_currencies(record.of_kind(CURRENCY))
    return body


def _constants(record: Operation, names: Names, service: Service) -> dict[str, Any]:
    """The constant fields of an operation that are no fields of its record."""
    field_names = {names.theirs.get(name, name) for name in record.by_name}
    constants: Mapping[str, Any] = service.extra.get(record.name, {})
    return {name: value for name, value in constants.items() if name not in field_names}
