"""A field of a request: its kind, its words, what it refers to, and where it is stated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TEXT = "text"
AMOUNT = "amount"
CURRENCY = "currency"
ENUM = "enum"
INTEGER = "integer"
DATE = "date"
TIME = "time"
OBJECT = "object"
LIST = "list"
ID = "id"
REFERENCE = "reference"
DETAILS = "details"
"""The kinds of fields. An amount is text with a decimal number, a date is YYYY-MM-DD, a time is
ISO 8601. An id names another object, a reference is an object `{"id": ...}` that names one.
Details are an object whose fields depend on the account type and its country."""

SPEC = "spec"


@dataclass(frozen=True)
class Field:
    """A field of the body or of the query of a request.

    `source` is "spec", or the id of the assumption that the field rests on. `words` are those of
    an enum or of a list of enums, `key` is the setting that says which values are accepted.
    `fields` are those of an object, or of each item of a list. `to` is the resource that an id or
    a reference names; `form_key` is the setting that says whether requests have the reference or
    the field that ends in _id, and `forms` are the forms that the service always accepts.
    A `personal` field holds data about a person, a `secret` one is never shown. An `echoed` one
    stands in the answer as it was sent. `most` is the largest number of characters, or the setting
    that holds it; a text that `may_be_empty` may also be blank.
    """

    name: str
    kind: str = TEXT
    required: bool = False
    source: str = SPEC
    example: Any = None
    words: tuple[str, ...] = ()
    key: str = ""
    fields: tuple[Field, ...] = ()
    to: str = ""
    form_key: str = ""
    forms: tuple[str, ...] = ()
    personal: bool = False
    secret: bool = False
    echoed: bool = False
    most: int | str = 0
    may_be_empty: bool = False

    @property
    def by_id(self) -> str:
        """The name of the field that has the id instead of the reference."""
        return f"{self.name}_id"

    def has_deprecated_id(self, form: str) -> bool:
        """Whether a service with this form takes the id alone too, as a deprecated spelling."""
        return form != "id" and {"object", "id"} <= {*self.forms}

    def sample(self) -> Any:
        """An example of its value; None if there is none."""
        if self.kind != OBJECT:
            return self.example
        return {field.name: field.example for field in self.fields if field.example is not None}

    def names(self) -> tuple[str, ...]:
        """The names of its own fields."""
        return tuple(field.name for field in self.fields)

    def walk(self) -> Iterator[Field]:
        """The field, and its fields at any depth."""
        yield self
        for field in self.fields:
            yield from field.walk()
