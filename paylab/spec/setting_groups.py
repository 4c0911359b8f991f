"""The settings of a service as a frozen tree, by the parts of their keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import SimpleNamespace
from typing import Any, NoReturn

from .service_keys import Value


class SettingGroup(SimpleNamespace):
    """Settings with a common key prefix, as attributes or by name; immutable."""

    def __getattr__(self, name: str) -> Any:
        near = get_close_matches(name, self.__dict__)
        hint = f"; nearest: {near[0]}" if near else ""
        raise AttributeError(f"there is no setting {name!r} here{hint}")

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("settings cannot be changed: make a Service with other values")

    def __repr__(self) -> str:
        return f"Group({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"


def setting_tree(values: Mapping[str, Value]) -> dict[str, SettingGroup]:
    """The values as nested groups, by the parts of their keys."""
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *groups, last = key.split(".")
        inside = tree
        for group in groups:
            inside = inside.setdefault(group, SettingGroup()).__dict__
        inside[last] = value
    return tree
