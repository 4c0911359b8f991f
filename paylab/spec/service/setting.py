"""Links settings with the reference, and finds the setting that a function reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

SPEC = "spec"
PUBLIC = "public"
CHOSEN = "chosen"


@dataclass(frozen=True, eq=False, repr=False)
class Setting:
    """The question, row and origin of one setting, or of a table or group of settings.

    `origin` is the source of the default: "spec", "public" (in public descriptions of such
    services: likely, not certain) or "chosen" (by paylab). `others` are values that a service
    could plausibly have instead; of a table, or of a group, they are listed by name. In a
    question, {name} is the name in a table and {account} the type of an account. A setting of a
    group has the row and the origin of the group if it states none.

    A group that `inherits` has the settings of the group around it for one member alone. `base` is
    the dotted key of the setting that a None stands for.
    """

    question: str = ""
    row: str = ""
    origin: str = ""
    others: tuple[Any, ...] | Mapping[str, tuple[Any, ...]] = ()
    inherits: str = ""
    base: str = ""

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        """Describe the setting by its question, unless it has places for names."""
        schema: dict[str, Any] = handler(core_schema)
        if not self.question or "{" in self.question:  # a question with places for names
            return schema
        return {**schema, "description": f"{self.question} (assumption {self.row})"}


class _Recorder:
    """Stands for the settings in a call of `read`, and records the attributes that it reads."""

    def __init__(self, key: str = "") -> None:
        """Stand for the value under a dotted key; "" for all settings."""
        self._key = key

    def __getattr__(self, name: str) -> _Recorder:
        return _Recorder(f"{self._key}.{name}".lstrip("."))

    __getitem__ = __getattr__

    def __str__(self) -> str:
        return self._key


def setting_key_of(read: Callable[[Any], object] | None) -> str:
    """The dotted key of the setting that a function reads; "" if it reads no setting.

    >>> setting_key_of(lambda service: service.quotes.lifetime)
    'quotes.lifetime'
    """
    recorder = read(_Recorder()) if read else None
    return str(recorder) if isinstance(recorder, _Recorder) else ""
