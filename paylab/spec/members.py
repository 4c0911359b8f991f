"""Values of the service as Python's own types, whose wrong uses say what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import suggestions
from ..errors.cards import AbsentAttributeError
from ..errors.refusals import list_names
from ..errors.text import plain


class WordText(str):
    """A word of a closed set, such as a status. Other SDKs have an enumeration instead.

    >>> WordText("completed").value
    Traceback (most recent call last):
    AttributeError: 'completed' is text and has no attribute 'value': write it without .value
    """

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say what to write in place of an attribute that an enumeration would have."""
            if name.startswith("_"):  # Python and IPython look up such names on any object
                raise AttributeError(name)
            message = f"{plain(repr(self), 40)} is text and has no attribute {name!r}"
            raise AbsentAttributeError(f"{message}: write it without .{name}")

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


class Members(dict[str, Any]):
    """A dict whose unknown names are errors that say which name is meant.

    >>> Members(clabe="646180110400000007")["CLABE"]
    Traceback (most recent call last):
    KeyError: 'CLABE: use clabe'
    """

    def __missing__(self, name: object) -> NoReturn:
        raise KeyError(f"{name}: {self._describe_names(str(name))}")

    def _describe_names(self, name: str) -> str:
        """Advice for an unknown name: "use clabe", or a list of all names if none is near."""
        suggested_name = suggestions.find_suggestion(name, self)
        return f"use {suggested_name}" if suggested_name else list_names(self)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say how to read the member that an attribute means."""
            if name.startswith("_"):  # Python and IPython look up such names on any object
                raise AttributeError(name)
            if name in self:
                raise AttributeError(f"{name} is a member of a dict: write [{name!r}]")
            raise AttributeError(f"a dict has no attribute {name!r}: {self._describe_names(name)}")


def convert_to_members(value: object) -> Any:
    """Decoded JSON whose objects, at any depth, are `Members`; too deep a value is unchanged.

    >>> convert_to_members({"data": [{"status": "completed"}]})["data"][0]["Status"]
    Traceback (most recent call last):
    KeyError: 'Status: use status'
    """
    try:
        return _convert_nested(value)
    except RecursionError:
        return value


def _convert_nested(value: object) -> Any:
    """Replace all dicts of decoded JSON by `Members`; RecursionError if it is nested too deep."""
    if isinstance(value, list):
        return [_convert_nested(member) for member in value]
    if not isinstance(value, dict):
        return value
    members = Members(value)
    for name, member in value.items():
        if isinstance(member, dict | list):  # a call for each text would take most of the time
            members[name] = _convert_nested(member)
    return members
