"""The base class of resources: accepts any response, and keeps unknown fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetPydanticSchema,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic_core.core_schema import no_info_after_validator_function, str_schema

from ..errors.annotations import WrittenAnnotation
from ..errors.arguments import explain_arguments
from ..errors.refusals import InheritedName, list_names, refuse_foreign_uses
from .members import Members, WordText
from .money import Amount
from .text import plain, printable
from .timestamps import from_text, to_text


def _read_instant(time_value: object) -> datetime:
    """A time in UTC; ValueError for one that is not aware, or not text in ISO 8601."""
    if isinstance(time_value, datetime) and time_value.tzinfo is not None:
        return time_value.astimezone(UTC)
    if not isinstance(time_value, str):
        raise ValueError("a time is ISO 8601 text")
    return from_text(time_value)


def _read_or_keep(field_value: object, handler: Callable[[object], object]) -> object:
    """Read an item as `handler` of pydantic does; one of another type is returned unchanged."""
    try:
        return handler(field_value)
    except ValidationError:
        return field_value


Money = Annotated[Amount, PlainValidator(Amount), PlainSerializer(str, str, when_used="json")]
Instant = Annotated[datetime, PlainValidator(_read_instant)]
_W = TypeVar("_W")
_WORD_SCHEMA = no_info_after_validator_function(WordText, str_schema())
Word = Annotated[_W | str, GetPydanticSchema(lambda _type, _handler: _WORD_SCHEMA)]
"""A word of a closed set, which editors complete; any other text is read as well."""
_I = TypeVar("_I")
Item = Annotated[_I, WrapValidator(_read_or_keep)]
"""An item of a list; one that cannot be read is kept, and the types of the others as well."""


class _WrittenSignature:
    """The fields of a model as its class declares them, for tooltips.

    The signature of pydantic shows validators in place of names such as `Money`.
    """

    def __get__(self, _instance: object, model: type[Resource]) -> Signature:
        parameters = [
            Parameter(
                field_name,
                Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=WrittenAnnotation(model.__annotations__[field_name], model.__module__),
            )
            for field_name, field in model.model_fields.items()
        ]
        return Signature(parameters)


class Resource(BaseModel):
    """An object that the service sent."""

    model_config = ConfigDict(frozen=True, extra="allow", protected_namespaces=(), defer_build=True)

    _raw: dict[str, Any] = PrivateAttr(default_factory=dict)
    _replayed: bool = PrivateAttr(default=False)
    _place: Callable[[], str] = PrivateAttr(default=str)

    __signature__ = _WrittenSignature()

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Restore the signature, which pydantic replaces when it builds a model."""
        cls.__signature__ = _WrittenSignature()

    @property
    def raw(self) -> dict[str, Any]:
        """The JSON object exactly as sent."""
        return Members(self._raw)

    @property
    def replayed(self) -> bool:
        """Whether the service replayed the stored response of an Idempotency-Key."""
        return self._replayed

    def __getstate__(self) -> dict[Any, Any]:
        """The state for pickling, without the function that names the service."""
        pickled_state = super().__getstate__()
        private_state = pickled_state["__pydantic_private__"] or {}
        return {**pickled_state, "__pydantic_private__": {**private_state, "_place": str}}

    @field_validator("*", mode="wrap")
    @classmethod
    def _read_field(
        cls, value: object, handler: Callable[[object], object], info: ValidationInfo
    ) -> object:
        """Read a field as its type; a value of another type is kept, and a number as id is text.

        A null is the default of the field.
        """
        field_name = info.field_name or ""
        if value is None:
            return cls.__pydantic_fields__[field_name].default
        try:
            return handler(value)
        except ValidationError:
            is_id = field_name == "id" or field_name.endswith("_id")
            return str(value) if is_id and type(value) is int else value

    @model_validator(mode="wrap")
    @classmethod
    def _read_whole(cls, value: object, handler: Callable[[object], Self]) -> Self:
        """Read a resource, and keep the object as it was sent for `raw`."""
        try:
            resource = handler(value)
        except ValidationError:
            if not isinstance(value, Mapping):
                raise
            # pydantic refuses the name of an unknown field with an unpaired surrogate.
            resource = handler({printable(str(name)): item for name, item in value.items()})
        if isinstance(value, Mapping) and resource.__pydantic_private__ is not None:
            # Set here, since it is faster than `_raw =` and every read of an object does it.
            raw_object = value if isinstance(value, dict) else dict(value)
            resource.__pydantic_private__["_raw"] = raw_object
        return resource

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The fields as a dict, without warnings about values of a wrong type."""
        return super().model_dump(**{"warnings": False, **options})

    def model_dump_json(self, **options: Any) -> str:
        """The fields as JSON text; `.raw` is what the service sent."""
        try:
            return super().model_dump_json(**{"warnings": False, **options})
        except (ValueError, RecursionError):  # unpaired surrogate, or nested too deep
            return json.dumps(self._raw, default=str)

    def __eq__(self, other: object) -> bool:
        """Equal if their values are equal; null counts as absent, and replayed is ignored."""
        if not isinstance(other, type(self)):
            return False
        return _select_fields_with_value(self) == _select_fields_with_value(other)

    def __hash__(self) -> int:
        return hash((type(self), str(getattr(self, "id", ""))))

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Only fields that have a value."""
        return ((name, value) for name, value in super().__repr_args__() if value is not None)

    def __repr__(self) -> str:
        """One line of the most important fields; `print` and `to_dict()` show all of them."""
        value_by_field = {str(field_name): value for field_name, value in self.__repr_args__()}
        important_names = [field_name for field_name in REPR_FIELDS if field_name in value_by_field]
        shown_names = important_names or list(value_by_field)
        field_texts = []
        for field_name in shown_names[:REPR_FIELDS_MAX]:
            value_text = plain(repr(value_by_field[field_name]), REPR_VALUE_CHARACTERS_MAX)
            field_texts.append(f"{field_name}={value_text}")
        return printable(f"{type(self).__name__}({', '.join(field_texts)})")

    def __str__(self) -> str:
        """The class, and one line for each field that has a value."""
        name_value_pairs = [(str(field_name), value) for field_name, value in self.__repr_args__()]
        name_width = max((len(field_name) for field_name, _ in name_value_pairs), default=0)
        field_lines = [
            f"  {field_name:<{name_width}}  {_describe_value(value)}"
            for field_name, value in name_value_pairs
        ]
        # The names of unknown fields are text of the service, too.
        return "\n".join(map(printable, [type(self).__name__, *field_lines]))

    def to_dict(self) -> dict[str, Any]:
        """The fields that have a value, as plain JSON values.

        >>> lab.transfers.list()[0].to_dict()["source_currency"]
        'USD'
        """
        try:
            return Members(self.model_dump(mode="json", exclude_none=True))
        except (ValueError, RecursionError):  # nested too deep for pydantic
            return self.raw

    @explain_arguments
    def to_json(self, indent: int | None = None) -> str:
        """The fields that have a value, as JSON text.

        >>> lab.transfers.list()[0].to_json()[:9]
        '{"id": "t'
        """
        return json.dumps(self.to_dict(), indent=indent, default=str)

    def __getitem__(self, name: str) -> Any:
        """A field by its name, as of a dictionary; KeyError names a similar one."""
        if name in self:
            return self._read_stored_value(name)
        from .unknown_fields import describe_unknown_name  # only for a wrong name

        raise KeyError(f"{name}: {describe_unknown_name(self, name)}")

    def __contains__(self, name: object) -> bool:
        return name in type(self).__pydantic_fields__ or name in (self.model_extra or ())

    def get(self, name: str, default: object = None) -> Any:
        """A field by its name, or the default when it is missing or null.

        >>> lab.transfers.list()[0].get("status")
        'completed'
        """
        stored_value = self._read_stored_value(name) if name in self else None
        return default if stored_value is None else stored_value

    def keys(self) -> list[str]:
        """The names of the fields, including unknown ones.

        >>> lab.transfers.list()[0].keys()[:2]
        ['id', 'client_reference_id']
        """
        return [*type(self).model_fields, *(self.model_extra or ())]

    def items(self) -> list[tuple[str, Any]]:
        """The names and values of the fields.

        >>> dict(lab.transfers.list()[0].items())["status"]
        'completed'
        """
        return [(field_name, self._read_stored_value(field_name)) for field_name in self.keys()]

    def _read_stored_value(self, field_name: str) -> Any:
        """The value of a field as it is stored, whatever its attribute adds to it."""
        if field_name in self.__dict__:
            return self.__dict__[field_name]
        return getattr(self, field_name)  # an unknown field, which pydantic stores elsewhere

    def __bool__(self) -> bool:
        return True  # Python would ask for the length

    def _refuse_order(self, _other: object) -> NoReturn:
        """Refuse to compare resources by `<`, and say how to sort them."""
        noun = type(self).__name__.lower()
        raise TypeError(
            f"{type(self).__name__} has no order of its own: name what to compare, as in "
            f"sorted(..., key=lambda {noun}: {noun}.created_at)"
        )

    __lt__ = __le__ = __gt__ = __ge__ = _refuse_order

    def __dir__(self) -> list[str]:
        method_names = (name for name in vars(Resource) if not name.startswith("_"))
        return sorted({*self.keys(), *method_names} - _HIDDEN_NAMES)

    if not TYPE_CHECKING:

        def __len__(self) -> NoReturn:
            raise TypeError(f"{type(self).__name__} has no length: {list_names(self.keys())}")

        def __getattr__(self, name: str) -> Any:
            """Read an unknown field that was sent; AttributeError says what another name means."""
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith("_"):  # Python, pydantic and IPython look up such names
                    raise
                from .unknown_fields import raise_unknown_field  # only for a wrong name

                raise_unknown_field(self, name)

        def __setattr__(self, name: str, value: Any) -> None:
            if not name.startswith("_"):
                self._refuse_change(name)
            super().__setattr__(name, value)

        def __delattr__(self, name: str) -> None:
            self._refuse_change(name)

        def __setitem__(self, name: str, value: Any) -> None:
            self._refuse_change(name)

        def __delitem__(self, name: str) -> None:
            self._refuse_change(name)

    def _refuse_change(self, name: str) -> NoReturn:
        """AttributeError for a change of a field, which would not reach the service."""
        raise AttributeError(
            f"{type(self).__name__}.{name} is as the service sent it and cannot be changed: "
            f"model_copy(update={{{name!r}: ...}}) makes a changed copy"
        )


REPR_FIELDS = (
    "id", "status", "type", "status_details", "given_name", "family_name", "country",
    "source_amount", "source_currency", "destination_amount", "destination_currency",
    "amount", "available", "reserved", "currency", "deposit", "url", "failure_reason", "code",
    "message",
)  # fmt: skip
"""The fields of a repr; the first ones with a value are shown."""

DEPRECATED_NAMES = ("dict", "json")
"""Methods of pydantic that warn: `to_dict` and `to_json` are here."""
_HIDDEN_NAMES = {*DEPRECATED_NAMES, "model_config", "model_post_init"}

REPR_FIELDS_MAX = 6
REPR_VALUE_CHARACTERS_MAX = 60
"""Maximum fields of a repr, and maximum characters of a value."""


refuse_foreign_uses(Resource)
for deprecated_name in DEPRECATED_NAMES:
    setattr(Resource, deprecated_name, InheritedName())


def _describe_value(value: object) -> str:
    """The text of a field: a time as the service writes it, text and an amount without quotes."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return to_text(value)
    return str(value) if isinstance(value, str | Amount) else repr(value)


def _select_fields_with_value(resource: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a resource that are not null, by name."""
    return {name: value for name, value in resource if value is not None}


def creation_time(resource: object) -> datetime:
    """The creation time of a resource, for sorting; the earliest datetime if it has none."""
    created_at = getattr(resource, "created_at", None)
    return created_at if isinstance(created_at, datetime) else datetime.min.replace(tzinfo=UTC)
