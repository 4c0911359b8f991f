"""Python text of a call, as one would write it."""

from __future__ import annotations

from collections.abc import Mapping

WIDTH = 88


class Expression(str):
    """Text that stands in code as it is: a name or a call, no literal."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def call(function: str, arguments: Mapping[str, object], *positional: object, to: str = "") -> str:
    """`to = function(positional, name=value)`, over several lines where one is too long."""
    given = [repr(value) for value in positional]
    given += [f"{name}={value!r}" for name, value in arguments.items()]
    begin = f"{to} = {function}" if to else function
    line = f"{begin}({', '.join(given)})"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{begin}(", *(f"    {argument}," for argument in given), ")"])
