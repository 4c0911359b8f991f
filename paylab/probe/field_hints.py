"""The keys behind the fields that a service complains about: another name, a word, a form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import Any, NamedTuple

from ..client.request import OutgoingRequest
from ..spec.complaints import Complaint
from ..spec.json_path import last_name, value_at
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.service.accounts import AccountDetails
from ..spec.service.key import Key
from ..spec.service.keys import keys
from ..spec.service.lists import ListForm
from ..spec.service.rails import RAILS
from ..spec.service.service import Service
from ..spec.service.setting import key_of
from ..spec.service.value_types import WordsLimit
from ..spec.translation import Translation

NUMBER = re.compile(r"number|numeric|decimal|float", re.IGNORECASE)
TOO_LONG = re.compile(r"at most|too long|longer|maximum|characters|length", re.IGNORECASE)
ACCOUNT = frozenset({"details", "type", "individual_id"})
"""Fields of an account beside those in its details."""
DEFAULTS = {
    "quotes.source_currency": "quotes.default_source_currency",
    "transfers.source_network": "transfers.default_network",
    "conversion_accounts.destination_currency": "conversion_accounts.default_destination_currency",
}
"""The key of the default of a field that may be omitted."""


class Doubt(NamedTuple):
    """A key that may have to be set, and the value that the service seems to use."""

    key: str
    value: str = ""


def _without_id(our: str, key: Key) -> str:
    """The name of a reference whose id is in an object."""
    return our.removesuffix("_id") if str(key.default).endswith(".id") else our


def list_key(form: ListForm, setting: str) -> str:
    """The key of a list's setting: its own key if it has one, else that of all lists."""
    own = f"lists.{form.name}.{setting}"
    return own if own in keys() else f"lists.{setting}"


def table_of(operation: Operation) -> str:
    """The table of settings with the names of the body of an operation; "" if there is none."""
    return key_of(operation.names).removesuffix(".fields")


def accepted_words(key: str) -> tuple[str, ...]:
    """The words that a list of words can have; () for any word."""
    limit = keys()[key].limit
    return limit.words if isinstance(limit, WordsLimit) else ()


class Fields:
    """Finds the keys behind the fields of a refused request."""

    def __init__(self, outgoing: OutgoingRequest, service: Service) -> None:
        self._operation, self._service = outgoing.operation, service
        self._body: Mapping[str, Any] = outgoing.asked if isinstance(outgoing.asked, dict) else {}
        self._translation = Translation(service)
        self._table = table_of(OPERATIONS[self._operation])

    def doubts(self, complaints: Sequence[Complaint]) -> Iterator[Doubt]:
        """The keys to check, most likely first."""
        if self._operation.endswith(".list"):
            yield from self._of_list(complaints)
            return
        ours = partial(self._translation.field, self._operation, self._body)
        told = [each._replace(field=ours(each.field)) for each in complaints]
        self._is_renamed = any(each.missing for each in told)
        self._unknown = [last_name(each.field) for each in told if each.unknown]
        for each in told:
            yield from self._of_field(each)

    def _of_list(self, complaints: Sequence[Complaint]) -> Iterator[Doubt]:
        form = self._service.list(self._operation.partition(".")[0])
        text = " ".join(" ".join(each) for each in complaints).lower()
        if "limit" in text:
            yield Doubt("lists.max_limit")
        if "cursor" in text:
            yield Doubt(list_key(form, "cursor_parameter"))

    def _of_field(self, told: Complaint) -> Iterator[Doubt]:
        """The keys behind one complaint."""
        name, table = last_name(told.field), self._table
        if self._is_in_details(told.field):
            found = self._account(told.field)
            if found is not None:
                yield from self._of_detail(*found, told)
            return
        terms = table == "transfers" and f"transfers.fields.{name}" not in keys()
        if terms and "quote_id" in self._body and told.missing:
            yield Doubt("transfers.fields.quote_id")
        for field in OPERATIONS[self._operation].references:
            if name in (field.name, field.by_id) and name not in self._body:
                value = name if told.missing else ""
                yield Doubt(f"{self._table}.fields.{field.by_id}", value)
        if told.unknown:
            yield from _known(f"{table}.fields.{name}")
        if told.missing and name not in self._body:
            yield from self._missing(told.field)
        yield from self._of_value(told)

    def _of_detail(
        self, form: AccountDetails, details: Mapping[str, Any], told: Complaint
    ) -> Iterator[Doubt]:
        """The keys behind a complaint about a field in the details of an account."""
        name = last_name(told.field)
        renamed = told.unknown and (self._is_renamed or "field" in told.words.lower())
        if name == form.field and not told.missing and not renamed:
            yield Doubt(f"{form.key}.allowed")
        if told.unknown and name in form.fields:
            yield Doubt(f"{form.key}.fields.{name}")
        elif told.missing and name not in details:
            mine = [each for each in self._unknown if each in form.fields] or list(form.fields)
            yield from self._renamed_or_required(form.key, name, mine)

    def _missing(self, at: str) -> Iterator[Doubt]:
        """The key of a missing field: its default, its name, or the required fields."""
        table, name = self._table, last_name(at)
        if self._operation == "individuals.create":
            required = "individuals.required"
            is_known = at in accepted_words(required)
            if is_known and value_at(self._body, at) is None:
                yield Doubt(required)
            return
        start = f"{table}.fields."
        fields = [key[len(start) :] for key in keys() if table and key.startswith(start)]
        moved = {
            each.by_id for each in OPERATIONS[self._operation].references if each.name in self._body
        }
        sent = [each for each in fields if each in self._body or each in moved]
        yield from _known(DEFAULTS.get(f"{table}.{name}", ""))
        if fields:
            mine = [each for each in self._unknown if each in sent] or sent
            yield from self._renamed_or_required(table, name, [] if name in fields else mine)

    def _renamed_or_required(self, table: str, name: str, ours: Sequence[str]) -> Iterator[Doubt]:
        """The key of our field that probably has this name, else of the required fields."""
        ours_by_key = {our: keys()[f"{table}.fields.{our}"] for our in ours}
        plausible = [our for our, key in ours_by_key.items() if name in key.others]
        refused = [our for our in ours if our in self._unknown]
        bare = {our: _without_id(our, key) for our, key in ours_by_key.items()}
        near = [our for our in ours if {*bare[our].split("_")} & {*name.split("_")}]
        similar = sorted(refused or near, key=lambda our: _likeness(name, bare[our]))[::-1]
        for our in (plausible or similar)[:1] if name not in ours_by_key else []:
            is_object = str(ours_by_key[our].default).endswith(".id") and not name.endswith("id")
            yield Doubt(ours_by_key[our].name, f"{name}.id" if is_object else name)
            return
        yield from _known(f"{table}.required")

    def _of_value(self, told: Complaint) -> Iterator[Doubt]:
        """The key behind a value that was sent and refused."""
        name, words = last_name(told.field), told.words
        value = self._body.get(name)
        if name.endswith("amount") and NUMBER.search(words):
            yield Doubt("amounts.requests")
        if name.endswith("currency") and isinstance(value, str):
            is_case = value.lower() in words.lower() or "case" in words.lower()
            yield from [Doubt("currencies.case")] if is_case else []
        if name == "payout_method":
            rails = self._service.rails
            yield from (
                Doubt(f"rails.{each}") for each, read in RAILS.items() if value in read(rails)
            )
        if name == "client_reference_id" and TOO_LONG.search(words):
            yield from _known(f"{self._table}.max_reference")
        field = OPERATIONS[self._operation].by_name.get(name)
        yield from _known(key_of(field.setting) if field else "")

    def _is_in_details(self, at: str) -> bool:
        """Whether a field is one of an account's details."""
        *parents, name = at.split(".")
        if name in ACCOUNT:
            return False
        if self._operation.startswith("financial_accounts.") or "details" in parents:
            return True
        return "financial_accounts" in parents

    def _account(self, at: str) -> tuple[AccountDetails, Mapping[str, Any]] | None:
        """The form and the details of the account that a field belongs to."""
        number = re.match(r"financial_accounts\.(\d+)", at)
        accounts = self._body.get("financial_accounts", [self._body])
        accounts = accounts if isinstance(accounts, list) else []
        chosen = accounts[int(number[1]) :][:1] if number else accounts
        account = partial(self._translation.account, self._body.get("country"))
        found = [
            (form, one["details"])
            for one in chosen
            if isinstance(one, Mapping) and isinstance(one.get("details"), Mapping)
            if (form := account(one.get("type"), one["details"])) is not None
        ]
        # Without a number, the only account that has such a field.
        fits = [each for each in found if last_name(at) in each[0].fields]
        return next(iter(found if len(found) == 1 else fits if len(fits) == 1 else []), None)


def _known(key: str) -> Iterator[Doubt]:
    if key in keys():
        yield Doubt(key)


def _likeness(their: str, our: str) -> tuple[bool, float]:
    """The similarity of two names; the last word counts most."""
    same = our.rsplit("_", maxsplit=1)[-1] == their.rsplit("_", maxsplit=1)[-1]
    return same, SequenceMatcher(None, our, their).ratio()
