"""What every resource has in common: it can be read whatever the service sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    field_validator,
    model_validator,
)

from .money import Amount
from .timestamps import from_text


def _instant(value: object) -> datetime:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    if not isinstance(value, str):
        raise ValueError("a time is ISO 8601 text")
    return from_text(value)


def _keep(value: object, handler: Callable[[object], object]) -> object:
    try:
        return handler(value)
    except ValidationError:
        return value


def _names_id(field: str) -> bool:
    return field == "id" or field.endswith("_id")


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


Money = Annotated[Amount, PlainValidator(Amount), PlainSerializer(str, str, when_used="json")]
Instant = Annotated[datetime, PlainValidator(_instant)]
# An item that cannot be read must not cost its neighbours their types.
Kept = WrapValidator(_keep)


class Resource(BaseModel):
    """Something the service sent."""

    model_config = ConfigDict(frozen=True, extra="allow", protected_namespaces=())

    _raw: dict[str, Any] = PrivateAttr(default_factory=dict)
    _replayed: bool = PrivateAttr(default=False)

    @property
    def raw(self) -> dict[str, Any]:
        """The JSON object exactly as sent."""
        return self._raw

    @property
    def replayed(self) -> bool:
        """Whether the service answered from its memory of an Idempotency-Key."""
        return self._replayed

    @field_validator("*", mode="wrap")
    @classmethod
    def _read_field(
        cls, value: object, handler: Callable[[object], object], info: ValidationInfo
    ) -> object:
        if value is None:
            return cls.model_fields[info.field_name or ""].default
        try:
            return handler(value)
        except ValidationError:
            return str(value) if _is_number(value) and _names_id(info.field_name or "") else value

    @model_validator(mode="wrap")
    @classmethod
    def _read_whole(cls, value: object, handler: Callable[[object], Self]) -> Self:
        resource = handler(value)
        if isinstance(value, Mapping):
            resource._raw = dict(value) if not isinstance(value, dict) else value
        return resource

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The fields as a dict; a value kept although its type was wrong is no reason to warn."""
        return super().model_dump(**{"warnings": False, **options})

    def model_dump_json(self, **options: Any) -> str:
        """The fields as JSON text; `.raw` is what the service sent."""
        try:
            return super().model_dump_json(**{"warnings": False, **options})
        except (ValueError, RecursionError):  # half a character, or nested too deep for pydantic
            return json.dumps(self._raw, default=str)

    def __eq__(self, other: object) -> bool:
        """Equal when they say the same; null, absent and replayed make no difference."""
        return isinstance(other, type(self)) and _said(self) == _said(other)

    def __hash__(self) -> int:
        return hash((type(self), str(getattr(self, "id", ""))))

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Only what the service said: a page of None hides what matters."""
        return ((name, value) for name, value in super().__repr_args__() if value is not None)


def _said(resource: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in resource if value is not None}
