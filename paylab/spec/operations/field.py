"""A field of a request: its kind, its words, what it refers to, and where it is stated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from ...light_dataclass import light_dataclass
from ..service.accounts import AccountSettings
from ..service.individuals import VerificationSettings
from ..service.on_ramp import ConversionAccountSettings
from ..service.payouts import TransferSettings
from ..service.setting import SPEC

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


class FieldSettings(Protocol):
    """The groups of settings that fields of requests read.

    A field that reads another group needs it here.
    """

    @property
    def verification(self) -> VerificationSettings:
        """The provider of the tokens of identity verification."""

    @property
    def financial_accounts(self) -> AccountSettings:
        """The networks of crypto wallets."""

    @property
    def transfers(self) -> TransferSettings:
        """The length of the references of transfers."""

    @property
    def conversion_accounts(self) -> ConversionAccountSettings:
        """The length of the references of conversion accounts."""


ReadWords = Callable[[FieldSettings], str | tuple[str, ...]]
"""Reads the setting that says which words a service accepts."""


@light_dataclass(frozen=True)
class Field:
    """A field of the body or of the query of a request.

    `source` is "spec", or the id of the assumption that the field rests on. `words` are those of
    an enum or of a list of enums. `setting` reads the words of a service; then others are valid,
    too. `fields` are those of an object, or of each item of a list. `to` is the resource that an
    id or a reference names. A service can have the id of a reference at another place than in an
    object of this name. `forms` are the forms that it always accepts. The answer has the object if
    it is `whole`, else only its id.
    A `personal` field holds data about a person, and a `secret` one is never shown. An `echoed`
    field is in the answer as it was sent. `length_limit` is the largest number of characters, or
    reads the setting that holds it. A text that `may_be_empty` may also be blank.
    """

    name: str
    kind: str = TEXT
    required: bool = False
    source: str = SPEC
    example: Any = None
    words: tuple[str, ...] = ()
    setting: ReadWords | None = None
    fields: tuple[Field, ...] = ()
    to: str = ""
    whole: bool = False
    forms: tuple[str, ...] = ()
    personal: bool = False
    secret: bool = False
    echoed: bool = False
    length_limit: int | Callable[[FieldSettings], int] = 0
    may_be_empty: bool = False

    @property
    def id_name(self) -> str:
        """The name of the field that has the id instead of the reference."""
        return f"{self.name}_id"

    def choices(self, service: FieldSettings) -> tuple[str, ...]:
        """The words that it can have: those of the spec, or else those in its setting.

        Empty for a field that takes any value.
        """
        if self.words or self.setting is None:
            return self.words
        word_or_words = self.setting(service)
        return word_or_words if isinstance(word_or_words, tuple) else (word_or_words,)

    @property
    def has_open_words(self) -> bool:
        """Whether its words are only assumed, so that others are valid too."""
        return self.setting is not None

    @property
    def default_id_path(self) -> str:
        """Where the spec has the id of a reference: in an object, such as `payout_account.id`."""
        return f"{self.name}.id"

    def accepts(self, form: str) -> bool:
        """Whether every service accepts a form of a reference: "object" (`{"id": ...}`) or "id"."""
        return form in self.forms

    @property
    def has_deprecated_id(self) -> bool:
        """Whether the id alone is accepted too, as a deprecated spelling."""
        return self.accepts("object") and self.accepts("id")

    def length_max(self, service: FieldSettings) -> int:
        """The largest number of characters; 0 for any number."""
        if isinstance(self.length_limit, int):
            return self.length_limit
        return self.length_limit(service)

    def sample(self) -> Any:
        """An example of its value; None if there is none. An object has those of its fields."""
        if self.kind != OBJECT:
            return self.example
        return {field.name: field.example for field in self.fields if field.example is not None}

    def inner_names(self) -> tuple[str, ...]:
        """The names of the fields inside it; empty if it is no object or list of objects."""
        return tuple(field.name for field in self.fields)

    def walk(self) -> Iterator[Field]:
        """Yield the field itself, then the fields inside it at any depth."""
        yield self
        for field in self.fields:
            yield from field.walk()
