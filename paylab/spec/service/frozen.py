"""A mapping that cannot be changed: the names of fields, or constants, of a service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

V_co = TypeVar("V_co", covariant=True)


class FrozenDict(Mapping[str, V_co]):
    """An immutable mapping with text as keys; hashable if its values are."""

    __slots__ = ("_hash", "_values")

    def __init__(self, values: Mapping[str, V_co] | None = None) -> None:
        """Copy a mapping; None for an empty one."""
        self._values = dict(values or {})
        self._hash: int | None = None

    def __getitem__(self, name: str) -> V_co:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset((name, str(value)) for name, value in self._values.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenDict):  # the names of every answer are found by such keys
            return self is other or self._values == other._values
        return isinstance(other, Mapping) and self._values == dict(other)

    def __repr__(self) -> str:
        return f"FrozenDict({self._values!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._values,)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Read a mapping with text as keys; the values have the type in the brackets."""
        from pydantic_core import core_schema

        value_schema = handler.generate_schema(get_args(source)[0])
        mapping_schema = core_schema.dict_schema(core_schema.str_schema(), value_schema)
        return core_schema.no_info_after_validator_function(freeze_value, mapping_schema)


def to_json_value(value: object) -> Any:
    """Copy a value with lists in place of tuples and plain dictionaries in place of mappings."""
    if isinstance(value, Mapping):
        return {
            member_name: to_json_value(inner_value) for member_name, inner_value in value.items()
        }
    if isinstance(value, tuple | list):
        return [to_json_value(inner_value) for inner_value in value]
    return value


def freeze_value(value: object) -> Any:
    """Copy a value of JSON or TOML with a FrozenDict for each object and a tuple for each list."""
    if isinstance(value, Mapping):
        return FrozenDict(
            {
                str(member_name): freeze_value(inner_value)
                for member_name, inner_value in value.items()
            }
        )
    if isinstance(value, tuple | list):
        return tuple(freeze_value(inner_value) for inner_value in value)
    return value


def make_name_table(*names: str, **places: str) -> FrozenDict[str]:
    """Make the defaults of a table of names: each of `names` has the service's name by default.

    `places` are fields that the service has elsewhere: `payout_account_id="payout_account.id"`.
    """
    return FrozenDict({**{name: name for name in names}, **places})
