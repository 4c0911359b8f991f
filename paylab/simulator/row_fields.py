"""The fields of rows: kinds of values with their checks, and what rows have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, AliasPath, BaseModel, ConfigDict, Field, InstanceOf

from ..spec import codes, timestamps
from .clock import END


def make_validator(description: str, is_valid: Callable[[Any], object]) -> AfterValidator:
    """Make a validator of values for which `is_valid` is true.

    It refuses a value at which `is_valid` raises ValueError or RecursionError.
    """

    def check(value: object) -> Any:
        """Return a value; ValueError says what it must be."""
        try:
            has_passed = is_valid(value)
        except (ValueError, RecursionError):
            has_passed = False
        if not has_passed:
            raise ValueError(f"must be {description}")
        return value

    return AfterValidator(check)


def make_choice_validator(names: Iterable[str]) -> AfterValidator:
    """Make a validator of values that must be one of the names."""
    allowed_names = tuple(names)
    return make_validator(f"one of {', '.join(allowed_names)}", allowed_names.__contains__)


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
COUNT_MAX = 2**53


def _is_instant(time_text: str) -> bool:
    """Whether a text is a time as the simulator writes it, and its clock can reach it."""
    return bool(_INSTANT.fullmatch(time_text)) and timestamps.from_text(time_text) <= END


Text = InstanceOf[str]
"""Any text; `str` would refuse unpaired surrogates, which the service accepts."""
Object = dict[Any, Any]
Count = Annotated[int, Field(ge=0, le=COUNT_MAX)]
Number = Annotated[float, Field(ge=-COUNT_MAX, le=COUNT_MAX)]
Id = Annotated[Text, make_validator("an id", re.compile(r"[!-~](?:[ -~]{0,510}[!-~])?").fullmatch)]
Time = Annotated[Text, make_validator("a time like 2026-01-31T09:30:00.123Z", _is_instant)]
Product = Annotated[Text, make_choice_validator(codes.PRODUCTS)]
Word = Annotated[Text, make_validator("a word", re.compile(r"[A-Za-z0-9_.:-]{1,100}").fullmatch)]
"""A status or an event type, which can be one that no service has."""
Currency = Annotated[
    Text,
    make_choice_validator(dict.fromkeys((*codes.SOURCE_CURRENCIES, *codes.DESTINATION_CURRENCIES))),
]


def nested_field(*path: str, default: object = ...) -> Any:
    """A field inside an object of the row; `_` has the simulator's internal fields."""
    return Field(default, validation_alias=AliasPath(*path))


class Values(BaseModel):
    """An object whose fields have these types; other fields are not checked."""

    model_config = ConfigDict(strict=True)


class Record(Values):
    """A row of a table."""

    id: Id


class TimestampedRow(Record):
    """A row with both times."""

    created_at: Time
    updated_at: Time
